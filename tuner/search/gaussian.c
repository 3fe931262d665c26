#include "tuner/search/gaussian.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TUNED_SAMPLES = 64, TUNING_SWEEPS = 2, TUNING_STEPS = 2 };

/* What tuning finds, in one array: variances of function and nugget, then inverse lengths. */
enum { SIGNAL, NUGGET, SCALES };

static const float USUAL_SCALE = 0.7F;
/* Of any of them: keeps the matrix well conditioned, whose numbers have the precision of floats. */
static const float LEAST = 1e-4F;

struct gaussian {
    int dimensions;
    int count;
    int factored; /* columns of `upper` that hold */
    unsigned version;
    bool tuned;
    double center; /* the mean of y, which the function returns to far from samples */
    float hyper[SCALES + GAUSSIAN_DIMENSIONS];
    float x[GAUSSIAN_DIMENSIONS][GAUSSIAN_SAMPLES];
    double y[GAUSSIAN_SAMPLES];
    double whitened[GAUSSIAN_SAMPLES];
    double upper[GAUSSIAN_SAMPLES][GAUSSIAN_SAMPLES]; /* the Cholesky factor, transposed */
    float lower[GAUSSIAN_SAMPLES][GAUSSIAN_SAMPLES];  /* the factor, for those who follow it */
    struct gaussian *part;                            /* some of the samples, to tune by */
};

tw_status gaussian_create(struct gaussian **out, int dimensions, struct tw_error *error) {
    *out = calloc(1, sizeof **out);
    if (*out == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    (*out)->dimensions = dimensions;
    (*out)->part = calloc(1, sizeof **out);
    if ((*out)->part == NULL) {
        free(*out);
        *out = NULL;
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    }
    return TW_OK;
}

void gaussian_free(struct gaussian *gaussian) {
    if (gaussian != NULL)
        free(gaussian->part);
    free(gaussian);
}

void gaussian_clear(struct gaussian *gaussian) {
    gaussian->count = gaussian->factored = 0;
    gaussian->version++;
}

void gaussian_add(struct gaussian *gaussian, const float *x, double y) {
    for (int i = 0; i < gaussian->dimensions; i++)
        gaussian->x[i][gaussian->count] = x[i];
    gaussian->y[gaussian->count++] = y;
}

void gaussian_correct(struct gaussian *gaussian, int i, double y) {
    gaussian->y[i] = y;
}

/* Of a place with the first `count` samples. */
static void covariances(const struct gaussian *g, const float *at, int count, double *out) {
    for (int first = 0; first < count; first += MATERN_BLOCK) {
        float block[MATERN_BLOCK];
        matern_block(&g->x[0][first], GAUSSIAN_SAMPLES, at, &g->hyper[SCALES], g->dimensions,
                     block);
        for (int c = 0; c < MATERN_BLOCK && first + c < count; c++)
            out[first + c] = (double)(g->hyper[SIGNAL] * block[c]);
    }
}

/* Solves (upper transposed) * x = z for the first `count` samples; x takes the place of z. */
static void solve(const struct gaussian *g, int count, double *z) {
    for (int k = 0; k < count; k++) {
        const double *row = g->upper[k];
        double value = z[k] /= row[k];
        for (int j = k + 1; j < count; j++)
            z[j] -= value * row[j];
    }
}

static void sample(const struct gaussian *g, int i, float *x) {
    for (int d = 0; d < g->dimensions; d++)
        x[d] = g->x[d][i];
}

/* The columns from `first` on; those before are there. */
static bool factorise(struct gaussian *g, int first, int count) {
    for (int i = first; i < count; i++) {
        float x[GAUSSIAN_DIMENSIONS];
        double z[GAUSSIAN_SAMPLES], rest = (double)(g->hyper[SIGNAL] + g->hyper[NUGGET]);
        sample(g, i, x);
        covariances(g, x, i, z);
        solve(g, i, z);
        for (int k = 0; k < i; k++) {
            g->upper[k][i] = z[k];
            g->lower[i][k] = (float)z[k];
            rest -= z[k] * z[k];
        }
        if (rest <= 0)
            return false;
        g->upper[i][i] = sqrt(rest);
        g->lower[i][i] = (float)g->upper[i][i];
    }
    return true;
}

/* The logarithm of how likely the samples are under the current hyperparameters, which are
 * themselves the less likely the further their lengths are from the usual. */
static double evidence(struct gaussian *g) {
    int count = g->count;
    double z[GAUSSIAN_SAMPLES], sum = 0;
    if (!factorise(g, 0, count))
        return -INFINITY;
    for (int i = 0; i < count; i++)
        z[i] = g->y[i] - g->center;
    solve(g, count, z);
    for (int i = 0; i < count; i++)
        sum -= z[i] * z[i] / 2 + log(g->upper[i][i]);
    for (int i = 0; i < g->dimensions; i++) {
        double off = log((double)(g->hyper[SCALES + i] / USUAL_SCALE));
        sum -= off * off / 5;
    }
    return sum;
}

static void find_center(struct gaussian *g) {
    g->center = 0;
    for (int i = 0; i < g->count; i++)
        g->center += g->y[i] / g->count;
}

static void begin_hyper(struct gaussian *g) {
    double variance = 0;
    for (int i = 0; i < g->count; i++)
        variance += (g->y[i] - g->center) * (g->y[i] - g->center) / g->count;
    g->hyper[SIGNAL] = (float)variance + LEAST;
    g->hyper[NUGGET] = (float)variance / 20 + LEAST;
    for (int i = 0; i < g->dimensions; i++)
        g->hyper[SCALES + i] = USUAL_SCALE;
    g->tuned = true;
}

/* An even selection, in the order in which they came. */
static void select_part(struct gaussian *g) {
    struct gaussian *part = g->part;
    part->dimensions = g->dimensions;
    part->count = g->count < TUNED_SAMPLES ? g->count : TUNED_SAMPLES;
    part->center = g->center;
    memcpy(part->hyper, g->hyper, sizeof part->hyper);
    for (int i = 0; i < part->count; i++) {
        int from = i * g->count / part->count;
        for (int d = 0; d < g->dimensions; d++)
            part->x[d][i] = g->x[d][from];
        part->y[i] = g->y[from];
    }
}

/* A few steps along each coordinate: the evidence is flat enough for that to do. */
void gaussian_tune(struct gaussian *g) {
    find_center(g);
    if (!g->tuned)
        begin_hyper(g);
    select_part(g);
    struct gaussian *part = g->part;
    double best = evidence(part);
    for (int step = 0; step < TUNING_SWEEPS * (SCALES + g->dimensions) * 2; step++) {
        float *hyper = &part->hyper[step / 2 % (SCALES + g->dimensions)];
        float factor = hyper < &part->hyper[SCALES] ? 2 : 1.6F;
        if (step % 2 == 0)
            factor = 1 / factor;
        for (int i = 0; i < TUNING_STEPS; i++) {
            float before = *hyper;
            *hyper = fmaxf(LEAST, before * factor);
            double reached = evidence(part);
            if (reached <= best) {
                *hyper = before;
                break;
            }
            best = reached;
        }
    }
    memcpy(g->hyper, part->hyper, sizeof g->hyper);
    g->factored = 0;
    g->version++;
}

bool gaussian_fit(struct gaussian *g) {
    if (g->count == 0)
        return false;
    find_center(g);
    if (!g->tuned)
        begin_hyper(g);
    bool sound = factorise(g, g->factored, g->count);
    g->factored = sound ? g->count : 0;
    g->version += !sound;
    if (!sound)
        return false;
    for (int i = 0; i < g->count; i++)
        g->whitened[i] = g->y[i] - g->center;
    solve(g, g->count, g->whitened);
    return true;
}

double gaussian_guess(const struct gaussian *g, const float *x, double *deviation) {
    double z[GAUSSIAN_SAMPLES], mean = g->center, variance = gaussian_variance(g);
    covariances(g, x, g->count, z);
    solve(g, g->count, z);
    for (int i = 0; i < g->count; i++) {
        mean += z[i] * g->whitened[i];
        variance -= z[i] * z[i];
    }
    *deviation = sqrt(fmax(variance, (double)LEAST));
    return mean;
}

unsigned gaussian_version(const struct gaussian *g) {
    return g->version;
}

int gaussian_count(const struct gaussian *g) {
    return g->count;
}

double gaussian_center(const struct gaussian *g) {
    return g->center;
}

double gaussian_variance(const struct gaussian *g) {
    return (double)(g->hyper[SIGNAL] + g->hyper[NUGGET]);
}

void gaussian_covariances(const struct gaussian *g, int i, const float *x, int stride, float *out) {
    float at[GAUSSIAN_DIMENSIONS];
    sample(g, i, at);
    matern_block(x, stride, at, &g->hyper[SCALES], g->dimensions, out);
    for (int c = 0; c < MATERN_BLOCK; c++)
        out[c] *= g->hyper[SIGNAL];
}

const float *gaussian_row(const struct gaussian *g, int i) {
    return g->lower[i];
}

double gaussian_whitened(const struct gaussian *g, int i) {
    return g->whitened[i];
}

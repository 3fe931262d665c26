#include "tuner/search/panel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Candidates are worked on a block at a time, side by side, so that the compiler can use vectors.
 */
enum { BLOCK = 64 };

struct panel {
    int blocks, dimensions;
    int count;               /* places that are filled */
    int followed;            /* samples that are worked in */
    int stale;               /* places that were put since */
    unsigned version;        /* of the process */
    int *fresh;              /* those places */
    double *x;               /* coordinates, a candidate after the other */
    float *solved;           /* row i: what solving the factor's row i gives each candidate */
    float *mean, *explained; /* the variance that the samples explain */
    double center, variance;
};

tw_status panel_create(struct panel **out, int capacity, int dimensions, struct tw_error *error) {
    struct panel *panel = calloc(1, sizeof *panel);
    *out = panel;
    if (panel == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    panel->blocks = (capacity + BLOCK - 1) / BLOCK;
    panel->dimensions = dimensions;
    size_t places = (size_t)panel->blocks * BLOCK;
    panel->fresh = calloc(places, sizeof *panel->fresh);
    panel->x = calloc(places * (size_t)dimensions + 1, sizeof *panel->x);
    panel->solved = calloc(places * GAUSSIAN_SAMPLES, sizeof *panel->solved);
    panel->mean = calloc(places, sizeof *panel->mean);
    panel->explained = calloc(places, sizeof *panel->explained);
    if (panel->fresh != NULL && panel->x != NULL && panel->solved != NULL && panel->mean != NULL &&
        panel->explained != NULL)
        return TW_OK;
    panel_free(panel);
    *out = NULL;
    return tw_fail(error, TW_NO_MEMORY, "out of memory");
}

void panel_free(struct panel *panel) {
    if (panel == NULL)
        return;
    free(panel->fresh);
    free(panel->x);
    free(panel->solved);
    free(panel->mean);
    free(panel->explained);
    free(panel);
}

static float *solved_of(const struct panel *panel, int sample, int block) {
    return panel->solved + ((size_t)sample * (size_t)panel->blocks + (size_t)block) * BLOCK;
}

static const double *x_of(const struct panel *panel, int place) {
    return panel->x + (size_t)place * (size_t)panel->dimensions;
}

void panel_put(struct panel *panel, int place, const double *x) {
    memcpy(panel->x + (size_t)place * (size_t)panel->dimensions, x,
           (size_t)panel->dimensions * sizeof *x);
    panel->count = place >= panel->count ? place + 1 : panel->count;
    if (panel->stale < panel->blocks * BLOCK)
        panel->fresh[panel->stale++] = place;
}

/* One candidate anew, for the samples that the others have. */
static void solve_one(struct panel *panel, const struct gaussian *gaussian, int place) {
    int block = place / BLOCK, at = place % BLOCK;
    float values[GAUSSIAN_SAMPLES], explained = 0;
    for (int i = 0; i < panel->followed; i++) {
        const double *row = gaussian_row(gaussian, i);
        double rest = gaussian_covariance(gaussian, x_of(panel, place), i);
        for (int k = 0; k < i; k++)
            rest -= row[k] * (double)values[k];
        values[i] = (float)(rest / row[i]);
        solved_of(panel, i, block)[at] = values[i];
        explained += values[i] * values[i];
    }
    panel->explained[place] = explained;
}

/* All candidates of a block, for one more sample. */
static void solve_block(struct panel *panel, const struct gaussian *gaussian, int sample,
                        int block) {
    const double *row = gaussian_row(gaussian, sample);
    float rest[BLOCK];
    for (int c = 0; c < BLOCK; c++) {
        int place = block * BLOCK + c;
        rest[c] = place < panel->count
                      ? (float)gaussian_covariance(gaussian, x_of(panel, place), sample)
                      : 0;
    }
    for (int k = 0; k < sample; k++) {
        const float *earlier = solved_of(panel, k, block);
        float factor = (float)row[k];
        for (int c = 0; c < BLOCK; c++)
            rest[c] -= factor * earlier[c];
    }
    float *out = solved_of(panel, sample, block), inverse = (float)(1 / row[sample]);
    float *explained = panel->explained + block * BLOCK;
    for (int c = 0; c < BLOCK; c++) {
        out[c] = rest[c] * inverse;
        explained[c] += out[c] * out[c];
    }
}

static void find_means(struct panel *panel, const struct gaussian *gaussian, int block) {
    float sums[BLOCK] = {0};
    for (int i = 0; i < panel->followed; i++) {
        const float *solved = solved_of(panel, i, block);
        float factor = (float)gaussian_whitened(gaussian, i);
        for (int c = 0; c < BLOCK; c++)
            sums[c] += factor * solved[c];
    }
    memcpy(panel->mean + block * BLOCK, sums, sizeof sums);
}

void panel_follow(struct panel *panel, const struct gaussian *gaussian) {
    int blocks = (panel->count + BLOCK - 1) / BLOCK;
    bool anew = panel->version != gaussian_version(gaussian) || panel->stale >= panel->count / 2;
    if (anew) {
        panel->followed = 0;
        panel->version = gaussian_version(gaussian);
        memset(panel->explained, 0, (size_t)panel->blocks * BLOCK * sizeof *panel->explained);
    }
    for (int i = 0; i < panel->stale && !anew; i++)
        solve_one(panel, gaussian, panel->fresh[i]);
    panel->stale = 0;
    for (; panel->followed < gaussian_count(gaussian); panel->followed++)
        for (int block = 0; block < blocks; block++)
            solve_block(panel, gaussian, panel->followed, block);
    for (int block = 0; block < blocks; block++)
        find_means(panel, gaussian, block);
    panel->center = gaussian_center(gaussian);
    panel->variance = gaussian_variance(gaussian);
}

double panel_mean(const struct panel *panel, int place) {
    return panel->center + (double)panel->mean[place];
}

double panel_deviation(const struct panel *panel, int place) {
    return sqrt(fmax(panel->variance - (double)panel->explained[place], 1e-8));
}

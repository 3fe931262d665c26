#include "tuner/search/panel.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Candidates are worked on a block at a time, side by side, so that the compiler can use vectors.
 */
enum { BLOCK = MATERN_BLOCK };

struct panel {
    int blocks, dimensions;
    int count;               /* places that are filled */
    int followed;            /* samples that are worked in */
    unsigned version;        /* of the process */
    bool *fresh;             /* by block: something was put there since */
    float *x;                /* coordinate d of place p is at d * blocks * BLOCK + p */
    float *solved;           /* by blocks; row i: what solving the factor's row i gives each */
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
    panel->fresh = calloc((size_t)panel->blocks + 1, sizeof *panel->fresh);
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
    return panel->solved + ((size_t)block * GAUSSIAN_SAMPLES + (size_t)sample) * BLOCK;
}

void panel_put(struct panel *panel, int place, const float *x) {
    for (int d = 0; d < panel->dimensions; d++)
        panel->x[(size_t)d * (size_t)panel->blocks * BLOCK + (size_t)place] = x[d];
    panel->count = place >= panel->count ? place + 1 : panel->count;
    panel->fresh[place / BLOCK] = true;
}

void panel_clear(struct panel *panel) {
    panel->count = 0;
}

/* All candidates of a block, for samples from `first` on. */
static void solve_block(struct panel *panel, const struct gaussian *gaussian, int first,
                        int block) {
    float *explained = panel->explained + (size_t)block * BLOCK;
    const float *x = panel->x + (size_t)block * BLOCK;
    for (int i = first; i < gaussian_count(gaussian); i++) {
        const float *row = gaussian_row(gaussian, i), *solved = solved_of(panel, 0, block);
        float rest[BLOCK], inverse = 1 / row[i];
        gaussian_covariances(gaussian, i, x, panel->blocks * BLOCK, rest);
        for (int k = 0; k < i; k++, solved += BLOCK)
            for (int c = 0; c < BLOCK; c++)
                rest[c] -= row[k] * solved[c];
        float *out = solved_of(panel, i, block);
        for (int c = 0; c < BLOCK; c++) {
            out[c] = rest[c] * inverse;
            explained[c] += out[c] * out[c];
        }
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
    memcpy(panel->mean + (size_t)block * BLOCK, sums, sizeof sums);
}

/* Blocks with a new candidate begin again, and the others go on. */
void panel_follow(struct panel *panel, const struct gaussian *gaussian) {
    int blocks = (panel->count + BLOCK - 1) / BLOCK;
    bool again = panel->version != gaussian_version(gaussian);
    panel->version = gaussian_version(gaussian);
    for (int block = 0; block < blocks; block++) {
        bool anew = again || panel->fresh[block];
        if (anew)
            memset(panel->explained + (size_t)block * BLOCK, 0, BLOCK * sizeof *panel->explained);
        panel->fresh[block] = false;
        solve_block(panel, gaussian, anew ? 0 : panel->followed, block);
    }
    panel->followed = gaussian_count(gaussian);
    for (int block = 0; block < blocks; block++)
        find_means(panel, gaussian, block);
    panel->center = gaussian_center(gaussian);
    panel->variance = gaussian_variance(gaussian);
}

double panel_mean(const struct panel *panel, int place) {
    return panel->center + (double)panel->mean[place];
}

double panel_deviation(const struct panel *panel, int place) {
    return sqrt(fmax(panel->variance - (double)panel->explained[place], 1e-4));
}

#include "tuner/model/boost.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/search/rng.h"

enum { BINS = 128 };

/* A feature's values, cut into bins: what is at most edges[i] and above edges[i - 1] is in bin i.
 */
struct cut {
    int count; /* edges; one bin more */
    double edges[BINS - 1];
};

struct sums {
    double weight, step; /* the latter weighted */
    int count;
};

struct boosting {
    const struct boost_options *options;
    int count, width;
    const double *vectors;
    struct cut *cuts;
    uint8_t *bins; /* [sample][feature] */
    /* Of each sample: what the trees so far say, and what the next one is wanted to add. */
    double *said, *steps, *weights;
    int *drawn; /* features that the tree may ask about */
    int drawn_count;
    struct sums *sums; /* of a node: [feature][bin] */
    struct rng rng;
    int *order; /* samples, those of a node together */
    int *spare;
    struct tw_model *model;
    bool no_memory;
};

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Between values that are there; where they are many, between those that part them evenly. */
static void find_cut(struct cut *cut, double *values, int count) {
    int distinct = 0;
    qsort(values, (size_t)count, sizeof *values, compare);
    for (int i = 0; i < count; i++)
        if (i == 0 || values[i] != values[distinct - 1])
            values[distinct++] = values[i];
    int edges = distinct - 1 < BINS - 1 ? distinct - 1 : BINS - 1;
    cut->count = edges;
    for (int i = 0; i < edges; i++) {
        int at = (int)((int64_t)(i + 1) * distinct / (edges + 1));
        cut->edges[i] = values[at - 1] + (values[at] - values[at - 1]) / 2;
    }
}

static uint8_t bin_of(const struct cut *cut, double value) {
    int bin = 0;
    while (bin < cut->count && value > cut->edges[bin])
        bin++;
    return (uint8_t)bin;
}

static bool cut_all(struct boosting *b) {
    double *values = malloc(((size_t)b->count + 1) * sizeof *values);
    if (values == NULL)
        return false;
    for (int f = 0; f < b->width; f++) {
        for (int i = 0; i < b->count; i++)
            values[i] = b->vectors[(size_t)i * (size_t)b->width + (size_t)f];
        find_cut(&b->cuts[f], values, b->count);
    }
    for (int i = 0; i < b->count; i++)
        for (int f = 0; f < b->width; f++) {
            size_t at = (size_t)i * (size_t)b->width + (size_t)f;
            b->bins[at] = bin_of(&b->cuts[f], b->vectors[at]);
        }
    free(values);
    return true;
}

struct split {
    int feature, bin; /* up to this bin it goes left; feature -1: none */
    double gain;
};

static double score(const struct boosting *b, double step, double weight) {
    return step * step / (weight + b->options->ridge);
}

/* Sample by sample, as they lie in memory. */
static void add_up(const struct boosting *b, const int *samples, int count) {
    for (int d = 0; d < b->drawn_count; d++)
        memset(&b->sums[(size_t)b->drawn[d] * BINS], 0, BINS * sizeof *b->sums);
    for (int i = 0; i < count; i++) {
        const uint8_t *bins = &b->bins[(size_t)samples[i] * (size_t)b->width];
        const double weight = b->weights[samples[i]], step = weight * b->steps[samples[i]];
        for (int d = 0; d < b->drawn_count; d++) {
            const int f = b->drawn[d];
            struct sums *bin = &b->sums[(size_t)f * BINS + bins[f]];
            bin->weight += weight;
            bin->step += step;
            bin->count++;
        }
    }
}

static struct split best_split(const struct boosting *b, const int *samples, int count,
                               const struct sums *all) {
    struct split best = {-1, 0, 1e-9};
    add_up(b, samples, count);
    for (int d = 0; d < b->drawn_count; d++) {
        const int f = b->drawn[d];
        const struct sums *bins = &b->sums[(size_t)f * BINS];
        struct sums below = {0};
        for (int k = 0; k < b->cuts[f].count; k++) {
            below.weight += bins[k].weight;
            below.step += bins[k].step;
            below.count += bins[k].count;
            if (below.count < b->options->least || count - below.count < b->options->least)
                continue;
            double gain = score(b, below.step, below.weight) +
                          score(b, all->step - below.step, all->weight - below.weight) -
                          score(b, all->step, all->weight);
            if (gain > best.gain)
                best = (struct split){f, k, gain};
        }
    }
    return best;
}

static int add_node(struct boosting *b, struct tw_model_node node) {
    struct tw_model *m = b->model;
    if ((m->node_count & (m->node_count - 1)) == 0) {
        /* Doubling, at every power of two. */
        size_t room = m->node_count > 0 ? 2 * (size_t)m->node_count : 1;
        struct tw_model_node *grown = realloc(m->nodes, room * sizeof *grown);
        if (grown == NULL) {
            b->no_memory = true;
            return 0;
        }
        m->nodes = grown;
    }
    m->nodes[m->node_count] = node;
    return m->node_count++;
}

/* Those that go left first; both keep their order. */
static int part(struct boosting *b, int *samples, int count, const struct split *split) {
    int left = 0, right = 0;
    for (int i = 0; i < count; i++) {
        uint8_t bin = b->bins[(size_t)samples[i] * (size_t)b->width + (size_t)split->feature];
        if (bin <= split->bin)
            samples[left++] = samples[i];
        else
            b->spare[right++] = samples[i];
    }
    memcpy(samples + left, b->spare, (size_t)right * sizeof *samples);
    return left;
}

/* A node and all below it. */
static void grow(struct boosting *b, int *samples, int count, int depth) {
    struct sums all = {0};
    for (int i = 0; i < count; i++) {
        all.weight += b->weights[samples[i]];
        all.step += b->weights[samples[i]] * b->steps[samples[i]];
    }
    struct split split = {-1, 0, 0};
    if (depth < b->options->depth)
        split = best_split(b, samples, count, &all);
    if (split.feature < 0 || b->no_memory) {
        double value = b->options->rate * all.step / (all.weight + b->options->ridge);
        add_node(b, (struct tw_model_node){.feature = -1, .value = value});
        return;
    }
    int node =
        add_node(b, (struct tw_model_node){.feature = (int16_t)split.feature,
                                           .value = b->cuts[split.feature].edges[split.bin]});
    int left = part(b, samples, count, &split);
    grow(b, samples, left, depth + 1);
    b->model->nodes[node].right = b->model->node_count;
    grow(b, samples + left, count - left, depth + 1);
}

/* Adds what the tree says, of samples that it was not grown from as well. */
static void add_said(struct boosting *b, int root, const bool *used) {
    const struct tw_model_node *nodes = b->model->nodes;
    for (int i = 0; i < b->count; i++) {
        if (used != NULL && !used[i])
            continue;
        const double *vector = &b->vectors[(size_t)i * (size_t)b->width];
        b->said[i] += tw_model_leaf(nodes, root, vector);
    }
}

static void grow_tree(struct boosting *b, int t, const bool *used) {
    const int root = b->model->roots[t] = b->model->node_count;
    int count = 0;
    for (int i = 0; i < b->count; i++)
        if ((used == NULL || used[i]) && rng_unit(&b->rng) < b->options->samples)
            b->order[count++] = i;
    b->drawn_count = 0;
    for (int f = 0; f < b->width; f++)
        if (rng_unit(&b->rng) < b->options->features && b->cuts[f].count > 0)
            b->drawn[b->drawn_count++] = f;
    grow(b, b->order, count, 0);
    if (!b->no_memory)
        add_said(b, root, used);
}

static void boost(struct boosting *b, struct objective *objective, const bool *used) {
    double weight = 0, sum = 0;
    objective->aim(objective, b->said, used, b->steps, b->weights);
    for (int i = 0; i < b->count; i++) {
        if (used != NULL && !used[i])
            continue;
        weight += b->weights[i];
        sum += b->weights[i] * b->steps[i];
    }
    b->model->base = weight > 0 && !b->options->from_zero ? sum / weight : 0;
    for (int i = 0; i < b->count; i++)
        b->said[i] = b->model->base;
    for (int t = 0; t < b->options->trees && !b->no_memory; t++) {
        objective->aim(objective, b->said, used, b->steps, b->weights);
        grow_tree(b, t, used);
        b->model->tree_count = t + 1;
    }
    b->model->forest_count = 1;
    b->model->forests[0] = (struct tw_model_forest){
        .kinds = UINT64_MAX, .base = b->model->base, .end = b->model->tree_count};
}

tw_status boost_fit(const struct boost_options *options, const double *vectors, int count,
                    int width, struct objective *objective, const bool *used,
                    struct tw_model *model, struct tw_error *error) {
    size_t n = (size_t)count + 1;
    struct boosting b = {.options = options,
                         .count = count,
                         .width = width,
                         .vectors = vectors,
                         .cuts = calloc((size_t)width + 1, sizeof *b.cuts),
                         .bins = calloc(n * (size_t)width + 1, 1),
                         .said = calloc(n, sizeof *b.said),
                         .steps = calloc(n, sizeof *b.steps),
                         .weights = calloc(n, sizeof *b.weights),
                         .drawn = calloc((size_t)width + 1, sizeof *b.drawn),
                         .sums = calloc((size_t)width * BINS + 1, sizeof *b.sums),
                         .order = calloc(n, sizeof *b.order),
                         .spare = calloc(n, sizeof *b.spare),
                         .model = model};
    model->node_count = model->tree_count = 0;
    model->nodes = NULL;
    model->roots = calloc((size_t)options->trees + 1, sizeof *model->roots);
    b.no_memory = b.cuts == NULL || b.bins == NULL || b.said == NULL || b.steps == NULL ||
                  b.weights == NULL || b.drawn == NULL || b.sums == NULL || b.order == NULL ||
                  b.spare == NULL || model->roots == NULL || !cut_all(&b);
    if (!b.no_memory)
        boost(&b, objective, used);
    free(b.cuts);
    free(b.bins);
    free(b.said);
    free(b.steps);
    free(b.weights);
    free(b.drawn);
    free(b.sums);
    free(b.order);
    free(b.spare);
    return b.no_memory ? tw_fail(error, TW_NO_MEMORY, "out of memory") : TW_OK;
}

void boost_free(struct tw_model *model) {
    free(model->nodes);
    free(model->roots);
    model->nodes = NULL;
    model->roots = NULL;
    model->node_count = model->tree_count = 0;
}

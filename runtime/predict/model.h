/* A model fitted to measurements: boosted regression trees on the logarithm of measured over
 * estimated time (estimate.h), of what is known of a configuration and a problem without compiling
 * anything: features.h, the problem's dimensions and attributes, the configuration's parameters.
 *
 * It is data: JSON that `tune model fit` writes and databases carry. A model says which device,
 * cache policy and attributes it was fitted for, and which configurations it knows, each with what
 * it belongs to (variant/identity.h). Immutable once read; safe from many threads. */
#ifndef TW_PREDICT_MODEL_H
#define TW_PREDICT_MODEL_H

#include "runtime/predict/estimate.h"

enum {
    TW_MODEL_MAX_FEATURES = 128,
    TW_MODEL_MAX_WORDS = 64, /* of a feature */
    TW_MODEL_MAX_TREES = 4096,
    TW_MODEL_DEEPEST = 8, /* of forests that have steps */
    TW_MODEL_MAX_FORESTS = 8,
    TW_MODEL_MAX_PLACES = 16384,
    TW_MODEL_MAX_NODES = 1000000,
    TW_MODEL_MAX_CUTS = 2048, /* of a feature, where trees are packed */
    TW_MODEL_MAX_CONFIGURATIONS = 8192
};

#define TW_MODEL_FORMAT "tilewise-model"
/* 1: trees are lists of nodes. 2: they may be packed (packed_tree.h). 3: "doubling" may be said,
 * and implementations may have uncertainties of their own. 4: there may be several forests, and
 * places that say where configurations were good; forests may have a doubling of their own. 5:
 * forests may say how much longer configurations take than others of a problem. */
#define TW_MODEL_VERSION 5

/* What of the geometry is a feature, of features `f` and an estimate `e` of `total_us` in all. */
#define TW_MODEL_GEOMETRY(X)                                                                       \
    X(flops, f->flops)                                                                             \
    X(bytes, f->bytes)                                                                             \
    X(element_bytes, f->element_bytes)                                                             \
    X(workspace, f->workspace)                                                                     \
    X(launches, f->launches)                                                                       \
    X(blocks, f->blocks)                                                                           \
    X(threads, f->threads)                                                                         \
    X(resident, f->resident)                                                                       \
    X(use, f->use)                                                                                 \
    X(per_unit, f->per_unit)                                                                       \
    X(balance, f->balance)                                                                         \
    X(width, f->width)                                                                             \
    X(redundant, f->redundant)                                                                     \
    X(block_flops, f->flops / (f->use * f->blocks))                                                \
    X(block_bytes, f->bytes / f->blocks)                                                           \
    X(compute_us, e->compute)                                                                      \
    X(memory_us, e->memory)                                                                        \
    X(overhead_us, e->overhead)                                                                    \
    X(computing, e->compute / (e->compute + e->memory))                                            \
    X(estimate_us, total_us)                                                                       \
    X(waves, f->blocks / (f->units * f->resident))                                                 \
    X(last_wave, tw_model_last_wave(f))                                                            \
    X(all_threads, f->blocks * f->threads)

enum tw_model_feature_kind {
    TW_MODEL_FEATURE_GEOMETRY,
    TW_MODEL_FEATURE_DIMENSION,
    TW_MODEL_FEATURE_ATTRIBUTE,
    TW_MODEL_FEATURE_IMPLEMENTATION,
    TW_MODEL_FEATURE_PARAMETER,
    TW_MODEL_FEATURE_WIDTH,  /* of an argument's accesses */
    TW_MODEL_FEATURE_PITCH,  /* of an argument's rows */
    TW_MODEL_FEATURE_PIECES, /* of a dimension */
    TW_MODEL_FEATURE_FILLED
};

/* Words are numbered by their place in the feature's list; what is not there, and a parameter that
 * an implementation has not, is -1. */
struct tw_model_feature {
    enum tw_model_feature_kind kind;
    int geometry;     /* its place in TW_MODEL_GEOMETRY */
    const char *name; /* of the dimension, attribute, parameter or argument */
    int word_count;   /* 0: numbers */
    const char *words[TW_MODEL_MAX_WORDS];
};

struct tw_model_node {
    int16_t feature; /* -1: a leaf */
    uint16_t cut;    /* the value's place among the feature's; for steps */
    int right;       /* where it goes if the feature is above the value; else the next node */
    double value;
};

/* The values that trees compare a feature to, ascending, each once. */
struct tw_model_cuts {
    int count;
    double *values;
    /* Where to look for a value: how many cuts are below each of the cells that they lie in, which
     * are numbered from the first's on, and below the one behind them. NULL: from the beginning. */
    uint16_t *cells;
    uint64_t first_cell;
};

/* A node for walking down without a branch that depends on the value, which the processor would
 * guess wrong every other time, and small, so that trees stay in its cache. All trees of a forest
 * are filled up to the same depth, and their nodes lie level by level: from node i of a level,
 * where tree i begins on the first, it goes on to node 2i of the next, and where the feature is
 * above its cut to the one behind that. One word, which is fetched at once: the feature's number in
 * the upper half, its cut's in the lower. */
typedef uint32_t tw_model_step;

static inline tw_model_step tw_model_step_of(int feature, int cut) {
    return (tw_model_step)feature << 16 | (tw_model_step)cut;
}

/* A configuration that it was fitted with, and where it came nearest to the best. */
struct tw_model_configuration {
    const char *implementation, *configuration; /* canonical JSON */
    const char *problem;                        /* key */
    const char *template_hash, *source, *judge;
    double time_us;
    uint64_t kinds; /* a bit for each of the model's attributes with problems that it was measured
                       on; all where the model does not say */
    int near_first, near_count; /* of `near`: the places where it was good */
};

/* Trees that were grown together, on problems of some kinds, and say nothing of others. */
struct tw_model_forest {
    uint64_t kinds; /* a bit each */
    double base;
    double doubling; /* what each that tw_model_doublings counts adds to how unsure it is */
    int first, end;  /* of the model's trees */
    int depth;       /* of the deepest */
    /* Not how long a configuration takes do they say, but the logarithm of how many times as long
     * as others of its problem: to all of a problem the same may be added. Another of the same
     * kinds says how long. */
    bool beside;
    size_t steps; /* where its own begin among the model's, and its leaves among those */
};

/* Where a level of its steps begins among the model's. */
static inline size_t tw_model_level(const struct tw_model_forest *forest, int level) {
    return forest->steps + (size_t)(forest->end - forest->first) * (((size_t)1 << level) - 1);
}

/* A problem that the model was fitted to, with what was good there. */
struct tw_model_place {
    int kind;
    unsigned uneven;                /* a bit each dimension that 8 does not divide */
    int first_configuration, count; /* of `good` */
    float logs[TW_MAX_DIMENSIONS];  /* to the base of 2, of its dimensions */
};

struct tw_model_map;

/* Between which values an attribute that is a number was, with problems of a kind. */
struct tw_model_range {
    const char *name;
    int64_t least, most;
};

/* How surely an implementation is predicted: some differ more from one problem to the next. */
struct tw_model_sureness {
    const char *implementation;
    double uncertainty;
};

/* Problems that a model is about: alike in their words, and with numbers that it has seen. */
struct tw_model_kind {
    const char *attributes; /* as keys end: ";trans=nt", "" */
    int range_count;        /* of attributes that are not in the key */
    struct tw_model_range ranges[TW_MAX_ATTRIBUTES];
};

struct tw_model {
    uint64_t id;        /* of all that the process has read; never 0 */
    void *json, *texts; /* which texts are borrowed from */
    const char *kernel, *cache, *device, *device_name, *backend, *architecture;
    int64_t units;
    double
        uncertainty; /* standard deviation of the logarithm of a prediction, of problems left out */
    int sureness_count; /* implementations that are predicted more or less surely than that */
    struct tw_model_sureness sureness[TW_MAX_IMPLEMENTATIONS];
    double doubling; /* of forests that say none of their own */
    int kind_count;
    struct tw_model_kind kinds[TW_MODEL_MAX_WORDS];
    int feature_count;
    struct tw_model_feature features[TW_MODEL_MAX_FEATURES];
    double base; /* of the first forest */
    int forest_count;
    struct tw_model_forest forests[TW_MODEL_MAX_FORESTS];
    int tree_count, node_count;
    int *roots;                  /* of trees, among the nodes */
    struct tw_model_node *nodes; /* NULL where only the steps were wanted and made */
    struct tw_model_cuts cuts[TW_MODEL_MAX_FEATURES];
    /* Of each forest the levels of its trees, one behind the other, and what the ways down its last
     * level lead to; NULL: none were made, or the trees are too deep. */
    tw_model_step *steps;
    float *leaves; /* files say four digits of them */
    int configuration_count;
    struct tw_model_configuration *configurations;
    /* By configurations, as a file has it, and by places, which are read from that. */
    int near_count;
    int *near; /* places */
    int place_count, dimension_count;
    struct tw_model_place *places;
    struct tw_model_map *map;   /* the same, to be looked through */
    uint64_t kinds_with_places; /* a bit each */
    int *good;                  /* configurations */
};

/* Reads a model. `origin` names it in messages. TW_INVALID with the key that is wrong; a tree that
 * does not end, a number that is none and a configuration that is no JSON are. */
tw_status tw_model_read(struct tw_model **out, const char *text, const char *origin,
                        struct tw_error *error);
/* The same with the nodes of its trees, which a fit that goes on from the model writes again. */
tw_status tw_model_read_nodes(struct tw_model **out, const char *text, const char *origin,
                              struct tw_error *error);
void tw_model_free(struct tw_model *model);

/* Of which of its kinds the problem is, or which has words that the description calls alike; -1: it
 * was not fitted for such problems. */
int tw_model_kind(const struct tw_model *model, const struct tw_problem *problem);
/* Whether it was fitted with configurations of the implementation on problems of the kind. */
bool tw_model_knows(const struct tw_model *model, int kind, const char *implementation);
/* The problem in the words of a kind that it is of: in those a model was fitted, and says nothing
 * of others. */
struct tw_problem tw_model_problem(const struct tw_model *model, int kind,
                                   const struct tw_problem *problem);

/* Where what a model's features name is among a description's dimensions, attributes and arguments
 * and an implementation's parameters: -1 for what is not there. What names are compared for, once
 * for many configurations. */
struct tw_model_view {
    double uncertainty;
    int places[TW_MODEL_MAX_FEATURES];
    /* Features that differ between configurations of the implementation with what they do on a
     * problem, and those that are its parameters. */
    int own_count, parameter_count;
    uint8_t own[TW_MODEL_MAX_FEATURES], parameters[TW_MAX_PARAMETERS];
    /* Of how many of a feature's cuts each value of a parameter is above, and what is the same for
     * all configurations. */
    uint16_t values_above[TW_MAX_PARAMETERS][TW_MAX_CHOICES];
    uint16_t above[TW_MODEL_MAX_FEATURES];
};
void tw_model_look(const struct tw_model *model, const struct tw_description *description,
                   int implementation, struct tw_model_view *view);

/* How full the last wave of blocks is: 1 where the waves are whole. */
double tw_model_last_wave(const struct tw_features *features);

/* Of how many of a feature's cuts a value is above. */
int tw_model_above(const struct tw_model_cuts *cuts, double value);
/* What a configuration and a problem look like to a model: `vector` has an entry a feature. The
 * view is of the configuration's implementation. */
void tw_model_vector(const struct tw_model *model, const struct tw_model_view *view,
                     const struct tw_problem *problem, const struct tw_configuration *configuration,
                     const struct tw_features *f, const struct tw_estimate *e, double *vector);
/* A problem as a model sees it, which is worked out once for all configurations. */
struct tw_model_question {
    struct tw_problem problem;
    int kind;
    int count; /* of features that the problem alone tells */
    uint8_t features[TW_MODEL_MAX_FEATURES];
    uint16_t above[TW_MODEL_MAX_FEATURES]; /* of how many of a feature's cuts each is above */
};
/* The view may be of any implementation. */
void tw_model_ask(const struct tw_model *model, int kind, const struct tw_model_view *view,
                  const struct tw_problem *problem, const struct tw_features *f,
                  struct tw_model_question *question);

/* A configuration on a problem, as a model's trees see it. */
struct tw_model_case {
    double total_us; /* the estimate's */
    double time_us;  /* what the model says, when it has answered */
    double sum;      /* of the trees that were walked */
    double beside;   /* what a forest says that is `beside`; 0 where there is none */
    bool is_rough;   /* not all were: it is far from what is wanted, and `beside` is not known */
    uint16_t above[TW_MODEL_MAX_FEATURES];
};
/* So many may be asked about at once. */
enum { TW_MODEL_AT_ONCE = 512 };

/* All but what the model says; the view is of the configuration's implementation. */
void tw_model_see(const struct tw_model *model, const struct tw_model_question *question,
                  const struct tw_model_view *view, const struct tw_configuration *configuration,
                  const struct tw_features *f, const struct tw_estimate *e,
                  struct tw_model_case *seen);
/* Says of each what tw_model_predict would, in microseconds, on problems of a kind. */
void tw_model_answer(const struct tw_model *model, int kind, struct tw_model_case *cases,
                     size_t count);
/* The same, but less exact of those that the first trees put far above `near_us`, or above the best
 * of them: most of what is asked for every choice is far from being chosen. */
void tw_model_answer_near(const struct tw_model *model, int kind, struct tw_model_case *cases,
                          size_t count, double near_us);
/* A problem's configuration that comes first by both forests, and what they say of it. */
struct tw_model_first {
    bool is_there; /* else there is one forest alone, or nothing was answered */
    double time_us, beside;
};
/* Takes note of what both say of one more configuration. */
void tw_model_note_first(struct tw_model_first *first, double time_us, double beside);
/* What both together say: the first takes as long as it is said to, the others as many times as
 * long as that as both say in the mean. That each errs in its own way is what it is for
 * (docs/notes/2026-11-28-predicting-odd-sizes.md). */
double tw_model_joined_us(const struct tw_model_first *first, double time_us, double beside);
/* Whether the model has two forests for problems of the kind. */
bool tw_model_has_both(const struct tw_model *model, int kind);

/* How many times `predicted_us` is twice what a configuration took where it was the best: one that
 * won where there was little to do was measured less, and by fewer, where there is much. */
double tw_model_doublings(double predicted_us, double best_us);
/* What each of these adds to the uncertainty, on problems of a kind. */
double tw_model_doubling(const struct tw_model *model, int kind);
/* What the tree that begins at `root` says. */
double tw_model_leaf(const struct tw_model_node *nodes, int root, const double *vector);
/* Microseconds, of a problem of a kind. */
double tw_model_predict(const struct tw_model *model, int kind, const double *vector,
                        const struct tw_estimate *e);
/* What the forest says that is `beside`; 0 where there is none. */
double tw_model_predict_beside(const struct tw_model *model, int kind, const double *vector);

/* What a plan asks about, where a model says where its configurations were good: those of the
 * nearest problems, so many: more make choices a little better, and take longer
 * (docs/notes/2026-11-28-ordering-configurations.md,
 * docs/notes/2026-11-30-plans-below-two-milliseconds.md). */
enum { TW_MODEL_MOST_NEAR = 128 };
/* Fills in where a problem of the kind lies; what was good there stays as it is. */
void tw_model_place_put(struct tw_model_place *place, int kind, const int64_t *dimensions,
                        int dimension_count);
/* Makes the map that tw_model_near looks through, when all places are there; false: out of memory,
 * and what there is of it has to be freed all the same. */
bool tw_model_draw_map(struct tw_model *model);
void tw_model_free_map(struct tw_model_map *map);
/* Whether the model says so of problems of the kind. */
bool tw_model_has_places(const struct tw_model *model, int kind);
/* Writes up to `most` of the configurations that are chosen for the kind, those that were good on
 * problems like this one first, each once, and returns how many: or -1, out of memory. Problems are
 * as far apart as all their dimensions together, in doublings; those of another kind are further by
 * one, and by one for each dimension that 8 divides in one of both: where rows begin decides how
 * much of them is read at once (docs/notes/2026-11-28-predicting-odd-sizes.md). */
int tw_model_near(const struct tw_model *model, int kind, const int64_t *dimensions, int most,
                  int *configurations);

#endif

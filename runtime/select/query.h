/* What is asked of a selection, and what it answers. */
#ifndef TW_SELECT_QUERY_H
#define TW_SELECT_QUERY_H

#include "runtime/backend/backend.h"
#include "runtime/description/configuration.h"
#include "runtime/description/problem.h"
#include "runtime/select/catalogue.h"
#include "runtime/select/current.h"

#define TW_SELECTION_RULES(X)                                                                      \
    X(EXACT, "exact", "tuned for this problem on this device")                                     \
    X(NEAREST, "nearest", "another problem's on this device, predicted to be the fastest here")    \
    X(ARCHITECTURE, "architecture",                                                                \
      "another problem's on a device of this architecture, predicted to be the fastest here")      \
    X(PREDICTED, "predicted", "the model of a device of this kind predicts it to be the fastest")  \
    X(FALLBACK, "fallback", "the description's own choice for what was never tuned")               \
    X(DEFAULT, "default", "the preset default")

enum tw_selection_rule {
#define TW_SELECTION_ENUM(name, word, text) TW_SELECTED_##name,
    TW_SELECTION_RULES(TW_SELECTION_ENUM)
#undef TW_SELECTION_ENUM
};

/* A candidate that another was preferred to. */
struct tw_selection_other {
    enum tw_selection_rule rule;
    const struct tw_catalogue_row *row; /* NULL: a preset */
    struct tw_configuration configuration;
    double predicted_us, uncertainty;
};

enum { TW_SELECTION_OTHERS = 4 };

struct tw_selection {
    enum tw_selection_rule rule;
    struct tw_configuration configuration;
    const struct tw_catalogue_row
        *row;            /* it comes from; borrowed from the catalogue; NULL: default */
    double distance;     /* to the row's problem */
    double predicted_us; /* on this problem; 0: it was not predicted */
    double uncertainty;  /* of the prediction: the standard deviation of its logarithm */
    bool ready;          /* it was preferred, for its binaries are there, to a runner-up */
    bool lasting;    /* likewise, for they do better for other sizes than those of a runner-up */
    int other_count; /* runners-up, the best first */
    struct tw_selection_other others[TW_SELECTION_OTHERS];
    /* The first row that would have been preferred but could not be used, and why; NULL and "" when
     * there was none. */
    const struct tw_catalogue_row *refused;
    char refusal[256];
    char unread[256]; /* what is wrong with a model that would have been asked; "": nothing */
};

/* Where binaries may be, without a compiler. */
enum tw_ready { TW_READY_LOADED, TW_READY_ON_DISK };

struct tw_together;

struct tw_query {
    const struct tw_catalogue *catalogue; /* NULL: an empty one */
    const struct tw_problem *problem;
    const int64_t *strides; /* by argument index, 0: the default; may be NULL */
    const struct tw_device_info *device;
    const char *cache; /* only rows measured under this policy count: "cold" or "warm" */
    /* Of the problem's description: what earlier selections found out of rows is not looked up
     * again. NULL: only this one needs it. */
    struct tw_today *today;
    /* Asked about each configuration that fits, in order of preference, until it accepts one: an
     * application's may fail to compile. NULL: the first is taken. */
    tw_status (*accept)(void *context, const struct tw_configuration *configuration,
                        struct tw_error *error);
    void *context;
    /* Whether a configuration's binaries are there. One whose prediction is worse than the best by
     * no more than `tolerance`, a share of it, is preferred if they are. NULL: not asked. */
    bool (*ready)(void *context, const struct tw_configuration *configuration, enum tw_ready where);
    double tolerance;
    /* Bit i: dimension i is seen to change from one request to the next. Where none of those is
     * there, one is preferred likewise whose binaries do better for other sizes of it. If any
     * changes, the tolerance counts twice, also for what is there. */
    unsigned changing;
    /* The binaries for such sizes were chosen together: for what is there it counts four times. */
    bool settled;
    /* Has the candidates of a problem without a row of its own noted there, under this index. NULL:
     * not. */
    struct tw_together *together;
    size_t problem_index;
};

/* How many configurations are offered to tw_query.accept before the presets are. */
enum { TW_SELECT_ATTEMPTS = 32 };

#endif

/* Which configuration should a problem run with on a device?
 *
 * The result stored for exactly this problem on this device. Else the candidate that is predicted
 * to be the fastest on this problem: candidates are what won on other problems, on this device and
 * on others of its architecture, with equal attributes and cache policy, the nearest of them; the
 * preset of the first of the description's `fallback` rules that holds; and the preset `default`.
 * What a candidate took where it was measured is put in proportion by the analytic estimates of
 * both problems (runtime/predict). Where there is a model for the device, or one of its
 * architecture, and these attributes, the configurations that it was fitted with are candidates
 * too, and its prediction counts, with the other by how sure they are, and one that was measured
 * far away, or on another device, or never, has to be so much better. Of those that come close to
 * the best one that needs no compiler is preferred. Problems are near by their
 * dimensions: the distance is the Euclidean norm of log2 of the ratios, so 1 means twice as large
 * along one dimension. Where nothing was measured, it is the fallback's preset, then `default`.
 *
 * A row counts only when its template is today's, the description allows its parameters, and the
 * configuration is valid for the problem at hand on the device at hand. */
#ifndef TW_SELECT_SELECT_H
#define TW_SELECT_SELECT_H

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
    int other_count;     /* runners-up, the best first */
    struct tw_selection_other others[TW_SELECTION_OTHERS];
    /* The first row that would have been preferred but could not be used, and why; NULL and "" when
     * there was none. */
    const struct tw_catalogue_row *refused;
    char refusal[256];
    char unread[256]; /* what is wrong with a model that would have been asked; "": nothing */
};

/* Where binaries may be, without a compiler. */
enum tw_ready { TW_READY_LOADED, TW_READY_ON_DISK };

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
};

/* How many configurations are offered to tw_query.accept before the presets are. */
enum { TW_SELECT_ATTEMPTS = 32 };

/* Chooses. Fails only when the problem cannot be bound or `default` itself does not fit or is not
 * accepted. */
tw_status tw_select(const struct tw_query *query, struct tw_selection *selection,
                    struct tw_error *error);

/* The problem of a row for people, with all attributes that the description has today. */
void tw_selection_problem(const struct tw_description *description,
                          const struct tw_catalogue_row *row, char text[TW_PROBLEM_KEY_SIZE]);

/* Appends a prediction, "12.3 us (10.1 to 15)": one standard deviation to either side. */
void tw_selection_prediction(double predicted_us, double uncertainty, struct tw_text *text);
/* Appends a runner-up: its prediction, its configuration, where it won. */
void tw_selection_other(const struct tw_description *description,
                        const struct tw_selection_other *other, struct tw_text *text);

/* The rule as a word ("exact") and as a sentence. */
const char *tw_selection_word(enum tw_selection_rule rule);
const char *tw_selection_text(enum tw_selection_rule rule);

#endif

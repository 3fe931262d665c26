/* Internal to the room: the candidates for a problem without a row of its own, and what is worked
 * out of it once for all of them. */
#ifndef TW_SELECT_CANDIDATES_H
#define TW_SELECT_CANDIDATES_H

#include <math.h>

#include "runtime/predict/model.h"
#include "runtime/select/known.h"
#include "runtime/select/near.h"

/* Rows that are looked at: the nearest, of this device (TW_MOST_NEAR) and of others; and what a
 * model knows for problems of the kind. */
enum {
    TW_NEAR_ELSEWHERE = 32,
    TW_MOST_OF_MODEL = 256,
    TW_MOST_VARIED = 6, /* binaries with other parameters of the launch */
    TW_MOST_RANKED =
        TW_MOST_NEAR + TW_NEAR_ELSEWHERE + TW_MOST_OF_MODEL + TW_MOST_VARIED + 2 /* presets */
};
_Static_assert((int)TW_MOST_RANKED <= (int)TW_MODEL_AT_ONCE,
               "a model is asked about all of them at once");

struct tw_candidate {
    enum tw_selection_rule rule;
    const struct tw_catalogue_row *row; /* NULL: a preset */
    double distance; /* of a result's problem; a model's configurations have none */
    struct tw_configuration configuration;
    double predicted_us, uncertainty;
    double ratio;         /* of the time, measured or predicted by a model, to the estimate */
    double late_us;       /* more on an application's stream than in measurements */
    double order_us;      /* that it is put in order by */
    double model_us;      /* what the model alone says; 0: it did not say exactly, of just this */
    double model_was_off; /* times what the model says of the row's own problem; 0: not known */
    bool is_changed;      /* since the model saw it: what was not tuned */
    struct tw_known_key key; /* of the row */
    uint64_t held;           /* a bit for each constraint that is known to hold */
    bool adapted; /* not the row's configuration, but what is made of it for the problem */
    /* Preferred to one that is predicted to be a little faster, for its binaries are there, or do
     * for more sizes. */
    bool ready, lasting;
};

struct tw_ranking {
    struct tw_search *search;
    struct tw_selection *selection; /* whose `unread` may be filled in */
    struct tw_device_info there;    /* the device, with the units of another */
    uint64_t device;                /* of keys, see known.h */
    struct tw_near unfit;           /* the nearest row that cannot be had here; NULL: none */
    struct tw_error why;            /* it cannot */
    const struct tw_catalogue_model *model; /* NULL: none */
    int kind;                /* of the problem, among those that the model is about */
    struct tw_problem asked; /* the problem in that kind's words */
    uint64_t asked_for;      /* likewise */
    bool has_begun;
    struct tw_features begun; /* what belongs to the problem alone, if it could be had */
    bool is_asked;
    struct tw_model_question question; /* then: the problem as the model sees it */
    struct tw_model_first first;       /* of what it was asked about, if it has two forests */
    double unsure_elsewhere; /* what another device adds to what the model says of uncertainty */
    bool seen[TW_MAX_IMPLEMENTATIONS]; /* views of them are filled in */
    size_t count;
    /* From here on nothing is zero to begin with. */
    struct tw_candidate all[TW_MOST_RANKED];
    struct tw_model_view views[TW_MAX_IMPLEMENTATIONS];
    struct tw_model_case cases[TW_MOST_RANKED]; /* as the model sees each, until it is asked */
};

/* The time at one deviation to the worse: of two that are alike the surer one is taken. */
static inline double tw_candidate_at_worst(const struct tw_candidate *candidate) {
    return candidate->predicted_us * exp(candidate->uncertainty);
}

#endif

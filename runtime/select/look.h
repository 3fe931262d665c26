/* Internal to the room: what is known of a configuration for the problem that is asked about,
 * without compiling it, and what a model says of it. */
#ifndef TW_SELECT_LOOK_H
#define TW_SELECT_LOOK_H

#include "runtime/select/candidates.h"

/* What a doubling of a dimension adds to the standard deviation of the logarithm of a prediction,
 * until it is that of any problem. */
#define TW_A_DOUBLING 0.16
#define TW_MOST_DOUBLINGS 4

struct tw_look {
    struct tw_features features;
    struct tw_estimate estimate;
    int64_t values[TW_MAX_SYMBOLS]; /* bound */
};

/* Of a configuration that can run the problem here. Constraints with a bit in `held` are known to
 * hold. `error` may be NULL. */
tw_status tw_look_here(struct tw_look *look, const struct tw_ranking *ranking,
                       const struct tw_configuration *configuration, uint64_t held,
                       struct tw_error *error);
/* What it costs that its launch cannot begin early. */
double tw_look_late_us(const struct tw_look *look);

bool tw_ranking_has(const struct tw_ranking *ranking, const struct tw_configuration *configuration);
/* Sets the ranking's model: of this device, else the first of its architecture, that covers the
 * problem. */
tw_status tw_ranking_find_model(struct tw_ranking *ranking, struct tw_error *error);
/* The model's, of an implementation. */
const struct tw_model_view *tw_ranking_view(struct tw_ranking *ranking, int implementation);
/* What the model is to be asked about one that is no candidate; it is not asked yet. */
void tw_ranking_see_other(struct tw_ranking *ranking, const struct tw_configuration *configuration,
                          const struct tw_look *here, struct tw_model_case *seen);
/* What it says of others that were seen, by all of its trees, after tw_ranking_answer. */
void tw_ranking_answer_others(struct tw_ranking *ranking, struct tw_model_case *cases,
                              size_t count);
/* Has the model see the candidate that is about to be counted: all are answered at once. */
void tw_ranking_see(struct tw_ranking *ranking, const struct tw_look *here);
/* Fills in what it says of all, exactly of the first `rows`, which are results: what was measured
 * near may be chosen where the model says that it is far from the best. */
void tw_ranking_answer(struct tw_ranking *ranking, size_t rows);
/* How surely it predicts an implementation that it has seen here. */
double tw_ranking_unsure(const struct tw_ranking *ranking, int implementation);

#endif

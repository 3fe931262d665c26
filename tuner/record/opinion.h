/* What a model that is there already says of configurations: of those that it was fitted with, or
 * of any. */
#ifndef TUNER_RECORD_OPINION_H
#define TUNER_RECORD_OPINION_H

#include "tuner/search/prior.h"

struct opinion {
    const struct tw_description *description;
    const struct tw_model *model; /* NULL: there is none for such problems */
    struct prior *prior;
    int kind;                           /* of the problem, among those that the model is about */
    bool knows[TW_MAX_IMPLEMENTATIONS]; /* those that it was fitted with on such problems */
};

/* `models` may be NULL. Borrows what it is given. Close also after a failure. */
tw_status opinion_open(struct opinion *opinion, const struct tw_catalogue *models,
                       const struct tw_problem *problem, const int64_t *values,
                       const struct tw_device_info *device, const char *cache,
                       struct tw_error *error);
void opinion_close(struct opinion *opinion);

/* Microseconds, of any; 0 where there is no model. */
double opinion_guess(const struct opinion *opinion, const struct tw_configuration *configuration);
/* The same, but 0 of what the model was never shown on such problems, which has to be measured for
 * it to know. TW_NO_MEMORY is the only failure. */
tw_status opinion_ask(const struct opinion *opinion, const struct tw_configuration *configuration,
                      double *predicted_us, struct tw_error *error);

#endif

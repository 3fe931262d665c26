/* What searches have brought to their end before: which problems of a list need not be tuned again.
 */
#ifndef TUNER_SESSION_BEFORE_H
#define TUNER_SESSION_BEFORE_H

#include "tuner/exchange/known_kernels.h"
#include "tuner/session/options.h"

struct before_query {
    /* The search is known by its strategy, seed, budget, cache policy and pins, wherever it ran. */
    const struct session_options *options;
    const struct known_kernel *kernel;
    const char *problem_key, *fingerprint; /* NULL: of any problem, of any device */
};

/* Visits the fastest row of each problem and kind of device that such a search is through with, as
 * often as it was. A row counts when a playoff has decided it and it is of today's code, whatever
 * search found it. */
tw_status before_each(tw_db *db, const struct before_query *query,
                      void (*visit)(void *context, const struct tw_db_best_row *row), void *context,
                      struct tw_error *error);

#endif

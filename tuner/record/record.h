/* Recording: a set of good configurations measured on many problems, so that a model can be fitted
 * to what comes of it. Each is compiled, verified and timed by workers as in a search, and what is
 * recorded are trials, of a run a problem: nothing else in a database knows how they were chosen.
 *
 * What a source is made of hardly depends on sizes, so one binary serves many problems: sources are
 * rendered and compiled once. Timing is short, and shorter for what is clearly slower than the best
 * of its problem. */
#ifndef TUNER_RECORD_RECORD_H
#define TUNER_RECORD_RECORD_H

#include "db/store.h"
#include "runtime/backend/backend.h"
#include "runtime/description/configuration.h"
#include "runtime/description/problem.h"
#include "tuner/record/options.h"

/* The problems are of one description. Those with the same attributes that follow each other share
 * a device worker. `portfolio` are the configurations; where one does not fit a problem, or is
 * redundant there and estimated to take long, it is left out. TW_OK also when interrupted. */
tw_status record_run(const struct record_options *options, const struct tw_problem *problems,
                     int problem_count, const struct tw_configuration *portfolio,
                     int portfolio_count, const struct tw_device_info *device, tw_db *db,
                     const char *db_path,
                     void (*progress)(void *context, const struct record_progress *progress),
                     void *context, struct record_result *result, struct tw_error *error);

#endif

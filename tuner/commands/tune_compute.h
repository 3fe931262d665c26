/* --compute any: a shape tuned for every promise of errors, and what they cost beside each other.
 */
#ifndef TUNER_COMMANDS_TUNE_COMPUTE_H
#define TUNER_COMMANDS_TUNE_COMPUTE_H

#include <cjson/cJSON.h>

#include "db/store.h"
#include "tuner/commands/device_list.h"
#include "tuner/commands/tune_problem.h"

/* Puts in the place of each shape as many as its kernel has words of `compute` for it, where the
 * arguments say compute=any; else changes nothing. */
tw_status compute_expand(struct task *task, struct tw_error *error);

/* Of each shape that was given: its results under each word, on each kind of device. Prints tables,
 * or with --json appends an object with the array "front" for each to `reports`. */
tw_status compute_tell(const struct task *task, const struct device_list *devices, tw_db *db,
                       cJSON *reports, struct tw_error *error);

#endif

/* The problems of a command line, on the devices of a command line: one after the other where one
 * team has all devices, else side by side. */
#ifndef TUNER_COMMANDS_TUNE_TEAMS_H
#define TUNER_COMMANDS_TUNE_TEAMS_H

#include "tuner/commands/device_list.h"
#include "tuner/commands/tune_problem.h"

/* Tunes every problem on every kind of device of the list, and returns the exit status, which
 * remembers a problem that failed. `db` is this thread's. Appends to `reports`, with --json, in the
 * order of the list, and for each problem in that of the kinds. Counts in *before those that were
 * done before. */
int tune_teams(const struct task *task, const struct device_list *devices, tw_db *db, int *before,
               cJSON *reports);

#endif

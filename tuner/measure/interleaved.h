/* Several variants of one problem, measured in turns in this process: for commands that hold known
 * configurations against each other. Searching is done by workers, which may die of what they try.
 *
 * Who is entered has been compiled, loaded and verified. In a round each of them is timed once, a
 * different one first each round, so that none always follows the same neighbour. What a round's
 * times have in common, as a clock that was low, drops out of their ratios (statistics/ratio.h). */
#ifndef TUNER_MEASURE_INTERLEAVED_H
#define TUNER_MEASURE_INTERLEAVED_H

#include "tuner/measure/verify.h"

struct interleaved;

/* Borrows the workload, which must have been made on the testbed; free before either. */
tw_status interleaved_create(struct interleaved **out, const struct testbed *testbed,
                             struct workload *workload, struct tw_error *error);
void interleaved_free(struct interleaved *interleaved);

/* Compiles, loads and verifies a configuration and enters it; *entry is its number, counted from 0.
 * `accuracy` may be NULL. After a failure the others are as they were: TW_WRONG when its answer is
 * not right, TW_COMPILE, TW_INVALID when it is not valid here. After TW_DEVICE_LOST only freeing is
 * allowed. */
tw_status interleaved_enter(struct interleaved *interleaved,
                            const struct tw_configuration *configuration, int *entry,
                            struct accuracy *accuracy, struct tw_error *error);
/* Loads the binaries of an entry once more, as an entry of their own: what differs between the two
 * is noise. */
tw_status interleaved_enter_again(struct interleaved *interleaved, int entry, int *again,
                                  struct tw_error *error);

/* Times each entry once. times_us has an element an entry: microseconds of one call. */
tw_status interleaved_round(struct interleaved *interleaved, double *times_us,
                            struct tw_error *error);

#endif

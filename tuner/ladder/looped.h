/* Timing with the loop inside the kernel: each block does its work so many times over the same
 * data. Of the two ways in which Ruetsch and Micikevicius (Optimizing Matrix Transpose in CUDA,
 * 2009) time copies and transposes this is the one that a loop over launches is not. */
#ifndef TUNER_LADDER_LOOPED_H
#define TUNER_LADDER_LOOPED_H

#include "tuner/measure/in_process.h"

/* How often a kernel repeats its work when one launch of it takes so long. */
int looped_passes(double launch_us);

/* TW_INVALID, with the reason, for an implementation that may not be repeated in its kernel. */
tw_status looped_check(const struct tw_description *description,
                       const struct tw_implementation *implementation, struct tw_error *error);

/* Appends the source of a launch, as tw_source_render made it, with its kernel's work in a loop:
 * name, parameters and launch stay what they were. `shared` is the launch's bytes. TW_INVALID when
 * the kernel's parameters cannot be read from the text. */
tw_status looped_source(const struct tw_launch_description *launch, const char *rendered,
                        uint32_t shared, int passes, struct tw_text *source,
                        struct tw_error *error);

/* Compiles the one launch of a configuration that looped_check allows, with the loop. `values` has
 * room for TW_MAX_SYMBOLS and is bound. The binaries are to be freed in every case. */
tw_status looped_compile(const struct testbed *testbed,
                         const struct tw_configuration *configuration, int passes, int64_t *values,
                         struct tw_binaries *binaries, struct tw_error *error);

/* As in_process_measure, with the loop in the kernel; the time is that of one pass. */
tw_status looped_measure(const struct testbed *testbed, struct workload *workload,
                         const struct tw_configuration *configuration, int passes,
                         struct in_process_result *single, struct tw_error *error);

#endif

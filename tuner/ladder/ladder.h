/* The ladder of a kernel: presets in the order of the classic optimisations, each checked and timed
 * in this process, and at the top what an application would get. */
#ifndef TUNER_LADDER_LADDER_H
#define TUNER_LADDER_LADDER_H

#include "runtime/select/catalogue.h"
#include "tuner/measure/in_process.h"

enum { LADDER_MOST_KERNELS = 8, LADDER_MOST_STEPS = TW_MAX_RUNGS + 1 };

struct ladder_stage; /* a kernel with its data on the device */

struct ladder_step {
    const char *kernel, *name, *shows;
    struct tw_error failure; /* its message is "" when the rung could be measured */
    struct in_process_result single;
    double rate;
    const char *rate_unit;
    /* With the loop inside the kernel, where that only moves data; else no passes. */
    int passes;
    struct tw_error looped_failure;  /* its message is "" when that could be measured */
    struct in_process_result looped; /* of one pass */
    double looped_rate;
};

struct ladder {
    struct tw_problem problem; /* set by the caller, with all to `catalogue` */
    struct tw_device_info device;
    const char *cache; /* "cold" or "warm" */
    uint32_t seed;
    const struct tw_catalogue *catalogue;
    int stage_count;
    struct ladder_stage *stages[LADDER_MOST_KERNELS];
    double copy_rate; /* GB/s of a device-to-device copy of the problem's bytes; 0: it computes */
    double copy_us;
    int count;
    struct ladder_step steps[LADDER_MOST_STEPS];
};

/* Measures every rung. One that this device or problem does not allow is told in its step and
 * passed over; one that is wrong is a failure. Free with ladder_free in every case. */
tw_status ladder_measure(struct ladder *ladder, struct tw_error *error);
void ladder_free(struct ladder *ladder);

/* How many times faster a step is than the one before and than the first, of the ladder's own
 * kernel; 0 where there is nothing to compare with. */
double ladder_gain(const struct ladder *ladder, int step);
double ladder_total_gain(const struct ladder *ladder, int step);

/* For people and for programs, on standard output. */
void ladder_print_table(const struct ladder *ladder);
tw_status ladder_print_json(const struct ladder *ladder, struct tw_error *error);

#endif

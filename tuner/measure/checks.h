/* The kernels of templates/check, compiled for a device: random input, comparison, checksums. */
#ifndef TUNER_MEASURE_CHECKS_H
#define TUNER_MEASURE_CHECKS_H

#include "tuner/measure/bench.h"

struct checks {
    const struct bench *bench;
    struct tw_module *fill[TW_TYPE_COUNT]; /* NULL for types the problem has no use for */
    struct tw_module *compare[TW_TYPE_COUNT];
    struct tw_module *checksum;
    struct tw_memory results; /* what blocks report */
};

/* Compiles what the problem's argument types need. Free with checks_free also after a failure. */
tw_status checks_create(struct checks *checks, const struct bench *bench, struct tw_error *error);
void checks_free(struct checks *checks);

/* Queues random numbers in [low, high) (integers: [low, high]) into rows x columns, gaps untouched.
 */
tw_status checks_fill(const struct checks *checks, const struct tw_memory *memory,
                      const struct tw_extent *extent, uint32_t seed, double low, double high,
                      struct tw_error *error);

struct comparison {
    double max_error;   /* relative to the root mean square of the reference */
    double rms_error;   /* likewise */
    uint64_t bad;       /* elements that are no number or, for integers, differ */
    uint64_t gaps;      /* elements between rows that were written */
    uint64_t behind;    /* elements behind the end that were written */
    uint64_t first_bad; /* index of the first of either; meaningless when there is none */
};

/* Compares an output with its reference (double for floating types); waits for the result. What
 * `got` holds behind the extent\'s end must be all ones. */
tw_status checks_compare(const struct checks *checks, const struct tw_memory *got,
                         const struct tw_memory *reference, const struct tw_extent *extent,
                         struct comparison *comparison, struct tw_error *error);

/* A problem has at most TW_MAX_ARGUMENTS buffers, each between two guards. */
enum { CHECKS_MAX_ZONES = 2 * TW_MAX_ARGUMENTS + 1 };

/* Checksums of `count` pieces of memory, each a multiple of 4 bytes; waits for the result. */
tw_status checks_sums(const struct checks *checks, const struct tw_memory *zones, int count,
                      uint64_t *sums, struct tw_error *error);

#endif

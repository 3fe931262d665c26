/* The kernels of templates/check, compiled for a device: random input, comparison, checksums. */
#ifndef TUNER_MEASURE_CHECK_KERNELS_H
#define TUNER_MEASURE_CHECK_KERNELS_H

#include "tuner/measure/testbed.h"

struct check_kernels {
    const struct testbed *testbed;
    struct tw_module *fill[TW_TYPE_COUNT]; /* NULL for types no problem had a use for */
    struct tw_module *compare[TW_TYPE_COUNT];
    struct tw_module *checksum;
    struct tw_memory results; /* what blocks report */
};

/* Compiles what the problem's argument types need. Free with check_kernels_free also after a
 * failure. */
tw_status check_kernels_create(struct check_kernels *checks, const struct testbed *testbed,
                               struct tw_error *error);
/* Compiles what another problem that the testbed was bound for needs besides. */
tw_status check_kernels_add(struct check_kernels *checks, struct tw_error *error);
void check_kernels_free(struct check_kernels *checks);

/* Queues random numbers in [low, high) (integers: [low, high]) into rows x columns, gaps untouched.
 */
tw_status check_kernels_fill(const struct check_kernels *checks, const struct tw_memory *memory,
                             const struct tw_extent *extent, uint32_t seed, double low, double high,
                             struct tw_error *error);

/* Fills an input of the testbed's problem, bound to `values`, as its description says, by `seed`:
 * random numbers, or where something is cut into parts. */
tw_status check_kernels_fill_input(const struct check_kernels *checks, int argument,
                                   const int64_t *values, const struct tw_memory *memory,
                                   const struct tw_extent *extent, uint32_t seed,
                                   struct tw_error *error);

/* What counts as wrong where no error is allowed for: what is no number, or infinite. */
#define CHECKS_ANY_NUMBER 1e300
#define CHECKS_NONE UINT64_MAX

struct comparison {
    double scale;       /* the root mean square of the reference; 1 for a reference of zeros */
    double max_error;   /* relative to the scale; infinite when an element is wrong */
    double rms_error;   /* likewise */
    uint64_t wrong;     /* elements off by more than is allowed or, for integers, at all */
    uint64_t unwritten; /* those of them that are all ones, as what nobody wrote is */
    uint64_t gaps;      /* elements between rows that were written */
    uint64_t around;    /* elements before the first or behind the last that were written */
    /* The first of each, CHECKS_NONE where there is none; `around` from the memory's beginning. */
    uint64_t first_wrong, first_gap, first_around;
};

/* Compares an output with its reference (double for floating types); waits for the result. The
 * output begins `ahead` elements into `got`, and what `got` holds before and behind it must be all
 * ones. `allowed` is how far an element may be off, not relative to anything. */
tw_status check_kernels_compare(const struct check_kernels *checks, const struct tw_memory *got,
                                uint64_t ahead, const struct tw_memory *reference,
                                const struct tw_extent *extent, double allowed,
                                struct comparison *comparison, struct tw_error *error);

/* A problem has at most TW_MAX_ARGUMENTS buffers, each between two guards. */
enum { CHECKS_MAX_ZONES = 2 * TW_MAX_ARGUMENTS + 1 };

/* Checksums of `count` pieces of memory, each a multiple of 4 bytes; waits for the result. */
tw_status check_kernels_sums(const struct check_kernels *checks, const struct tw_memory *zones,
                             int count, uint64_t *sums, struct tw_error *error);

#endif

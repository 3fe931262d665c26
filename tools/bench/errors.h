/* How far a contender is from the truth, which a kernel computes in double: for products
 * our own (truth.h), for everything else the reference of the kernel's description.
 *
 * Where the whole answer would take too long, bands of whole rows are computed, spread evenly over
 * the output; every contender is held against the same ones. */
#ifndef TOOLS_BENCH_ERRORS_H
#define TOOLS_BENCH_ERRORS_H

#include "tools/bench/data.h"

enum { ERRORS_MAX_BANDS = 32 };

struct error_sizes {
    /* Relative to the root mean square of the right answer. Infinite where an element is no number
     * or, for what has no rounding, differs. */
    double max, rms;
    double limit; /* no roundings to the output's type make `max` as large */
};

struct errors {
    const struct data *data;
    int64_t rows; /* of a band */
    int band_count;
    int64_t first_rows[ERRORS_MAX_BANDS];
    struct tw_memory right[ERRORS_MAX_BANDS];
    struct tw_extent extent; /* of a band in the output */
};

/* Computes the right answers. Free with errors_free also after a failure. */
tw_status errors_create(struct errors *errors, const struct data *data, tw_error *error);
void errors_free(struct errors *errors);

/* Makes set 0's output NaN, so that what is not written shows. */
tw_status errors_poison(const struct errors *errors, tw_error *error);
/* Compares set 0's output. */
tw_status errors_compare(const struct errors *errors, struct error_sizes *sizes, tw_error *error);

/* The share of the output's rows that is looked at. */
double errors_share(const struct errors *errors);

#endif

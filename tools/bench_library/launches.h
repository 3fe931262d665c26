/* tw_launch against the bare driver call. */
#ifndef TOOLS_BENCH_LIBRARY_LAUNCHES_H
#define TOOLS_BENCH_LIBRARY_LAUNCHES_H

#include "runtime/tilewise.h"

/* Host time in microseconds of one launch of a small copy, both ways, interleaved: medians over
 * `rounds` batches. TW_UNAVAILABLE where there is no driver call to compare with. */
tw_status launches_compare(tw_library *library, int rounds, double *library_us, double *bare_us,
                           tw_error *error);

#endif

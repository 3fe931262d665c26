/* How often this thread allocated, took a lock or ran SQL: the benchmark's own versions of those
 * functions count and pass on. */
#ifndef TOOLS_BENCH_LIBRARY_COUNTERS_H
#define TOOLS_BENCH_LIBRARY_COUNTERS_H

#include <stdint.h>

struct counters {
    int64_t allocations;
    int64_t locks;
    int64_t statements; /* steps of SQL */
};

struct counters counters_now(void);

#endif

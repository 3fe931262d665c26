/* Ends the benchmark, with a line, where something fails. */
#ifndef TOOLS_BENCH_LIBRARY_MUST_H
#define TOOLS_BENCH_LIBRARY_MUST_H

#include "runtime/base/error.h"

void must(tw_status status, const tw_error *error);

#endif

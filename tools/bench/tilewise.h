/* Our own side: a plan of libtilewise. */
#ifndef TOOLS_BENCH_TILEWISE_H
#define TOOLS_BENCH_TILEWISE_H

#include "tools/bench/contender.h"

/* What our library is asked for a task, whose words it points to. */
tw_request tilewise_request(const struct task *task);

/* Why the plan is what it is; NULL while there is none. */
const tw_explanation *tilewise_explain(const void *state);

#endif

/* A plan's account of itself. */
#ifndef TW_LIBRARY_EXPLAIN_H
#define TW_LIBRARY_EXPLAIN_H

#include "runtime/library/modules.h"
#include "runtime/library/plan.h"
#include "runtime/select/select.h"

struct tw_plan_sources {
    const struct tw_problem *problem;
    const struct tw_selection *selection;
    enum tw_binary_origin origin;
    const char *unkept; /* why the binary was not kept on disk; "" */
    double made_ms, loading_ms;
};

/* Fills in plan->explanation; copies what it points to. */
tw_status tw_plan_explain_fill(tw_plan *plan, const struct tw_plan_sources *sources,
                               tw_error *error);

#endif

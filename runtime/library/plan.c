#include "runtime/library/plan.h"

#include <stdlib.h>

void tw_plan_free(tw_plan *plan) {
    if (plan == NULL)
        return;
    for (size_t i = 0; i < sizeof plan->texts / sizeof *plan->texts; i++)
        tw_text_free(&plan->texts[i]);
    tw_executable_free(plan->executable);
    free(plan);
}

const tw_explanation *tw_plan_explain(const tw_plan *plan) {
    return plan != NULL ? &plan->explanation : NULL;
}

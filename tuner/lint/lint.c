#include "tuner/lint/lint.h"

#include "tuner/lint/passes.h"

tw_status lint_description(const struct tw_description *description, struct lint *lint,
                           struct tw_error *error) {
    *lint = (struct lint){0};
    struct lint_run run = {.description = description, .lint = lint};
    lint_references(&run);
    lint_sources(&run);
    lint_rules(&run);
    lint_unused(&run);
    lint_sort(lint);
    return run.no_memory ? tw_fail(error, TW_NO_MEMORY, "out of memory") : TW_OK;
}

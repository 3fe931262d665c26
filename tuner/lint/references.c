/* What a description refers to outside of its expressions: other kernels' presets, tolerances for
 * the types that are checked. */
#include <stdio.h>
#include <string.h>

#include "tuner/lint/passes.h"

static void check_rung(struct lint_run *run, int index) {
    const struct tw_description *d = run->description;
    const struct tw_rung *rung = &d->rungs[index];
    char where[64];
    struct tw_description *other;
    struct tw_error error;
    const struct tw_preset *preset;
    int implementation;
    if (rung->kernel[0] == '\0')
        return; /* reading found its preset */
    snprintf(where, sizeof where, "ladder[%d]", index);
    tw_status status = tw_description_builtin(&other, rung->kernel, &error);
    run->no_memory |= status == TW_NO_MEMORY;
    if (status != TW_OK) {
        lint_add(run, LINT_ERROR, where, rung, "%s", error.message);
        return;
    }
    if (!tw_description_preset(other, rung->preset, &implementation, &preset))
        lint_add(run, LINT_ERROR, where, rung, "%s has no preset \"%s\"", rung->kernel,
                 rung->preset);
    else if (other->dimension_count != d->dimension_count)
        lint_add(run, LINT_ERROR, where, rung,
                 "%s has %d dimensions and %s has %d, so that no shape is for both", rung->kernel,
                 other->dimension_count, d->kernel, d->dimension_count);
    tw_description_free(other);
}

static void want_tolerance(struct lint_run *run, const struct tw_argument *argument,
                           enum tw_type type) {
    if (tw_type_info(type)->floating && !(run->description->tolerance[type] > 0))
        lint_add(run, LINT_ERROR, "tolerance", tw_type_info(type),
                 "%s may be %s, for which there is no tolerance", argument->name,
                 tw_type_info(type)->word);
}

static void check_tolerance(struct lint_run *run, const struct tw_argument *argument) {
    const struct tw_description *d = run->description;
    if (argument->kind != TW_ARGUMENT_BUFFER || argument->access == TW_ACCESS_IN)
        return;
    if (argument->type_attribute < 0) {
        want_tolerance(run, argument, argument->type);
        return;
    }
    const struct tw_attribute *attribute = &d->attributes[argument->type_attribute];
    for (int i = 0; i < attribute->word_count; i++)
        if (!argument->left[i])
            want_tolerance(run, argument, argument->types[i]);
    for (int i = 0; argument->second_attribute >= 0 &&
                    i < d->attributes[argument->second_attribute].word_count;
         i++)
        want_tolerance(run, argument, argument->second_types[i]);
}

void lint_references(struct lint_run *run) {
    for (int i = 0; i < run->description->rung_count; i++)
        check_rung(run, i);
    for (int i = 0; i < run->description->argument_count; i++)
        check_tolerance(run, &run->description->arguments[i]);
}

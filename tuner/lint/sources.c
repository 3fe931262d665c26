/* The templates that launches name. */
#include <stdio.h>

#include "runtime/variant/source.h"
#include "tuner/lint/findings.h"

static void check_templates(struct lint_run *run, const struct tw_launch_description *launch,
                            const char *where) {
    for (int i = 0; i < launch->template_count; i++) {
        struct tw_text text = {0};
        struct tw_error error;
        if (tw_source_template(run->description, launch->templates[i], &text, &error) != TW_OK)
            lint_add(run, LINT_ERROR, where, launch->templates[i], "%s", error.message);
        tw_text_free(&text);
    }
}

void lint_sources(struct lint_run *run) {
    const struct tw_description *d = run->description;
    check_templates(run, &d->reference, "reference");
    for (int i = 0; i < d->implementation_count; i++) {
        const struct tw_implementation *in = &d->implementations[i];
        for (int l = 0; l < in->launch_count; l++) {
            char where[128];
            snprintf(where, sizeof where, "implementations.%s.launches[%d]", in->name, l);
            check_templates(run, &in->launches[l], where);
        }
    }
}

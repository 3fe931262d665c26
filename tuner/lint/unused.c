/* Names that nothing uses: most often one that is misspelt, or a rule that was forgotten. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "runtime/description/accuracy.h"
#include "runtime/variant/source.h"
#include "tuner/lint/expressions.h"
#include "tuner/lint/passes.h"

enum { WHERE_SIZE = 256 };

/* What expressions and launches use, by slot or argument, and the text of all templates. */
struct uses {
    bool slots[TW_MAX_SYMBOLS];
    bool arguments[TW_MAX_ARGUMENTS];
    struct tw_text templates;
};

static void use_expression(void *context, const struct tw_expression *expression) {
    struct uses *uses = context;
    for (int slot = 0; slot < TW_MAX_SYMBOLS; slot++)
        uses->slots[slot] |= tw_expression_uses(expression, slot);
}

static void use_launch(const struct tw_description *d, const struct tw_launch_description *launch,
                       struct uses *uses) {
    for (int i = 0; i < launch->passed_count; i++) {
        const struct tw_passed *passed = &launch->passed[i];
        if (passed->kind == TW_PASS_SLOT)
            uses->slots[passed->index] = true;
        else if (passed->kind == TW_PASS_ARGUMENT || passed->kind == TW_PASS_BEFORE)
            uses->arguments[passed->index] = true;
    }
    for (int i = 0; i < launch->tensor_map_count; i++)
        if (launch->tensor_maps[i].buffer >= 0)
            uses->arguments[launch->tensor_maps[i].buffer] = true;
    /* One that is not there is told of elsewhere. */
    for (int i = 0; i < launch->template_count; i++)
        if (tw_source_template(d, launch->templates[i], &uses->templates, NULL) == TW_NO_MEMORY)
            uses->templates.failed = true;
}

static void use_implementation(const struct tw_description *d, const struct tw_implementation *in,
                               struct uses *uses) {
    lint_each_of_implementation(in, use_expression, uses);
    for (int i = 0; i < in->launch_count; i++)
        use_launch(d, &in->launches[i], uses);
}

/* Whether a template has the name as a word, or as the beginning of one up to `_`. */
static bool mentioned(const struct uses *uses, const char *name) {
    size_t length = strlen(name);
    const char *at = uses->templates.data;
    while (at != NULL && (at = strstr(at, name)) != NULL) {
        bool begins =
            at == uses->templates.data || !(isalnum((unsigned char)at[-1]) || at[-1] == '_');
        if (begins && !isalnum((unsigned char)at[length]))
            return true;
        at += length;
    }
    return false;
}

/* ---- Of an implementation ---- */

static void check_implementation(struct lint_run *run, const struct tw_implementation *in) {
    const struct tw_description *d = run->description;
    struct uses uses = {0};
    char where[WHERE_SIZE];
    snprintf(where, sizeof where, "implementations.%s", in->name);
    use_implementation(d, in, &uses);
    for (int i = 0; i < in->parameter_count; i++) {
        const struct tw_parameter *parameter = &in->parameters[i];
        if (uses.slots[parameter->slot] ||
            (!parameter->launch && mentioned(&uses, parameter->name)))
            continue;
        lint_add(run, LINT_WARNING, where, parameter, "the parameter %s is used by no %s",
                 parameter->name,
                 parameter->launch ? "launch and no expression" : "expression and no template");
    }
    for (int i = 0; i < in->define_count; i++)
        if (!uses.slots[in->defines[i].slot] && !mentioned(&uses, in->defines[i].name))
            lint_add(run, LINT_WARNING, where, &in->defines[i],
                     "the define %s is used by no expression and no template", in->defines[i].name);
    for (int i = 0; i < d->argument_count; i++)
        if (d->arguments[i].kind == TW_ARGUMENT_BUFFER && d->arguments[i].access != TW_ACCESS_IN &&
            !uses.arguments[i])
            lint_add(run, LINT_ERROR, where, &d->arguments[i], "no launch is given %s to write to",
                     d->arguments[i].name);
    run->no_memory |= uses.templates.failed;
    tw_text_free(&uses.templates);
}

/* ---- Of the whole ---- */

static bool is_type(const struct tw_description *d, int attribute) {
    for (int i = 0; i < d->argument_count; i++)
        if (d->arguments[i].kind != TW_ARGUMENT_STRIDE &&
            (d->arguments[i].type_attribute == attribute ||
             d->arguments[i].second_attribute == attribute))
            return true;
    return false;
}

static void check_attribute(struct lint_run *run, int index, const struct uses *uses) {
    const struct tw_attribute *attribute = &run->description->attributes[index];
    char name[TW_NAME_SIZE];
    size_t length = 0;
    for (; attribute->name[length] != '\0'; length++)
        name[length] = (char)toupper((unsigned char)attribute->name[length]);
    name[length] = '\0';
    if (!uses->slots[attribute->slot] && !is_type(run->description, index) &&
        !mentioned(uses, name))
        lint_add(run, LINT_WARNING, "problem.attributes", attribute,
                 "%s is no argument's type, and used by no expression and no template (as %s)",
                 attribute->name, name);
}

static bool is_linked(const struct tw_description *d, int argument) {
    for (int i = 0; i < d->argument_count; i++)
        if (d->arguments[i].kind == TW_ARGUMENT_BUFFER &&
            (d->arguments[i].stride == argument || d->arguments[i].read_when == argument))
            return true;
    return false;
}

static void check_problem(struct lint_run *run, const struct uses *uses) {
    const struct tw_description *d = run->description;
    for (int i = 0; i < d->dimension_count; i++)
        if (!uses->slots[d->dimensions[i].slot])
            lint_add(run, LINT_WARNING, "problem.dimensions", &d->dimensions[i],
                     "%s is used by no expression and passed to no launch", d->dimensions[i].name);
    for (int i = 0; i < d->attribute_count; i++)
        check_attribute(run, i, uses);
    for (int i = 0; i < d->let_count; i++)
        if (!uses->slots[d->lets[i].slot] && !mentioned(uses, d->lets[i].name))
            lint_add(run, LINT_WARNING, "problem.let", &d->lets[i],
                     "%s is used by no expression and passed to no launch", d->lets[i].name);
    for (int i = 0; i < d->argument_count; i++) {
        const struct tw_argument *argument = &d->arguments[i];
        bool by_slot = argument->kind == TW_ARGUMENT_STRIDE && uses->slots[argument->slot];
        if (!uses->arguments[i] && !by_slot && !is_linked(d, i))
            lint_add(run, LINT_WARNING, "arguments", argument, "%s is passed to no launch",
                     argument->name);
    }
}

void lint_unused(struct lint_run *run) {
    const struct tw_description *d = run->description;
    struct uses uses = {0};
    lint_each_of_description(d, use_expression, &uses);
    use_launch(d, &d->reference, &uses);
    if (d->accuracy != NULL)
        use_launch(d, &d->accuracy->plain, &uses);
    /* The problem's names have the same slots in every implementation. */
    for (int i = 0; i < d->implementation_count; i++) {
        use_implementation(d, &d->implementations[i], &uses);
        check_implementation(run, &d->implementations[i]);
    }
    check_problem(run, &uses);
    run->no_memory |= uses.templates.failed;
    tw_text_free(&uses.templates);
}

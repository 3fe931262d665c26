#include "runtime/library/product.h"

#include <string.h>

#include "runtime/base/text.h"

const char *const tw_product_transposes[4] = {"nn", "nt", "tn", "tt"};
const char *const tw_product_activations[5] = {"none", "relu", "gelu", "gelu_tanh", "silu"};

const struct tw_argument *tw_product_argument(const struct tw_description *d, const char *name) {
    for (int i = 0; i < d->argument_count; i++)
        if (strcmp(d->arguments[i].name, name) == 0)
            return &d->arguments[i];
    return NULL;
}

const char *tw_product_type(const struct tw_problem *problem, const struct tw_argument *argument) {
    const struct tw_argument *all = problem->description->arguments;
    return tw_type_info(tw_problem_type(problem, (int)(argument - all)))->word;
}

/* What it is by default has a name only for who writes attributes: here it is its type. */
static tw_status refuse_type(const struct tw_problem *problem, const char *field,
                             const struct tw_argument *argument, const char *word,
                             struct tw_error *error) {
    const struct tw_description *d = problem->description;
    const struct tw_attribute *types = &d->attributes[argument->type_attribute];
    const char *usual = tw_product_type(problem, argument);
    struct tw_text all = {0};
    tw_text_print(&all, "%s", usual);
    for (int i = 0; i < types->word_count; i++) {
        const char *type = d->symbols.words[types->words[i]];
        if (types->words[i] != types->default_word && strcmp(type, usual) != 0)
            tw_text_print(&all, ", %s", type);
    }
    tw_status status = tw_fail(error, TW_INVALID, "%s: %s has no %s of \"%.40s\"; there are %s",
                               field, d->kernel, argument->name, word, tw_text_or(&all, "none"));
    tw_text_free(&all);
    return status;
}

/* Descriptions say which attribute is the type of which argument: a new word there, or an attribute
 * of its own for an argument, needs nothing here. */
static tw_status set_type(struct tw_problem *problem, const char *field, const char *name,
                          const char *word, struct tw_error *error) {
    const struct tw_description *d = problem->description;
    const struct tw_argument *argument = tw_product_argument(d, name);
    if (argument == NULL)
        return tw_fail(error, TW_INVALID, "%s has no argument %s, as the call needs it", d->kernel,
                       name);
    if (word == NULL || strcmp(tw_product_type(problem, argument), word) == 0)
        return TW_OK;
    if (argument->type_attribute < 0)
        return tw_fail(error, TW_INVALID, "%s is \"%.40s\", but %s has its %s in %s", field, word,
                       d->kernel, name, tw_product_type(problem, argument));
    return tw_problem_set(problem, d->attributes[argument->type_attribute].name, word, NULL) ==
                   TW_OK
               ? TW_OK
               : refuse_type(problem, field, argument, word, error);
}

/* A's type first: the others are by default what goes with it. */
tw_status tw_product_set_types(struct tw_problem *problem, const char *a_type, const char *b_type,
                               const char *c_type, struct tw_error *error) {
    tw_status status = set_type(problem, "a_type", "A", a_type, error);
    if (status == TW_OK)
        status = set_type(problem, "b_type", "B", b_type, error);
    return status == TW_OK ? set_type(problem, "c_type", "C", c_type, error) : status;
}

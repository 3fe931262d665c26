#include "tuner/lint/expressions.h"

#include "runtime/description/accuracy.h"

struct walk {
    lint_expression_visitor visit;
    void *context;
};

static void one(const struct walk *walk, const struct tw_expression *expression) {
    if (expression != NULL)
        walk->visit(walk->context, expression);
}

static void list(const struct walk *walk, struct tw_expression *const expressions[], int count) {
    for (int i = 0; i < count; i++)
        one(walk, expressions[i]);
}

void lint_each_of_launch(const struct tw_launch_description *launch, lint_expression_visitor visit,
                         void *context) {
    const struct walk walk = {visit, context};
    list(&walk, launch->block, 3);
    list(&walk, launch->grid, 3);
    list(&walk, launch->cluster, 3);
    one(&walk, launch->shared);
    one(&walk, launch->min_blocks);
    one(&walk, launch->early);
    for (int i = 0; i < launch->tensor_map_count; i++) {
        const struct tw_tensor_map_description *map = &launch->tensor_maps[i];
        list(&walk, map->dims, map->rank);
        list(&walk, map->strides, map->rank - 1);
        list(&walk, map->box, TW_MAX_RANK);
        one(&walk, map->layers);
        one(&walk, map->layer_stride);
        list(&walk, map->lower, TW_MAX_RANK - 2);
        list(&walk, map->upper, TW_MAX_RANK - 2);
        list(&walk, map->steps, TW_MAX_RANK - 2);
        one(&walk, map->swizzle);
        one(&walk, map->offset);
    }
}

void lint_each_of_implementation(const struct tw_implementation *in, lint_expression_visitor visit,
                                 void *context) {
    const struct walk walk = {visit, context};
    for (int i = 0; i < in->parameter_count; i++)
        one(&walk, in->parameters[i].untuned_of);
    list(&walk, in->constraints, in->constraint_count);
    list(&walk, in->redundant, in->redundant_count);
    for (int i = 0; i < in->define_count; i++)
        one(&walk, in->defines[i].expression);
    one(&walk, in->flops);
    one(&walk, in->workspace);
    one(&walk, in->counters);
    for (int i = 0; i < in->launch_count; i++)
        lint_each_of_launch(&in->launches[i], visit, context);
}

static void each_of_accuracy(const struct tw_accuracy *accuracy, lint_expression_visitor visit,
                             void *context) {
    const struct walk walk = {visit, context};
    list(&walk, accuracy->terms, TW_MAX_ARGUMENTS);
    lint_each_of_launch(&accuracy->plain, visit, context);
    for (int i = 0; i < accuracy->family_count; i++) {
        const struct tw_input_family *family = &accuracy->families[i];
        one(&walk, family->when);
        for (int f = 0; f < family->fill_count; f++)
            for (int s = 0; s < family->fills[f].spot_count; s++) {
                one(&walk, family->fills[f].spots[s].line);
                one(&walk, family->fills[f].spots[s].term);
            }
    }
    for (int i = 0; i < accuracy->bound_count; i++)
        one(&walk, accuracy->bounds[i].when);
}

void lint_each_of_description(const struct tw_description *d, lint_expression_visitor visit,
                              void *context) {
    const struct walk walk = {visit, context};
    for (int i = 0; i < d->let_count; i++)
        one(&walk, d->lets[i].expression);
    for (int i = 0; i < d->argument_count; i++) {
        one(&walk, d->arguments[i].rows);
        one(&walk, d->arguments[i].columns);
        one(&walk, d->arguments[i].default_stride);
        one(&walk, d->arguments[i].when);
        one(&walk, d->arguments[i].fill_low_of);
        one(&walk, d->arguments[i].fill_high_of);
        one(&walk, d->arguments[i].fill_parts_of);
    }
    one(&walk, d->flops);
    one(&walk, d->bytes);
    one(&walk, d->growth);
    lint_each_of_launch(&d->reference, visit, context);
    if (d->accuracy != NULL)
        each_of_accuracy(d->accuracy, visit, context);
    for (int i = 0; i < d->fallback_count; i++)
        one(&walk, d->fallbacks[i].when);
}

/* Making a plan: from a request to launches that lack only their buffers. */
#include "runtime/library/plan.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/backend/devices.h"
#include "runtime/base/clock.h"
#include "runtime/library/explain.h"
#include "runtime/select/select.h"
#include "runtime/variant/agreement.h"
#include "runtime/variant/compile.h"
#include "runtime/variant/tensor_map.h"
#include "runtime/variant/variant.h"

struct part {
    struct tw_geometry geometry;
    struct tw_tensor tensors[TW_MAX_TENSOR_MAPS];
    struct tw_module_found found;
};

/* What is known while a plan is made. */
struct making {
    tw_library *library;
    double start;
    struct tw_problem problem;
    int64_t strides[TW_MAX_ARGUMENTS];
    struct tw_selection selection;
    /* Of the configuration that was offered last: */
    int64_t values[TW_MAX_SYMBOLS];
    struct part parts[TW_MAX_LAUNCHES];
    int64_t workspace;
};

static tw_status set_attributes(struct tw_problem *problem, const char *text, tw_error *error) {
    while (text != NULL && *text != '\0') {
        size_t length = strcspn(text, ",");
        const char *equals = memchr(text, '=', length);
        char name[TW_NAME_SIZE], word[TW_NAME_SIZE];
        if (equals == NULL || equals - text >= TW_NAME_SIZE ||
            text + length - equals > TW_NAME_SIZE)
            return tw_fail(error, TW_INVALID,
                           "\"%.*s\" is no attribute of %s; write it as dtype=f32", (int)length,
                           text, problem->description->kernel);
        snprintf(name, sizeof name, "%.*s", (int)(equals - text), text);
        snprintf(word, sizeof word, "%.*s", (int)(text + length - equals - 1), equals + 1);
        tw_status status = tw_problem_set(problem, name, word, error);
        if (status != TW_OK)
            return status;
        text += length + (text[length] == ',');
    }
    return TW_OK;
}

static tw_status set_dimensions(struct tw_problem *problem, const int64_t *given, tw_error *error) {
    const struct tw_description *d = problem->description;
    for (int i = 0; i < TW_REQUEST_DIMENSIONS; i++) {
        if (i >= d->dimension_count && given[i] != 0)
            return tw_fail(error, TW_INVALID, "%s has %d dimensions; there is a value for another",
                           d->kernel, d->dimension_count);
        if (i < d->dimension_count && (given[i] < 1 || given[i] > INT32_MAX))
            return tw_fail(error, TW_INVALID,
                           "%s: dimension %s is %" PRId64 "; it must be from 1 to %d", d->kernel,
                           d->dimensions[i].name, given[i], INT32_MAX);
        if (i < d->dimension_count)
            problem->dimensions[i] = given[i];
    }
    return TW_OK;
}

/* After the attributes, which tell the sizes of elements. */
static tw_status set_alignment(struct tw_problem *problem, int64_t given, tw_error *error) {
    const struct tw_description *d = problem->description;
    if (given < 0 || given > 1 << 20 || (given & (given - 1)) != 0)
        return tw_fail(error, TW_INVALID,
                       "the alignment is %" PRId64 "; it must be a power of two, or 0", given);
    for (int i = 0; given != 0 && i < d->argument_count; i++) {
        size_t bytes = tw_type_info(tw_problem_type(problem, i))->bytes;
        if (d->arguments[i].kind == TW_ARGUMENT_BUFFER && (size_t)given < bytes)
            return tw_fail(error, TW_INVALID,
                           "%s: the elements of %s need an alignment of %zu bytes, not %" PRId64,
                           d->kernel, d->arguments[i].name, bytes, given);
    }
    problem->alignment = given < TW_FULL_ALIGNMENT ? (int)given : TW_FULL_ALIGNMENT;
    return TW_OK;
}

static tw_status set_strides(const struct tw_description *d, const int64_t *given, int64_t *strides,
                             tw_error *error) {
    int next = 0;
    memset(strides, 0, TW_MAX_ARGUMENTS * sizeof *strides);
    for (int i = 0; i < d->argument_count; i++) {
        if (d->arguments[i].kind != TW_ARGUMENT_STRIDE || next == TW_REQUEST_STRIDES)
            continue;
        if (given[next] < 0 || given[next] > INT32_MAX)
            return tw_fail(error, TW_INVALID, "%s: %s is %" PRId64 "; it must be from 1 to %d",
                           d->kernel, d->arguments[i].name, given[next], INT32_MAX);
        strides[i] = given[next++];
    }
    for (; next < TW_REQUEST_STRIDES; next++)
        if (given[next] != 0)
            return tw_fail(error, TW_INVALID, "there are more strides than %s has", d->kernel);
    return TW_OK;
}

tw_status tw_plan_problem(tw_library *library, const tw_request *request,
                          struct tw_problem *problem, int64_t strides[TW_MAX_ARGUMENTS],
                          const char **description_file, tw_error *error) {
    if (request->kernel == NULL)
        return tw_fail(error, TW_INVALID, "a request must name a kernel");
    const struct tw_description *description;
    tw_status status =
        tw_kernels_find(library->kernels, request->kernel, &description, description_file, error);
    if (status != TW_OK)
        return status;
    *problem = (struct tw_problem){.description = description};
    for (int i = 0; i < description->attribute_count; i++)
        problem->words[i] = description->attributes[i].default_word;
    status = set_dimensions(problem, request->dimensions, error);
    if (status == TW_OK)
        status = set_attributes(problem, request->attributes, error);
    if (status == TW_OK)
        status = set_alignment(problem, request->alignment, error);
    if (status == TW_OK)
        status = set_strides(description, request->strides, strides, error);
    return status;
}

static tw_status get_part(struct making *making, const struct tw_configuration *configuration,
                          const struct tw_launch_description *launch, struct part *part,
                          tw_error *error) {
    tw_library *library = making->library;
    const struct tw_description *d = making->problem.description;
    struct tw_text source = {0};
    char label[TW_PROBLEM_KEY_SIZE + 2 * TW_NAME_SIZE], key[TW_PROBLEM_KEY_SIZE];
    tw_status status =
        tw_launch_source(library->backend, &library->info, &making->problem, configuration, launch,
                         making->values, &part->geometry, &source, error);
    if (status == TW_OK) {
        status = tw_tensor_maps_of(&making->problem, launch, making->values, part->tensors, error);
    }
    if (status == TW_OK) {
        tw_problem_text(&making->problem, key);
        const struct tw_implementation *in = &d->implementations[configuration->implementation];
        snprintf(label, sizeof label, "%s %s %s", d->kernel, in->name, key);
        struct tw_expected expected;
        tw_launch_expected(&making->problem, in, launch, part->geometry.shared, &expected);
        const struct tw_module_request request = {.source = source.data,
                                                  .function = launch->function,
                                                  .label = label,
                                                  .name = launch->templates[0],
                                                  .threads = tw_geometry_threads(&part->geometry),
                                                  .shared = part->geometry.shared,
                                                  .disqualified_by = in->disqualified_by,
                                                  .expected = &expected};
        status = tw_modules_get(library->modules, &request, &part->found, error);
        if (status == TW_BAD_DESCRIPTION)
            tw_fail_within(error, status, "%s: %s", d->origin, in->name);
    }
    tw_text_free(&source);
    return status;
}

static tw_status find_workspace(struct making *making, const struct tw_implementation *in,
                                tw_error *error) {
    making->workspace = 0;
    if (in->workspace == NULL)
        return TW_OK;
    enum tw_evaluation outcome =
        tw_expression_evaluate(in->workspace, making->values, &making->workspace);
    if (outcome == TW_EVALUATED && making->workspace >= 0)
        return TW_OK;
    return tw_fail(error, TW_INVALID, "the workspace of %s, \"%s\", %s", in->name,
                   tw_expression_text(in->workspace),
                   outcome != TW_EVALUATED ? tw_evaluation_text(outcome) : "is negative");
}

/* A configuration is accepted once all its launches are loaded. */
static tw_status accept(void *context, const struct tw_configuration *configuration,
                        struct tw_error *error) {
    struct making *making = context;
    const struct tw_description *d = making->problem.description;
    const struct tw_implementation *in = &d->implementations[configuration->implementation];
    int64_t device[TW_DEVICE_SLOTS];
    tw_device_values(&making->library->info, device);
    tw_status status =
        tw_problem_bind(&making->problem, device, making->strides, making->values, error);
    if (status == TW_OK)
        status = tw_configuration_bind(d, configuration, making->values, error);
    if (status == TW_OK)
        status = find_workspace(making, in, error);
    for (int i = 0; i < in->launch_count && status == TW_OK; i++)
        status = get_part(making, configuration, &in->launches[i], &making->parts[i], error);
    return status;
}

/* What is the same in every call is encoded now; the rest become holes. */
static void prepare_launch(const struct making *making, const struct tw_launch_description *in,
                           const struct part *part, struct tw_plan_launch *out) {
    const struct tw_description *d = making->problem.description;
    struct tw_arguments arguments = {0};
    for (int i = 0; i < d->argument_count; i++)
        arguments.scalars[i] = d->arguments[i].default_number;
    const struct tw_memory none = {0};
    memcpy(out->tensors, part->tensors, sizeof out->tensors);
    tw_launch_values(&making->problem, in, making->values, &arguments, &none, out->tensors,
                     out->values);
    for (int i = 0; i < in->passed_count; i++) {
        struct tw_plan_hole hole = {.position = i, .argument = in->passed[i].index};
        if (in->passed[i].kind == TW_PASS_WORKSPACE) {
            hole.kind = TW_HOLE_WORKSPACE;
        } else if (in->passed[i].kind == TW_PASS_TENSOR_MAP) {
            hole.argument = in->tensor_maps[in->passed[i].index].buffer;
            hole.kind = hole.argument < 0 ? TW_HOLE_WORKSPACE : TW_HOLE_BUFFER;
        } else if (in->passed[i].kind == TW_PASS_ARGUMENT &&
                   d->arguments[hole.argument].kind != TW_ARGUMENT_STRIDE) {
            bool buffer = d->arguments[hole.argument].kind == TW_ARGUMENT_BUFFER;
            hole.kind = buffer ? TW_HOLE_BUFFER : TW_HOLE_SCALAR;
            hole.type = tw_problem_type(&making->problem, hole.argument);
        } else {
            continue;
        }
        out->holes[out->hole_count++] = hole;
    }
    out->launch = (struct tw_launch){.module = part->found.module,
                                     .shared = part->geometry.shared,
                                     .value_count = (size_t)in->passed_count,
                                     .values = out->values};
    memcpy(out->launch.block, part->geometry.block, sizeof out->launch.block);
    memcpy(out->launch.grid, part->geometry.grid, sizeof out->launch.grid);
    memcpy(out->launch.cluster, part->geometry.cluster, sizeof out->launch.cluster);
}

static tw_status prepare(const struct making *making, tw_plan **out, tw_error *error) {
    const struct tw_selection *selection = &making->selection;
    const struct tw_description *d = making->problem.description;
    const struct tw_implementation *in =
        &d->implementations[selection->configuration.implementation];
    tw_plan *plan = calloc(1, sizeof *plan + (size_t)in->launch_count * sizeof plan->launches[0]);
    if (plan == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    plan->library = making->library;
    plan->description = d;
    plan->workspace = (uint64_t)making->workspace;
    /* A backend with addresses: cl_mem handles say nothing of alignment. */
    if (making->library->info.arch > 0)
        plan->alignment = (int)making->values[TW_SLOT_ALIGNMENT];
    plan->launch_count = in->launch_count;
    for (int i = 0; i < in->launch_count; i++)
        prepare_launch(making, &in->launches[i], &making->parts[i], &plan->launches[i]);
    struct tw_plan_sources sources = {.problem = &making->problem,
                                      .selection = selection,
                                      .origin = making->parts[0].found.origin,
                                      .unkept = making->parts[0].found.unkept};
    for (int i = 0; i < in->launch_count; i++)
        sources.loading_ms += making->parts[i].found.loading_ms;
    sources.made_ms = 1e3 * (tw_clock_now() - making->start);
    tw_status status = tw_plan_explain_fill(plan, &sources, error);
    if (status != TW_OK) {
        tw_plan_free(plan);
        return status;
    }
    *out = plan;
    return TW_OK;
}

/* Selects and, to `load`, makes the plan, both under the lock of the results: the selection points
 * to their rows. */
static tw_status with_selection(struct making *making, const tw_request *request, bool load,
                                tw_plan **out, tw_error *error) {
    tw_library *library = making->library;
    const char *file;
    tw_status status =
        tw_plan_problem(library, request, &making->problem, making->strides, &file, error);
    if (status != TW_OK)
        return status;
    pthread_rwlock_rdlock(&library->results);
    const struct tw_query query = {.catalogue = library->catalogue,
                                   .problem = &making->problem,
                                   .strides = making->strides,
                                   .device = &library->info,
                                   .cache = library->cache_policy,
                                   .accept = load ? accept : NULL,
                                   .context = making};
    status = tw_select(&query, &making->selection, error);
    if (status == TW_OK && load)
        status = prepare(making, out, error);
    pthread_rwlock_unlock(&library->results);
    return status;
}

tw_status tw_plan_make(tw_plan **out, tw_library *library, const tw_request *request,
                       tw_error *error) {
    *out = NULL;
    struct making *making = calloc(1, sizeof *making);
    if (making == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    making->library = library;
    making->start = tw_clock_now();
    tw_status status = with_selection(making, request, true, out, error);
    free(making);
    return status;
}

tw_status tw_plan_is_tuned(tw_library *library, const tw_request *request, bool *tuned,
                           tw_error *error) {
    struct making *making = calloc(1, sizeof *making);
    if (making == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    making->library = library;
    tw_status status = with_selection(making, request, false, NULL, error);
    *tuned = making->selection.rule == TW_SELECTED_EXACT;
    free(making);
    return status;
}

void tw_plan_free(tw_plan *plan) {
    if (plan == NULL)
        return;
    for (size_t i = 0; i < sizeof plan->texts / sizeof *plan->texts; i++)
        tw_text_free(&plan->texts[i]);
    free(plan);
}

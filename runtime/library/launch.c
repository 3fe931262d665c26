/* Launching a plan: fill the holes, queue. */
#include <inttypes.h>
#include <string.h>

#include "runtime/library/library.h"
#include "runtime/library/plan.h"

static tw_status no_such(const tw_plan *plan, const char *name, tw_error *error) {
    const struct tw_description *d = plan->description;
    const char *names[TW_MAX_ARGUMENTS];
    int count = 0;
    for (int i = 0; i < d->argument_count; i++)
        if (d->arguments[i].kind != TW_ARGUMENT_STRIDE)
            names[count++] = d->arguments[i].name;
        else if (strcmp(d->arguments[i].name, name) == 0)
            return tw_fail(error, TW_INVALID, "%s belongs to the plan: give it in the request",
                           name);
    const char *nearest = tw_nearest(name, names, (size_t)count);
    return tw_fail(error, TW_INVALID, "%s has no argument \"%.40s\"%s%s%s", d->kernel, name,
                   nearest != NULL ? "; did you mean " : "", nearest != NULL ? nearest : "",
                   nearest != NULL ? "?" : "");
}

static tw_status take(const tw_plan *plan, const tw_binding *bindings, size_t count,
                      struct tw_arguments *given, tw_error *error) {
    for (int i = 0; i < plan->argument_count; i++)
        given->memory[plan->arguments[i].argument] = (struct tw_memory){0};
    given->scalars_given = 0;
    /* Bindings in the description's order are found at the first try. */
    int next = 0;
    for (size_t i = 0; i < count; i++) {
        const char *name = bindings[i].name != NULL ? bindings[i].name : "";
        int tries = 0;
        while (tries < plan->argument_count && strcmp(plan->arguments[next].name, name) != 0) {
            next = next + 1 < plan->argument_count ? next + 1 : 0;
            tries++;
        }
        if (tries == plan->argument_count)
            return no_such(plan, name, error);
        const struct tw_plan_argument *argument = &plan->arguments[next];
        if (argument->is_buffer) {
            given->memory[argument->argument].address = (uintptr_t)bindings[i].buffer;
        } else {
            given->scalars[argument->argument] = bindings[i].number;
            given->scalars_given |= UINT32_C(1) << argument->argument;
        }
        next = next + 1 < plan->argument_count ? next + 1 : 0;
    }
    return TW_OK;
}

static tw_status check_buffers(const tw_plan *plan, const struct tw_arguments *given,
                               tw_error *error) {
    for (int i = 0; i < plan->argument_count; i++) {
        const struct tw_plan_argument *argument = &plan->arguments[i];
        const uint64_t address = given->memory[argument->argument].address;
        if (!argument->is_buffer)
            continue;
        if (argument->is_absent != (address == 0))
            return argument->is_absent
                       ? tw_fail(error, TW_INVALID, "%s has no buffer %s for this problem",
                                 plan->description->kernel, argument->name)
                       : tw_fail(error, TW_INVALID, "%s needs the buffer %s",
                                 plan->description->kernel, argument->name);
        if (argument->alignment > 0 && (address & (uint64_t)(argument->alignment - 1)) != 0)
            return tw_fail(
                error, TW_INVALID,
                "%s: the buffer %s is not aligned to the %d bytes that its plan was made "
                "for; request a lower alignment",
                plan->description->kernel, argument->name, argument->alignment);
    }
    return TW_OK;
}

/* What a launch uses besides the application's buffers. */
struct lent {
    struct tw_memory workspace, counters;
    bool gives_counters_back;
};

/* What a backend keeps zero for a launch in a graph counts on graphs that run once at a time, as
 * those that borrow memory do. */
static tw_status lend_counters(const tw_library *library, void *stream,
                               const struct tw_executable *x, struct lent *lent, tw_error *error) {
    const struct tw_backend *backend = library->backend;
    tw_status status = TW_OK;
    if (backend->counters != NULL && x->workspace > 0)
        status = backend->counters(library->device, stream, x->counters, &lent->counters, error);
    if (status != TW_OK || lent->counters.bytes > 0)
        return status;
    status = backend->borrow(library->device, stream, x->counters, &lent->counters, error);
    lent->gives_counters_back = status == TW_OK;
    return status == TW_OK ? backend->clear(library->device, stream, &lent->counters, error)
                           : status;
}

static tw_status lend(const tw_plan *plan, void *stream, struct lent *lent, tw_error *error) {
    const tw_library *library = plan->library;
    const struct tw_executable *x = plan->executable;
    tw_status status = TW_OK;
    if (x->workspace > 0)
        status = library->backend->borrow(library->device, stream, x->workspace, &lent->workspace,
                                          error);
    if (status == TW_OK && x->counters > 0)
        status = lend_counters(library, stream, x, lent, error);
    return status;
}

/* Whatever failed before keeps its words. */
static tw_status take_back(const tw_library *library, void *stream, struct lent *lent,
                           tw_status status, tw_error *error) {
    struct tw_memory *const parts[] = {lent->workspace.bytes > 0 ? &lent->workspace : NULL,
                                       lent->gives_counters_back ? &lent->counters : NULL};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (parts[i] == NULL)
            continue;
        tw_status returned = library->backend->give_back(library->device, stream, parts[i],
                                                         status == TW_OK ? error : NULL);
        status = status == TW_OK ? returned : status;
    }
    return status;
}

static tw_status queue(const tw_plan *plan, void *stream, const struct tw_arguments *given,
                       tw_error *error) {
    const tw_library *library = plan->library;
    const struct tw_executable *x = plan->executable;
    struct tw_launch launches[TW_MAX_LAUNCHES];
    struct tw_value values[TW_MAX_LAUNCHES][TW_MAX_PASSED];
    struct lent lent = {0};
    tw_status status = lend(plan, stream, &lent, error);
    for (int i = 0; i < x->launch_count && status == TW_OK; i++)
        tw_executable_launch(x, i, plan->modules[i], given, &lent.workspace, &lent.counters,
                             values[i], &launches[i]);
    if (status == TW_OK)
        status = library->backend->launch_on(library->device, stream, launches,
                                             (size_t)x->launch_count, error);
    return take_back(library, stream, &lent, status, error);
}

tw_status tw_launch(const tw_plan *plan, void *stream, const tw_binding *bindings, size_t count,
                    tw_error *error) {
    struct tw_arguments given; /* what is not of the plan's arguments is not looked at */
    if (plan == NULL)
        return tw_fail(error, TW_INVALID, "the plan is NULL: making it failed, and said why");
    if (bindings == NULL && count > 0)
        return tw_fail(error, TW_INVALID, "tw_launch: the array of bindings is NULL");
    const tw_library *library = plan->library;
    tw_status status = take(plan, bindings, count, &given, error);
    if (status == TW_OK)
        status = check_buffers(plan, &given, error);
    bool entered;
    if (status == TW_OK)
        status = library->backend->enter(library->device, &entered, error);
    if (status != TW_OK)
        return status;
    status = queue(plan, stream, &given, error);
    library->backend->leave(library->device, entered);
    if (status == TW_OK)
        tw_asked_count(plan->asked);
    return status;
}

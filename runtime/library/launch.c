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

static tw_status queue(const tw_plan *plan, void *stream, const struct tw_arguments *given,
                       tw_error *error) {
    const tw_library *library = plan->library;
    struct tw_launch launches[TW_MAX_LAUNCHES];
    struct tw_value values[TW_MAX_LAUNCHES][TW_MAX_PASSED];
    struct tw_memory workspace = {0};
    tw_status status = TW_OK;
    if (plan->executable->workspace > 0)
        status = library->backend->borrow(library->device, stream, plan->executable->workspace,
                                          &workspace, error);
    if (status != TW_OK)
        return status;
    for (int i = 0; i < plan->executable->launch_count; i++)
        tw_executable_launch(plan->executable, i, plan->modules[i], given, &workspace, values[i],
                             &launches[i]);
    status = library->backend->launch_on(library->device, stream, launches,
                                         (size_t)plan->executable->launch_count, error);
    if (plan->executable->workspace > 0) {
        tw_status returned = library->backend->give_back(library->device, stream, &workspace,
                                                         status == TW_OK ? error : NULL);
        status = status == TW_OK ? returned : status;
    }
    return status;
}

tw_status tw_launch(const tw_plan *plan, void *stream, const tw_binding *bindings, size_t count,
                    tw_error *error) {
    const tw_library *library = plan->library;
    struct tw_arguments given; /* what is not of the plan's arguments is not looked at */
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

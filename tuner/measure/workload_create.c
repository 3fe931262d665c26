#include "tuner/measure/workload_create.h"

#include <stdlib.h>

#include "tuner/measure/promise.h"

enum { GUARD_BYTES = 4096, ALIGNMENT = 256, MIN_SETS = 5, MAX_SETS = 1024 };

static uint64_t round_up(uint64_t bytes) {
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* Guard, buffer, guard, buffer, ..., guard. What a buffer leaves of its last 256 bytes is guard
 * too, and so is what it is shifted by. */
static tw_status lay_out(struct workload *w, struct tw_error *error) {
    uint64_t offset = 0;
    int64_t alignment = w->testbed->values[TW_SLOT_ALIGNMENT];
    if (w->testbed->backend->has_addresses && alignment < TW_FULL_ALIGNMENT)
        w->shift = (uint64_t)alignment;
    for (int i = 0; i < w->testbed->problem.description->argument_count; i++) {
        if (!workload_has(w, i))
            continue;
        tw_status status =
            tw_problem_extent(&w->testbed->problem, i, w->testbed->values, &w->extents[i], error);
        if (status != TW_OK)
            return status;
        w->zones[w->zone_count++] = (struct zone){-1, offset, GUARD_BYTES};
        uint64_t bytes = round_up(w->shift + w->extents[i].bytes);
        w->zones[w->zone_count++] = (struct zone){i, offset + GUARD_BYTES, bytes};
        offset += GUARD_BYTES + bytes;
    }
    w->zones[w->zone_count++] = (struct zone){-1, offset, GUARD_BYTES};
    w->set_bytes = offset + GUARD_BYTES;
    return TW_OK;
}

static uint64_t reference_bytes(const struct workload *w, int argument) {
    const struct tw_extent *extent = &w->extents[argument];
    const struct tw_type_info *type = tw_type_info(extent->type);
    return extent->bytes / type->bytes * (type->floating ? sizeof(double) : type->bytes);
}

static tw_status allocate_references(struct workload *w, struct tw_error *error) {
    const struct tw_description *d = w->testbed->problem.description;
    for (int c = 0; c < d->case_count; c++) {
        for (int i = 0; i < d->argument_count; i++) {
            if (!workload_writes(w, i))
                continue;
            tw_status status = w->testbed->backend->allocate(
                w->testbed->device, reference_bytes(w, i), &w->references[c][i], error);
            if (status != TW_OK)
                return status;
        }
    }
    return TW_OK;
}

/* Says at once what cannot fit: some devices take any size and fail when memory is touched. */
static tw_status check_room(const struct workload *w, uint64_t *room, struct tw_error *error) {
    const struct tw_description *d = w->testbed->problem.description;
    uint64_t needed = w->set_bytes, available = 0, total = 0;
    for (int i = 0; i < d->argument_count; i++)
        if (workload_writes(w, i))
            needed += (uint64_t)d->case_count * reference_bytes(w, i);
    tw_status status = w->testbed->backend->memory(w->testbed->device, &available, &total, error);
    if (status != TW_OK)
        return status;
    if (needed > available)
        return tw_fail(error, TW_NO_MEMORY,
                       "the problem needs %.2f GB (with the answers to check against) and %s has "
                       "%.2f GB free; choose a smaller shape",
                       (double)needed * 1e-9, w->testbed->info.name, (double)available * 1e-9);
    *room = available - needed;
    return TW_OK;
}

uint64_t workload_cold_sets(uint64_t set_bytes, uint64_t cache_bytes) {
    uint64_t sets = 2 * cache_bytes / set_bytes + 1;
    return sets < MIN_SETS ? MIN_SETS : sets < MAX_SETS ? sets : MAX_SETS;
}

static tw_status allocate_sets(struct workload *w, uint64_t room, struct tw_error *error) {
    uint64_t cache = 2 * (uint64_t)w->testbed->info.cache_bytes, wanted = 1;
    if (w->policy == CACHE_COLD)
        wanted = workload_cold_sets(w->set_bytes, (uint64_t)w->testbed->info.cache_bytes);
    /* Half of what is free: others use the device too. */
    if ((wanted - 1) * w->set_bytes > room / 2)
        wanted = room / 2 / w->set_bytes + 1;
    w->sets = calloc(wanted, sizeof *w->sets);
    if (w->sets == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    tw_status status = TW_OK;
    for (uint64_t s = 0; s < wanted && status == TW_OK; s++) {
        status =
            w->testbed->backend->allocate(w->testbed->device, w->set_bytes, &w->sets[s], error);
        w->set_count += status == TW_OK;
    }
    if (status == TW_OK && w->policy == CACHE_COLD && wanted * w->set_bytes <= cache)
        status = w->testbed->backend->allocate(w->testbed->device, cache, &w->flush, error);
    return status;
}

/* All sets hold what set 0 does; copying is faster than making it anew. */
static tw_status fill_sets(struct workload *w, struct tw_error *error) {
    struct tw_arguments arguments;
    workload_arguments(w, 0, 0, &arguments);
    tw_status status = w->testbed->backend->fill(w->testbed->device, &w->sets[0], 0xFF, error);
    for (int i = 0; i < w->testbed->problem.description->argument_count && status == TW_OK; i++)
        if (workload_has(w, i) && !workload_writes(w, i))
            status = workload_fill(w, i, &arguments.memory[i], error);
    if (status == TW_OK)
        status = workload_prepare(w, 0, error);
    for (int s = 1; s < w->set_count && status == TW_OK; s++)
        status = w->testbed->backend->copy(w->testbed->device, &w->sets[s], &w->sets[0], error);
    return status;
}

/* The reference reads set 0 and writes to memory of its own. */
static tw_status run_reference(struct workload *w, const struct tw_executable *reference,
                               const struct tw_module *module, int which, struct tw_error *error) {
    const struct testbed *testbed = w->testbed;
    tw_status status = workload_prepare(w, which, error);
    if (status != TW_OK)
        return status;
    struct tw_arguments arguments;
    workload_arguments(w, 0, which, &arguments);
    for (int i = 0; i < w->testbed->problem.description->argument_count; i++) {
        if (!workload_writes(w, i))
            continue;
        arguments.before[i] = arguments.memory[i];
        arguments.memory[i] = w->references[which][i];
        /* A reference that forgets an element must not agree with a variant that does. */
        status = testbed->backend->fill(testbed->device, &arguments.memory[i], 0xA5, error);
        if (status != TW_OK)
            return status;
    }
    struct tw_value values[TW_MAX_PASSED];
    struct tw_launch queued;
    tw_executable_launch(reference, 0, module, &arguments, NULL, NULL, values, &queued);
    double seconds = 0;
    status = testbed->backend->time(testbed->device, &queued, 1, &seconds, error);
    if (seconds > w->reference_seconds)
        w->reference_seconds = seconds;
    return status;
}

static tw_status compute_references(struct workload *w, struct tw_error *error) {
    const struct testbed *testbed = w->testbed;
    const struct tw_description *d = testbed->problem.description;
    struct tw_executable *reference;
    struct tw_module *module = NULL;
    tw_status status = tw_executable_create(&reference, &testbed->problem, NULL, testbed->values,
                                            &testbed->info, error);
    if (status == TW_OK)
        status = references_get(&w->compiled, testbed, reference, &module, error);
    for (int c = 0; c < d->case_count && status == TW_OK; c++)
        status = run_reference(w, reference, module, c, error);
    tw_executable_free(reference);
    if (status != TW_OK)
        return tw_fail_within(error, status, "%s: the reference", d->origin);
    return TW_OK;
}

tw_status workload_restore(struct workload *w, struct tw_error *error) {
    struct tw_memory memory[CHECKS_MAX_ZONES];
    int zones[CHECKS_MAX_ZONES];
    tw_status status = fill_sets(w, error);
    if (status == TW_OK)
        status = compute_references(w, error);
    if (status == TW_OK)
        status = check_kernels_sums(&w->checks, memory, workload_protected(w, memory, zones),
                                    w->input_sums, error);
    return status;
}

static tw_status check_tolerances(const struct workload *w, struct tw_error *error) {
    const struct tw_description *d = w->testbed->problem.description;
    for (int i = 0; i < d->argument_count; i++)
        if (workload_writes(w, i) && tw_type_info(w->extents[i].type)->floating &&
            d->tolerance[w->extents[i].type] <= 0)
            return tw_fail(error, TW_BAD_DESCRIPTION, "%s: key tolerance: has no %s, which %s is",
                           d->origin, tw_type_info(w->extents[i].type)->word, d->arguments[i].name);
    return TW_OK;
}

static tw_status furnish(struct workload *w, struct tw_error *error) {
    uint64_t room = 0;
    tw_status status = lay_out(w, error);
    if (status == TW_OK)
        status = check_tolerances(w, error);
    if (status == TW_OK)
        status = check_room(w, &room, error);
    if (status == TW_OK)
        status = w->checks.testbed == NULL ? check_kernels_create(&w->checks, w->testbed, error)
                                           : check_kernels_add(&w->checks, error);
    if (status == TW_OK)
        status = allocate_references(w, error);
    if (status == TW_OK)
        status = allocate_sets(w, room, error);
    if (status == TW_OK)
        status = workload_restore(w, error);
    if (status == TW_OK)
        status = promise_create(&w->promise, w, &w->compiled, error);
    return status;
}

tw_status workload_create(struct workload *w, const struct testbed *testbed,
                          enum cache_policy policy, uint32_t seed, struct tw_error *error) {
    *w = (struct workload){.testbed = testbed, .policy = policy, .seed = seed};
    return furnish(w, error);
}

tw_status workload_change(struct workload *w, enum cache_policy policy, struct tw_error *error) {
    struct workload changed = {.testbed = w->testbed,
                               .policy = policy,
                               .seed = w->seed,
                               .checks = w->checks,
                               .compiled = w->compiled};
    w->checks = (struct check_kernels){0};
    w->compiled = (struct references){0};
    workload_free(w);
    *w = changed;
    return furnish(w, error);
}

void workload_free(struct workload *w) {
    if (w->testbed == NULL)
        return;
    const struct tw_backend *backend = w->testbed->backend;
    for (int s = 0; s < w->set_count; s++)
        backend->release(w->testbed->device, &w->sets[s]);
    free(w->sets);
    for (int c = 0; c < TW_MAX_CASES; c++)
        for (int i = 0; i < TW_MAX_ARGUMENTS; i++)
            backend->release(w->testbed->device, &w->references[c][i]);
    backend->release(w->testbed->device, &w->flush);
    promise_free(&w->promise, w->testbed);
    check_kernels_free(&w->checks);
    references_free(&w->compiled, w->testbed);
    *w = (struct workload){0};
}

#include "tuner/measure/workload.h"

#include <string.h>

const char *cache_policy_name(enum cache_policy policy) {
    return policy == CACHE_COLD ? "cold" : "warm";
}

bool workload_has(const struct workload *w, int argument) {
    return tw_problem_has(&w->testbed->problem, argument, w->testbed->values);
}

bool workload_writes(const struct workload *w, int argument) {
    return workload_has(w, argument) &&
           w->testbed->problem.description->arguments[argument].access != TW_ACCESS_IN;
}

/* Whether a buffer argument is read under a case. */
static bool workload_reads(const struct workload *w, int argument, int which) {
    const struct tw_description *d = w->testbed->problem.description;
    const struct tw_argument *a = &d->arguments[argument];
    if (a->access != TW_ACCESS_OUT)
        return true;
    return a->read_when >= 0 && d->cases[which].scalars[a->read_when] != 0;
}

int workload_next(struct workload *w, int sets) {
    int next = w->rotation.next;
    if (w->policy != CACHE_COLD)
        return 0;
    w->rotation.turns += (next + sets) / w->set_count;
    w->rotation.next = (next + sets) % w->set_count;
    return next;
}

void workload_arguments(const struct workload *w, int set, int which,
                        struct tw_arguments *arguments) {
    const struct tw_description *d = w->testbed->problem.description;
    *arguments = (struct tw_arguments){.scalars_given = UINT32_MAX};
    for (int z = 0; z < w->zone_count; z++) {
        int argument = w->zones[z].argument;
        if (argument >= 0)
            arguments->memory[argument] = tw_memory_part(
                &w->sets[set], w->zones[z].offset + w->shift, w->extents[argument].bytes);
    }
    memcpy(arguments->scalars, d->cases[which].scalars, sizeof arguments->scalars);
}

struct tw_memory workload_zone(const struct workload *w, int argument) {
    int z = 0;
    while (w->zones[z].argument != argument)
        z++;
    return tw_memory_part(&w->sets[0], w->zones[z].offset, w->zones[z].bytes);
}

tw_status workload_fill(const struct workload *w, int i, const struct tw_memory *memory,
                        struct tw_error *error) {
    return check_kernels_fill_input(&w->checks, i, w->testbed->values, memory, &w->extents[i],
                                    w->seed, error);
}

tw_status workload_original(const struct workload *w, int argument, struct tw_memory *memory,
                            struct tw_error *error) {
    const struct testbed *testbed = w->testbed;
    tw_status status = testbed->backend->allocate(testbed->device, workload_zone(w, argument).bytes,
                                                  memory, error);
    if (status != TW_OK)
        return status;
    const struct tw_memory buffer = tw_memory_part(memory, w->shift, w->extents[argument].bytes);
    status = testbed->backend->fill(testbed->device, memory, 0xFF, error);
    if (status == TW_OK)
        status = workload_fill(w, argument, &buffer, error);
    if (status != TW_OK)
        testbed->backend->release(testbed->device, memory);
    return status;
}

tw_status workload_prepare(const struct workload *w, int which, struct tw_error *error) {
    struct tw_arguments arguments;
    workload_arguments(w, 0, which, &arguments);
    tw_status status = TW_OK;
    for (int i = 0; i < w->testbed->problem.description->argument_count && status == TW_OK; i++) {
        if (!workload_writes(w, i))
            continue;
        status = w->testbed->backend->fill(w->testbed->device, &arguments.memory[i], 0xFF, error);
        if (status == TW_OK && workload_reads(w, i, which))
            status = workload_fill(w, i, &arguments.memory[i], error);
    }
    return status;
}

int workload_protected(const struct workload *w, struct tw_memory *memory, int *zones) {
    int count = 0;
    for (int z = 0; z < w->zone_count; z++) {
        const struct zone *zone = &w->zones[z];
        if (zone->argument >= 0 && workload_writes(w, zone->argument))
            continue;
        zones[count] = z;
        memory[count++] = tw_memory_part(&w->sets[0], zone->offset, zone->bytes);
    }
    return count;
}

#include "tools/bench/data.h"

#include <stdlib.h>
#include <string.h>

#include "tuner/measure/workload_create.h"

enum { SEED = 1 };

struct tw_memory data_memory(const void *buffer, const struct tw_extent *extent) {
    return (struct tw_memory){.address = (uintptr_t)buffer, .bytes = extent->bytes};
}

int data_next_set(struct data *data) {
    int set = data->next_set;
    if (data->cold)
        data->next_set = (set + 1) % data->set_count;
    return set;
}

/* Sizes of the buffers, inputs first, as the description lists them. */
static tw_status take_extents(struct data *data, tw_error *error) {
    const struct tw_description *d = data->task->description;
    const struct task *task = data->task;
    tw_status status = TW_OK;
    for (int i = 0; i < d->argument_count && status == TW_OK; i++) {
        if (d->arguments[i].kind != TW_ARGUMENT_BUFFER ||
            !tw_problem_has(&task->problem, i, task->values))
            continue;
        bool in = d->arguments[i].access == TW_ACCESS_IN;
        if (in && data->in_count == DATA_MAX_INPUTS)
            return tw_fail(error, TW_INVALID, "%s: more than %d inputs", d->kernel,
                           DATA_MAX_INPUTS);
        if (in)
            data->in_arguments[data->in_count] = i;
        else
            data->out_argument = i;
        status = tw_problem_extent(&task->problem, i, task->values,
                                   in ? &data->in[data->in_count] : &data->out, error);
        data->in_count += in;
    }
    /* By default nothing is between the matrices of a batch. */
    data->out.rows *= data->out.layers;
    data->out.layers = 1;
    data->out.layer_stride = 0;
    return status;
}

int data_input(const struct data *data, const char *name) {
    for (int i = 0; i < data->in_count; i++)
        if (strcmp(data->task->description->arguments[data->in_arguments[i]].name, name) == 0)
            return i;
    return -1;
}

enum tw_type data_type_b(const struct data *data) {
    return data->in[data->in_count > 1 ? 1 : 0].type;
}

static uint64_t set_bytes(const struct data *data) {
    uint64_t bytes = data->out.bytes;
    for (int i = 0; i < data->in_count; i++)
        bytes += data->in[i].bytes;
    return bytes;
}

static tw_status count_sets(const struct data *data, uint64_t *count, tw_error *error) {
    const tw_library *library = data->stage->library;
    uint64_t one = set_bytes(data), available = 0, total = 0;
    tw_status status = library->backend->memory(library->device, &available, &total, error);
    if (status != TW_OK)
        return status;
    /* Libraries and checks need room too, and on a CPU a library may want copies of its own. */
    uint64_t room = available / 4;
    if (one > room)
        return tw_fail(error, TW_NO_MEMORY,
                       "the problem needs %.2f GB and the bench uses at most %.2f GB here; choose "
                       "a smaller shape",
                       (double)one * 1e-9, (double)room * 1e-9);
    uint64_t cache = (uint64_t)data->stage->info.cache_bytes;
    *count = data->cold ? workload_cold_sets(one, cache) : 1;
    *count = *count * one <= room ? *count : room / one;
    return TW_OK;
}

static tw_status allocate_set(struct data *data, struct set *set, tw_error *error) {
    tw_library *library = data->stage->library;
    tw_status status = tw_allocate(&set->out, library, data->out.bytes, error);
    for (int i = 0; i < data->in_count && status == TW_OK; i++)
        status = tw_allocate(&set->in[i], library, data->in[i].bytes, error);
    if (data->in_count == 1 && data->task->is_product)
        set->in[1] = set->in[0];
    return status;
}

static tw_status allocate(struct data *data, tw_error *error) {
    uint64_t wanted = 0, cache = 2 * (uint64_t)data->stage->info.cache_bytes;
    tw_status status = count_sets(data, &wanted, error);
    if (status != TW_OK)
        return status;
    data->sets = calloc(wanted, sizeof *data->sets);
    if (data->sets == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    for (uint64_t s = 0; s < wanted && status == TW_OK; s++) {
        status = allocate_set(data, &data->sets[s], error);
        data->set_count++;
    }
    if (status == TW_OK && data->cold && cache > 0 && wanted * set_bytes(data) <= cache)
        status = data->testbed.backend->allocate(data->testbed.device, cache, &data->flush, error);
    return status;
}

/* All sets hold what the first does. */
static tw_status fill(struct data *data, tw_error *error) {
    const struct tw_backend *backend = data->testbed.backend;
    tw_status status = TW_OK;
    for (int i = 0; i < data->in_count && status == TW_OK; i++) {
        int argument = data->in_arguments[i];
        struct tw_memory first = data_memory(data->sets[0].in[i], &data->in[i]);
        status = check_kernels_fill_input(&data->stage->checks, argument, data->task->values,
                                          &first, &data->in[i], SEED, error);
        for (int s = 1; s < data->set_count && status == TW_OK; s++) {
            struct tw_memory other = data_memory(data->sets[s].in[i], &data->in[i]);
            status = backend->copy(data->testbed.device, &other, &first, error);
        }
    }
    return status == TW_OK ? stage_settle(data->stage, error) : status;
}

/* What an earlier task had a use for is loaded already. */
static tw_status load_checks(struct stage *stage, const struct testbed *testbed, tw_error *error) {
    stage->testbed = *testbed;
    return stage->checks.testbed == NULL
               ? check_kernels_create(&stage->checks, &stage->testbed, error)
               : check_kernels_add(&stage->checks, error);
}

tw_status data_create(struct data *data, struct stage *stage, const struct task *task, bool cold,
                      tw_error *error) {
    *data = (struct data){.stage = stage, .task = task, .cold = cold};
    data->testbed = (struct testbed){.backend = stage->library->backend,
                                     .device = stage->library->device,
                                     .info = stage->info,
                                     .problem = task->problem};
    tw_status status = take_extents(data, error);
    if (status == TW_OK)
        status = load_checks(stage, &data->testbed, error);
    if (status == TW_OK)
        status = allocate(data, error);
    return status == TW_OK ? fill(data, error) : status;
}

void data_free(struct data *data) {
    for (int s = 0; s < data->set_count; s++) {
        tw_release(data->stage->library, data->sets[s].out);
        for (int i = 0; i < data->in_count; i++)
            tw_release(data->stage->library, data->sets[s].in[i]);
    }
    free(data->sets);
    if (data->testbed.backend != NULL)
        data->testbed.backend->release(data->testbed.device, &data->flush);
    *data = (struct data){0};
}

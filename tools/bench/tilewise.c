#include "tools/bench/tilewise.h"

#include <stdlib.h>
#include <string.h>

#include "tools/bench/kinds.h"

struct state {
    struct data *data;
    const tw_plan *plan;
};

tw_request tilewise_request(const struct task *task) {
    tw_request request = {.size = sizeof request,
                          .kernel = task->description->kernel,
                          .attributes = task_attributes(task)};
    memcpy(request.dimensions, task->problem.dimensions,
           (size_t)task->description->dimension_count * sizeof *request.dimensions);
    return request;
}

static tw_status create(void **out, struct data *data, tw_error *error) {
    struct state *state = *out = calloc(1, sizeof *state);
    const struct task *task = data->task;
    if (state == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    state->data = data;
    const tw_request request = tilewise_request(task);
    return tw_plan_create(&state->plan, data->stage->library, &request, error);
}

static tw_status call(void *pointer, int number, tw_error *error) {
    const struct state *state = pointer;
    const struct set *set = &state->data->sets[number];
    const struct tw_description *d = state->data->task->description;
    tw_binding bindings[DATA_MAX_INPUTS + 2];
    size_t count = 0;
    for (int i = 0; i < state->data->in_count; i++, count++)
        bindings[count] = (tw_binding){.name = d->arguments[state->data->in_arguments[i]].name,
                                       .buffer = set->in[i]};
    bindings[count] =
        (tw_binding){.name = d->arguments[state->data->out_argument].name, .buffer = set->out};
    count++;
    if (state->data->task->apart)
        bindings[count++] = (tw_binding){.name = "beta", .number = 1};
    return tw_launch(state->plan, state->data->stage->stream, bindings, count, error);
}

const tw_explanation *tilewise_explain(const void *pointer) {
    const struct state *state = pointer;
    return state != NULL && state->plan != NULL ? tw_plan_explain(state->plan) : NULL;
}

const struct contender contender_tilewise = {
    .name = "tilewise", .create = create, .free = free, .call = call};

#include "tuner/session/state.h"

#include <stdlib.h>

#include "runtime/base/clock.h"

void queue_add(struct queue *queue, struct candidate *candidate) {
    candidate->next = NULL;
    if (queue->last != NULL)
        queue->last->next = candidate;
    else
        queue->first = candidate;
    queue->last = candidate;
    queue->count++;
}

void queue_put_back(struct queue *queue, struct candidate *candidate) {
    candidate->next = queue->first;
    queue->first = candidate;
    if (queue->last == NULL)
        queue->last = candidate;
    queue->count++;
}

struct candidate *queue_take(struct queue *queue) {
    struct candidate *candidate = queue->first;
    if (candidate == NULL)
        return NULL;
    queue->first = candidate->next;
    if (queue->first == NULL)
        queue->last = NULL;
    queue->count--;
    return candidate;
}

void candidate_free(struct session *s, struct candidate *candidate) {
    if (candidate == NULL)
        return;
    builds_release(&s->builds, candidate->build);
    free(candidate);
}

double session_elapsed(const struct session *s) {
    return s->elapsed_before + tw_clock_now() - s->started_at;
}

/* What the playoff's device is at; before it, the busiest of all. */
void session_account(struct session *s) {
    int busy = 0, starting = 0;
    for (int i = 0; i < s->device_count; i++) {
        const struct session_device *device = &s->devices[i];
        if (device->link == NULL)
            continue;
        enum device_state state = device_link_state(device->link);
        busy += state == DEVICE_BUSY;
        starting += state == DEVICE_STARTING;
    }
    enum wall_state state = s->playing != NULL       ? WALL_PLAYOFF
                            : busy > 0               ? WALL_RUNNING
                            : starting > 0           ? WALL_STARTING
                            : s->compiling.count > 0 ? WALL_COMPILING
                                                     : WALL_REST;
    wall_enter(&s->wall, tw_clock_now(), state,
               s->device_count > 0 ? (double)busy / s->device_count : 0);
}

bool session_interrupted(const struct session *s) {
    return s->options->interrupted != NULL && *s->options->interrupted != 0;
}

bool session_allows(const struct session *s, const struct tw_configuration *configuration) {
    return s->options->pins == NULL ||
           pins_allow(s->options->pins, s->problem->description, configuration);
}

bool session_queued(const struct session *s, size_t point) {
    for (const struct candidate *c = s->first.first; c != NULL; c = c->next)
        if (c->point == point)
            return true;
    return false;
}

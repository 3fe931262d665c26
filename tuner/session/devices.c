/* The devices that a session measures on. All are alike, so a trial may run on any of them. One
 * that fails for good is left out from then on; what it was at is tried on another. */
#include <stdio.h>

#include "tuner/session/state.h"

static tw_status open_one(struct session *s, const struct tw_device_info *info) {
    struct session_device *device = &s->devices[s->device_count];
    device->info = info;
    device->told = &s->result->devices[s->device_count++];
    s->result->device_count = s->device_count;
    snprintf(device->told->id, sizeof device->told->id, "%s", info->id);
    return device_link_create(&device->link, s->problem, info, s->options->cache,
                              (uint32_t)s->options->seed, s->options->measures_errors,
                              s->options->compile_limit_s, s->error);
}

tw_status devices_open(struct session *s) {
    tw_status status = open_one(s, s->device);
    for (int i = 0; i < s->options->other_count && status == TW_OK; i++)
        status = open_one(s, &s->options->others[i]);
    return status;
}

void devices_close(struct session *s) {
    for (int i = 0; i < s->device_count; i++) {
        candidate_free(s, s->devices[i].running);
        device_link_free(s->devices[i].link);
        tw_text_free(&s->devices[i].conditions);
    }
}

int devices_running(const struct session *s) {
    int count = 0;
    for (int i = 0; i < s->device_count; i++)
        count += s->devices[i].running != NULL;
    return count;
}

bool devices_preparing(const struct session *s) {
    for (int i = 0; i < s->device_count; i++)
        if (s->devices[i].link != NULL && device_link_state(s->devices[i].link) != DEVICE_STARTING)
            return false;
    return true;
}

struct session_device *devices_idle(struct session *s) {
    for (int i = 0; i < s->device_count; i++) {
        struct session_device *device = &s->devices[i];
        if (device->link != NULL && device->running == NULL &&
            device_link_state(device->link) == DEVICE_IDLE)
            return device;
    }
    return NULL;
}

/* One that has not been given up; NULL: none is left. */
static struct session_device *devices_first(struct session *s) {
    for (int i = 0; i < s->device_count; i++)
        if (s->devices[i].link != NULL)
            return &s->devices[i];
    return NULL;
}

struct session_device *devices_choose(struct session *s) {
    struct session_device *idle = devices_idle(s);
    return idle != NULL ? idle : devices_first(s);
}

const char *devices_conditions(struct session *s) {
    const struct session_device *device = s->playing != NULL ? s->playing : devices_first(s);
    return device != NULL ? device->conditions.data : NULL;
}

tw_status devices_note_conditions(struct session *s) {
    return recorder_update(&s->recorder, session_elapsed(s), devices_conditions(s), s->error);
}

tw_status devices_take_ready(struct session *s, struct session_device *device,
                             const struct message *answer) {
    struct device_ready ready;
    device_ready_unpack(answer, &ready);
    if (ready.reference_s > s->reference_s)
        s->reference_s = ready.reference_s;
    if (ready.copy_us > 0) {
        s->result->has_copy = true;
        s->result->copy_us = ready.copy_us;
        s->result->copy_rate = s->work.bytes / ready.copy_us * 1e-3;
    }
    tw_text_free(&device->conditions);
    tw_text_print(&device->conditions, "%s", ready.conditions);
    if (device->conditions.failed)
        return tw_fail(s->error, TW_NO_MEMORY, "out of memory");
    return devices_note_conditions(s);
}

tw_status devices_lose(struct session *s, struct session_device *device) {
    struct tw_error why = *s->error;
    bool had_trial = device->running != NULL;
    if (had_trial)
        queue_put_back(&s->ready, device->running);
    device->running = NULL;
    device->told->lost = true;
    device->told->replaced = device_link_replaced(device->link);
    snprintf(device->told->why, sizeof device->told->why, "%.250s", why.message);
    device_link_free(device->link);
    device->link = NULL;
    if (s->device_count == 1)
        return why.status;
    if (devices_first(s) == NULL)
        return tw_fail(s->error, why.status, "%s, the last device: %.900s", device->told->id,
                       why.message);
    if (s->options->notice != NULL) {
        struct tw_text line = {0};
        tw_text_print(&line, "%s is given up, and %s the other devices: %s", device->told->id,
                      had_trial ? "its trial goes to" : "the run goes on with", why.message);
        s->options->notice(s->options->notice_context, tw_text_or(&line, device->told->id));
        tw_text_free(&line);
    }
    return TW_OK;
}

int devices_replaced(const struct session *s) {
    int count = 0;
    for (int i = 0; i < s->device_count; i++) {
        struct session_device_result *told = s->devices[i].told;
        if (s->devices[i].link != NULL)
            told->replaced = device_link_replaced(s->devices[i].link);
        count += told->replaced;
    }
    return count;
}

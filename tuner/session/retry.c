/* Trials that are forgotten, and tried again first. */
#include <stdlib.h>

#include "tuner/session/recorder_trials.h"
#include "tuner/session/state.h"

static void collect(void *context, const struct trial *trial) {
    struct session *s = context;
    if ((s->options->retry >> trial->status & 1) == 0)
        return;
    size_t point = space_find(s->space, &trial->configuration);
    if (point == SPACE_NONE)
        return; /* a preset is tried anyhow; others the space has no longer, or not with these pins
                 */
    if ((s->again_count & (s->again_count - 1)) == 0) {
        /* Doubling, at every power of two. */
        size_t room = s->again_count > 0 ? 2 * s->again_count : 1;
        size_t *grown = realloc(s->again, room * sizeof *grown);
        if (grown == NULL)
            return; /* the strategy may still ask for it */
        s->again = grown;
    }
    s->again[s->again_count++] = point;
}

tw_status retry_forget(struct session *s) {
    if (s->options->retry == 0)
        return TW_OK;
    tw_status status = recorder_begin(&s->recorder, s->error);
    if (status != TW_OK)
        return status;
    status = recorder_known(&s->recorder, collect, s, s->error);
    if (status == TW_OK)
        status = recorder_forget(&s->recorder, s->options->retry, s->result->forgotten, s->error);
    return recorder_end(&s->recorder, status, s->error);
}

bool retry_has(const struct session *s, size_t point) {
    for (size_t i = 0; i < s->again_count; i++)
        if (s->again[i] == point)
            return true;
    return false;
}

tw_status retry_queue(struct session *s) {
    for (size_t i = 0; i < s->again_count; i++) {
        if (session_queued(s, s->again[i]))
            continue;
        struct candidate *candidate = calloc(1, sizeof *candidate);
        if (candidate == NULL)
            return tw_fail(s->error, TW_NO_MEMORY, "out of memory");
        candidate->point = s->again[i];
        space_configuration(s->space, candidate->point, &candidate->configuration);
        queue_add(&s->first, candidate);
    }
    return TW_OK;
}

/* Other runs of the same problem on the same device: what they try need not be tried here. */
#include "runtime/base/clock.h"
#include "tuner/session/recorder_trials.h"
#include "tuner/session/state.h"

/* So often they are looked for, in seconds. */
static const double INTERVAL = 1;

static void drop(struct session *s, struct queue *queue,
                 const struct tw_configuration *configuration) {
    struct queue all = *queue;
    struct candidate *candidate;
    *queue = (struct queue){0};
    while ((candidate = queue_take(&all)) != NULL) {
        if (tw_configuration_equal(s->problem->description, &candidate->configuration,
                                   configuration))
            candidate_free(s, candidate);
        else
            queue_add(queue, candidate);
    }
}

/* What is on its way to the device here need not go there any more. */
static void take_news(void *session, const struct trial *trial) {
    struct session *s = session;
    drop(s, &s->first, &trial->configuration);
    drop(s, &s->compiling, &trial->configuration);
    drop(s, &s->ready, &trial->configuration);
    outcome_known(s, trial);
}

tw_status others_count(struct session *s) {
    tw_status status = recorder_others(&s->recorder, &s->other_runs, s->error);
    if (s->other_runs > s->result->other_runs)
        s->result->other_runs = s->other_runs;
    return status;
}

tw_status others_follow(struct session *s, bool now) {
    if (!now && tw_clock_now() - s->others_seen_at < INTERVAL)
        return TW_OK;
    s->others_seen_at = tw_clock_now();
    /* One that has just ended may have left trials since it was last looked at. */
    bool beside = s->other_runs > 0;
    tw_status status = others_count(s);
    if (status == TW_OK && (beside || s->other_runs > 0))
        status = recorder_news(&s->recorder, take_news, s, s->error);
    return status == TW_OK ? outcome_store_leader(s) : status;
}

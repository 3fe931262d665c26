#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/session/attempt.h"
#include "tuner/session/state.h"
#include "tuner/workers/process.h"
#include "runtime/base/clock.h"

/* ---- Compiling ---- */

/* Presets, hints and what is tried again are tried whether or not the strategy asks for them, so it
 * must not have them tried twice. */
static bool is_first(const struct session *s, size_t point) {
    for (int i = 0; i < s->hint_count; i++)
        if (s->hints[i] == point)
            return true;
    if (retry_has(s, point))
        return true;
    struct tw_configuration configuration;
    space_configuration(s->space, point, &configuration);
    for (int i = 0; i < s->result->preset_count; i++)
        if (s->result->presets[i].fits &&
            tw_configuration_equal(s->problem->description, &s->result->presets[i].configuration,
                                   &configuration))
            return true;
    return false;
}

static struct candidate *next_candidate(struct session *s, tw_status *status) {
    *status = TW_OK;
    if (s->first.first != NULL)
        return queue_take(&s->first);
    size_t point = SPACE_NONE;
    enum strategy_answer answer;
    do
        answer = strategy_ask(s->strategy, &point);
    while (answer == STRATEGY_POINT && is_first(s, point));
    s->exhausted = answer == STRATEGY_EXHAUSTED;
    if (answer != STRATEGY_POINT)
        return NULL;
    struct candidate *candidate = calloc(1, sizeof *candidate);
    if (candidate == NULL) {
        *status = tw_fail(s->error, TW_NO_MEMORY, "out of memory");
        return NULL;
    }
    candidate->point = point;
    space_configuration(s->space, point, &candidate->configuration);
    return candidate;
}

/* The measured kernels and the compilers share a CPU's cores, so there they take turns: compile a
 * batch, then measure it. A GPU is kept fed instead. */
static bool may_compile(const struct session *s) {
    int compiling = compile_pool_busy(s->pool), jobs = compile_pool_size(s->pool);
    if (compile_pool_full(s->pool))
        return false;
    if (!s->device->is_cpu)
        return s->ready.count < 2 * jobs;
    bool device_free = s->running == NULL && device_link_state(s->link) == DEVICE_IDLE;
    return device_free && (s->ready.count == 0 || compiling > 0) &&
           s->ready.count + compiling < jobs;
}

static tw_status start_candidate(struct session *s, struct candidate *candidate) {
    struct build *build = builds_get(&s->builds, s->device, s->problem, &candidate->configuration,
                                     s->values, s->error);
    if (build == NULL) {
        free(candidate);
        return s->error->status;
    }
    candidate->build = build;
    if (build->state == BUILD_DONE) {
        queue_add(&s->ready, candidate);
        return TW_OK;
    }
    queue_add(&s->compiling, candidate);
    if (build->state == BUILD_COMPILING)
        return TW_OK;
    if (s->first_submit_at == 0)
        s->first_submit_at = tw_clock_now();
    return builds_submit(&s->builds, build, s->pool, s->device, s->problem,
                         &candidate->configuration, s->values, s->error);
}

/* Everybody who waited for this build goes on. */
static void release_waiting(struct session *s, const struct build *build) {
    struct queue waiting = s->compiling;
    s->compiling = (struct queue){0};
    struct candidate *candidate;
    while ((candidate = queue_take(&waiting)) != NULL)
        queue_add(candidate->build == build ? &s->ready : &s->compiling, candidate);
}

tw_status pipeline_collect_builds(struct session *s) {
    struct compiled compiled;
    bool taken;
    tw_status status;
    while ((status = compile_pool_take(s->pool, &compiled, &taken, s->error)) == TW_OK && taken) {
        struct build *build = builds_by_id(&s->builds, compiled.id);
        if (compiled.bad_description) {
            /* Every variant of the implementation would fail, or worse, work by chance. */
            status = tw_fail(s->error, TW_BAD_DESCRIPTION, "%s", compiled.message);
            compiled_free(&compiled);
            return status;
        }
        s->last_compiled_at = tw_clock_now();
        s->result->compiled++;
        build->compiled = compiled;
        build->state = BUILD_DONE;
        release_waiting(s, build);
    }
    return status;
}

/* ---- Running ---- */

static double trial_limit(const struct session *s) {
    return attempt_limit(s->options->trial_limit_s, s->reference_s);
}

static tw_status send_trial(struct session *s, struct candidate *candidate) {
    double best_us = s->contender_count > 0 ? s->contenders[0].trial.time_us : 0;
    return attempt_send(s->link, &candidate->configuration, &candidate->build->compiled, best_us, 0,
                        trial_limit(s), s->error);
}

static tw_status feed_device(struct session *s) {
    while (s->ready.first != NULL && s->running == NULL) {
        struct candidate *candidate = s->ready.first;
        if (candidate->build->compiled.status != TW_DB_TRIAL_OK) {
            queue_take(&s->ready);
            struct trial trial =
                attempt_compiled(&candidate->configuration, &candidate->build->compiled);
            tw_status status = outcome_record(s, candidate->point, &trial, NULL);
            candidate_free(s, candidate);
            if (status != TW_OK)
                return status;
            continue;
        }
        if (device_link_state(s->link) != DEVICE_IDLE ||
            (s->device->is_cpu && compile_pool_busy(s->pool) > 0))
            return TW_OK;
        s->running = queue_take(&s->ready);
        tw_status status = send_trial(s, s->running);
        if (status != TW_OK)
            return status;
    }
    return TW_OK;
}

static tw_status finish_running(struct session *s, struct trial *trial) {
    struct candidate *candidate = s->running;
    s->running = NULL;
    tw_status status = outcome_record(s, candidate->point, trial, candidate->build);
    candidate_free(s, candidate);
    return status;
}

tw_status pipeline_take_ready(struct session *s, const struct message *answer) {
    struct device_ready ready;
    device_ready_unpack(answer, &ready);
    s->reference_s = ready.reference_s;
    if (ready.copy_us > 0) {
        s->result->has_copy = true;
        s->result->copy_us = ready.copy_us;
        s->result->copy_rate = s->work.bytes / ready.copy_us * 1e-3;
    }
    return recorder_update(&s->recorder, session_elapsed(s), ready.conditions, s->error);
}

static tw_status finish_crashed(struct session *s, struct trial *trial) {
    trial->status = device_link_verdict(s->link);
    snprintf(trial->message, sizeof trial->message, "%.460s, %d times", s->error->message,
             s->running->deaths);
    return finish_running(s, trial);
}

/* The running variant may have had nothing to do with it: it is the first to run on the next
 * worker, and nobody's crash until then. */
static tw_status lose_running(struct session *s, struct trial *trial) {
    s->running->deaths++;
    s->running->blame += device_link_blame(s->link);
    if (s->running->blame >= WORKER_VERDICT)
        return finish_crashed(s, trial);
    queue_put_back(&s->ready, s->running);
    s->running = NULL;
    return TW_OK;
}

static tw_status take_result(struct session *s, enum device_event event,
                             const struct message *answer) {
    struct trial trial = attempt_compiled(&s->running->configuration, &s->running->build->compiled);
    if (event == DEVICE_TIMEOUT || event == DEVICE_LOAD_TIMEOUT) {
        attempt_timed_out(event, s->options->compile_limit_s, trial_limit(s), &trial);
        return finish_running(s, &trial);
    }
    if (event == DEVICE_CRASH)
        return lose_running(s, &trial);
    attempt_read(answer, &trial);
    if (trial.status != TW_DB_TRIAL_CRASH)
        return finish_running(s, &trial);
    tw_fail(s->error, TW_DEVICE, "%s", trial.message);
    return lose_running(s, &trial);
}

static tw_status collect_device(struct session *s) {
    struct message answer;
    tw_status fatal, status = TW_OK;
    enum device_event event = device_link_take(s->link, &answer, &fatal, s->error);
    struct tw_error why = *s->error;
    if (event == DEVICE_READY)
        status = pipeline_take_ready(s, &answer);
    else if (event != DEVICE_NOTHING && s->running != NULL)
        status = take_result(s, event, &answer);
    message_free(&answer);
    if (fatal != TW_OK)
        *s->error = why;
    return fatal != TW_OK ? fatal : status;
}

/* ---- The whole ---- */

tw_status pipeline_step(struct session *s, int64_t room) {
    tw_status status = collect_device(s);
    if (status == TW_OK)
        status = pipeline_collect_builds(s);
    for (; status == TW_OK && room > 0 && may_compile(s); room--) {
        struct candidate *candidate = next_candidate(s, &status);
        if (candidate == NULL)
            break;
        status = start_candidate(s, candidate);
    }
    if (status == TW_OK)
        status = feed_device(s);
    return status;
}

bool pipeline_empty(const struct session *s) {
    return s->running == NULL && s->ready.count == 0 && s->compiling.count == 0;
}

void pipeline_wait(struct session *s, double seconds) {
    struct pollfd fds[1024];
    int count = 0;
    if (compile_pool_size(s->pool) < 1024)
        count = compile_pool_fds(s->pool, fds);
    fds[count++] = (struct pollfd){.fd = device_link_fd(s->link), .events = POLLIN};
    /* An interrupted wait is a wait that is over. */
    poll(fds, (nfds_t)count, (int)(seconds * 1000));
}

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
    bool put_off, is_known;
    int in_a_row = 0;
    do {
        answer = strategy_ask(s->strategy, &point);
        if (answer != STRATEGY_POINT)
            break;
        /* What is known already is not to come back from those that were put off. */
        put_off = false;
        is_known = is_first(s, point) || siblings_tell(s, point) || siblings_under_way(s, point);
        if (!is_known)
            *status = predictions_put_off(s, point, in_a_row, &put_off);
        if (*status != TW_OK)
            return NULL;
        in_a_row += put_off;
    } while (put_off || is_known);
    if (answer != STRATEGY_POINT)
        point = predictions_take_later(s);
    s->exhausted = answer == STRATEGY_EXHAUSTED && point == SPACE_NONE;
    if (point == SPACE_NONE)
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

/* What may wait for GPUs: little, since it was proposed by a strategy that knew less. But at first
 * nobody knows more, least of all of presets, and a GPU takes a second or several to get ready, in
 * which compilers would be idle. What they have made by then is measured faster than they make
 * more. */
static int most_ready(const struct session *s) {
    int jobs = compile_pool_portion(s->pool), usual = 2 * s->device_count + jobs / 4;
    int64_t early = (s->first.count > 0 ? 4 : 2) * (int64_t)jobs - s->result->trials_now;
    return early > usual ? (int)early : usual;
}

/* The measured kernels and the compilers share a CPU's cores, so there they take turns: compile a
 * batch, then measure it. A GPU is kept fed instead. */
static bool wants_more(struct session *s) {
    int compiling = compile_pool_busy(s->pool), jobs = compile_pool_portion(s->pool);
    if (!s->device->is_cpu)
        return s->ready.count < most_ready(s);
    return devices_running(s) == 0 && devices_idle(s) != NULL &&
           (s->ready.count == 0 || compiling > 0) && s->ready.count + compiling < jobs;
}

static bool may_compile(struct session *s, int64_t room) {
    if (room > 0 && wants_more(s))
        return !compile_pool_full(s->pool);
    compile_pool_rest(s->pool);
    return false;
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

/* What a trial may take of repeats while others wait. */
static const double HURRIED_SECONDS = 8e-3;

static double trial_limit(const struct session *s) {
    return attempt_limit(s->options->trial_limit_s, s->reference_s);
}

/* Good variants are repeated for long only while nothing else waits for a device: the playoff
 * repeats the best of them anyway. */
static tw_status send_trial(struct session *s, struct session_device *device,
                            struct candidate *candidate) {
    bool raced = s->contender_count > 0 && !candidate->again;
    bool hurried =
        !s->device->is_cpu && (s->ready.count > 0 || candidate->again || candidate->sibling);
    device->running = candidate;
    return attempt_send(device->link, &candidate->configuration, &candidate->build->compiled,
                        raced ? s->contenders[0].trial.time_us : 0, hurried ? HURRIED_SECONDS : 0,
                        trial_limit(s), s->error);
}

/* Now and then one of the best is measured again even though siblings are left, which may be many.
 */
enum { SIBLINGS_IN_A_ROW = 3 };

static struct candidate *next_without_compiling(struct session *s) {
    struct candidate *candidate = NULL;
    if (s->siblings_in_a_row < SIBLINGS_IN_A_ROW)
        candidate = siblings_next(s);
    s->siblings_in_a_row = candidate != NULL ? s->siblings_in_a_row + 1 : 0;
    if (candidate == NULL)
        candidate = contenders_again(s);
    return candidate != NULL ? candidate : siblings_next(s);
}

/* A GPU that waits for compilers tries what shares a binary with the best meanwhile, or measures
 * the best again. Who asks for a number of trials gets those and nothing else. */
static tw_status feed_again(struct session *s) {
    const struct session_options *o = s->options;
    struct session_device *device;
    tw_status status = TW_OK;
    if (s->device->is_cpu || o->budget_trials > 0 || o->trials_only)
        return TW_OK;
    while (status == TW_OK && s->compiling.count > 0 && (device = devices_idle(s)) != NULL) {
        struct candidate *candidate = next_without_compiling(s);
        if (candidate == NULL)
            break;
        status = send_trial(s, device, candidate);
    }
    return status;
}

static tw_status feed_devices(struct session *s, int64_t room) {
    while (s->ready.first != NULL && devices_running(s) < s->device_count) {
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
        struct session_device *device = devices_idle(s);
        if (device == NULL || (s->device->is_cpu && compile_pool_busy(s->pool) > 0))
            return TW_OK;
        tw_status status = send_trial(s, device, queue_take(&s->ready));
        if (status != TW_OK)
            return status;
    }
    return room > 0 ? feed_again(s) : TW_OK;
}

static tw_status finish_running(struct session *s, struct session_device *device,
                                struct trial *trial) {
    struct candidate *candidate = device->running;
    device->running = NULL;
    device->told->trials += !candidate->again;
    tw_status status = candidate->again ? outcome_again(s, trial)
                       : candidate->sibling
                           ? siblings_take(s, candidate, trial)
                           : outcome_record(s, candidate->point, trial, candidate->build);
    if (status == TW_OK && !candidate->again)
        siblings_note(s, trial, candidate->build);
    candidate_free(s, candidate);
    return status;
}

static tw_status finish_crashed(struct session *s, struct session_device *device,
                                struct trial *trial) {
    trial->status = device_link_verdict(device->link);
    snprintf(trial->message, sizeof trial->message, "%.460s, %d times", s->error->message,
             device->running->deaths);
    return finish_running(s, device, trial);
}

/* The running variant may have had nothing to do with it: it is the first to run on the next
 * worker, and nobody's crash until then. */
static tw_status lose_running(struct session *s, struct session_device *device,
                              struct trial *trial) {
    device->running->deaths++;
    device->running->blame += device_link_blame(device->link);
    if (device->running->blame >= WORKER_VERDICT)
        return finish_crashed(s, device, trial);
    queue_put_back(&s->ready, device->running);
    device->running = NULL;
    return TW_OK;
}

static tw_status take_result(struct session *s, struct session_device *device,
                             enum device_event event, const struct message *answer) {
    struct trial trial =
        attempt_compiled(&device->running->configuration, &device->running->build->compiled);
    if (event == DEVICE_TIMEOUT || event == DEVICE_LOAD_TIMEOUT) {
        attempt_timed_out(event, s->options->compile_limit_s, trial_limit(s), &trial);
        return finish_running(s, device, &trial);
    }
    if (event == DEVICE_CRASH)
        return lose_running(s, device, &trial);
    attempt_read(answer, &trial);
    if (trial.status != TW_DB_TRIAL_CRASH)
        return finish_running(s, device, &trial);
    tw_fail(s->error, TW_DEVICE, "%s", trial.message);
    return lose_running(s, device, &trial);
}

static tw_status collect_device(struct session *s, struct session_device *device) {
    struct message answer;
    tw_status fatal, status = TW_OK;
    enum device_event event = device_link_take(device->link, &answer, &fatal, s->error);
    struct tw_error why = *s->error;
    if (event == DEVICE_READY)
        status = devices_take_ready(s, device, &answer);
    else if (event != DEVICE_NOTHING && device->running != NULL)
        status = take_result(s, device, event, &answer);
    message_free(&answer);
    if (fatal == TW_OK || status != TW_OK)
        return status;
    *s->error = why;
    return devices_lose(s, device);
}

static tw_status collect_devices(struct session *s) {
    tw_status status = TW_OK;
    for (int i = 0; i < s->device_count && status == TW_OK; i++)
        if (s->devices[i].link != NULL)
            status = collect_device(s, &s->devices[i]);
    return status;
}

/* ---- The whole ---- */

/* What has ended makes room for what comes next. */
static tw_status catch_up(struct session *s, int64_t room) {
    tw_status status = collect_devices(s);
    session_account(s);
    if (status == TW_OK)
        status = pipeline_collect_builds(s);
    if (status == TW_OK)
        status = feed_devices(s, room);
    session_account(s);
    return status;
}

/* Proposing and rendering take milliseconds, and many compilers may be free at once: what devices
 * and compilers have done meanwhile is not kept waiting for the last of them. On a CPU a whole
 * batch is compiled first. */
tw_status pipeline_step(struct session *s, int64_t room) {
    tw_status status = catch_up(s, room);
    for (; status == TW_OK && may_compile(s, room); room--) {
        struct candidate *candidate = next_candidate(s, &status);
        if (candidate == NULL)
            break;
        status = start_candidate(s, candidate);
        if (status == TW_OK && !s->device->is_cpu)
            status = catch_up(s, room);
    }
    if (status == TW_OK)
        status = feed_devices(s, room);
    session_account(s);
    return status;
}

bool pipeline_empty(const struct session *s) {
    return devices_running(s) == 0 && s->ready.count == 0 && s->compiling.count == 0;
}

void pipeline_wait(struct session *s, double seconds) {
    struct pollfd fds[1024 + SESSION_MAX_DEVICES];
    int count = 0;
    if (compile_pool_size(s->pool) < 1024)
        count = compile_pool_fds(s->pool, fds);
    for (int i = 0; i < s->device_count; i++)
        if (s->devices[i].link != NULL && (s->playing == NULL || s->playing == &s->devices[i]))
            fds[count++] =
                (struct pollfd){.fd = device_link_fd(s->devices[i].link), .events = POLLIN};
    /* An interrupted wait is a wait that is over. */
    poll(fds, (nfds_t)count, (int)(seconds * 1000));
}

/* The running worker: one device, one problem; checks and times variants. */
#include "tuner/workers/device_worker.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/clock.h"
#include "tuner/measure/timing.h"
#include "tuner/measure/verify.h"
#include "tuner/measure/workload_create.h"
#include "tuner/workers/process.h"
#include "tuner/workers/protocol.h"

enum { MAX_FINALISTS = 128 };

struct finalist {
    struct tw_variant *variant;
    struct timer *timer;
};

struct runner {
    struct tw_description *description;
    struct testbed testbed;
    struct workload workload;
    enum cache_policy policy;
    int finalist_count;
    struct finalist finalists[MAX_FINALISTS];
};

static tw_status take_assignment(struct runner *runner, struct tw_error *error) {
    struct message message;
    struct device_assignment assignment;
    tw_status status = message_receive(WORKER_FD, &message, error);
    if (status != TW_OK)
        return status;
    status = device_assignment_unpack(&message, &assignment, &runner->description, error);
    message_free(&message);
    if (status == TW_OK)
        status =
            testbed_open(&runner->testbed, &assignment.device, &assignment.problem, NULL, error);
    runner->policy = assignment.cache;
    runner->testbed.measures_errors = assignment.measures_errors;
    if (status == TW_OK)
        status = workload_create(&runner->workload, &runner->testbed, runner->policy,
                                 assignment.seed, error);
    return status;
}

/* Sends and frees it. */
static tw_status tell(struct message message, struct tw_error *error) {
    tw_status status = message_send(WORKER_FD, &message, error);
    message_free(&message);
    return status;
}

static tw_status tell_ready(const struct runner *runner, struct tw_error *error) {
    struct device_ready ready = {.reference_s = runner->workload.reference_seconds};
    struct tw_text conditions = {0};
    struct tw_work work;
    tw_status status =
        tw_problem_work(&runner->testbed.problem, runner->testbed.values, &work, error);
    if (status == TW_OK && work.bytes >= 2)
        status = timing_copy(&runner->workload, work.bytes, &ready.copy_us, error);
    if (status != TW_OK)
        return status;
    runner->testbed.backend->conditions(runner->testbed.device, &conditions);
    ready.conditions = tw_text_or(&conditions, "{}");
    status = conditions.failed ? tw_fail(error, TW_NO_MEMORY, "out of memory")
                               : tell(device_ready_pack(&ready), error);
    tw_text_free(&conditions);
    return status;
}

/* Who cannot begin says why. */
static tw_status announce(const struct runner *runner, tw_status status, struct tw_error *error) {
    struct tw_error unsent;
    if (status == TW_OK)
        status = tell_ready(runner, error);
    if (status != TW_OK)
        (void)tell(device_failed_pack(error->message), &unsent);
    return status;
}

/* The first launch of each kernel, for which a driver may compile it. The coordinator hears when
 * that begins and when it is over: a variant's own limit counts from there. */
static tw_status launch_first(const struct runner *runner, const struct tw_variant *variant,
                              struct tw_error *error) {
    const struct testbed *testbed = &runner->testbed;
    struct tw_arguments arguments;
    struct tw_launch launches[TW_MAX_LAUNCHES];
    struct tw_value values[TW_MAX_LAUNCHES * TW_MAX_PASSED];
    workload_arguments(&runner->workload, 0, 0, &arguments);
    tw_variant_launches(variant, &arguments, launches, values);
    tw_status status = workload_prepare(&runner->workload, 0, error);
    for (int i = 0; i < tw_variant_launch_count(variant) && status == TW_OK; i++) {
        status = tell(device_progress_pack(DEVICE_SAYS_LOADING), error);
        if (status == TW_OK)
            status = testbed->backend->start(testbed->device, &launches[i], error);
        if (status == TW_OK)
            status = tell(device_progress_pack(DEVICE_SAYS_RUNNING), error);
        if (status == TW_OK)
            status = testbed->backend->synchronize(testbed->device, error);
    }
    return status;
}

/* Loads what the request holds. */
static tw_status load(const struct runner *runner, const struct device_request *request,
                      struct tw_variant **variant, struct tw_error *error) {
    struct tw_binaries binaries = {0};
    int64_t values[TW_MAX_SYMBOLS];
    memcpy(values, runner->testbed.values, sizeof values);
    tw_status status =
        tw_configuration_bind(runner->description, &request->configuration, values, error);
    if (status == TW_OK)
        status = device_request_binaries(request, &binaries, error);
    if (status == TW_OK)
        status = testbed_load(&runner->testbed, &request->configuration, values, &binaries, variant,
                              error);
    tw_binaries_free(&binaries);
    if (status != TW_OK)
        return status;
    status = launch_first(runner, *variant, error);
    if (status != TW_OK && status != TW_DEVICE_LOST) {
        tw_variant_free(*variant);
        *variant = NULL;
    }
    return status;
}

static enum tw_db_trial_status trial_status(tw_status status) {
    switch (status) {
    case TW_OK:
        return TW_DB_TRIAL_OK;
    case TW_WRONG:
        return TW_DB_TRIAL_WRONG;
    case TW_RESOURCE:
        return TW_DB_TRIAL_RESOURCE;
    case TW_DEVICE_LOST:
        return TW_DB_TRIAL_CRASH;
    default:
        return TW_DB_TRIAL_LAUNCH_ERROR;
    }
}

static void add_times(struct device_answer *answer, const struct timing *timing) {
    answer->time_count = timing->count;
    memcpy(answer->times_us, timing->times_us, sizeof answer->times_us);
    answer->screened_out = timing->screened_out;
}

static tw_status try_variant(struct runner *runner, const struct device_request *request,
                             struct device_answer *answer, struct tw_error *error) {
    struct tw_variant *variant = NULL;
    struct timer *timer = NULL;
    struct timing timing = {0};
    struct accuracy accuracy = {0};
    double began = tw_clock_now();
    tw_status status = load(runner, request, &variant, error);
    if (status == TW_OK) {
        status = verify_variant(&runner->workload, variant, &accuracy, error);
        answer->has_error =
            (status == TW_OK || status == TW_WRONG) && isfinite(accuracy.max_rel_error);
        answer->max_rel_error = accuracy.max_rel_error;
        answer->rms_rel_error = accuracy.rms_rel_error;
        answer->has_hard = accuracy.has_hard;
        answer->hard_max_error = accuracy.hard_max_error;
        answer->hard_rms_error = accuracy.hard_rms_error;
    }
    bool timed = request->asked == DEVICE_TRIAL;
    double verified = tw_clock_now();
    answer->verify_s = verified - began;
    if (status == TW_OK && timed)
        status = timer_make(&timer, &runner->workload, variant, error);
    if (status == TW_OK && timed)
        status = timer_measure(timer, request->best_us, request->enough_s, &timing, error);
    if (status == TW_OK && timed)
        add_times(answer, &timing);
    answer->measure_s = tw_clock_now() - verified;
    timer_free(timer);
    if (status != TW_DEVICE_LOST)
        tw_variant_free(variant);
    return status;
}

static void drop_finalists(struct runner *runner) {
    for (int i = 0; i < runner->finalist_count; i++) {
        timer_free(runner->finalists[i].timer);
        tw_variant_free(runner->finalists[i].variant);
    }
    runner->finalist_count = 0;
}

static tw_status load_finalist(struct runner *runner, const struct device_request *request,
                               struct tw_error *error) {
    if (request->first)
        drop_finalists(runner);
    struct finalist *finalist = &runner->finalists[runner->finalist_count];
    tw_status status = TW_OK;
    if (runner->finalist_count == MAX_FINALISTS)
        status = tw_fail(error, TW_INVALID, "more than %d finalists", MAX_FINALISTS);
    if (status == TW_OK)
        status = load(runner, request, &finalist->variant, error);
    if (status == TW_OK)
        status = timer_make(&finalist->timer, &runner->workload, finalist->variant, error);
    if (status == TW_OK)
        runner->finalist_count++;
    return status;
}

static tw_status time_finalist(struct runner *runner, const struct device_request *request,
                               struct device_answer *answer, struct tw_error *error) {
    if (request->finalist < 0 || request->finalist >= runner->finalist_count)
        return tw_fail(error, TW_INVALID, "there is no finalist %d", request->finalist);
    tw_status status =
        timer_repeat(runner->finalists[request->finalist].timer, &answer->times_us[0], error);
    answer->time_count = status == TW_OK;
    return status;
}

static tw_status change_call(struct runner *runner, const struct device_request *request,
                             struct tw_error *error) {
    struct testbed *testbed = &runner->testbed;
    drop_finalists(runner);
    tw_status status =
        call_bind(&request->call, &testbed->info, &testbed->problem, testbed->values, error);
    return status == TW_OK ? workload_change(&runner->workload, CACHE_WARM, error) : status;
}

/* Another problem of the same description and attributes, in place of the one that there was. */
static tw_status take_problem(struct runner *runner, const struct message *message,
                              struct tw_error *error) {
    struct testbed *testbed = &runner->testbed;
    struct device_assignment assignment;
    struct tw_description *description;
    const struct call call = {0};
    drop_finalists(runner);
    tw_status status = device_assignment_unpack(message, &assignment, &description, error);
    tw_description_free(description);
    if (status == TW_OK) {
        memcpy(testbed->problem.dimensions, assignment.problem.dimensions,
               sizeof testbed->problem.dimensions);
        status = call_bind(&call, &testbed->info, &testbed->problem, testbed->values, error);
    }
    return status == TW_OK ? workload_change(&runner->workload, runner->policy, error) : status;
}

static tw_status do_request(struct runner *runner, const struct device_request *request,
                            struct device_answer *answer, struct tw_error *error) {
    switch (request->asked) {
    case DEVICE_FINALIST:
        return load_finalist(runner, request, error);
    case DEVICE_ROUND:
        return time_finalist(runner, request, answer, error);
    case DEVICE_CALL:
        return change_call(runner, request, error);
    default:
        return try_variant(runner, request, answer, error);
    }
}

/* Answers one request; not TW_OK when the worker cannot go on. */
static tw_status answer_one(struct runner *runner, const struct message *message,
                            struct tw_error *error) {
    struct device_request request = {0};
    struct device_answer answer = {0};
    if (device_is_assignment(message))
        return announce(runner, take_problem(runner, message, error), error);
    tw_status status = device_request_unpack(message, &request, runner->description, error);
    if (status == TW_OK)
        status = do_request(runner, &request, &answer, error);
    /* A call that has no room is not tried; a variant that has none is not to blame. */
    if (status == TW_NO_MEMORY && request.asked != DEVICE_CALL)
        return status;
    answer.status = trial_status(status);
    if (status != TW_OK)
        snprintf(answer.message, sizeof answer.message, "%s", error->message);
    answer.lost = status == TW_DEVICE_LOST || status == TW_DEVICE;
    /* What a wrong kernel wrote where it must not would make right ones look wrong. */
    if (status == TW_WRONG && workload_restore(&runner->workload, error) != TW_OK)
        answer.lost = true;
    tw_status sent = tell(device_answer_pack(&answer), error);
    return answer.lost ? TW_DEVICE_LOST : sent;
}

int device_worker(void) {
    struct runner runner = {0};
    struct tw_error error = {0};
    worker_begin();
    tw_status status = take_assignment(&runner, &error);
    if (status != TW_NOT_FOUND || runner.description != NULL)
        status = announce(&runner, status, &error);
    while (status == TW_OK) {
        struct message request;
        status = message_receive(WORKER_FD, &request, &error);
        if (status == TW_OK)
            status = answer_one(&runner, &request, &error);
        message_free(&request);
    }
    /* A lost device frees nothing any more; leaving the process does. */
    if (status != TW_NOT_FOUND)
        return status == TW_NO_MEMORY ? WORKER_NO_MEMORY : 1;
    drop_finalists(&runner);
    workload_free(&runner.workload);
    testbed_close(&runner.testbed);
    tw_description_free(runner.description);
    return 0;
}

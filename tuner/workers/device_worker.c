/* The running worker: one device, one problem; checks and times variants. */
#include "tuner/workers/device_worker.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/json/json.h"
#include "tuner/measure/timing.h"
#include "tuner/measure/verify.h"
#include "tuner/workers/assignment.h"
#include "tuner/workers/process.h"

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
    struct tw_problem problem;
    struct tw_device_info device;
    tw_status status = message_receive(WORKER_FD, &message, error);
    if (status != TW_OK)
        return status;
    status = assignment_read(&message, &runner->description, &problem, &device, error);
    if (status == TW_OK)
        status = testbed_open(&runner->testbed, &device, &problem, NULL, error);
    runner->policy =
        strcmp(message_text(&message, "cache", "cold"), "warm") == 0 ? CACHE_WARM : CACHE_COLD;
    uint32_t seed = (uint32_t)message_number(&message, "seed", 0);
    message_free(&message);
    if (status == TW_OK)
        status = workload_create(&runner->workload, &runner->testbed, runner->policy, seed, error);
    return status;
}

static void add_conditions(const struct runner *runner, struct message *answer) {
    struct tw_text conditions = {0};
    runner->testbed.backend->conditions(runner->testbed.device, &conditions);
    cJSON_AddStringToObject(answer->json, "conditions",
                            conditions.data != NULL ? conditions.data : "{}");
    if (conditions.failed)
        json_note_lack();
    tw_text_free(&conditions);
}

static tw_status announce(const struct runner *runner, tw_status status, struct tw_error *error) {
    struct message answer = message_new(status == TW_OK ? "ready" : "failed");
    struct tw_work work;
    double copy = 0;
    if (status == TW_OK)
        status = tw_problem_work(&runner->testbed.problem, runner->testbed.values, &work, error);
    if (status == TW_OK && work.bytes >= 2) {
        status = timing_copy(&runner->workload, work.bytes, &copy, error);
        cJSON_AddNumberToObject(answer.json, "copy_us", copy * 1e6);
    }
    if (status == TW_OK) {
        cJSON_AddNumberToObject(answer.json, "reference_s", runner->workload.reference_seconds);
        add_conditions(runner, &answer);
    } else {
        cJSON_ReplaceItemInObjectCaseSensitive(answer.json, "kind", cJSON_CreateString("failed"));
        cJSON_AddStringToObject(answer.json, "message", error->message);
    }
    tw_status sent = message_send(WORKER_FD, &answer, error);
    message_free(&answer);
    return status != TW_OK ? status : sent;
}

static tw_status say(const char *kind, struct tw_error *error) {
    struct message message = message_new(kind);
    tw_status status = message_send(WORKER_FD, &message, error);
    message_free(&message);
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
        status = say("loading", error);
        if (status == TW_OK)
            status = testbed->backend->start(testbed->device, &launches[i], error);
        if (status == TW_OK)
            status = say("running", error);
        if (status == TW_OK)
            status = testbed->backend->synchronize(testbed->device, error);
    }
    return status;
}

/* Loads what the message holds. */
static tw_status load(const struct runner *runner, const struct message *request,
                      struct tw_variant **variant, struct tw_error *error) {
    struct tw_configuration configuration;
    struct tw_binaries binaries = {0};
    int64_t values[TW_MAX_SYMBOLS];
    memcpy(values, runner->testbed.values, sizeof values);
    tw_status status = assignment_read_variant(request, runner->description, &configuration, error);
    if (status == TW_OK)
        status = tw_configuration_bind(runner->description, &configuration, values, error);
    if (status == TW_OK)
        status = assignment_read_binaries(request, &binaries, error);
    if (status == TW_OK)
        status = testbed_load(&runner->testbed, &configuration, values, &binaries, variant, error);
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

static const char *trial_status(tw_status status) {
    switch (status) {
    case TW_OK:
        return "ok";
    case TW_WRONG:
        return "wrong";
    case TW_RESOURCE:
        return "resource";
    case TW_DEVICE_LOST:
        return "crash";
    default:
        return "launch_error";
    }
}

/* Whether the worker is of no more use after this. */
static bool is_lost(tw_status status) {
    return status == TW_DEVICE_LOST || status == TW_DEVICE;
}

static void add_times(struct message *answer, const struct timing *timing) {
    cJSON *times = cJSON_AddArrayToObject(answer->json, "times_us");
    for (int i = 0; i < timing->count; i++)
        json_append(times, cJSON_CreateNumber(timing->seconds[i] * 1e6));
    cJSON_AddBoolToObject(answer->json, "screened_out", timing->screened_out);
}

static tw_status try_variant(struct runner *runner, const struct message *request,
                             struct message *answer, struct tw_error *error) {
    struct tw_variant *variant = NULL;
    struct timer *timer = NULL;
    struct timing timing = {0};
    struct accuracy accuracy = {0};
    tw_status status = load(runner, request, &variant, error);
    if (status == TW_OK) {
        status = verify_variant(&runner->workload, variant, &accuracy, error);
        if ((status == TW_OK || status == TW_WRONG) && isfinite(accuracy.max_rel_error)) {
            cJSON_AddNumberToObject(answer->json, "max_rel_error", accuracy.max_rel_error);
            cJSON_AddNumberToObject(answer->json, "rms_rel_error", accuracy.rms_rel_error);
        }
    }
    bool timed = strcmp(message_kind(request), "verify") != 0;
    if (status == TW_OK && timed)
        status = timer_create(&timer, &runner->workload, variant, error);
    if (status == TW_OK && timed)
        status = timer_measure(timer, message_number(request, "best_us", 0) * 1e-6,
                               message_number(request, "enough_s", 0), &timing, error);
    if (status == TW_OK && timed)
        add_times(answer, &timing);
    timer_free(timer);
    if (status != TW_DEVICE_LOST)
        tw_variant_free(variant);
    return status;
}

static tw_status answer_trial(struct runner *runner, const struct message *request,
                              struct message *answer, struct tw_error *error) {
    tw_status status = try_variant(runner, request, answer, error);
    if (status == TW_NO_MEMORY)
        return status; /* which is no verdict */
    cJSON_AddStringToObject(answer->json, "status", trial_status(status));
    if (status != TW_OK)
        cJSON_AddStringToObject(answer->json, "message", error->message);
    bool lost = is_lost(status);
    /* What a wrong kernel wrote where it must not would make right ones look wrong. */
    if (status == TW_WRONG && workload_restore(&runner->workload, error) != TW_OK)
        lost = true;
    cJSON_AddBoolToObject(answer->json, "lost", lost);
    return lost ? TW_DEVICE_LOST : TW_OK;
}

static tw_status answer_finalist(struct runner *runner, const struct message *request,
                                 struct tw_error *error) {
    struct finalist *finalist = &runner->finalists[runner->finalist_count];
    tw_status status = TW_OK;
    if (runner->finalist_count == MAX_FINALISTS)
        status = tw_fail(error, TW_INVALID, "more than %d finalists", MAX_FINALISTS);
    if (status == TW_OK)
        status = load(runner, request, &finalist->variant, error);
    if (status == TW_OK)
        status = timer_create(&finalist->timer, &runner->workload, finalist->variant, error);
    if (status == TW_OK)
        runner->finalist_count++;
    return status;
}

static tw_status answer_round(struct runner *runner, const struct message *request,
                              struct message *answer, struct tw_error *error) {
    cJSON *times = cJSON_AddArrayToObject(answer->json, "times_us");
    const cJSON *which;
    cJSON_ArrayForEach(which, cJSON_GetObjectItemCaseSensitive(request->json, "order")) {
        int index = (int)which->valuedouble;
        double seconds = 0;
        if (index < 0 || index >= runner->finalist_count)
            return tw_fail(error, TW_INVALID, "there is no finalist %d", index);
        tw_status status = timer_repeat(runner->finalists[index].timer, &seconds, error);
        if (status != TW_OK)
            return status;
        json_append(times, cJSON_CreateNumber(seconds * 1e6));
    }
    return TW_OK;
}

static void drop_finalists(struct runner *runner) {
    for (int i = 0; i < runner->finalist_count; i++) {
        timer_free(runner->finalists[i].timer);
        tw_variant_free(runner->finalists[i].variant);
    }
    runner->finalist_count = 0;
}

static tw_status answer_call(struct runner *runner, const struct message *request,
                             struct tw_error *error) {
    struct testbed *testbed = &runner->testbed;
    struct call call;
    drop_finalists(runner);
    tw_status status = assignment_read_call(request, &call, error);
    if (status == TW_OK)
        status = call_bind(&call, &testbed->info, &testbed->problem, testbed->values, error);
    if (status == TW_OK)
        status = workload_change(&runner->workload, CACHE_WARM, error);
    return status;
}

/* Another problem of the same description and attributes, in place of the one that there was. */
static tw_status take_problem(struct runner *runner, const struct message *request,
                              struct tw_error *error) {
    struct testbed *testbed = &runner->testbed;
    struct tw_description *description;
    struct tw_problem problem;
    struct tw_device_info device;
    struct call call = {0};
    drop_finalists(runner);
    tw_status status = assignment_read(request, &description, &problem, &device, error);
    tw_description_free(description);
    if (status == TW_OK) {
        memcpy(testbed->problem.dimensions, problem.dimensions, sizeof problem.dimensions);
        status = call_bind(&call, &testbed->info, &testbed->problem, testbed->values, error);
    }
    return status == TW_OK ? workload_change(&runner->workload, runner->policy, error) : status;
}

/* Answers one request; not TW_OK when the worker cannot go on. */
static tw_status answer_one(struct runner *runner, const struct message *request,
                            struct tw_error *error) {
    const char *kind = message_kind(request);
    if (strcmp(kind, "assignment") == 0)
        return announce(runner, take_problem(runner, request, error), error);
    bool is_trial = strcmp(kind, "trial") == 0 || strcmp(kind, "verify") == 0;
    struct message answer = message_new(is_trial ? "result" : kind);
    tw_status status = TW_OK, fatal = TW_OK;
    if (is_trial) {
        fatal = answer_trial(runner, request, &answer, error);
    } else {
        if (strcmp(kind, "finalist") == 0)
            status = answer_finalist(runner, request, error);
        else if (strcmp(kind, "round") == 0)
            status = answer_round(runner, request, &answer, error);
        else if (strcmp(kind, "call") == 0)
            status = answer_call(runner, request, error);
        else
            status = tw_fail(error, TW_INVALID, "unknown request \"%s\"", kind);
        cJSON_AddStringToObject(answer.json, "status", trial_status(status));
        if (status != TW_OK)
            cJSON_AddStringToObject(answer.json, "message", error->message);
        cJSON_AddBoolToObject(answer.json, "lost", is_lost(status));
        /* A call that has no room is not tried; a variant that has none is not to blame. */
        if (is_lost(status) || (status == TW_NO_MEMORY && strcmp(kind, "call") != 0))
            fatal = status;
    }
    tw_status sent = fatal != TW_NO_MEMORY ? message_send(WORKER_FD, &answer, error) : TW_NO_MEMORY;
    message_free(&answer);
    return fatal != TW_OK ? fatal : sent;
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

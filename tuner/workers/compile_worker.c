/* The compiling worker: sources in, binaries out. It never opens a device. */
#include "tuner/workers/compile_worker.h"

#include <stdio.h>
#include <string.h>

#include "runtime/backend/devices.h"
#include "runtime/variant/compile.h"
#include "runtime/variant/variant.h"
#include "tuner/workers/assignment.h"
#include "tuner/workers/compile_request.h"
#include "runtime/base/clock.h"
#include "tuner/json/json.h"
#include "tuner/workers/process.h"

struct compiler {
    struct tw_device_info device;
    const struct tw_backend *backend;
};

static tw_status take_assignment(struct compiler *compiler, struct tw_error *error) {
    struct message message;
    tw_status status = message_receive(WORKER_FD, &message, error);
    if (status != TW_OK)
        return status;
    status = assignment_read_device(&message, &compiler->device, error);
    message_free(&message);
    if (status != TW_OK)
        return status;
    compiler->backend = tw_backend_find(compiler->device.backend);
    if (compiler->backend == NULL)
        return tw_fail(error, TW_UNAVAILABLE, "the backend is not compiled in");
    return TW_OK;
}

static const char *trial_status(tw_status status) {
    if (status == TW_OK)
        return "ok";
    return status == TW_RESOURCE ? "resource" : "compile_error";
}

static void add_resources(struct message *answer, const struct tw_binaries *binaries) {
    double registers = 0, spills = 0;
    for (int i = 0; i < binaries->count; i++) {
        const struct tw_binary *binary = &binaries->launches[i];
        if (!binary->has_resources)
            return;
        registers = binary->registers > registers ? (double)binary->registers : registers;
        spills += (double)binary->spill_bytes;
    }
    cJSON_AddNumberToObject(answer->json, "registers", registers);
    cJSON_AddNumberToObject(answer->json, "spill_bytes", spills);
}

/* What the compiler said, a launch each; the last is of the launch that did not compile. */
static void add_logs(struct message *answer, const struct tw_binaries *binaries) {
    cJSON *logs = cJSON_AddArrayToObject(answer->json, "logs");
    for (int i = 0; i < binaries->count; i++) {
        const struct tw_text *log = &binaries->launches[i].log;
        json_append(logs, cJSON_CreateString(log->data != NULL ? log->data : ""));
    }
}

static tw_status compile_launch(const struct compiler *compiler,
                                const struct tw_compile_request *request, int64_t threads,
                                struct tw_binary *binary, struct tw_error *error) {
    tw_status status =
        tw_launch_compile(compiler->backend, &compiler->device, request, binary, error);
    return status == TW_OK ? tw_launch_check_registers(&compiler->device, binary, threads, error)
                           : status;
}

static tw_status compile(const struct compiler *compiler, const struct message *message,
                         struct tw_binaries *binaries, struct tw_error *error) {
    struct compile_request request;
    tw_status status = compile_request_read(message, &request, error);
    for (int i = 0; i < request.launch_count && status == TW_OK; i++)
        status = compile_launch(compiler, &request.launches[i].compile, request.launches[i].threads,
                                &binaries->launches[binaries->count++], error);
    /* Whose mistake it is, and with which configuration it was met. */
    if (status == TW_BAD_DESCRIPTION)
        tw_fail(error, status, "%s: %s: %.500s (met with %.300s)",
                message_text(message, "origin", ""), message_text(message, "implementation", ""),
                error->message, message_text(message, "configuration", ""));
    return status;
}

static tw_status compile_one(const struct compiler *compiler, const struct message *request,
                             struct tw_error *error) {
    struct tw_binaries binaries = {0};
    double start = tw_clock_now();
    tw_status status = compile(compiler, request, &binaries, error);
    if (status == TW_NO_MEMORY) {
        tw_binaries_free(&binaries);
        return status; /* which is no verdict */
    }
    struct message answer = message_new("compiled");
    cJSON_AddNumberToObject(answer.json, "id", message_number(request, "id", 0));
    cJSON_AddStringToObject(answer.json, "status", trial_status(status));
    cJSON_AddNumberToObject(answer.json, "compile_ms", (tw_clock_now() - start) * 1e3);
    cJSON_AddBoolToObject(answer.json, "bad_description", status == TW_BAD_DESCRIPTION);
    add_resources(&answer, &binaries);
    add_logs(&answer, &binaries);
    if (status == TW_OK)
        status = assignment_add_binaries(&answer, &binaries, error);
    else
        cJSON_AddStringToObject(answer.json, "message", error->message);
    tw_binaries_free(&binaries);
    if (status != TW_NO_MEMORY)
        status = message_send(WORKER_FD, &answer, error);
    message_free(&answer);
    return status;
}

int compile_worker(void) {
    struct compiler compiler = {0};
    struct tw_error error;
    worker_begin();
    tw_status status = take_assignment(&compiler, &error);
    while (status == TW_OK) {
        struct message request;
        status = message_receive(WORKER_FD, &request, &error);
        if (status == TW_OK)
            status = compile_one(&compiler, &request, &error);
        message_free(&request);
    }
    /* A coordinator that closed the connection has no more work. */
    return status == TW_NOT_FOUND ? 0 : status == TW_NO_MEMORY ? WORKER_NO_MEMORY : 1;
}

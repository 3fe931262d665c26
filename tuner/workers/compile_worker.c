/* The compiling worker: sources in, binaries out. It never opens a device. */
#include "tuner/workers/compile_worker.h"

#include <stdio.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "runtime/backend/devices.h"
#include "runtime/variant/compile.h"
#include "runtime/variant/variant.h"
#include "runtime/base/clock.h"
#include "tuner/workers/process.h"
#include "tuner/workers/protocol.h"

struct compiler {
    struct tw_device_info device;
    const struct tw_backend *backend;
};

static tw_status take_assignment(struct compiler *compiler, struct tw_error *error) {
    struct message message;
    tw_status status = message_receive(WORKER_FD, &message, error);
    if (status != TW_OK)
        return status;
    status = compile_assignment_unpack(&message, &compiler->device, error);
    message_free(&message);
    if (status != TW_OK)
        return status;
    compiler->backend = tw_backend_find(compiler->device.backend);
    if (compiler->backend == NULL)
        return tw_fail(error, TW_UNAVAILABLE, "the backend is not compiled in");
    return TW_OK;
}

static enum tw_db_trial_status trial_status(tw_status status) {
    if (status == TW_OK)
        return TW_DB_TRIAL_OK;
    return status == TW_RESOURCE ? TW_DB_TRIAL_RESOURCE : TW_DB_TRIAL_COMPILE_ERROR;
}

/* The most registers of any launch, and the spills of all; unless one is not known. */
static void add_resources(struct compiled *compiled, const struct tw_binaries *binaries) {
    for (int i = 0; i < binaries->count; i++)
        if (!binaries->launches[i].has_resources)
            return;
    compiled->has_resources = true;
    for (int i = 0; i < binaries->count; i++) {
        const struct tw_binary *binary = &binaries->launches[i];
        if (binary->registers > compiled->registers)
            compiled->registers = binary->registers;
        compiled->spill_bytes += binary->spill_bytes;
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

static tw_status compile(const struct compiler *compiler, struct compile_request *request,
                         struct tw_binaries *binaries, struct tw_error *error) {
    tw_status status = TW_OK;
    for (int i = 0; i < request->launch_count && status == TW_OK; i++) {
        struct tw_binary *binary = &binaries->launches[binaries->count++];
        if (!request->launches[i].known) {
            status = compile_launch(compiler, &request->launches[i].compile,
                                    request->launches[i].threads, binary, error);
        } else {
            *binary = request->launches[i].binary;
            request->launches[i].binary = (struct tw_binary){0};
        }
    }
    /* Whose mistake it is, and with which configuration it was met. */
    if (status == TW_BAD_DESCRIPTION)
        tw_fail(error, status, "%s: %s: %.500s (met with %.300s)", request->origin,
                request->implementation, error->message, request->configuration);
    return status;
}

static tw_status compile_one(const struct compiler *compiler, const struct message *message,
                             struct tw_error *error) {
    struct compile_request request;
    struct tw_binaries binaries = {0};
    double start = tw_clock_now();
    tw_status status = compile_request_unpack(message, &request, error);
    if (status == TW_OK)
        status = compile(compiler, &request, &binaries, error);
    compile_request_free(&request);
    if (status == TW_NO_MEMORY) {
        tw_binaries_free(&binaries);
        return status; /* which is no verdict */
    }
    struct compiled compiled = {.id = request.id,
                                .status = trial_status(status),
                                .bad_description = status == TW_BAD_DESCRIPTION,
                                .compile_ms = (tw_clock_now() - start) * 1e3};
    if (status != TW_OK)
        snprintf(compiled.message, sizeof compiled.message, "%s", error->message);
    add_resources(&compiled, &binaries);
    struct message answer = compiled_pack(&compiled, &binaries);
    tw_binaries_free(&binaries);
    status = message_send(WORKER_FD, &answer, error);
    message_free(&answer);
    return status;
}

/* A compiler takes tens of megabytes for each source and gives them back. The next is to have the
 * same pages: getting them from the system again takes a twentieth of the time. */
static void keep_memory(void) {
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, 32 << 20);
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
#endif
}

int compile_worker(void) {
    struct compiler compiler = {0};
    struct tw_error error;
    worker_begin();
    keep_memory();
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

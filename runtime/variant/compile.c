/* Compiling a variant or a reference: render each launch, then hand it to the backend. */
#include "runtime/variant/compile.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/variant/agreement.h"
#include "runtime/variant/variant.h"

void tw_binaries_free(struct tw_binaries *binaries) {
    for (int i = 0; i < binaries->count; i++)
        tw_binary_free(&binaries->launches[i]);
    binaries->count = 0;
}

/* The first line of a log that has one of the words in it, of which a variant is to know nothing.
 */
static tw_status check_messages(const struct tw_compile_request *request,
                                const struct tw_binary *binary, struct tw_error *error) {
    if (request->disqualified_by == NULL || binary->log.data == NULL)
        return TW_OK;
    for (const char *const *message = request->disqualified_by; *message != NULL; message++) {
        const char *found = strstr(binary->log.data, *message);
        if (found == NULL)
            continue;
        const char *line = found;
        while (line > binary->log.data && line[-1] != '\n')
            line--;
        return tw_fail(error, TW_RESOURCE, "the compiler said: %.*s", (int)strcspn(line, "\n"),
                       line);
    }
    return TW_OK;
}

tw_status tw_launch_compile(const struct tw_backend *backend, const struct tw_device_info *device,
                            const struct tw_compile_request *request, struct tw_binary *binary,
                            struct tw_error *error) {
    *binary = (struct tw_binary){0};
    struct tw_compile_request checked = *request;
    struct tw_text source = {0};
    if (request->expected != NULL) {
        tw_shared_checked(request->source, request->function, request->expected->shared, &source);
        if (source.failed) {
            tw_text_free(&source);
            return tw_fail(error, TW_NO_MEMORY, "out of memory for a source");
        }
        checked.source = source.data;
    }
    tw_status status = backend->compile(device, &checked, binary, error);
    tw_text_free(&source);
    if (status == TW_COMPILE)
        tw_binary_explain(binary, error);
    if (status == TW_COMPILE && request->expected != NULL)
        status = tw_shared_explain(status, binary->log.data, request->function,
                                   request->expected->shared, error);
    if (status == TW_OK)
        status = check_messages(request, binary, error);
    return status;
}

tw_status tw_launch_check_registers(const struct tw_device_info *device,
                                    const struct tw_binary *binary, int64_t threads,
                                    struct tw_error *error) {
    if (!binary->has_resources || device->max_registers <= 0 ||
        binary->registers * threads <= device->max_registers)
        return TW_OK;
    return tw_fail(error, TW_RESOURCE,
                   "a block of %" PRId64 " threads needs %" PRId64
                   " registers each; the device has %" PRId64 " for a block",
                   threads, binary->registers, device->max_registers);
}

/* Puts before a mistake whose it is, and behind it with which configuration it was met. */
static void name_launch(const struct tw_description *d,
                        const struct tw_configuration *configuration, struct tw_error *error) {
    struct tw_text met = {0};
    tw_configuration_text(d, configuration, &met);
    tw_fail(error, TW_BAD_DESCRIPTION, "%s: %s: %.500s (met with %.300s)", d->origin,
            d->implementations[configuration->implementation].name, error->message,
            met.data != NULL ? met.data : "");
    tw_text_free(&met);
}

static tw_status compile_launch(const struct tw_executable *executable, int launch,
                                const struct tw_backend *backend,
                                const struct tw_device_info *device, struct tw_binary *binary,
                                struct tw_error *error) {
    *binary = (struct tw_binary){0};
    struct tw_text source = {0};
    tw_status status =
        tw_executable_source(executable, launch, backend->name, &source, NULL, error);
    if (status == TW_OK) {
        struct tw_expected expected;
        struct tw_compile_request request =
            tw_executable_request(executable, launch, source.data, &expected);
        request.passing = true;
        status = tw_launch_compile(backend, device, &request, binary, error);
    }
    if (status == TW_BAD_DESCRIPTION && executable->configuration != NULL)
        name_launch(executable->problem->description, executable->configuration, error);
    tw_text_free(&source);
    if (status == TW_OK)
        status = tw_launch_check_registers(
            device, binary, tw_geometry_threads(&executable->launches[launch].geometry), error);
    return status;
}

tw_status tw_variant_compile(const struct tw_backend *backend, const struct tw_device_info *device,
                             const struct tw_problem *problem,
                             const struct tw_configuration *configuration, const int64_t *values,
                             struct tw_binaries *binaries, struct tw_error *error) {
    *binaries = (struct tw_binaries){0};
    struct tw_executable *executable;
    tw_status status =
        tw_executable_create(&executable, problem, configuration, values, device, error);
    for (int i = 0; status == TW_OK && i < executable->launch_count; i++)
        status = compile_launch(executable, i, backend, device,
                                &binaries->launches[binaries->count++], error);
    tw_executable_free(executable);
    return status;
}

tw_status tw_judge_compile(const struct tw_backend *backend, const struct tw_device_info *device,
                           const struct tw_executable *judge, struct tw_binary *binary,
                           struct tw_error *error) {
    return compile_launch(judge, 0, backend, device, binary, error);
}

tw_status tw_reference_compile(const struct tw_backend *backend,
                               const struct tw_device_info *device,
                               const struct tw_problem *problem, const int64_t *values,
                               struct tw_binary *binary, struct tw_error *error) {
    struct tw_executable *reference;
    *binary = (struct tw_binary){0};
    tw_status status = tw_executable_create(&reference, problem, NULL, values, device, error);
    if (status == TW_OK)
        status = tw_judge_compile(backend, device, reference, binary, error);
    tw_executable_free(reference);
    return status;
}

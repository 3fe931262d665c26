#include "tuner/session/one_variant.h"

#include <stdio.h>
#include <string.h>

#include "tuner/session/attempt.h"

enum { LOOK_MS = 200 /* how often dead and late workers are looked for */ };

static void wait_for(struct pollfd *fds, int count) {
    /* An interrupted wait is a wait that is over. */
    poll(fds, (nfds_t)count, LOOK_MS);
}

static tw_status take_logs(const struct compiled *compiled, struct one_variant *out,
                           struct tw_error *error) {
    const char *log;
    while (out->log_count < TW_MAX_LAUNCHES &&
           (log = compiled_log(compiled, out->log_count)) != NULL) {
        struct tw_text *text = &out->logs[out->log_count++];
        tw_text_print(text, "%s", log);
        if (text->failed)
            return tw_fail(error, TW_NO_MEMORY, "out of memory");
    }
    return TW_OK;
}

static tw_status compile(const struct one_variant_options *options,
                         const struct tw_device_info *device,
                         const struct tw_executable *executable, const struct tw_text *sources,
                         struct compiled *compiled, struct tw_error *error) {
    struct compile_pool *pool = NULL;
    tw_status status = compile_pool_create(&pool, device, 1, options->compile_limit_s, error);
    if (status == TW_OK)
        status = compile_pool_submit(pool, 0, executable, sources, NULL, error);
    for (bool taken = false; status == TW_OK && !taken;) {
        struct pollfd fd;
        status = compile_pool_take(pool, compiled, &taken, error);
        if (status == TW_OK && !taken)
            wait_for(&fd, compile_pool_fds(pool, &fd));
    }
    compile_pool_free(pool);
    return status;
}

/* Waits for the worker's next word. The caller frees *answer. */
static enum device_event next_event(struct device_link *link, struct message *answer,
                                    tw_status *status, struct tw_error *error) {
    enum device_event event;
    *status = TW_OK;
    while ((event = device_link_take(link, answer, status, error)) == DEVICE_NOTHING &&
           *status == TW_OK) {
        struct pollfd fd = {.fd = device_link_fd(link), .events = POLLIN};
        wait_for(&fd, 1);
    }
    return event;
}

static tw_status run(const struct one_variant_options *options, const struct tw_problem *problem,
                     const struct tw_device_info *device, const struct compiled *compiled,
                     struct trial *trial, struct tw_error *error) {
    struct device_link *link = NULL;
    struct message answer = {0};
    double limit = 0;
    tw_status status = device_link_create(&link, problem, device, options->cache, options->seed,
                                          false, options->compile_limit_s, error);
    if (status == TW_OK)
        next_event(link, &answer, &status, error);
    if (status == TW_OK) {
        struct device_ready ready;
        device_ready_unpack(&answer, &ready);
        limit = attempt_limit(options->trial_limit_s, ready.reference_s);
        status = attempt_send(link, &trial->configuration, compiled, 0, 0, limit, error);
    }
    message_free(&answer);
    if (status == TW_OK) {
        /* That no other worker can be had after it is of no interest here. */
        enum device_event event = next_event(link, &answer, &status, error);
        if (event == DEVICE_ANSWER) {
            attempt_read(&answer, trial);
            status = TW_OK;
        } else if (event == DEVICE_TIMEOUT || event == DEVICE_LOAD_TIMEOUT) {
            attempt_timed_out(event, options->compile_limit_s, limit, trial);
        } else if (event == DEVICE_CRASH) {
            trial->status = TW_DB_TRIAL_CRASH;
            snprintf(trial->message, sizeof trial->message, "%.500s", error->message);
        }
        message_free(&answer);
    }
    device_link_free(link);
    return status;
}

tw_status one_variant_run(const struct one_variant_options *options,
                          const struct tw_device_info *device,
                          const struct tw_executable *executable, const struct tw_text *sources,
                          struct one_variant *out, struct tw_error *error) {
    const struct tw_problem *problem = executable->problem;
    const struct tw_configuration *configuration = executable->configuration;
    struct compiled compiled = {0};
    *out = (struct one_variant){0};
    tw_status status = compile(options, device, executable, sources, &compiled, error);
    if (status == TW_OK)
        status = take_logs(&compiled, out, error);
    if (status == TW_OK)
        out->trial = attempt_compiled(configuration, &compiled);
    if (status == TW_OK && compiled.status == TW_DB_TRIAL_OK)
        status = run(options, problem, device, &compiled, &out->trial, error);
    compiled_free(&compiled);
    return status;
}

void one_variant_free(struct one_variant *one) {
    for (int i = 0; i < one->log_count; i++)
        tw_text_free(&one->logs[i]);
    one->log_count = 0;
}

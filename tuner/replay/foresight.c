#include "tuner/replay/foresight.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "runtime/backend/devices.h"
#include "tuner/formats/device_text.h"
#include "tuner/formats/packed_file.h"
#include "tuner/formats/results_file.h"
#include "tuner/statistics/correlation.h"

struct subject {
    struct results_file *file;
    const struct tw_description *description;
    struct tw_problem problem;
    int implementation;
    struct tw_device_info device;
    int64_t values[TW_MAX_SYMBOLS];
};

static void close_subject(struct subject *s) {
    results_file_close(s->file);
}

static tw_status read_device(struct subject *s, struct tw_error *error) {
    struct tw_json_context context = {.origin = s->file->origin, .error = error};
    if (s->file->header.described_device == NULL)
        return tw_fail(error, TW_INVALID, "the file does not describe its device");
    struct tw_json json = tw_json_root(&context, s->file->header.described_device);
    device_text_read(&json, &s->device);
    snprintf(s->device.name, sizeof s->device.name, "%.100s", s->file->header.device);
    return context.status;
}

static tw_status find_description(struct subject *s, const struct known_kernels *kernels,
                                  struct tw_error *error) {
    const char *name = s->file->header.kernel;
    const struct known_kernel *kernel = known_kernels_find(kernels, name);
    if (kernel == NULL)
        return tw_fail(error, TW_NOT_FOUND,
                       "\"%.60s\" is no built-in kernel (--config FILE names the description of "
                       "one's own)",
                       name);
    s->description = kernel->description;
    return TW_OK;
}

static tw_status open_subject(struct subject *s, const char *path,
                              const struct known_kernels *kernels, struct tw_error *error) {
    struct tw_text text = {0};
    int64_t slots[TW_DEVICE_SLOTS];
    tw_status status = packed_file_read(&text, path, error);
    if (status == TW_OK)
        status = results_file_parse(&s->file, tw_text_or(&text, ""), text.length, path, error);
    tw_text_free(&text);
    if (status != TW_OK)
        return status;
    const struct results_file_header *header = &s->file->header;
    if (!header->is_ours || header->kernel == NULL || header->shape == NULL)
        return tw_fail(error, TW_INVALID, "another tool's kernel");
    status = read_device(s, error);
    if (status == TW_OK)
        status = find_description(s, kernels, error);
    if (status == TW_OK)
        status = results_file_problem(s->file, s->description, &s->problem, error);
    if (status == TW_OK)
        status = results_file_implementation(s->file, s->description, header->implementation,
                                             &s->implementation, error);
    if (status == TW_OK)
        status = results_file_read(s->file, &s->problem, s->implementation, error);
    if (status != TW_OK)
        return status;
    tw_device_values(&s->device, slots);
    return tw_problem_bind(&s->problem, slots, NULL, s->values, error);
}

/* Spearman's, of what a model says, or the estimate where that is NULL. `predicted` is room for
 * what is said of each entry, `traits` for those of each. */
static tw_status correlate(const struct subject *s, const struct tw_model *model, size_t *trials,
                           double *correlation, double *predicted, double *traits,
                           struct tw_error *error) {
    struct prior *prior = NULL;
    size_t count = 0, most = s->file->count;
    double *room = calloc(5 * most + 1, sizeof *room);
    tw_status status = room != NULL ? prior_create(&prior, &s->problem, s->values, &s->device, NULL,
                                                   model, 0, error)
                                    : tw_fail(error, TW_NO_MEMORY, "out of memory");
    for (size_t i = 0; i < most && status == TW_OK; i++) {
        const struct tw_db_trial *trial = &s->file->trials[i];
        struct tw_configuration configuration;
        struct tw_error unknown;
        predicted[i] = INFINITY;
        if (tw_configuration_parse(&configuration, s->description, s->implementation,
                                   trial->configuration, &unknown) == TW_OK) {
            predicted[i] = prior_time_us(prior, &configuration);
            prior_traits(prior, &configuration, traits + i * PRIOR_TRAITS);
        }
        if (!trial->has_time || !isfinite(predicted[i]))
            continue;
        room[count] = predicted[i];
        room[most + count++] = trial->time_us;
    }
    if (status == TW_OK) {
        *trials = count;
        *correlation = correlation_ranks(room, room + most, count, room + 2 * most);
    }
    prior_free(prior);
    free(room);
    return status;
}

tw_status foresight_of(struct foresight *foresight, const char *path,
                       const struct known_kernels *kernels, const struct tw_catalogue *catalogue,
                       struct tw_error *error) {
    struct subject *s = calloc(1, sizeof *s);
    const struct tw_model *model = NULL;
    *foresight = (struct foresight){0};
    if (s == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    tw_status status = open_subject(s, path, kernels, error);
    const char *cache = status == TW_OK ? s->file->header.cache : NULL;
    size_t entries = status == TW_OK ? s->file->count : 0;
    double *predicted = calloc(entries + 1, sizeof *predicted);
    foresight->traits = calloc(entries + 1, PRIOR_TRAITS * sizeof *foresight->traits);
    if (status == TW_OK && (predicted == NULL || foresight->traits == NULL))
        status = tw_fail(error, TW_NO_MEMORY, "out of memory");
    if (status == TW_OK)
        status = correlate(s, NULL, &foresight->trials, &foresight->estimate, predicted,
                           foresight->traits, error);
    if (status == TW_OK)
        status = prior_model(catalogue, &s->problem, &s->device, cache != NULL ? cache : "cold",
                             &model, error);
    if (status == TW_OK && model != NULL) {
        foresight->has_model = true;
        status = correlate(s, model, &foresight->trials, &foresight->model, predicted,
                           foresight->traits, error);
        foresight->predicted = predicted;
    } else {
        free(predicted);
    }
    close_subject(s);
    free(s);
    if (status == TW_OK)
        return status;
    foresight_free(foresight);
    if (status == TW_NO_MEMORY)
        return status;
    snprintf(foresight->why, sizeof foresight->why, "%.190s", error->message);
    return TW_OK;
}

void foresight_free(struct foresight *foresight) {
    free(foresight->predicted);
    free(foresight->traits);
    *foresight = (struct foresight){0};
}

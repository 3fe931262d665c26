#include "tuner/commands/resolve.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/backend/devices.h"
#include "runtime/description/languages.h"
#include "tuner/commands/command.h"

/* Which of the descriptions of --config is meant; `count` of them were read. */
static tw_status choose_description(const struct arguments *a, struct tw_description *const *read,
                                    int *chosen, struct tw_error *error) {
    struct tw_text kernels = {0};
    int count = a->configs.count;
    *chosen = count == 1 && a->kernel == NULL ? 0 : -1;
    for (int i = 0; i < count; i++) {
        for (int j = 0; j < i; j++)
            if (strcmp(read[i]->kernel, read[j]->kernel) == 0) {
                tw_text_free(&kernels);
                return tw_fail(error, TW_INVALID, "%s describes the kernel %s, and so does %s",
                               read[i]->origin, read[i]->kernel, read[j]->origin);
            }
        if (a->kernel != NULL && strcmp(read[i]->kernel, a->kernel) == 0)
            *chosen = i;
        tw_text_print(&kernels, "%s%s", i > 0 ? ", " : "", read[i]->kernel);
    }
    tw_status status = TW_OK;
    if (kernels.failed)
        status = tw_fail(error, TW_NO_MEMORY, "out of memory");
    else if (*chosen < 0 && a->kernel == NULL)
        status = tw_fail(error, TW_INVALID, "which kernel? name one of %s", kernels.data);
    else if (*chosen < 0 && count == 1)
        status = tw_fail(error, TW_INVALID, "%s describes the kernel %s, not %s", read[0]->origin,
                         kernels.data, a->kernel);
    else if (*chosen < 0)
        status = tw_fail(error, TW_INVALID, "the files of --config describe %s, not %s",
                         kernels.data, a->kernel);
    tw_text_free(&kernels);
    return status;
}

/* All are read, so that a mistake in one shows whichever is meant. */
static tw_status read_configs(const struct arguments *a, struct tw_description **out,
                              struct tw_error *error) {
    int chosen = -1;
    struct tw_description **read = calloc((size_t)a->configs.count, sizeof *read);
    tw_status status = read != NULL ? TW_OK : tw_fail(error, TW_NO_MEMORY, "out of memory");
    for (int i = 0; i < a->configs.count && status == TW_OK; i++)
        status =
            command_names_file(tw_description_load(&read[i], a->configs.words[i], error), error);
    if (status == TW_OK)
        status = choose_description(a, read, &chosen, error);
    for (int i = 0; read != NULL && i < a->configs.count; i++) {
        if (status == TW_OK && i == chosen)
            *out = read[i];
        else
            tw_description_free(read[i]);
    }
    free(read);
    return status;
}

tw_status resolve_description(const struct arguments *a, struct tw_description **out,
                              struct tw_error *error) {
    *out = NULL;
    if (a->configs.count > 0)
        return read_configs(a, out, error);
    const char *kernel = a->kernel;
    if (kernel == NULL && a->shape_count > 0) {
        int sizes = 1;
        for (const char *at = a->shapes[0].shape; *at != '\0'; at++)
            sizes += *at == 'x';
        kernel = sizes == 2 ? "transpose" : "gemm";
    }
    if (kernel == NULL)
        return tw_fail(error, TW_INVALID, "which kernel? name one, or give a --shape; see --help");
    tw_status status = tw_description_builtin(out, kernel, error);
    if (status == TW_NOT_FOUND)
        return tw_fail(error, TW_INVALID,
                       "%.600s (a kernel of your own: --config FILE names its description)",
                       error->message);
    return status;
}

static tw_status set_attribute(struct tw_problem *problem, const char *text,
                               struct tw_error *error) {
    char name[TW_NAME_SIZE];
    const char *equals = strchr(text, '=');
    snprintf(name, sizeof name, "%.*s", (int)(equals - text), text);
    return tw_problem_set(problem, name, equals + 1, error);
}

tw_status resolve_problem(const struct arguments *a, int index,
                          const struct tw_description *description, struct tw_problem *problem,
                          struct tw_error *error) {
    const struct shape_argument *shape = &a->shapes[index];
    tw_status status = tw_problem_parse(problem, description, shape->shape, error);
    for (int i = 0; i < a->attribute_count && status == TW_OK; i++)
        status = set_attribute(problem, a->attributes[i], error);
    for (int i = 0; i < shape->attribute_count && status == TW_OK; i++)
        status = set_attribute(problem, shape->attributes[i], error);
    if (status != TW_OK && shape->origin != NULL)
        return tw_fail_within(error, status, "%s", shape->origin);
    if (status == TW_OK)
        tw_problem_settle_types(problem);
    return status;
}

/* Why no device of a language was picked that comes before that of `device`. */
static void explain_absent(const struct arguments *a, const struct tw_language *language,
                           const struct tw_device_info *device) {
    const struct tw_backend *backend = tw_backend_find(language->backend);
    struct tw_error reason = {0};
    int count = 0;
    if (backend == NULL) {
        if (a->verbose)
            fprintf(stderr, "tune: built without %s; using %s (%s)\n", language->title, device->id,
                    device->name);
        return;
    }
    tw_status usable = backend->count(&count, &reason);
    if (usable != TW_OK && (usable != TW_UNAVAILABLE || a->verbose))
        fprintf(stderr, "tune: no %s: %s; using %s (%s)\n", language->title, reason.message,
                device->id, device->name);
}

tw_status resolve_device(const struct arguments *a, struct tw_device_info *device,
                         struct tw_error *error) {
    tw_status status = tw_device_pick(a->device, device, error);
    if (status != TW_OK || a->device != NULL || a->quiet)
        return status;
    for (const struct tw_language *language = tw_languages;
         language->backend != NULL && strcmp(language->backend, device->backend) != 0; language++)
        explain_absent(a, language, device);
    return TW_OK;
}

tw_status resolve_devices(const struct arguments *a, struct device_list *devices,
                          struct tw_error *error) {
    int cpus = 0;
    if (a->devices == NULL) {
        devices->count = 1;
        return resolve_device(a, &devices->devices[0], error);
    }
    if (a->device != NULL)
        return tw_fail(error, TW_INVALID, "give --device or --devices, not both");
    tw_status status = device_list_find(devices, a->devices, error);
    for (int i = 0; i < devices->count && status == TW_OK; i++)
        cpus += devices->devices[i].is_cpu;
    if (cpus > 1 && !a->quiet)
        fprintf(stderr,
                "tune: %d of the devices are CPUs, which may be the same cores: they then "
                "disturb each other's times\n",
                cpus);
    return status;
}

tw_status resolve_single_problem(const struct arguments *a, struct tw_description **description,
                                 struct tw_problem *problem, struct tw_error *error) {
    *description = NULL;
    if (a->shape_count != 1)
        return tw_fail(error, TW_INVALID, "give one --shape, as in --shape 4096x4096x1024");
    tw_status status = resolve_description(a, description, error);
    if (status == TW_OK)
        status = resolve_problem(a, 0, *description, problem, error);
    return status;
}

tw_status resolve_single(const struct arguments *a, struct tw_description **description,
                         struct tw_problem *problem, struct tw_device_info *device,
                         struct tw_error *error) {
    tw_status status = resolve_single_problem(a, description, problem, error);
    return status == TW_OK ? resolve_device(a, device, error) : status;
}

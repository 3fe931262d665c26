/* tune ladder KERNEL --shape ...: what each of the classic optimisations brings on this device. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "runtime/select/select.h"
#include "tuner/commands/command.h"
#include "tuner/commands/subject.h"
#include "tuner/measure/single.h"
#include "tuner/measure/timing.h"
#include "tuner/report/report.h"

static const char help[] =
    "tune ladder [KERNEL] --shape MxN[xK] [OPTIONS]\n"
    "\n"
    "Runs a kernel's presets in the order of the classic optimisations, from a naive one on, then "
    "what\n"
    "an application would get, checks each and prints its time, its rate, and what it gains over "
    "the\n"
    "rung before and over the first. Kernels that move data are held against a device-to-device "
    "copy.\n"
    "\n"
    "  --shape, --dtype, --trans, --attr, --device, --cache, --db, --config, --seed: as for tune\n"
    "  --json               print one JSON object\n"
    "  --quiet              no remarks\n";

enum { MOST_KERNELS = 8, MOST_RUNGS = TW_MAX_RUNGS + 1 };

/* A kernel with its data on the device: rungs of one kernel share them. */
struct stage {
    struct tw_description *description; /* NULL: the ladder's own, which belongs to the caller */
    struct bench bench;
    struct workload workload;
    struct tw_work work;
};

struct step {
    const char *kernel, *name, *shows;
    struct tw_error failure; /* its message is "" when the rung could be measured */
    struct single single;
    double rate;
    const char *rate_unit;
};

struct ladder {
    const struct arguments *arguments;
    const struct tw_description *description;
    struct tw_problem problem;
    struct tw_device_info device;
    int stage_count;
    struct stage *stages[MOST_KERNELS];
    double copy_us; /* of the bytes that the problem moves */
    double copy_rate;
    int count;
    struct step steps[MOST_RUNGS];
};

/* The same shape, and those of the attributes that the other kernel knows. */
static tw_status other_problem(const struct ladder *ladder, const struct tw_description *other,
                               struct tw_problem *problem, struct tw_error *error) {
    const struct tw_description *own = ladder->description;
    char shape[TW_PROBLEM_KEY_SIZE];
    tw_problem_shape(&ladder->problem, shape);
    tw_status status = tw_problem_parse(problem, other, shape, error);
    for (int i = 0; i < own->attribute_count && status == TW_OK; i++)
        for (int j = 0; j < other->attribute_count && status == TW_OK; j++)
            if (strcmp(own->attributes[i].name, other->attributes[j].name) == 0)
                status = tw_problem_set(problem, other->attributes[j].name,
                                        own->symbols.words[ladder->problem.words[i]], error);
    return status;
}

static tw_status open_stage(const struct ladder *ladder, struct stage *stage, const char *kernel,
                            struct tw_error *error) {
    struct tw_problem problem = ladder->problem;
    tw_status status = TW_OK;
    if (strcmp(kernel, ladder->description->kernel) != 0) {
        status = tw_description_builtin(&stage->description, kernel, error);
        if (status == TW_OK)
            status = other_problem(ladder, stage->description, &problem, error);
    }
    if (status == TW_OK)
        status = bench_open(&stage->bench, &ladder->device, &problem, NULL, error);
    if (status == TW_OK)
        status = tw_problem_work(&stage->bench.problem, stage->bench.values, &stage->work, error);
    if (status == TW_OK)
        status = workload_create(&stage->workload, &stage->bench,
                                 ladder->arguments->cache[0] == 'w' ? CACHE_WARM : CACHE_COLD,
                                 (uint32_t)ladder->arguments->seed, error);
    return status;
}

static void close_stage(struct stage *stage) {
    workload_free(&stage->workload);
    bench_close(&stage->bench);
    tw_description_free(stage->description);
    free(stage);
}

static tw_status find_stage(struct ladder *ladder, const char *kernel, struct stage **out,
                            struct tw_error *error) {
    for (int i = 0; i < ladder->stage_count; i++) {
        *out = ladder->stages[i];
        if (strcmp((*out)->bench.problem.description->kernel, kernel) == 0)
            return TW_OK;
    }
    if (ladder->stage_count == MOST_KERNELS)
        return tw_fail(error, TW_INVALID, "a ladder of more than %d kernels", MOST_KERNELS);
    struct stage *stage = calloc(1, sizeof *stage);
    if (stage == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    tw_status status = open_stage(ladder, stage, kernel, error);
    if (status != TW_OK) {
        close_stage(stage);
        return status;
    }
    *out = ladder->stages[ladder->stage_count++] = stage;
    return TW_OK;
}

static struct step *add_step(struct ladder *ladder, const char *kernel, const char *name,
                             const char *shows) {
    struct step *step = &ladder->steps[ladder->count++];
    *step = (struct step){.kernel = kernel, .name = name, .shows = shows};
    return step;
}

static tw_status measure(struct stage *stage, const struct tw_configuration *configuration,
                         struct step *step, struct tw_error *error) {
    tw_status status =
        single_measure(&stage->bench, &stage->workload, configuration, &step->single, error);
    if (status == TW_OK)
        step->rate = tw_work_rate(&stage->work, step->single.time_us * 1e-6, &step->rate_unit);
    return status;
}

/* A rung that this device or problem does not allow is told and passed over. */
static tw_status settle(struct step *step, tw_status status, const struct tw_error *error) {
    step->failure.message[0] = '\0';
    if (status != TW_INVALID && status != TW_RESOURCE)
        return status;
    step->failure = *error;
    return TW_OK;
}

static tw_status climb(struct ladder *ladder, const struct tw_rung *rung, struct tw_error *error) {
    const char *kernel = rung->kernel[0] != '\0' ? rung->kernel : ladder->description->kernel;
    struct stage *stage;
    struct step *step = add_step(ladder, kernel, rung->preset, rung->shows);
    tw_status status = find_stage(ladder, kernel, &stage, error);
    if (status != TW_OK)
        return status;
    struct tw_configuration configuration;
    const struct tw_preset *preset;
    if (!tw_description_preset(stage->bench.problem.description, rung->preset,
                               &configuration.implementation, &preset))
        return tw_fail(error, TW_BAD_DESCRIPTION, "the kernel %s has no preset %s for the ladder",
                       kernel, rung->preset);
    memcpy(configuration.values, preset->values, sizeof configuration.values);
    return settle(step, measure(stage, &configuration, step, error), error);
}

/* The top: what an application would get, when that was tuned. */
static tw_status climb_to_stored(struct ladder *ladder, struct tw_error *error) {
    struct tw_catalogue *catalogue = NULL;
    struct tw_selection selection = {0};
    struct stage *stage;
    const struct tw_query query = {
        .problem = &ladder->problem, .device = &ladder->device, .cache = ladder->arguments->cache};
    tw_status status = subject_catalogue(ladder->arguments, &catalogue, error);
    if (status == TW_OK) {
        struct tw_query with = query;
        with.catalogue = catalogue;
        status = tw_select(&with, &selection, error);
    }
    if (status == TW_OK && selection.row != NULL) {
        struct step *step = add_step(ladder, ladder->description->kernel, "stored",
                                     tw_selection_text(selection.rule));
        status = find_stage(ladder, ladder->description->kernel, &stage, error);
        if (status == TW_OK)
            status = settle(step, measure(stage, &selection.configuration, step, error), error);
    }
    tw_catalogue_free(catalogue);
    return status;
}

static tw_status measure_copy(struct ladder *ladder, struct tw_error *error) {
    struct stage *stage;
    double seconds = 0;
    tw_status status = find_stage(ladder, ladder->description->kernel, &stage, error);
    if (status != TW_OK || stage->work.flops > 0)
        return status;
    status = timing_copy(&stage->workload, stage->work.bytes, &seconds, error);
    ladder->copy_us = seconds * 1e6;
    ladder->copy_rate = seconds > 0 ? stage->work.bytes / seconds * 1e-9 : 0;
    return status;
}

/* ---- Telling ---- */

/* Gains are between rungs of the ladder's own kernel: others do another job. */
static const struct step *own_before(const struct ladder *ladder, int i) {
    while (--i >= 0)
        if (strcmp(ladder->steps[i].kernel, ladder->description->kernel) == 0 &&
            ladder->steps[i].failure.message[0] == '\0')
            return &ladder->steps[i];
    return NULL;
}

static const struct step *own_first(const struct ladder *ladder, int before) {
    const struct step *first = NULL;
    for (const struct step *step; (step = own_before(ladder, before)) != NULL;
         before = (int)(step - ladder->steps))
        first = step;
    return first;
}

static double gain_over(const struct step *step, const struct step *base) {
    return base != NULL ? base->single.time_us / step->single.time_us : 0;
}

static bool is_own(const struct ladder *ladder, const struct step *step) {
    return strcmp(step->kernel, ladder->description->kernel) == 0;
}

static void print_gain(double gain) {
    char text[16] = "";
    if (gain > 0)
        snprintf(text, sizeof text, "%.2fx", gain);
    printf(" %9s", text);
}

static void print_step(const struct ladder *ladder, int i) {
    const struct step *step = &ladder->steps[i];
    char name[2 * TW_NAME_SIZE], time[32], rate[48], share[16] = "";
    snprintf(name, sizeof name, "%s%s%s", is_own(ladder, step) ? "" : step->kernel,
             is_own(ladder, step) ? "" : " ", step->name);
    if (step->failure.message[0] != '\0') {
        printf("  %-26s %s\n", name, step->failure.message);
        return;
    }
    report_time(step->single.time_us, time);
    snprintf(rate, sizeof rate, "%.4g %s", step->rate, step->rate_unit);
    if (ladder->copy_rate > 0)
        snprintf(share, sizeof share, "%.1f%%", 100 * step->rate / ladder->copy_rate);
    printf("  %-26s %10s %14s %8s", name, time, rate, share);
    print_gain(is_own(ladder, step) ? gain_over(step, own_before(ladder, i)) : 0);
    print_gain(is_own(ladder, step) ? gain_over(step, own_first(ladder, i)) : 0);
    printf("   %s\n", step->shows);
}

static void print_table(const struct ladder *ladder) {
    char key[TW_PROBLEM_KEY_SIZE];
    tw_problem_key(&ladder->problem, key);
    printf("%s %s on %s (%s), %s caches\n", ladder->description->kernel, key, ladder->device.name,
           ladder->device.id, ladder->arguments->cache);
    if (ladder->copy_rate > 0) {
        char time[32];
        report_time(ladder->copy_us, time);
        printf("  a device-to-device copy of the bytes takes %s, %.4g GB/s\n", time,
               ladder->copy_rate);
    }
    printf("  %-26s %10s %14s %8s %9s %9s   %s\n", "rung", "time", "rate",
           ladder->copy_rate > 0 ? "of copy" : "", "gain", "in all", "shows");
    for (int i = 0; i < ladder->count; i++)
        print_step(ladder, i);
}

static cJSON *step_json(const struct ladder *ladder, int i) {
    const struct step *step = &ladder->steps[i];
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "kernel", step->kernel);
    cJSON_AddStringToObject(json, "name", step->name);
    cJSON_AddStringToObject(json, "shows", step->shows);
    if (step->failure.message[0] != '\0') {
        cJSON_AddStringToObject(json, "failure", step->failure.message);
        return json;
    }
    cJSON_AddNumberToObject(json, "time_us", step->single.time_us);
    cJSON_AddNumberToObject(json, "rate", step->rate);
    cJSON_AddStringToObject(json, "rate_unit", step->rate_unit);
    cJSON_AddNumberToObject(json, "max_rel_error", step->single.accuracy.max_rel_error);
    if (ladder->copy_rate > 0)
        cJSON_AddNumberToObject(json, "share_of_copy", step->rate / ladder->copy_rate);
    if (is_own(ladder, step) && own_before(ladder, i) != NULL) {
        cJSON_AddNumberToObject(json, "gain", gain_over(step, own_before(ladder, i)));
        cJSON_AddNumberToObject(json, "total_gain", gain_over(step, own_first(ladder, i)));
    }
    return json;
}

static void print_json(const struct ladder *ladder) {
    char key[TW_PROBLEM_KEY_SIZE];
    tw_problem_key(&ladder->problem, key);
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "kernel", ladder->description->kernel);
    cJSON_AddStringToObject(json, "problem", key);
    cJSON_AddStringToObject(json, "device", ladder->device.id);
    cJSON_AddStringToObject(json, "device_name", ladder->device.name);
    if (ladder->copy_rate > 0)
        cJSON_AddNumberToObject(json, "copy_gb_per_s", ladder->copy_rate);
    cJSON *rungs = cJSON_AddArrayToObject(json, "rungs");
    for (int i = 0; i < ladder->count; i++)
        cJSON_AddItemToArray(rungs, step_json(ladder, i));
    char *text = cJSON_Print(json);
    if (text != NULL)
        puts(text);
    cJSON_free(text);
    cJSON_Delete(json);
}

static tw_status run(struct ladder *ladder, struct tw_error *error) {
    const struct tw_description *d = ladder->description;
    if (d->rung_count == 0)
        return tw_fail(error, TW_NOT_FOUND, "the kernel %s has no ladder", d->kernel);
    tw_status status = measure_copy(ladder, error);
    for (int i = 0; i < d->rung_count && status == TW_OK; i++)
        status = climb(ladder, &d->rungs[i], error);
    return status == TW_OK ? climb_to_stored(ladder, error) : status;
}

int command_ladder(int count, char **words) {
    struct arguments arguments;
    struct tw_error error;
    struct tw_description *description = NULL;
    struct ladder *ladder = calloc(1, sizeof *ladder);
    tw_status status = arguments_parse(&arguments, count, words, "stradcDCeJq", &error);
    if (status == TW_OK && arguments.help) {
        fputs(help, stdout);
    } else if (status == TW_OK && ladder == NULL) {
        status = tw_fail(&error, TW_NO_MEMORY, "out of memory");
    } else if (status == TW_OK) {
        ladder->arguments = &arguments;
        status =
            subject_single(&arguments, &description, &ladder->problem, &ladder->device, &error);
        ladder->description = description;
        if (status == TW_OK)
            status = run(ladder, &error);
        if (status == TW_OK && arguments.json)
            print_json(ladder);
        else if (status == TW_OK)
            print_table(ladder);
        for (int i = 0; i < ladder->stage_count; i++)
            close_stage(ladder->stages[i]);
    }
    free(ladder);
    tw_description_free(description);
    arguments_free(&arguments);
    return status == TW_OK ? EXIT_FINE : command_failed(status, &error);
}

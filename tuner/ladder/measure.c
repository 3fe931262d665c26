/* Measuring the rungs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/select/select.h"
#include "tuner/ladder/ladder.h"
#include "tuner/ladder/looped.h"
#include "tuner/measure/timing.h"
#include "tuner/measure/workload_create.h"

/* Rungs of one kernel share its data. */
struct ladder_stage {
    struct tw_description *description; /* NULL: the ladder's own, which is the problem's */
    struct testbed testbed;
    struct workload workload;
    struct tw_work work;
};

/* The same shape, and those of the attributes that the other kernel knows. */
static tw_status other_problem(const struct ladder *ladder, const struct tw_description *other,
                               struct tw_problem *problem, struct tw_error *error) {
    const struct tw_description *own = ladder->problem.description;
    char shape[TW_PROBLEM_KEY_SIZE], number[TW_NUMBER_SIZE];
    tw_problem_shape(&ladder->problem, shape);
    tw_status status = tw_problem_parse(problem, other, shape, error);
    for (int i = 0; i < own->attribute_count && status == TW_OK; i++)
        for (int j = 0; j < other->attribute_count && status == TW_OK; j++)
            if (strcmp(own->attributes[i].name, other->attributes[j].name) == 0)
                status = tw_problem_set(problem, other->attributes[j].name,
                                        tw_problem_attribute(&ladder->problem, i, number), error);
    return status;
}

static tw_status open_stage(const struct ladder *ladder, struct ladder_stage *stage,
                            const char *kernel, struct tw_error *error) {
    struct tw_problem problem = ladder->problem;
    tw_status status = TW_OK;
    if (strcmp(kernel, ladder->problem.description->kernel) != 0) {
        status = tw_description_builtin(&stage->description, kernel, error);
        if (status == TW_OK)
            status = other_problem(ladder, stage->description, &problem, error);
    }
    if (status == TW_OK)
        status = testbed_open(&stage->testbed, &ladder->device, &problem, NULL, error);
    if (status == TW_OK)
        status =
            tw_problem_work(&stage->testbed.problem, stage->testbed.values, &stage->work, error);
    if (status == TW_OK)
        status =
            workload_create(&stage->workload, &stage->testbed,
                            ladder->cache[0] == 'w' ? CACHE_WARM : CACHE_COLD, ladder->seed, error);
    return status;
}

static void close_stage(struct ladder_stage *stage) {
    workload_free(&stage->workload);
    testbed_close(&stage->testbed);
    tw_description_free(stage->description);
    free(stage);
}

static tw_status find_stage(struct ladder *ladder, const char *kernel, struct ladder_stage **out,
                            struct tw_error *error) {
    for (int i = 0; i < ladder->stage_count; i++) {
        *out = ladder->stages[i];
        if (strcmp((*out)->testbed.problem.description->kernel, kernel) == 0)
            return TW_OK;
    }
    if (ladder->stage_count == LADDER_MOST_KERNELS)
        return tw_fail(error, TW_INVALID, "a ladder of more than %d kernels", LADDER_MOST_KERNELS);
    struct ladder_stage *stage = calloc(1, sizeof *stage);
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

static struct ladder_step *add_step(struct ladder *ladder, const char *kernel, const char *name,
                                    const char *shows) {
    struct ladder_step *step = &ladder->steps[ladder->count++];
    *step = (struct ladder_step){.kernel = kernel, .name = name, .shows = shows};
    return step;
}

/* What this device or problem does not allow is told and passed over. */
static bool is_told(tw_status status) {
    return status == TW_INVALID || status == TW_RESOURCE;
}

static double rate_of(const struct ladder_stage *stage, double time_us, const char **unit) {
    return tw_work_rate(&stage->work, time_us * 1e-6, unit);
}

static tw_status measure_looped(struct ladder_stage *stage,
                                const struct tw_configuration *configuration,
                                struct ladder_step *step, struct tw_error *error) {
    step->passes = looped_passes(step->single.time_us);
    tw_status status = looped_measure(&stage->testbed, &stage->workload, configuration,
                                      step->passes, &step->looped, error);
    if (status == TW_OK) {
        step->looped_rate = rate_of(stage, step->looped.time_us, &step->rate_unit);
        return TW_OK;
    }
    /* That the rung itself compiles is known. */
    if (!is_told(status) && status != TW_COMPILE)
        return tw_fail_within(error, status, "%s %s with the loop inside", step->kernel,
                              step->name);
    step->looped_failure = *error;
    return TW_OK;
}

static tw_status measure(struct ladder_stage *stage, const struct tw_configuration *configuration,
                         struct ladder_step *step, struct tw_error *error) {
    tw_status status =
        in_process_measure(&stage->testbed, &stage->workload, configuration, &step->single, error);
    if (is_told(status)) {
        step->failure = *error;
        return TW_OK;
    }
    if (status != TW_OK)
        return status;
    step->rate = rate_of(stage, step->single.time_us, &step->rate_unit);
    return stage->work.flops == 0 ? measure_looped(stage, configuration, step, error) : TW_OK;
}

static tw_status climb(struct ladder *ladder, const struct tw_rung *rung, struct tw_error *error) {
    const char *kernel =
        rung->kernel[0] != '\0' ? rung->kernel : ladder->problem.description->kernel;
    struct ladder_stage *stage;
    struct ladder_step *step = add_step(ladder, kernel, rung->preset, rung->shows);
    tw_status status = find_stage(ladder, kernel, &stage, error);
    if (status != TW_OK)
        return status;
    struct tw_configuration configuration;
    const struct tw_preset *preset;
    if (!tw_description_preset(stage->testbed.problem.description, rung->preset,
                               &configuration.implementation, &preset))
        return tw_fail(error, TW_BAD_DESCRIPTION, "the kernel %s has no preset %s for the ladder",
                       kernel, rung->preset);
    memcpy(configuration.values, preset->values, sizeof configuration.values);
    return measure(stage, &configuration, step, error);
}

/* The top: what an application would get, when that was tuned. */
static tw_status climb_to_stored(struct ladder *ladder, struct tw_error *error) {
    struct tw_selection selection;
    const char *kernel = ladder->problem.description->kernel;
    const struct tw_query query = {.catalogue = ladder->catalogue,
                                   .problem = &ladder->problem,
                                   .device = &ladder->device,
                                   .cache = ladder->cache};
    tw_status status = tw_select(&query, &selection, error);
    if (status != TW_OK || selection.row == NULL)
        return status;
    struct ladder_stage *stage;
    struct ladder_step *step =
        add_step(ladder, kernel, "stored", tw_selection_text(selection.rule));
    status = find_stage(ladder, kernel, &stage, error);
    return status == TW_OK ? measure(stage, &selection.configuration, step, error) : status;
}

static tw_status measure_copy(struct ladder *ladder, struct tw_error *error) {
    struct ladder_stage *stage;
    tw_status status = find_stage(ladder, ladder->problem.description->kernel, &stage, error);
    if (status != TW_OK || stage->work.flops > 0)
        return status;
    status = timing_copy(&stage->workload, stage->work.bytes, &ladder->copy_us, error);
    ladder->copy_rate = ladder->copy_us > 0 ? stage->work.bytes / ladder->copy_us * 1e-3 : 0;
    return status;
}

tw_status ladder_measure(struct ladder *ladder, struct tw_error *error) {
    const struct tw_description *d = ladder->problem.description;
    if (d->rung_count == 0)
        return tw_fail(error, TW_NOT_FOUND, "the kernel %s has no ladder", d->kernel);
    tw_status status = measure_copy(ladder, error);
    for (int i = 0; i < d->rung_count && status == TW_OK; i++)
        status = climb(ladder, &d->rungs[i], error);
    return status == TW_OK ? climb_to_stored(ladder, error) : status;
}

void ladder_free(struct ladder *ladder) {
    for (int i = 0; i < ladder->stage_count; i++)
        close_stage(ladder->stages[i]);
    ladder->stage_count = 0;
}

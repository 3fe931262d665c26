/* Everything that is evaluated, over many problems on every modelled device: what problems,
 * launches and presets need, and random configurations. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "runtime/description/accuracy.h"
#include "runtime/backend/devices.h"
#include "runtime/description/configuration.h"
#include "runtime/variant/geometry.h"
#include "tuner/lint/expressions.h"
#include "tuner/lint/passes.h"
#include "tuner/lint/models.h"

enum { RANDOM_CONFIGURATIONS = 16, WHERE_SIZE = 256 };

/* A configuration under bound values. */
struct point {
    struct lint_run *run;
    const struct tw_implementation *implementation;
    const char *preset; /* NULL: a random one */
    struct tw_configuration configuration;
    int64_t values[TW_MAX_SYMBOLS];
    char place[WHERE_SIZE]; /* "implementations.NAME" */
};

/* What the whole look has seen of presets and implementations: a bit each. */
struct seen {
    uint64_t presets[TW_MAX_IMPLEMENTATIONS]; /* valid for some problem */
    bool implementations[TW_MAX_IMPLEMENTATIONS];
};

static void blame(struct point *point, enum lint_kind kind, const char *part, const void *about,
                  const char *message) {
    char where[2 * WHERE_SIZE];
    snprintf(where, sizeof where, "%s%s%s", point->place, part[0] != '\0' ? "." : "", part);
    if (point->preset != NULL)
        lint_add(point->run, kind, where, about, "%s, with the preset %s", message, point->preset);
    else
        lint_add(point->run, kind, where, about, "%s", message);
}

/* Evaluates; when that fails, says so and returns false. */
static bool evaluate(struct point *point, const char *part, const struct tw_expression *expression,
                     int64_t *result) {
    char message[TW_ERROR_SIZE];
    enum tw_evaluation outcome = tw_expression_evaluate(expression, point->values, result);
    if (outcome == TW_EVALUATED)
        return true;
    snprintf(message, sizeof message, "\"%.600s\" %s", tw_expression_text(expression),
             tw_evaluation_text(outcome));
    blame(point, LINT_ERROR, part, expression, message);
    return false;
}

/* ---- What a launch is given ---- */

/* Integers are passed as int. */
static void check_passed(struct point *point, const struct tw_launch_description *launch,
                         const char *part) {
    for (int i = 0; i < launch->passed_count; i++) {
        int slot = launch->passed[i].index;
        int64_t value = point->values[slot];
        if (launch->passed[i].kind != TW_PASS_SLOT ||
            (value <= INT32_MAX && value >= -INT32_MAX - INT64_C(1)))
            continue;
        char message[128];
        const struct tw_symbols *symbols = point->implementation != NULL
                                               ? point->implementation->symbols
                                               : &point->run->description->symbols;
        snprintf(message, sizeof message,
                 "%s is passed as an int, and %" PRId64 " does not fit one", symbols->names[slot],
                 value);
        blame(point, LINT_ERROR, part, &launch->passed[i], message);
    }
}

struct launch_check {
    struct point *point;
    const char *part;
    bool good;
};

static void check_expression(void *context, const struct tw_expression *expression) {
    struct launch_check *check = context;
    int64_t result;
    check->good &= evaluate(check->point, check->part, expression, &result);
}

static bool check_launch(struct point *point, const struct tw_launch_description *launch,
                         const char *part) {
    struct launch_check check = {point, part, true};
    lint_each_of_launch(launch, check_expression, &check);
    check_passed(point, launch, part);
    return check.good;
}

/* ---- Configurations ---- */

/* Whether all constraints hold. One that cannot be evaluated is told where no other fails. */
static bool allowed(struct point *point, struct tw_error *reason) {
    const struct tw_implementation *in = point->implementation;
    const struct tw_expression *broken = NULL;
    for (int i = 0; i < in->constraint_count; i++) {
        int64_t holds = 0;
        enum tw_evaluation outcome =
            tw_expression_evaluate(in->constraints[i], point->values, &holds);
        if (outcome != TW_EVALUATED) {
            broken = broken == NULL ? in->constraints[i] : broken;
        } else if (holds == 0) {
            tw_fail(reason, TW_INVALID, "the constraint \"%s\" does not hold",
                    tw_expression_text(in->constraints[i]));
            return false;
        }
    }
    int64_t result;
    return broken == NULL || evaluate(point, "constraints", broken, &result);
}

static bool check_bytes(struct point *point, const char *what,
                        const struct tw_expression *expression) {
    int64_t bytes = 0;
    if (expression == NULL)
        return true;
    if (!evaluate(point, what, expression, &bytes))
        return false;
    if (bytes < 0)
        blame(point, LINT_ERROR, what, point->implementation, "is negative");
    return bytes >= 0;
}

/* What parameters are to be where nothing was tuned must be among their values. */
static bool check_untuned(struct point *point) {
    const struct tw_implementation *in = point->implementation;
    char part[TW_NAME_SIZE + 32], message[TW_ERROR_SIZE];
    bool good = true;
    for (int i = 0; i < in->parameter_count; i++) {
        const struct tw_parameter *p = &in->parameters[i];
        int64_t value = 0;
        snprintf(part, sizeof part, "parameters.%s.untuned", p->name);
        if (p->untuned_of == NULL)
            continue;
        if (!evaluate(point, part, p->untuned_of, &value)) {
            good = false;
        } else if (!tw_parameter_has(p, value)) {
            snprintf(message, sizeof message, "\"%.600s\" is %" PRId64 ", which is no value of it",
                     tw_expression_text(p->untuned_of), value);
            blame(point, LINT_ERROR, part, p->untuned_of, message);
            good = false;
        }
    }
    return good;
}

/* Defines, redundancies, memory and launches, where the constraints hold. */
static bool usable(struct point *point) {
    const struct tw_implementation *in = point->implementation;
    int64_t result = 0;
    char part[32];
    bool good = true;
    for (int i = 0; i < in->define_count && good; i++) {
        good = evaluate(point, "defines", in->defines[i].expression, &result);
        point->values[in->defines[i].slot] = result;
    }
    if (!good)
        return false;
    for (int i = 0; i < in->redundant_count; i++)
        good &= evaluate(point, "redundant", in->redundant[i], &result);
    good &= check_untuned(point);
    for (int i = 0; i < in->launch_count; i++) {
        snprintf(part, sizeof part, "launches[%d]", i);
        good &= check_launch(point, &in->launches[i], part);
    }
    if (in->flops != NULL) {
        good &= evaluate(point, "flops", in->flops, &result);
        if (good && result < 0)
            blame(point, LINT_ERROR, "flops", in, "are negative");
    }
    good &= check_bytes(point, "workspace", in->workspace);
    return check_bytes(point, "counters", in->counters) && good;
}

/* Whether it can be run; if a constraint or the device is what it breaks, `reason` says so. */
static bool look(struct point *point, struct tw_error *reason) {
    const struct tw_implementation *in = point->implementation;
    point->run->lint->configurations++;
    *reason = (struct tw_error){0};
    for (int i = 0; i < in->parameter_count; i++)
        point->values[in->parameters[i].slot] = point->configuration.values[i];
    return allowed(point, reason) && usable(point) &&
           tw_implementation_fits(in, point->values, point->run->device, reason) == TW_OK;
}

static struct point point_of(struct lint_run *run, int implementation, const int64_t *values) {
    struct point point = {.run = run,
                          .implementation = &run->description->implementations[implementation],
                          .configuration = {.implementation = implementation}};
    memcpy(point.values, values, sizeof point.values);
    snprintf(point.place, sizeof point.place, "implementations.%s", point.implementation->name);
    return point;
}

/* Grids end somewhere, and so do the problems that a simple kernel is for. */
static struct tw_device_info without_grid_limits(const struct tw_device_info *device) {
    struct tw_device_info endless = *device;
    for (int i = 0; i < 3; i++)
        endless.max_grid[i] = UINT32_MAX;
    return endless;
}

static bool fits_but_for_grid(const struct point *point) {
    const struct tw_device_info endless = without_grid_limits(point->run->device);
    return tw_implementation_fits(point->implementation, point->values, &endless, NULL) == TW_OK;
}

static void look_at_preset(struct lint_run *run, int implementation, const struct tw_preset *preset,
                           const int64_t *values, bool *valid) {
    const struct tw_implementation *in = &run->description->implementations[implementation];
    struct point point = point_of(run, implementation, values);
    struct tw_error reason;
    point.preset = preset->name;
    memcpy(point.configuration.values, preset->values, sizeof point.configuration.values);
    *valid = look(&point, &reason);
    if (*valid || strcmp(preset->name, "default") != 0 || reason.message[0] == '\0')
        return;
    char where[2 * WHERE_SIZE];
    snprintf(where, sizeof where, "%s.presets.default", point.place);
    if (reason.status == TW_RESOURCE && fits_but_for_grid(&point))
        lint_add(run, LINT_WARNING, where, in->launches, "does not fit: %s", reason.message);
    else
        lint_add(run, LINT_ERROR, where, preset,
                 "must be valid for every problem on every device, and is not: %s", reason.message);
}

static void look_at_random(struct lint_run *run, int implementation, const int64_t *values,
                           uint64_t *random, bool *valid) {
    const struct tw_implementation *in = &run->description->implementations[implementation];
    for (int n = 0; n < RANDOM_CONFIGURATIONS; n++) {
        struct point point = point_of(run, implementation, values);
        struct tw_error reason;
        for (int i = 0; i < in->parameter_count; i++)
            point.configuration.values[i] =
                in->parameters[i].values[lint_random(random) % (uint32_t)in->parameters[i].count];
        *valid |= look(&point, &reason);
    }
}

/* Whether the implementation's requirements hold, whatever its launches need. */
static bool runs_on(const struct tw_implementation *in, const struct tw_device_info *device) {
    struct tw_implementation bare = *in;
    bare.launch_count = 0;
    return tw_implementation_fits(&bare, NULL, device, NULL) == TW_OK;
}

static void look_at_implementation(struct lint_run *run, int index, const int64_t *values,
                                   uint64_t *random, struct seen *seen) {
    const struct tw_implementation *in = &run->description->implementations[index];
    bool runs = runs_on(in, run->device);
    for (int p = 0; p < in->preset_count; p++) {
        bool valid = false;
        bool is_default = strcmp(in->presets[p].name, "default") == 0;
        if (!runs && is_default)
            lint_add(run, LINT_ERROR, "implementations", &in->presets[p],
                     "the preset default is of %s, which does not run on every device", in->name);
        if (!runs)
            continue;
        look_at_preset(run, index, &in->presets[p], values, &valid);
        seen->presets[index] |= (uint64_t)valid << p;
        seen->implementations[index] |= valid;
    }
    if (runs)
        look_at_random(run, index, values, random, &seen->implementations[index]);
}

/* ---- Problems ---- */

/* What the description says of the problem itself. */
static bool look_at_problem(struct lint_run *run, const int64_t *values) {
    const struct tw_description *d = run->description;
    struct point point = {.run = run};
    struct tw_error error;
    struct tw_work work;
    struct tw_geometry geometry;
    int64_t result = 1;
    memcpy(point.values, values, sizeof point.values);
    for (int i = 0; i < d->argument_count; i++) {
        struct tw_extent extent;
        if (d->arguments[i].kind == TW_ARGUMENT_BUFFER &&
            tw_problem_extent(run->problem, i, values, &extent, &error) != TW_OK) {
            lint_add(run, LINT_ERROR, "arguments", &d->arguments[i], "%s", error.message);
            return false;
        }
    }
    if (tw_problem_work(run->problem, values, &work, &error) != TW_OK)
        lint_add(run, LINT_ERROR, "work", d->flops, "%s", error.message);
    else if (work.flops < 0 || work.bytes < 0 || (work.flops == 0 && work.bytes == 0))
        lint_add(run, LINT_ERROR, "work", d->bytes,
                 "flops %.0f and bytes %.0f are nothing that a call can be rated by", work.flops,
                 work.bytes);
    strcpy(point.place, "tolerance");
    if (d->growth != NULL && evaluate(&point, "growth", d->growth, &result) && result < 1)
        blame(&point, LINT_ERROR, "growth", d, "is below 1");
    strcpy(point.place, "reference");
    if (check_launch(&point, &d->reference, "") &&
        tw_geometry_of(&d->reference, values, run->device, &geometry, &error) != TW_OK) {
        const struct tw_device_info endless = without_grid_limits(run->device);
        bool is_grid = tw_geometry_of(&d->reference, values, &endless, &geometry, NULL) == TW_OK;
        lint_add(run, is_grid ? LINT_WARNING : LINT_ERROR, "reference",
                 is_grid ? (const void *)&d->reference : d, "does not fit: %s", error.message);
    }
    if (d->accuracy != NULL) {
        strcpy(point.place, "accuracy.plain");
        if (check_launch(&point, &d->accuracy->plain, "") &&
            tw_geometry_of(&d->accuracy->plain, values, run->device, &geometry, &error) != TW_OK)
            lint_add(run, LINT_ERROR, "accuracy.plain", d->accuracy, "does not fit: %s",
                     error.message);
        strcpy(point.place, "accuracy.bounds");
        for (int i = 0; i < d->accuracy->bound_count; i++)
            evaluate(&point, "when", d->accuracy->bounds[i].when, &result);
    }
    strcpy(point.place, "fallback");
    for (int i = 0; i < d->fallback_count; i++)
        evaluate(&point, "when", d->fallbacks[i].when, &result);
    return true;
}

/* With strides as they are by default, or each a few elements longer. */
static tw_status bind(const struct tw_problem *problem, const struct tw_device_info *device,
                      int64_t longer, int64_t *values, struct tw_error *error) {
    const struct tw_description *d = problem->description;
    int64_t slots[TW_DEVICE_SLOTS], strides[TW_MAX_ARGUMENTS] = {0};
    tw_device_values(device, slots);
    tw_status status = tw_problem_bind(problem, slots, NULL, values, error);
    if (status != TW_OK || longer == 0)
        return status;
    for (int i = 0; i < d->argument_count; i++) {
        const int64_t dense = tw_problem_stride(problem, i, values);
        if (dense > 0 && dense <= INT32_MAX - longer)
            strides[i] = values[d->arguments[i].slot] = dense + longer;
    }
    return tw_problem_bind(problem, slots, strides, values, error);
}

static void look_at(struct lint_run *run, int number, struct seen *seen) {
    const struct tw_description *d = run->description;
    int64_t values[TW_MAX_SYMBOLS];
    struct tw_error error;
    uint64_t random = (uint64_t)number;
    if (!lint_plausible(run->problem, NULL))
        return;
    tw_status status =
        bind(run->problem, run->device, number % 4 == 3 ? 1 + number % 5 : 0, values, &error);
    /* What was bound until it failed is enough, or 0. */
    if (!lint_plausible(run->problem, values))
        return;
    if (status != TW_OK) {
        lint_add(run, LINT_ERROR, "problem", d, "%s", error.message);
        return;
    }
    if (!look_at_problem(run, values))
        return;
    run->lint->problems++;
    for (int i = 0; i < d->implementation_count; i++)
        look_at_implementation(run, i, values, &random, seen);
}

static void tell_unseen(struct lint_run *run, const struct seen *seen) {
    const struct tw_description *d = run->description;
    char where[WHERE_SIZE];
    for (int i = 0; i < d->implementation_count; i++) {
        const struct tw_implementation *in = &d->implementations[i];
        snprintf(where, sizeof where, "implementations.%s", in->name);
        if (!seen->implementations[i])
            lint_add(run, LINT_WARNING, where, in,
                     "no configuration was valid for any of the problems tried");
        for (int p = 0; p < in->preset_count && seen->implementations[i]; p++)
            if ((seen->presets[i] >> p & 1) == 0)
                lint_add(run, LINT_WARNING, where, &in->presets[p],
                         "the preset %s was valid for none of the problems tried",
                         in->presets[p].name);
    }
}

void lint_rules(struct lint_run *run) {
    struct seen seen = {{0}, {false}};
    for (int i = 0; i < LINT_DEVICES; i++) {
        struct tw_problem problem;
        run->device = &lint_devices[i];
        run->problem = &problem;
        for (int n = 0; lint_problem(run->description, n, &problem); n++) {
            /* With the least alignment that every type here has, now and then. */
            problem.alignment = n % 3 == 2 ? 8 : 0;
            if (tw_problem_refusal(&problem) == NULL)
                look_at(run, n, &seen);
        }
    }
    run->device = NULL;
    run->problem = NULL;
    tell_unseen(run, &seen);
}

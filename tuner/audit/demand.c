#include "tuner/audit/demand.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/backend/devices.h"
#include "runtime/predict/estimate.h"

/* Of what was chosen without a prediction so much may be saved. */
static const double UNPREDICTED_GAIN = 0.5;
/* And so much of what a search that was interrupted has found so far. */
static const double UNFINISHED_GAIN = 0.2;
/* Problems that bring no more than this together get no time. */
static const double NEGLIGIBLE = 0.01;

double wanted_launches(const struct wanted *wanted) {
    return (double)wanted->launches + (double)wanted->refused;
}

static tw_status add(struct demand *demand, const struct wanted *wanted, struct tw_error *error) {
    struct wanted *all = realloc(demand->all, (size_t)(demand->count + 1) * sizeof *all);
    if (all == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    demand->all = all;
    all[demand->count] = *wanted;
    all[demand->count].place = demand->count;
    demand->count++;
    return TW_OK;
}

tw_status demand_add(struct demand *demand, const struct tw_problem *problem,
                     struct tw_error *error) {
    return add(demand, &(struct wanted){.problem = *problem, .launches = 1}, error);
}

static tw_status read_problem(const struct asked *asked, const struct known_kernels *known,
                              struct tw_problem *problem, struct tw_error *error) {
    const struct known_kernel *kernel = known_kernels_find(known, asked->kernel);
    if (kernel == NULL)
        return tw_fail(error, TW_NOT_FOUND,
                       "no kernel %.48s is known; its description can be given with --config FILE",
                       asked->kernel);
    char attributes[512];
    tw_status status = tw_problem_parse(problem, kernel->description, asked->shape, error);
    snprintf(attributes, sizeof attributes, "%s", asked->attributes);
    char *rest = attributes;
    for (char *word; status == TW_OK && (word = strsep(&rest, ",")) != NULL;) {
        char *equals = strchr(word, '=');
        if (word[0] == '\0')
            continue;
        if (equals == NULL)
            return tw_fail(error, TW_INVALID, "\"%.60s\" is no attribute NAME=WORD", word);
        *equals = '\0';
        status = tw_problem_set(problem, word, equals + 1, error);
    }
    return status;
}

tw_status demand_add_log(struct demand *demand, const struct asked_log *log, const char *path,
                         const char *kernel, const struct known_kernels *known,
                         struct tw_error *error) {
    tw_status status = TW_OK;
    for (int i = 0; i < log->count && status == TW_OK; i++) {
        const struct asked *asked = &log->all[i];
        struct tw_error why;
        struct wanted wanted = {.launches = asked->launches,
                                .refused = asked->refused,
                                .expected_us = asked->expected_us};
        if (kernel != NULL && strcmp(asked->kernel, kernel) != 0)
            continue;
        tw_status read = read_problem(asked, known, &wanted.problem, &why);
        if (read == TW_NO_MEMORY)
            return tw_fail(error, TW_NO_MEMORY, "out of memory");
        if (read == TW_OK)
            status = add(demand, &wanted, error);
        else if (demand->unknown++ == 0)
            snprintf(demand->first_unknown, sizeof demand->first_unknown, "%.300s:%d: %.600s", path,
                     asked->line, why.message);
    }
    return status;
}

void demand_free(struct demand *demand) {
    free(demand->all);
    *demand = (struct demand){0};
}

/* ---- What to expect ---- */

/* 0 where it cannot be worked out. */
static double estimate(const struct wanted *w, const struct tw_device_info *device) {
    int64_t slots[TW_DEVICE_SLOTS], values[TW_MAX_SYMBOLS];
    struct tw_features features;
    struct tw_estimate estimate;
    const struct tw_configuration *configuration = &w->selection.configuration;
    tw_device_values(device, slots);
    if (tw_problem_bind(&w->problem, slots, NULL, values, NULL) != TW_OK ||
        tw_configuration_bind(w->problem.description, configuration, values, NULL) != TW_OK ||
        tw_features_of(&w->problem, configuration, values, device, 0, &features, NULL) != TW_OK)
        return 0;
    tw_estimate_of(&features, device, &estimate);
    return tw_estimate_total(&estimate);
}

static void expect(struct wanted *w, const struct tw_device_info *device) {
    const struct tw_selection *s = &w->selection;
    bool exact = s->rule == TW_SELECTED_EXACT, tuned = exact && !s->row->provisional;
    if (exact)
        w->expected_us = s->row->time_us;
    else if (s->predicted_us > 0)
        w->expected_us = s->predicted_us;
    else if (!(w->expected_us > 0)) {
        w->expected_us = estimate(w, device);
        w->estimated = true;
    }
    /* What is one standard deviation better is what a search can be hoped to find. */
    double share = tuned                 ? 0
                   : exact               ? UNFINISHED_GAIN
                   : s->predicted_us > 0 ? 1 - exp(-s->uncertainty)
                                         : UNPREDICTED_GAIN;
    w->gain_us = wanted_launches(w) * w->expected_us * share;
}

tw_status demand_expect(struct demand *demand, const struct tw_catalogue *catalogue,
                        const struct tw_device_info *device, const char *cache,
                        struct tw_error *error) {
    tw_status status = TW_OK;
    int kept = 0;
    for (int i = 0; i < demand->count; i++) {
        struct wanted *w = &demand->all[i];
        struct tw_error why;
        const struct tw_query query = {
            .catalogue = catalogue, .problem = &w->problem, .device = device, .cache = cache};
        status = tw_select(&query, &w->selection, &why);
        if (status == TW_NO_MEMORY)
            return tw_fail(error, TW_NO_MEMORY, "out of memory");
        if (status != TW_OK) {
            if (demand->unknown++ == 0)
                snprintf(demand->first_unknown, sizeof demand->first_unknown, "%.1000s",
                         why.message);
            continue;
        }
        expect(w, device);
        demand->all[kept++] = *w;
    }
    demand->count = kept;
    return TW_OK;
}

static int by_gain(const void *a, const void *b) {
    const struct wanted *one = a, *other = b;
    if (one->gain_us != other->gain_us)
        return one->gain_us > other->gain_us ? -1 : 1;
    return one->place - other->place;
}

void demand_sort(struct demand *demand) {
    if (demand->count > 0)
        qsort(demand->all, (size_t)demand->count, sizeof *demand->all, by_gain);
}

int demand_split(const struct wanted *all, int count, double budget, double least, double *shares) {
    double sum = 0, covered = 0;
    int chosen = 0;
    for (int i = 0; i < count; i++)
        sum += all[i].gain_us;
    while (chosen < count && all[chosen].gain_us > 0 && (chosen + 1) * least <= budget &&
           covered < (1 - NEGLIGIBLE) * sum)
        covered += all[chosen++].gain_us;
    if (chosen == 0 && count > 0 && all[0].gain_us > 0) {
        shares[0] = budget;
        return 1;
    }
    for (int i = 0; i < chosen; i++)
        shares[i] = least + (budget - chosen * least) * all[i].gain_us / covered;
    return chosen;
}

#include "tuner/model/check.h"

#include <math.h>
#include <stdlib.h>

#include "runtime/backend/devices.h"
#include "tuner/model/both_forests.h"
#include "tuner/statistics/correlation.h"
#include "tuner/statistics/statistics.h"

/* What the model's forests say of each sample; infinite where they say nothing. */
static void predict_samples(const struct model_samples *s, const struct tw_model *model,
                            double *predicted, double *beside) {
    for (int i = 0; i < s->count; i++) {
        const struct sample *sample = &s->all[i];
        int64_t slots[TW_DEVICE_SLOTS], values[TW_MAX_SYMBOLS];
        struct tw_features features;
        struct tw_estimate estimate;
        double vector[TW_MODEL_MAX_FEATURES];
        const struct tw_problem *problem = &s->problems[sample->problem].problem;
        const struct tw_configuration *configuration =
            &s->configurations[sample->configuration].configuration;
        tw_device_values(s->device, slots);
        predicted[i] = INFINITY;
        if (tw_problem_bind(problem, slots, NULL, values, NULL) != TW_OK ||
            tw_configuration_bind(s->description, configuration, values, NULL) != TW_OK ||
            tw_features_of(problem, configuration, values, s->device, 0, &features, NULL) != TW_OK)
            continue;
        tw_estimate_of(&features, s->device, &estimate);
        struct tw_model_view view;
        tw_model_look(model, problem->description, configuration->implementation, &view);
        tw_model_vector(model, &view, problem, configuration, &features, &estimate, vector);
        const int kind = tw_model_kind(model, problem);
        predicted[i] = tw_model_predict(model, kind, vector, &estimate);
        beside[i] = tw_model_predict_beside(model, kind, vector);
    }
}

/* `room` is for 6 values a sample. */
static struct agreement agreement_on(const struct model_samples *s, int problem,
                                     const double *predicted, double *room) {
    size_t count = 0, n = (size_t)s->count;
    double *measured = room, *by_model = room + n, *by_estimate = room + 2 * n;
    for (int i = 0; i < s->count; i++) {
        if (s->all[i].problem != problem || !isfinite(predicted[i]))
            continue;
        measured[count] = s->all[i].time_us;
        by_model[count] = predicted[i];
        by_estimate[count++] = s->all[i].estimate_us;
    }
    return (struct agreement){.problem = problem,
                              .trials = (int)count,
                              .model = correlation_ranks(measured, by_model, count, room + 3 * n),
                              .estimate =
                                  correlation_ranks(measured, by_estimate, count, room + 3 * n)};
}

static double middle(const struct check_report *report, bool of_model, double *room) {
    size_t count = (size_t)report->count;
    for (size_t i = 0; i < count; i++)
        room[i] = of_model ? report->agreements[i].model : report->agreements[i].estimate;
    if (count == 0)
        return 0;
    statistics_sort(room, count);
    return statistics_median(room, count);
}

tw_status check_model(const struct model_samples *s, const struct tw_model *model,
                      struct check_report *report, struct tw_error *error) {
    struct model_choice choice;
    double *predicted = calloc((size_t)s->count + 1, sizeof *predicted);
    double *beside = calloc((size_t)s->count + 1, sizeof *beside);
    double *room = calloc(6 * (size_t)s->count + 1, sizeof *room);
    bool *chosen = calloc((size_t)s->count + 1, sizeof *chosen);
    *report = (struct check_report){0};
    report->agreements = calloc((size_t)s->problem_count + 1, sizeof *report->agreements);
    tw_status status = model_choose(&choice, s, NULL, error);
    if (predicted == NULL || beside == NULL || room == NULL || chosen == NULL ||
        report->agreements == NULL)
        status = tw_fail(error, TW_NO_MEMORY, "out of memory");
    if (status == TW_OK) {
        predict_samples(s, model, predicted, beside);
        for (int i = 0; i < s->count; i++)
            chosen[i] = model_chooses(&choice, choice.of_problem[s->all[i].problem],
                                      s->all[i].configuration);
        /* Where there is one forest alone it changes no order, which is all that is asked about. */
        status = both_join(s, chosen, beside, predicted, error);
    }
    if (status == TW_OK)
        status = regret_of(s, &choice, chosen, predicted, -1, &report->regret, error);
    for (int p = 0; p < s->problem_count && status == TW_OK; p++) {
        struct agreement agreement = agreement_on(s, p, predicted, room);
        if (agreement.trials >= CHECK_LEAST_TRIALS)
            report->agreements[report->count++] = agreement;
    }
    if (status == TW_OK) {
        report->model = middle(report, true, room);
        report->estimate = middle(report, false, room);
    }
    free(chosen);
    free(room);
    free(beside);
    free(predicted);
    model_choice_free(&choice);
    return status;
}

void check_report_free(struct check_report *report) {
    free(report->agreements);
    report->agreements = NULL;
}

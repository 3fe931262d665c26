#include "tuner/model/fit.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/backend/devices.h"
#include "tuner/model/boost.h"
#include "tuner/model/both_forests.h"
#include "tuner/model/choice.h"
#include "tuner/model/chosen_times.h"
#include "tuner/model/doubling.h"
#include "tuner/model/folds.h"
#include "tuner/model/mispredicted.h"
#include "tuner/model/objectives.h"
#include "tuner/model/places.h"
#include "tuner/model/trees_for.h"
#include "tuner/model/write_model.h"
#include "tuner/statistics/correlation.h"
#include "tuner/statistics/statistics.h"

enum { FOLDS = 5 };
/* A model's uncertainty is that of what is so near to the best. */
static const double NEAR_THE_BEST = 1.5;
/* What of a normal distribution is the standard deviation over the mean distance: a few trials that
 * are far off are not to say all. */
static const double OVER_MEAN_DISTANCE = 1.2533;
/* An implementation's own is joined by so many trials that err as an earlier model says of it, or
 * as all do: of a few of its own little can be said. */
static const double TRIALS_BEFORE = 20;
/* Nothing is surer than that, however well a few trials agree. */
static const double LEAST_UNCERTAINTY = 0.02;

struct fitting {
    const struct model_samples *samples;
    const struct model_choice *choice;
    double *wanted, *weights, *predicted; /* a sample; the last in microseconds */
    /* Likewise: the logarithm of how many times as long as the best it takes, measured and said.
     * The latter NULL: that has no forest. */
    double *longer, *beside;
    int *problems; /* of each sample */
    int *folds;    /* of each problem */
    bool *chosen;  /* each sample's configuration is, for its problem, by the others' */
};

/* What an earlier model is held to is no trial. */
static int trials_of(const struct model_samples *s) {
    return s->count - s->anchors;
}

/* What is added to an earlier model goes to both of its forests. */
static bool has_beside(const struct model_samples *s) {
    return !model_grows_on(s) && trials_are_many(trials_of(s));
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Of the problems of a kind; below 0: of all. */
static tw_status regret_of(const struct model_samples *s, const struct model_choice *choice,
                           const bool *chosen, const double *predicted, int kind,
                           struct regret *regret, struct tw_error *error) {
    size_t problems = (size_t)s->problem_count;
    double *time = calloc(problems + 1, sizeof *time);
    double *ratios = calloc(problems + 1, sizeof *ratios);
    *regret = (struct regret){.worst_problem = ""};
    tw_status status = time == NULL || ratios == NULL
                           ? tw_fail(error, TW_NO_MEMORY, "out of memory")
                           : chosen_times(s, chosen, predicted, time, error);
    double sum = 0;
    for (size_t i = 0; i < problems && status == TW_OK; i++) {
        if (time[i] == 0 || s->problems[i].only_teaches ||
            (kind >= 0 && choice->of_problem[i] != kind))
            continue;
        double ratio = time[i] / s->problems[i].best_us;
        if (ratio > regret->worst) {
            regret->worst = ratio;
            regret->worst_problem = s->problems[i].key;
        }
        ratios[regret->problems++] = ratio;
        sum += log(ratio);
    }
    if (regret->problems > 0) {
        qsort(ratios, (size_t)regret->problems, sizeof *ratios, compare);
        regret->mean = exp(sum / regret->problems);
        regret->p95 = ratios[(int)(0.95 * (regret->problems - 1) + 0.5)];
    }
    free(time);
    free(ratios);
    return status;
}

static const double *vector_of(const struct model_samples *s, int sample) {
    return &s->vectors[(size_t)sample * (size_t)s->shape.feature_count];
}

/* The estimate is folded into what is wanted, so it is given here as it stands. */
static double predict(const struct model_samples *s, const struct tw_model *model, int sample,
                      const double *vector) {
    const struct tw_estimate estimate = {.overhead = s->all[sample].estimate_us};
    return tw_model_predict(model, -1, vector, &estimate);
}

/* What trees say by themselves. */
static double sum_of(const struct tw_model *model, const double *vector) {
    static const struct tw_estimate none = {.overhead = 1};
    return log(tw_model_predict(model, -1, vector, &none));
}

/* What predictions are worth, in all and by kinds. */
static tw_status judge(const struct fitting *f, struct fit_report *report, bool model,
                       struct tw_error *error) {
    tw_status status = regret_of(f->samples, f->choice, f->chosen, f->predicted, -1,
                                 model ? &report->model : &report->estimate, error);
    for (int i = 0; i < report->kind_count && status == TW_OK; i++) {
        struct fit_kind *kind = &report->kinds[i];
        status = regret_of(f->samples, f->choice, f->chosen, f->predicted, i,
                           model ? &kind->model : &kind->estimate, error);
    }
    return status;
}

static bool is_chosen_for(const struct model_choice *choice, const struct sample *sample) {
    return model_chooses(choice, choice->of_problem[sample->problem], sample->configuration);
}

/* ---- Folds ---- */

/* Trees without a fold's problems; with all where there is no such fold. */
struct grown {
    bool *used;
    struct tw_model model, beside;
    tw_status status;
    struct tw_error error;
};

struct growing {
    const struct fitting *fitting;
    struct grown all[FOLDS + 1];
    atomic_int next;
};

static tw_status grow_beside(const struct fitting *f, const struct boost_options *options,
                             struct grown *grown) {
    const struct model_samples *s = f->samples;
    struct order order;
    tw_status status =
        order_begin(&order, s->count, f->problems, s->problem_count, f->longer, &grown->error);
    grown->beside = s->shape;
    if (status == TW_OK)
        status = boost_fit(options, s->vectors, s->count, s->shape.feature_count, &order.objective,
                           grown->used, &grown->beside, &grown->error);
    order_end(&order);
    return status;
}

static void *grow_next(void *context) {
    struct growing *g = context;
    const struct fitting *f = g->fitting;
    const struct model_samples *s = f->samples;
    const struct boost_options options = trees_for(trials_of(s), model_grows_on(s));
    for (int k; (k = atomic_fetch_add(&g->next, 1)) <= FOLDS;) {
        struct grown *grown = &g->all[k];
        struct squares squares;
        grown->model = s->shape;
        grown->used = calloc((size_t)s->count + 1, sizeof *grown->used);
        if (grown->used == NULL) {
            grown->status = tw_fail(&grown->error, TW_NO_MEMORY, "out of memory");
            continue;
        }
        for (int i = 0; i < s->count; i++)
            grown->used[i] = f->folds[s->all[i].problem] != k;
        squares_begin(&squares, s->count, f->wanted, f->weights);
        grown->status = boost_fit(&options, s->vectors, s->count, s->shape.feature_count,
                                  &squares.objective, grown->used, &grown->model, &grown->error);
        if (grown->status == TW_OK && f->beside != NULL)
            grown->status = grow_beside(f, &options, grown);
    }
    return NULL;
}

/* Side by side, as many as there are processors; what comes out does not depend on that. */
static tw_status grow_all(const struct fitting *f, struct growing *g, struct tw_error *error) {
    pthread_t threads[FOLDS];
    int count = 0;
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    *g = (struct growing){.fitting = f};
    while (count < FOLDS && count + 1 < processors &&
           pthread_create(&threads[count], NULL, grow_next, g) == 0)
        count++;
    grow_next(g);
    while (count > 0)
        pthread_join(threads[--count], NULL);
    for (int k = 0; k <= FOLDS; k++)
        if (g->all[k].status != TW_OK) {
            *error = g->all[k].error;
            return g->all[k].status;
        }
    return TW_OK;
}

static void free_grown(struct growing *g) {
    for (int k = 0; k <= FOLDS; k++) {
        boost_free(&g->all[k].model);
        boost_free(&g->all[k].beside);
        free(g->all[k].used);
    }
}

/* Of what might be chosen of problems left out. */
static int find_errors(const struct fitting *f, const double *least, struct error_point *points) {
    const struct model_samples *s = f->samples;
    int count = 0;
    for (int i = 0; i < s->count; i++) {
        const struct sample *sample = &s->all[i];
        if (!f->chosen[i] || s->problems[sample->problem].only_teaches ||
            f->predicted[i] > NEAR_THE_BEST * least[sample->problem])
            continue;
        points[count++] = (struct error_point){
            sample->problem,
            tw_model_doublings(f->predicted[i], s->configurations[sample->configuration].time_us),
            OVER_MEAN_DISTANCE * fabs(log(f->predicted[i] / sample->time_us))};
    }
    return count;
}

/* How much further off predictions are the further they go beyond what a configuration took where
 * it was the best. */
static tw_status find_doubling(const struct fitting *f, double *doubling, struct tw_error *error) {
    const struct model_samples *s = f->samples;
    double *least = malloc(((size_t)s->problem_count + 1) * sizeof *least);
    struct error_point *points = malloc(((size_t)s->count + 1) * sizeof *points);
    if (least == NULL || points == NULL) {
        free(least);
        free(points);
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    }
    for (int i = 0; i < s->problem_count; i++)
        least[i] = INFINITY;
    for (int i = 0; i < s->count; i++)
        if (f->chosen[i])
            least[s->all[i].problem] = fmin(least[s->all[i].problem], f->predicted[i]);
    const int count = find_errors(f, least, points);
    /* Folds of what an earlier model has seen say too little. */
    tw_status status = model_doubling(points, count, s->problem_count, doubling, error);
    if (model_grows_on(s))
        *doubling = fmax(*doubling, s->onto->doubling);
    free(least);
    free(points);
    return status;
}

/* How surely an earlier model predicts an implementation; 0 where it does not say. */
static double known_uncertainty(const struct model_samples *s, int implementation) {
    const char *name = s->description->implementations[implementation].name;
    for (int i = 0; s->onto != NULL && i < s->onto->sureness_count; i++)
        if (strcmp(s->onto->sureness[i].implementation, name) == 0)
            return s->onto->sureness[i].uncertainty;
    return 0;
}

/* How far predictions are off near the best, in all and of each implementation. */
static void tell_uncertainty(const struct fitting *f, struct fit_report *report) {
    const struct model_samples *s = f->samples;
    double sum = 0, of[TW_MAX_IMPLEMENTATIONS] = {0};
    int count = 0, counts[TW_MAX_IMPLEMENTATIONS] = {0};
    for (int i = 0; i < s->count; i++) {
        const struct sampled_problem *problem = &s->problems[s->all[i].problem];
        if (problem->only_teaches || s->all[i].time_us > NEAR_THE_BEST * problem->best_us)
            continue;
        const int in = s->configurations[s->all[i].configuration].configuration.implementation;
        const double error_of = log(f->predicted[i] / s->all[i].time_us);
        sum += error_of * error_of;
        of[in] += error_of * error_of;
        count++;
        counts[in]++;
    }
    report->uncertainty = fmax(LEAST_UNCERTAINTY, sqrt(sum / (count > 0 ? count : 1)));
    for (int i = 0; i < s->description->implementation_count; i++) {
        const double known = known_uncertainty(s, i),
                     before = known > 0 ? known : report->uncertainty;
        if (counts[i] > 0 || known > 0)
            report->uncertainties[i] =
                fmax(LEAST_UNCERTAINTY,
                     sqrt((of[i] + TRIALS_BEFORE * before * before) / (counts[i] + TRIALS_BEFORE)));
    }
}

/* Of fewer problems it cannot be said. */
enum { PROBLEMS_TO_SAY = 20 };

/* Trees that say no more than an earlier model does cost each selection their time, and speak of
 * problems that nobody measured too: where folds do not show them to choose better, by more than
 * what other problems may make of it, none are added, and it is the earlier model that chooses from
 * what is new. */
static tw_status weigh_trees(struct fitting *f, struct fit_report *report, struct tw_error *error) {
    const struct model_samples *s = f->samples;
    struct paired_gain gain;
    tw_status status = chosen_gain(s, f->chosen, f->predicted, &gain, error);
    if (status != TW_OK || gain.problems < PROBLEMS_TO_SAY || gain.mean > gain.error)
        return status;
    report->without_trees = true;
    report->with_trees = report->model;
    for (int i = 0; i < s->count; i++)
        f->predicted[i] = s->all[i].estimate_us;
    return judge(f, report, true, error);
}

/* What is chosen from is told without the fold too. `every` is the choice by all problems, which
 * loses what folds show to be chosen wrongly. */
static tw_status judge_folds(struct fitting *f, const struct growing *g, struct model_choice *every,
                             struct fit_report *report, struct tw_error *error) {
    const struct model_samples *s = f->samples;
    tw_status status = TW_OK;
    for (int fold = 0; fold < FOLDS && status == TW_OK; fold++) {
        const struct grown *grown = &g->all[fold];
        struct model_choice choice = {0};
        status = model_choose(&choice, s, grown->used, error);
        for (int i = 0; i < s->count && status == TW_OK; i++) {
            if (grown->used[i])
                continue;
            f->predicted[i] = predict(s, &grown->model, i, vector_of(s, i));
            if (f->beside != NULL)
                f->beside[i] = sum_of(&grown->beside, vector_of(s, i));
        }
        if (status == TW_OK)
            status = model_places_ask(s, &choice, grown->used, f->chosen, error);
        model_choice_free(&choice);
    }
    if (status == TW_OK && f->beside != NULL)
        status = both_join(s, f->chosen, f->beside, f->predicted, error);
    if (status == TW_OK)
        status = judge(f, report, true, error);
    if (status == TW_OK && model_grows_on(s))
        status = weigh_trees(f, report, error);
    if (status == TW_OK)
        status = find_doubling(f, &report->doubling, error);
    if (status == TW_OK)
        status = model_leave_out_mispredicted(s, f->predicted, every, &report->mispredicted, error);
    if (status == TW_OK)
        tell_uncertainty(f, report);
    for (int i = 0; i < s->count; i++)
        f->predicted[i] = s->all[i].estimate_us;
    return status == TW_OK ? judge(f, report, false, error) : status;
}

/* ---- All of it ---- */

/* What is fitted anew has times of no earlier model's. */
static int problems_with_trials(const struct model_samples *s) {
    int count = 0;
    for (int i = 0; i < s->problem_count; i++)
        count += isfinite(s->problems[i].best_us) && (s->anew || !s->problems[i].only_teaches);
    return count;
}

/* Nothing says what the model would be worth. */
static tw_status refuse_unjudged(const struct model_samples *s, const struct fit_report *report,
                                 struct tw_error *error) {
    int judged = 0;
    for (int i = 0; i < s->problem_count; i++)
        judged += isfinite(s->problems[i].best_us) && !s->problems[i].only_teaches;
    if (judged == 0)
        return tw_fail(error, TW_INVALID,
                       "every kind of problems that has trials is left to the earlier model: "
                       "nothing would be fitted");
    return tw_fail(error, TW_INVALID,
                   "there are trials of %d problem%s of %s, too few to fit a model to: of none did "
                   "others know what to choose, so that nothing says what it would be worth; "
                   "tune record measures more",
                   report->problems, report->problems == 1 ? "" : "s", s->description->kernel);
}

static bool begin_beside(struct fitting *f, size_t room) {
    f->longer = calloc(room, sizeof *f->longer);
    f->problems = calloc(room, sizeof *f->problems);
    f->beside = calloc(room, sizeof *f->beside);
    return f->longer != NULL && f->problems != NULL && f->beside != NULL;
}

static tw_status write_grown(const struct fitting *f, const struct grown *grown,
                             const struct fit_report *report, struct tw_text *text,
                             struct tw_error *error) {
    struct tw_model merged, none = grown->model;
    if (report->without_trees) {
        none.tree_count = none.node_count = 0;
        none.forests[0] = (struct tw_model_forest){.kinds = UINT64_MAX};
        return write_model(f->samples, f->choice, &none, report, text, error);
    }
    if (f->beside == NULL)
        return write_model(f->samples, f->choice, &grown->model, report, text, error);
    tw_status status = both_merge(&merged, &grown->model, &grown->beside, error);
    if (status != TW_OK)
        return status;
    status = write_model(f->samples, f->choice, &merged, report, text, error);
    boost_free(&merged);
    return status;
}

tw_status fit_model(const struct model_samples *s, struct fit_report *report, struct tw_text *text,
                    struct tw_error *error) {
    size_t n = (size_t)s->count + 1;
    struct model_choice choice;
    struct fitting f = {.samples = s,
                        .choice = &choice,
                        .wanted = calloc(n, sizeof *f.wanted),
                        .weights = calloc(n, sizeof *f.weights),
                        .predicted = calloc(n, sizeof *f.predicted),
                        .folds = calloc((size_t)s->problem_count + 1, sizeof *f.folds),
                        .chosen = calloc(n, sizeof *f.chosen)};
    struct growing g = {0};
    tw_status status = model_choose(&choice, s, NULL, error);
    if (f.wanted == NULL || f.weights == NULL || f.predicted == NULL || f.chosen == NULL ||
        f.folds == NULL || (has_beside(s) && !begin_beside(&f, n)))
        status = tw_fail(error, TW_NO_MEMORY, "out of memory");
    *report = (struct fit_report){.trials = trials_of(s),
                                  .problems = problems_with_trials(s),
                                  .kind_count = choice.kind_count};
    for (int k = 0; k < choice.kind_count; k++)
        strcpy(report->kinds[k].attributes, choice.kinds[k].attributes);
    /* What is far from the best matters less: it only has to be seen to be. */
    for (int i = 0; i < s->count && status == TW_OK; i++) {
        f.wanted[i] = log(s->all[i].time_us / s->all[i].estimate_us);
        const double nearness = s->problems[s->all[i].problem].best_us / s->all[i].time_us;
        f.weights[i] = nearness * nearness;
        if (f.beside != NULL) {
            f.longer[i] = -log(nearness);
            f.problems[i] = s->all[i].problem;
        }
    }
    if (status == TW_OK)
        status = model_folds(s, FOLDS, f.folds, error);
    if (status == TW_OK)
        status = grow_all(&f, &g, error);
    if (status == TW_OK)
        status = judge_folds(&f, &g, &choice, report, error);
    if (status == TW_OK && report->model.problems == 0)
        status = refuse_unjudged(s, report, error);
    for (int i = 0; i < s->configuration_count && status == TW_OK; i++)
        report->configurations += model_chooses_any(&choice, i);
    if (status == TW_OK)
        status = write_grown(&f, &g.all[FOLDS], report, text, error);
    if (status == TW_OK && text->failed)
        status = tw_fail(error, TW_NO_MEMORY, "out of memory");
    free_grown(&g);
    free(f.longer);
    free(f.folds);
    free(f.problems);
    free(f.beside);
    free(f.wanted);
    free(f.weights);
    free(f.predicted);
    free(f.chosen);
    model_choice_free(&choice);
    return status;
}

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

tw_status fit_check(const struct model_samples *s, const struct tw_model *model,
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
            chosen[i] = is_chosen_for(&choice, &s->all[i]);
        /* Where there is one forest alone it changes no order, which is all that is asked about. */
        status = both_join(s, chosen, beside, predicted, error);
    }
    if (status == TW_OK) {
        status = regret_of(s, &choice, chosen, predicted, -1, &report->regret, error);
    }
    for (int p = 0; p < s->problem_count && status == TW_OK; p++) {
        struct agreement agreement = agreement_on(s, p, predicted, room);
        if (agreement.trials >= FIT_LEAST_TRIALS)
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

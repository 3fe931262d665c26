#include "tuner/model/fit.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tuner/model/boost.h"
#include "tuner/model/both_forests.h"
#include "tuner/model/choice.h"
#include "tuner/model/chosen_times.h"
#include "tuner/model/folds.h"
#include "tuner/model/mispredicted.h"
#include "tuner/model/objectives.h"
#include "tuner/model/places.h"
#include "tuner/model/regret.h"
#include "tuner/model/sureness.h"
#include "tuner/model/trees_for.h"
#include "tuner/model/write_model.h"

enum { FOLDS = 5 };

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

/* Trees that say no more than an earlier model does cost each selection their time, and speak of
 * problems that nobody measured too: where folds do not show them to choose better, by more than
 * what other problems may make of it, none are added, and it is the earlier model that chooses from
 * what is new. */
static tw_status weigh_trees(struct fitting *f, struct fit_report *report, struct tw_error *error) {
    const struct model_samples *s = f->samples;
    struct paired_gain gain;
    tw_status status = chosen_gain(s, f->chosen, f->predicted, f->chosen, &gain, error);
    if (status != TW_OK || gain.problems < FIT_FEW_PROBLEMS || gain.mean > gain.error)
        return status;
    report->without_trees = true;
    report->with_trees = report->model;
    for (int i = 0; i < s->count; i++)
        f->predicted[i] = s->all[i].estimate_us;
    return judge(f, report, true, error);
}

/* What the model is worth over the earlier one as that is: what was recorded brings configurations
 * to choose from too, and places of what was known. */
static tw_status compare_with_earlier(const struct fitting *f, struct fit_report *report,
                                      struct tw_error *error) {
    const struct model_samples *s = f->samples;
    struct model_choice choice = {0};
    bool *none = calloc((size_t)s->count + 1, sizeof *none);
    bool *before = calloc((size_t)s->count + 1, sizeof *before);
    tw_status status = none == NULL || before == NULL
                           ? tw_fail(error, TW_NO_MEMORY, "out of memory")
                           : model_choose(&choice, s, none, error);
    if (status == TW_OK)
        status = model_places_ask(s, &choice, none, before, error);
    if (status == TW_OK)
        status = chosen_gain(s, f->chosen, f->predicted, before, &report->gain, error);
    model_choice_free(&choice);
    free(none);
    free(before);
    return status;
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
    if (status == TW_OK && model_grows_on(s))
        status = compare_with_earlier(f, report, error);
    if (status == TW_OK)
        status = tell_doubling(s, f->chosen, f->predicted, report, error);
    if (status == TW_OK)
        status = model_leave_out_mispredicted(s, f->predicted, every, &report->mispredicted, error);
    if (status == TW_OK)
        tell_uncertainty(s, f->predicted, report);
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

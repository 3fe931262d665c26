#include "runtime/select/ranking.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/predict/estimate.h"

enum { RATIOS = 8 };

/* The standard deviation of the logarithm of a prediction, as seen where both were measured: what
 * it is at best, what a doubling of a dimension adds, until it is that of any problem; and what
 * another device adds, or a preset that nobody measured. A candidate is ranked by its time at one
 * deviation to the worse, so that of two alike the surer one is taken. */
static const double AT_BEST = 0.05, A_DOUBLING = 0.16, MOST_DOUBLINGS = 4;
static const double ELSEWHERE = 0.25, A_PRESET = 0.3;
/* What a doubling adds where a model knows what it does to a time: beside that a row says little of
 * problems that are not next to its own (docs/notes/2026-11-23-predicting.md). */
static const double A_DOUBLING_MORE = 0.4;
/* Of so many binaries that are near the best other launches are looked at, and taken where they are
 * predicted to be so much faster. */
static const double MAY_BE_BEST = 1.25, WORTH_VARYING = 0.96;
/* What another device adds to a model's own uncertainty. */
static const double MODEL_ELSEWHERE = 0.15;
/* Of so few configurations each is predicted with all trees. A model that goes on from another has
 * learnt of what joined it late with its last trees: by the first ones alone a form was said to
 * take ten times as long as it does, and left there. */
enum { FEW_CONFIGURATIONS = 128 };
/* What a launch that cannot begin early costs beside the others on an application's stream. Times
 * are measured in graphs, which do not show it (docs/notes/2026-11-23-predicting-types.md). */
static const double LATE_US = 1;

/* ---- Predictions ---- */

/* What is known of a configuration for a problem on a device without compiling it. */
struct look {
    struct tw_features features;
    struct tw_estimate estimate;
};

static tw_status look_at(struct look *look, const struct tw_problem *problem,
                         const struct tw_configuration *configuration, const int64_t *values,
                         const struct tw_device_info *device, struct tw_error *error) {
    tw_status status =
        tw_features_of(problem, configuration, values, device, 0, &look->features, error);
    if (status == TW_OK)
        tw_estimate_of(&look->features, device, &look->estimate);
    return status;
}

static double late_us(const struct look *look) {
    return look->features.early ? 0 : LATE_US;
}

/* The same for the problem that is asked about, where the configuration can run it; `values`
 * (TW_MAX_SYMBOLS) are bound for it then. Whether each launch fits the device the features find
 * out. */
static tw_status look_here(struct look *look, const struct tw_ranking *ranking,
                           const struct tw_configuration *configuration, int64_t *values,
                           struct tw_error *error) {
    const struct tw_search *search = ranking->search;
    tw_status status = tw_search_allows(search, configuration, values, error);
    return status == TW_OK
               ? look_at(look, search->problem, configuration, values, search->device, error)
               : status;
}

/* A result's configuration. */
static tw_status read_row(struct tw_ranking *ranking, const struct tw_catalogue_row *row, int index,
                          struct tw_candidate *candidate, struct tw_error *error) {
    struct tw_search *search = ranking->search;
    struct tw_known *known = tw_today_known(search->today);
    if (tw_known_configuration(known, &candidate->key, &candidate->configuration))
        return TW_OK;
    tw_status status = tw_search_note_lack(search,
                                           tw_configuration_parse(&candidate->configuration,
                                                                  search->problem->description,
                                                                  index, row->configuration, error),
                                           error);
    if (status == TW_OK)
        tw_known_note_configuration(known, &candidate->key, &candidate->configuration);
    return status;
}

/* What a row's configuration was estimated to take where it was measured. */
static tw_status look_there(struct tw_ranking *ranking, const struct tw_catalogue_row *row,
                            const struct tw_configuration *configuration,
                            struct tw_estimate *estimate, struct tw_error *error) {
    const struct tw_description *d = ranking->search->problem->description;
    struct tw_problem problem;
    struct look there;
    int64_t slots[TW_DEVICE_SLOTS], bound[TW_MAX_SYMBOLS];
    tw_search_slots(ranking->search, row, slots);
    ranking->there.compute_units = slots[TW_SLOT_SM_COUNT];
    tw_status status = tw_problem_read(&problem, d, row->problem, error);
    if (status == TW_OK)
        status = tw_problem_bind(&problem, slots, NULL, bound, error);
    if (status == TW_OK)
        status = tw_configuration_bind(d, configuration, bound, error);
    if (status == TW_OK)
        status = look_at(&there, &problem, configuration, bound, &ranking->there, error);
    if (status == TW_OK)
        *estimate = there.estimate;
    return status;
}

/* What the configuration would take here, from what the `measured` one took where the row is of. */
static tw_status predict_row(struct tw_ranking *ranking, struct tw_candidate *candidate,
                             const struct tw_configuration *measured, const struct look *here,
                             struct tw_error *error) {
    const struct tw_catalogue_row *row = candidate->row;
    struct tw_known *known = tw_today_known(ranking->search->today);
    struct tw_estimate there;
    if (!tw_known_estimate(known, &candidate->key, &there)) {
        tw_status status = look_there(ranking, row, measured, &there, error);
        if (status != TW_OK)
            return status;
        tw_known_note_estimate(known, &candidate->key, &there);
    }
    candidate->predicted_us = tw_estimate_scaled(row->time_us, &there, &here->estimate);
    candidate->ratio = row->time_us / tw_estimate_total(&there);
    candidate->uncertainty = AT_BEST + A_DOUBLING * fmin(candidate->distance, MOST_DOUBLINGS) +
                             (candidate->rule == TW_SELECTED_ARCHITECTURE ? ELSEWHERE : 0);
    return TW_OK;
}

/* ---- The model ---- */

/* Reads a model, if it is for this kernel and policy and of this device, or not. */
static tw_status try_model(struct tw_ranking *ranking, size_t index, bool of_this_device,
                           struct tw_error *error) {
    const struct tw_search *search = ranking->search;
    const struct tw_catalogue *c = search->query->catalogue;
    const struct tw_model_subject *subject = tw_catalogue_model_subject(c, index);
    const struct tw_catalogue_model *model;
    struct tw_error why;
    if (subject->kernel != search->kernel || subject->cache != search->cache ||
        (subject->device == search->fingerprint_word) != of_this_device)
        return TW_OK;
    tw_status status = tw_catalogue_model(c, index, &model, &why);
    if (status == TW_NO_MEMORY)
        return tw_fail(error, status, "%s", why.message);
    if (status != TW_OK) {
        if (ranking->selection->unread[0] == '\0')
            snprintf(ranking->selection->unread, sizeof ranking->selection->unread, "%.250s",
                     why.message);
        return TW_OK;
    }
    bool is_like = strcmp(model->model->backend, search->device->backend) == 0 &&
                   strcmp(model->model->architecture, search->device->architecture) == 0;
    int kind = of_this_device || is_like ? tw_model_kind(model->model, search->problem) : -1;
    if (kind >= 0) {
        ranking->model = model;
        ranking->kind = kind;
        ranking->asked = tw_model_problem(model->model, kind, search->problem);
        ranking->model_uncertainty =
            hypot(model->model->uncertainty, of_this_device ? 0 : MODEL_ELSEWHERE);
    }
    return TW_OK;
}

/* The one of this device, else the first of its architecture, that covers the problem. */
static tw_status find_model(struct tw_ranking *ranking, struct tw_error *error) {
    const size_t count = tw_catalogue_models(ranking->search->query->catalogue);
    for (int elsewhere = 0; elsewhere < 2; elsewhere++)
        for (size_t i = 0; i < count && ranking->model == NULL; i++) {
            tw_status status = try_model(ranking, i, elsewhere == 0, error);
            if (status != TW_OK)
                return status;
        }
    return TW_OK;
}

/* Of many configurations exactly where it is not far from the least that was said yet. */
static double model_says(struct tw_ranking *ranking, const struct tw_configuration *configuration,
                         const struct look *here) {
    const struct tw_search *search = ranking->search;
    const struct tw_model *model = ranking->model->model;
    double vector[TW_MODEL_MAX_FEATURES];
    int index = configuration->implementation;
    if (!ranking->seen[index])
        tw_model_look(model, search->problem->description, index, &ranking->views[index]);
    ranking->seen[index] = true;
    tw_model_vector(model, &ranking->views[index], &ranking->asked, configuration, &here->features,
                    &here->estimate, vector);
    const double near_us =
        model->configuration_count > FEW_CONFIGURATIONS ? ranking->least_us : INFINITY;
    double time_us = tw_model_predict_near(model, vector, &here->estimate, near_us);
    ranking->least_us = fmin(ranking->least_us, time_us);
    return time_us;
}

/* Joins the model's prediction with what a candidate has: the surer one counts for more. */
static void ask_model(struct tw_ranking *ranking, struct tw_candidate *candidate,
                      const struct look *here) {
    double predicted = model_says(ranking, &candidate->configuration, here);
    candidate->model_us = predicted;
    double ours = 1 / (ranking->model_uncertainty * ranking->model_uncertainty), theirs = 0;
    if (candidate->predicted_us > 0) {
        double beside = candidate->uncertainty +
                        (A_DOUBLING_MORE - A_DOUBLING) * fmin(candidate->distance, MOST_DOUBLINGS);
        theirs = 1 / (beside * beside);
    }
    double log_time = ours * log(predicted);
    if (theirs > 0)
        log_time += theirs * log(candidate->predicted_us);
    candidate->predicted_us = exp(log_time / (ours + theirs));
    candidate->uncertainty = sqrt(1 / (ours + theirs));
}

/* Of what several problems chose, the nearest tells best how long it takes. */
static bool is_known(const struct tw_ranking *ranking, const struct tw_catalogue_row *row,
                     const struct tw_known_key *key) {
    for (size_t i = 0; i < ranking->count; i++)
        if (ranking->all[i].key.configuration == key->configuration &&
            strcmp(ranking->all[i].row->implementation, row->implementation) == 0 &&
            strcmp(ranking->all[i].row->configuration, row->configuration) == 0)
            return true;
    return false;
}

static bool is_listed(const struct tw_ranking *ranking,
                      const struct tw_configuration *configuration) {
    for (size_t i = 0; i < ranking->count; i++)
        if (tw_configuration_equal(ranking->search->problem->description,
                                   &ranking->all[i].configuration, configuration))
            return true;
    return false;
}

/* Whether it was made for the problem into what the ranking has already. */
static bool becomes_another(const struct tw_ranking *ranking, struct tw_candidate *candidate) {
    return tw_search_adapt(ranking->search, &candidate->configuration) &&
           is_listed(ranking, &candidate->configuration);
}

/* What won far away and here does what others do with less work, such as sums in parts where there
 * are blocks enough, says little of how long it takes: its distance hides more than estimates know.
 */
static tw_status stands_for(const struct tw_ranking *ranking, const struct tw_candidate *candidate,
                            const int64_t *values, struct tw_error *error) {
    if (ranking->model != NULL || candidate->distance <= MOST_DOUBLINGS ||
        !tw_configuration_redundant(ranking->search->problem->description,
                                    &candidate->configuration, values))
        return TW_OK;
    return tw_fail(error, TW_NOT_FOUND,
                   "it is %.1f doublings away, and others do here with less work what it does",
                   candidate->distance);
}

/* Gives parameters the values that the description has for what was not tuned: times measured in
 * graphs do not show what a launch that begins early saves an application. */
static void set_untuned(struct tw_ranking *ranking, struct tw_candidate *candidate) {
    const struct tw_search *search = ranking->search;
    struct tw_configuration *c = &candidate->configuration;
    const struct tw_implementation *in =
        &search->problem->description->implementations[c->implementation];
    int64_t values[TW_MAX_SYMBOLS];
    struct look here;
    for (int i = 0; i < in->parameter_count; i++) {
        const int64_t measured = c->values[i];
        if (!in->parameters[i].has_untuned || measured == in->parameters[i].untuned)
            continue;
        c->values[i] = in->parameters[i].untuned;
        if (look_here(&here, ranking, c, values, NULL) != TW_OK) {
            c->values[i] = measured;
        } else {
            candidate->model_us = 0;
            candidate->late_us = late_us(&here);
        }
    }
}

static void add_rows(struct tw_ranking *ranking, const struct tw_nearest *nearest,
                     enum tw_selection_rule rule) {
    struct tw_search *search = ranking->search;
    for (size_t i = 0; i < nearest->count && search->lack.status == TW_OK; i++) {
        const struct tw_catalogue_row *row = nearest->rows[i].row;
        struct tw_candidate *candidate = &ranking->all[ranking->count];
        const struct tw_known_key key = tw_known_key_of(row, ranking->device);
        int64_t values[TW_MAX_SYMBOLS];
        struct look here;
        struct tw_error why;
        if (is_known(ranking, row, &key))
            continue;
        *candidate = (struct tw_candidate){
            .rule = rule, .row = row, .distance = nearest->rows[i].distance, .key = key};
        int index =
            tw_description_implementation(search->problem->description, row->implementation);
        tw_status status = TW_OK;
        if (index < 0)
            status = tw_fail(&why, TW_NOT_FOUND, "its implementation %.48s is not there any more",
                             row->implementation);
        if (status == TW_OK)
            status = read_row(ranking, row, index, candidate, &why);
        const struct tw_configuration measured = candidate->configuration;
        if (status == TW_OK && becomes_another(ranking, candidate))
            continue;
        if (status == TW_OK)
            status = look_here(&here, ranking, &candidate->configuration, values, &why);
        if (status == TW_OK)
            status = stands_for(ranking, candidate, values, &why);
        if (status == TW_OK)
            status = predict_row(ranking, candidate, &measured, &here, &why);
        if (status == TW_OK)
            candidate->late_us = late_us(&here);
        if (status == TW_OK && ranking->model != NULL)
            ask_model(ranking, candidate, &here);
        if (status == TW_OK) {
            if (candidate->distance > 0)
                set_untuned(ranking, candidate);
            ranking->count++;
        } else if (ranking->unfit.row == NULL ||
                   nearest->rows[i].distance < ranking->unfit.distance) {
            ranking->unfit = nearest->rows[i];
            ranking->why = why;
        }
    }
}

/* What the model was fitted with on such problems, and no row near has: what was never measured on
 * any has no place there, as tensor cores' in f64, and is not even read. */
static void add_model(struct tw_ranking *ranking) {
    struct tw_search *search = ranking->search;
    const struct tw_catalogue_model *model = ranking->model;
    const size_t most = ranking->count + TW_MOST_OF_MODEL;
    for (size_t i = 0; i < model->count && ranking->count < most; i++) {
        const struct tw_catalogue_row *row = &model->rows[i];
        struct tw_candidate *candidate = &ranking->all[ranking->count];
        int64_t values[TW_MAX_SYMBOLS];
        struct look here;
        struct tw_error why;
        if ((model->model->configurations[i].kinds >> ranking->kind & 1) == 0)
            continue;
        *candidate = (struct tw_candidate){.rule = TW_SELECTED_PREDICTED,
                                           .row = row,
                                           .key = tw_known_key_of(row, ranking->device)};
        int index =
            tw_description_implementation(search->problem->description, row->implementation);
        if (index < 0 || is_known(ranking, row, &candidate->key))
            continue;
        tw_status status = read_row(ranking, row, index, candidate, &why);
        if (status == TW_OK && becomes_another(ranking, candidate))
            continue;
        if (status == TW_OK)
            status = look_here(&here, ranking, &candidate->configuration, values, &why);
        if (status == TW_OK) {
            ask_model(ranking, candidate, &here);
            candidate->late_us = late_us(&here);
            candidate->ratio = candidate->predicted_us / tw_estimate_total(&here.estimate);
            set_untuned(ranking, candidate);
        }
        /* Where it cannot be had here, nothing is missed: it was never tuned for this. */
        ranking->count += status == TW_OK;
    }
}

/* ---- Parameters of the launch ---- */

static bool same_binary(const struct tw_description *d, const struct tw_configuration *a,
                        const struct tw_configuration *b) {
    const struct tw_implementation *in = &d->implementations[a->implementation];
    if (a->implementation != b->implementation)
        return false;
    for (int i = 0; i < in->parameter_count; i++)
        if (!in->parameters[i].launch && a->values[i] != b->values[i])
            return false;
    return true;
}

/* By the model alone; infinite for what cannot be had here. */
static double ask_about(struct tw_ranking *ranking, const struct tw_configuration *configuration) {
    int64_t values[TW_MAX_SYMBOLS];
    struct look here;
    struct tw_error why;
    tw_status status = tw_search_note_lack(
        ranking->search, look_here(&here, ranking, configuration, values, &why), &why);
    return status == TW_OK ? model_says(ranking, configuration, &here) : INFINITY;
}

/* Whether the model knows the implementation with such a value, on problems of this kind. */
static bool is_usual(const struct tw_ranking *ranking, size_t count, int implementation,
                     int parameter, int64_t value) {
    for (size_t i = 0; i < count; i++)
        if (ranking->all[i].configuration.implementation == implementation &&
            ranking->all[i].configuration.values[parameter] == value)
            return true;
    return false;
}

/* Goes on from value to value as long as the time falls; one that does not may be stepped over. */
static void step(struct tw_ranking *ranking, size_t count, int parameter, int direction,
                 struct tw_configuration *best, double *least) {
    const int implementation = best->implementation;
    const struct tw_parameter *p =
        &ranking->search->problem->description->implementations[implementation]
             .parameters[parameter];
    struct tw_configuration other = *best;
    int at = 0, worse = 0;
    while (at < p->count && p->values[at] != best->values[parameter])
        at++;
    for (at += direction; at >= 0 && at < p->count && worse < 2; at += direction) {
        if (!is_usual(ranking, count, implementation, parameter, p->values[at]))
            continue;
        other.values[parameter] = p->values[at];
        double time = ask_about(ranking, &other);
        worse = time < *least ? 0 : worse + 1;
        if (time < *least) {
            *least = time;
            *best = other;
        }
    }
}

/* The same binary with parameters of the launch that the model says are better here, as one more
 * candidate: a model knows a few values of each, and the best of them depends on the sizes. */
static void vary(struct tw_ranking *ranking, size_t count, const struct tw_candidate *from) {
    const struct tw_description *d = ranking->search->problem->description;
    const struct tw_implementation *in = &d->implementations[from->configuration.implementation];
    struct tw_candidate varied = *from;
    double as_it_is = INFINITY, least = INFINITY;
    for (int i = 0; i < in->parameter_count; i++) {
        if (!in->parameters[i].launch)
            continue;
        if (isinf(as_it_is))
            least = as_it_is =
                from->model_us > 0 ? from->model_us : ask_about(ranking, &from->configuration);
        step(ranking, count, i, 1, &varied.configuration, &least);
        step(ranking, count, i, -1, &varied.configuration, &least);
    }
    if (isinf(as_it_is) || least > WORTH_VARYING * as_it_is)
        return;
    if (is_listed(ranking, &varied.configuration))
        return;
    varied.rule = TW_SELECTED_PREDICTED;
    varied.predicted_us *= least / as_it_is;
    ranking->all[ranking->count++] = varied;
}

/* Those that are the best as they are. */
static void vary_launches(struct tw_ranking *ranking) {
    const size_t count = ranking->count;
    size_t of[TW_MOST_VARIED], binaries = 0;
    for (size_t i = 0; i < count && binaries < TW_MOST_VARIED; i++) {
        const struct tw_candidate *candidate = &ranking->all[i];
        size_t k = 0;
        if (tw_candidate_at_worst(candidate) > MAY_BE_BEST * tw_candidate_at_worst(ranking->all))
            return;
        while (k < binaries &&
               !same_binary(ranking->search->problem->description, &candidate->configuration,
                            &ranking->all[of[k]].configuration))
            k++;
        if (candidate->row == NULL || k < binaries)
            continue;
        of[binaries++] = i;
        vary(ranking, count, candidate);
    }
}

/* ---- Presets ---- */

static int compare_numbers(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* How times are to their estimates, rows' or, where there are none, the model's: what can be said
 * of a preset. */
static double usual_ratio(const struct tw_ranking *ranking, double *uncertainty) {
    double ratios[RATIOS];
    size_t count = ranking->count < RATIOS ? ranking->count : RATIOS;
    *uncertainty = INFINITY;
    for (size_t i = 0; i < count; i++) {
        ratios[i] = ranking->all[i].ratio;
        *uncertainty = fmin(*uncertainty, ranking->all[i].uncertainty);
    }
    qsort(ratios, count, sizeof *ratios, compare_numbers);
    return count % 2 == 1 ? ratios[count / 2] : sqrt(ratios[count / 2 - 1] * ratios[count / 2]);
}

static void add_preset(struct tw_ranking *ranking, enum tw_selection_rule rule,
                       const struct tw_configuration *configuration, double ratio,
                       double uncertainty) {
    struct tw_candidate *candidate = &ranking->all[ranking->count];
    struct look here;
    int64_t values[TW_MAX_SYMBOLS];
    *candidate = (struct tw_candidate){.rule = rule, .configuration = *configuration};
    if (look_here(&here, ranking, configuration, values, NULL) != TW_OK)
        return;
    candidate->predicted_us = ratio * tw_estimate_total(&here.estimate);
    candidate->uncertainty = uncertainty + A_PRESET;
    candidate->late_us = late_us(&here);
    ranking->count++;
}

/* What the description chooses for what was never tuned, in case all that was tuned is far. A
 * fallback that fits is preferred to `default` by whoever wrote it, who knows of implementations
 * what estimates do not. */
static void add_presets(struct tw_ranking *ranking) {
    struct tw_configuration configuration;
    double uncertainty, ratio = usual_ratio(ranking, &uncertainty);
    const size_t rows = ranking->count;
    int from = 0;
    const struct tw_description *d = ranking->search->problem->description;
    const struct tw_preset *preset;
    int implementation;
    struct tw_error why;
    if (tw_search_fallback(ranking->search, &from, &configuration))
        add_preset(ranking, TW_SELECTED_FALLBACK, &configuration, ratio, uncertainty);
    if (ranking->count > rows)
        return;
    tw_description_preset(d, "default", &implementation, &preset);
    if (tw_search_note_lack(
            ranking->search,
            tw_configuration_preset(&configuration, d, implementation, preset, &why),
            &why) == TW_OK)
        add_preset(ranking, TW_SELECTED_DEFAULT, &configuration, ratio, uncertainty);
}

/* A model knows nothing of an implementation that it was fitted without, such as one that is newer:
 * there the description's choice counts as it does without a model. `rows` candidates are rows;
 * where none is, what the model has here may be a form that takes many times as long, and by what
 * it says of that form a preset is told less surely. */
static void add_unknown(struct tw_ranking *ranking, size_t rows) {
    struct tw_configuration configuration;
    size_t count = ranking->count;
    int from = 0;
    if (count == 0 || !tw_search_fallback(ranking->search, &from, &configuration))
        return;
    for (size_t i = 0; i < count; i++)
        if (ranking->all[i].configuration.implementation == configuration.implementation)
            return;
    if (rows > 0)
        ranking->count = rows;
    double uncertainty, ratio = usual_ratio(ranking, &uncertainty);
    ranking->count = count;
    add_preset(ranking, TW_SELECTED_FALLBACK, &configuration, ratio,
               uncertainty + (rows > 0 ? 0 : A_PRESET));
}

/* ---- All of them, in order ---- */

double tw_candidate_at_worst(const struct tw_candidate *candidate) {
    return candidate->predicted_us * exp(candidate->uncertainty);
}

static int compare_candidates(const void *left, const void *right) {
    const struct tw_candidate *a = left, *b = right;
    double x = tw_candidate_at_worst(a) + a->late_us, y = tw_candidate_at_worst(b) + b->late_us;
    if (x != y)
        return x < y ? -1 : 1;
    if (a->rule != b->rule)
        return a->rule < b->rule ? -1 : 1;
    return a->row != NULL && b->row != NULL ? tw_search_compare_rows(a->row, b->row) : 0;
}

tw_status tw_ranking_fill(struct tw_ranking *ranking, struct tw_search *search,
                          struct tw_selection *selection, struct tw_error *error) {
    struct tw_nearest here = {.room = TW_MOST_NEAR}, elsewhere = {.room = TW_NEAR_ELSEWHERE};
    memset(ranking, 0, offsetof(struct tw_ranking, all));
    ranking->search = search;
    ranking->selection = selection;
    ranking->there = *search->device;
    ranking->device = tw_known_device(search->device, search->fingerprint);
    ranking->least_us = INFINITY;
    tw_status status = find_model(ranking, error);
    if (status != TW_OK)
        return status;
    tw_search_near(search, &here, &elsewhere);
    add_rows(ranking, &here, TW_SELECTED_NEAREST);
    add_rows(ranking, &elsewhere, TW_SELECTED_ARCHITECTURE);
    size_t rows = ranking->count;
    if (ranking->model != NULL) {
        add_model(ranking);
        add_unknown(ranking, rows);
    } else if (ranking->count > 0) {
        add_presets(ranking);
    }
    qsort(ranking->all, ranking->count, sizeof ranking->all[0], compare_candidates);
    if (ranking->model != NULL) {
        vary_launches(ranking);
        qsort(ranking->all, ranking->count, sizeof ranking->all[0], compare_candidates);
    }
    return TW_OK;
}

#include "runtime/select/ranking.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/select/look.h"
#include "runtime/select/measured.h"
#include "runtime/select/vary.h"

enum { RATIOS = 8 };

/* What a preset that nobody measured adds to the standard deviation of the logarithm of a
 * prediction. A candidate is ranked by its time at one deviation to the worse, so that of two alike
 * the surer one is taken. */
static const double A_PRESET = 0.3;

/* ---- Results ---- */

/* A result's configuration. */
static tw_status read_row(struct tw_ranking *ranking, const struct tw_catalogue_row *row, int index,
                          struct tw_candidate *candidate, struct tw_error *error) {
    struct tw_search *search = ranking->search;
    struct tw_known *known = tw_today_known(search->today);
    bool holds;
    if (tw_known_configuration(known, &candidate->key, ranking->asked_for,
                               &candidate->configuration, &holds)) {
        if (holds)
            candidate->held =
                ~search->problem->description->implementations[index].sized_constraints;
        return TW_OK;
    }
    tw_status status = tw_search_note_lack(search,
                                           tw_configuration_parse(&candidate->configuration,
                                                                  search->problem->description,
                                                                  index, row->configuration, error),
                                           error);
    if (status == TW_OK)
        tw_known_note_configuration(known, &candidate->key, &candidate->configuration);
    return status;
}

/* What is known of a candidate here; next time it is known which of its constraints hold. */
static tw_status look_at(struct tw_look *here, struct tw_ranking *ranking,
                         struct tw_candidate *candidate, struct tw_error *error) {
    const struct tw_search *search = ranking->search;
    tw_status status =
        tw_look_here(here, ranking, &candidate->configuration, candidate->held, error);
    if (status == TW_OK && candidate->held == 0 && !candidate->adapted) {
        const int index = candidate->configuration.implementation;
        candidate->held = ~search->problem->description->implementations[index].sized_constraints;
        tw_known_note_held(tw_today_known(search->today), &candidate->key, ranking->asked_for);
    }
    return status;
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

/* Whether it was made for the problem into what the ranking has already. */
static bool becomes_another(const struct tw_ranking *ranking, struct tw_candidate *candidate) {
    if (!tw_search_adapt(ranking->search, &candidate->configuration))
        return false;
    candidate->adapted = true;
    candidate->held = 0;
    return tw_ranking_has(ranking, &candidate->configuration);
}

/* What won far away and here does what others do with less work, such as sums in parts where there
 * are blocks enough, says little of how long it takes: its distance hides more than estimates know.
 */
static tw_status stands_for(const struct tw_ranking *ranking, const struct tw_candidate *candidate,
                            const int64_t *values, struct tw_error *error) {
    if (ranking->model != NULL || candidate->distance <= TW_MOST_DOUBLINGS ||
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
    struct tw_look here;
    for (int i = 0; i < in->parameter_count; i++) {
        const int64_t measured = c->values[i];
        if (!in->parameters[i].has_untuned || measured == in->parameters[i].untuned)
            continue;
        c->values[i] = in->parameters[i].untuned;
        if (tw_look_here(&here, ranking, c, 0, NULL) != TW_OK) {
            c->values[i] = measured;
        } else {
            candidate->held = 0;
            candidate->is_changed = true;
            candidate->late_us = tw_look_late_us(&here);
        }
    }
}

/* Whether it is told of this one, that it cannot be had, if it cannot. */
static bool would_be_missed(const struct tw_ranking *ranking, const struct tw_near *near) {
    return ranking->unfit.row == NULL || near->distance < ranking->unfit.distance;
}

static void add_rows(struct tw_ranking *ranking, const struct tw_nearest *nearest,
                     enum tw_selection_rule rule) {
    struct tw_search *search = ranking->search;
    for (size_t i = 0; i < nearest->count && search->lack.status == TW_OK; i++) {
        const struct tw_catalogue_row *row = nearest->rows[i].row;
        struct tw_candidate *candidate = &ranking->all[ranking->count];
        const struct tw_known_key key = tw_known_key_of(row, ranking->device);
        struct tw_look here;
        struct tw_error text;
        /* Texts that nobody reads take longer than what they are about. */
        struct tw_error *why = would_be_missed(ranking, &nearest->rows[i]) ? &text : NULL;
        if (is_known(ranking, row, &key))
            continue;
        *candidate = (struct tw_candidate){
            .rule = rule, .row = row, .distance = nearest->rows[i].distance, .key = key};
        int index =
            tw_description_implementation(search->problem->description, row->implementation);
        tw_status status = TW_OK;
        if (index < 0)
            status = tw_fail(why, TW_NOT_FOUND, "its implementation %.48s is not there any more",
                             row->implementation);
        if (status == TW_OK)
            status = read_row(ranking, row, index, candidate, why);
        const struct tw_configuration measured = candidate->configuration;
        if (status == TW_OK && becomes_another(ranking, candidate))
            continue;
        if (status == TW_OK)
            status = look_at(&here, ranking, candidate, why);
        if (status == TW_OK)
            status = stands_for(ranking, candidate, here.values, why);
        if (status == TW_OK)
            status = tw_measured_predict(ranking, candidate, &measured, &here, why);
        if (status == TW_OK)
            candidate->late_us = tw_look_late_us(&here);
        if (status == TW_OK && ranking->model != NULL)
            tw_ranking_see(ranking, &here);
        if (status == TW_OK) {
            if (candidate->distance > 0)
                set_untuned(ranking, candidate);
            ranking->count++;
        } else if (why != NULL) {
            ranking->unfit = nearest->rows[i];
            ranking->why = text;
        }
    }
}

/* One binary for many sizes has to be seen at all of them, also where others are better. */
static int most_near(const struct tw_query *query) {
    return query->together != NULL || query->settled || query->changing != 0 ? TW_MOST_OF_MODEL
                                                                             : TW_MODEL_MOST_NEAR;
}

/* What the model was fitted with on such problems, and no row near has: what was never measured on
 * any has no place there, as tensor cores' in f64, and is not even read. */
static tw_status add_model(struct tw_ranking *ranking, struct tw_error *error) {
    struct tw_search *search = ranking->search;
    const struct tw_catalogue_model *model = ranking->model;
    const size_t most = ranking->count + TW_MOST_OF_MODEL;
    const bool by_place = tw_model_has_places(model->model, ranking->kind);
    int near[TW_MOST_OF_MODEL];
    const int near_count =
        by_place ? tw_model_near(model->model, ranking->kind, search->problem->dimensions,
                                 most_near(search->query), near)
                 : 0;
    if (near_count < 0)
        return tw_fail(error, TW_NO_MEMORY, "out of memory for a model's places");
    const size_t count = by_place ? (size_t)near_count : model->count;
    for (size_t n = 0; n < count && ranking->count < most; n++) {
        const size_t i = by_place ? (size_t)near[n] : n;
        const struct tw_catalogue_row *row = &model->rows[i];
        struct tw_candidate *candidate = &ranking->all[ranking->count];
        struct tw_look here;
        if ((model->model->configurations[i].kinds >> ranking->kind & 1) == 0)
            continue;
        *candidate = (struct tw_candidate){
            .rule = TW_SELECTED_PREDICTED, .row = row, .key = tw_known_key_of_model(model, i)};
        int index =
            tw_description_implementation(search->problem->description, row->implementation);
        if (index < 0 || is_known(ranking, row, &candidate->key))
            continue;
        tw_status status = read_row(ranking, row, index, candidate, NULL);
        if (status == TW_OK && becomes_another(ranking, candidate))
            continue;
        if (status == TW_OK)
            status = look_at(&here, ranking, candidate, NULL);
        if (status == TW_OK) {
            tw_ranking_see(ranking, &here);
            candidate->late_us = tw_look_late_us(&here);
            set_untuned(ranking, candidate);
        }
        /* Where it cannot be had here, nothing is missed: it was never tuned for this. */
        ranking->count += status == TW_OK;
    }
    return TW_OK;
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
    struct tw_look here;
    *candidate = (struct tw_candidate){.rule = rule, .configuration = *configuration};
    if (tw_look_here(&here, ranking, configuration, 0, NULL) != TW_OK)
        return;
    candidate->predicted_us = ratio * tw_estimate_total(&here.estimate);
    candidate->uncertainty = uncertainty + A_PRESET;
    candidate->late_us = tw_look_late_us(&here);
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
 * there the description's choice counts as it does without a model. What it knows and does not
 * offer here was good elsewhere. `rows` candidates are rows; where none is, what the model has here
 * may be a form that takes many times as long, and by what it says of that form a preset is told
 * less surely. */
static void add_unknown(struct tw_ranking *ranking, size_t rows) {
    const struct tw_description *d = ranking->search->problem->description;
    struct tw_configuration configuration;
    const size_t count = ranking->count;
    int from = 0;
    if (count == 0 || !tw_search_fallback(ranking->search, &from, &configuration))
        return;
    for (size_t i = 0; i < count; i++)
        if (ranking->all[i].configuration.implementation == configuration.implementation)
            return;
    if (tw_model_knows(ranking->model->model, ranking->kind,
                       d->implementations[configuration.implementation].name))
        return;
    if (rows > 0)
        ranking->count = rows;
    double uncertainty, ratio = usual_ratio(ranking, &uncertainty);
    ranking->count = count;
    add_preset(ranking, TW_SELECTED_FALLBACK, &configuration, ratio,
               uncertainty + (rows > 0 ? 0 : A_PRESET));
}

/* ---- The model ---- */

/* Joins what the model says with what results do; the first `rows` candidates are results. */
static void ask_model(struct tw_ranking *ranking, size_t rows) {
    const double doubling = tw_model_doubling(ranking->model->model, ranking->kind);
    tw_ranking_answer(ranking, rows);
    for (size_t i = 0; i < ranking->count; i++) {
        struct tw_candidate *candidate = &ranking->all[i];
        const struct tw_model_case *seen = &ranking->cases[i];
        const double unsure = tw_ranking_unsure(ranking, candidate->configuration.implementation);
        candidate->model_us = candidate->is_changed || seen->is_rough ? 0 : seen->time_us;
        if (i < rows) {
            tw_measured_join(candidate, seen->time_us, unsure);
            continue;
        }
        candidate->predicted_us = seen->time_us;
        candidate->uncertainty = unsure;
        if (doubling > 0)
            candidate->uncertainty +=
                doubling * tw_model_doublings(seen->time_us, candidate->row->time_us);
        candidate->ratio = seen->time_us / seen->total_us;
    }
}

/* ---- All of them, in order ---- */

static int compare_candidates(const void *left, const void *right) {
    const struct tw_candidate *a = left, *b = right;
    if (a->order_us != b->order_us)
        return a->order_us < b->order_us ? -1 : 1;
    if (a->rule != b->rule)
        return a->rule < b->rule ? -1 : 1;
    return a->row != NULL && b->row != NULL ? tw_search_compare_rows(a->row, b->row) : 0;
}

static void put_in_order(struct tw_ranking *ranking) {
    for (size_t i = 0; i < ranking->count; i++) {
        struct tw_candidate *candidate = &ranking->all[i];
        candidate->order_us = tw_candidate_at_worst(candidate) + candidate->late_us;
    }
    qsort(ranking->all, ranking->count, sizeof ranking->all[0], compare_candidates);
}

tw_status tw_ranking_fill(struct tw_ranking *ranking, struct tw_search *search,
                          struct tw_selection *selection, struct tw_error *error) {
    struct tw_nearest here = {.room = TW_MOST_NEAR}, elsewhere = {.room = TW_NEAR_ELSEWHERE};
    memset(ranking, 0, offsetof(struct tw_ranking, all));
    ranking->search = search;
    ranking->selection = selection;
    ranking->there = *search->device;
    ranking->asked_for = tw_known_asked_for(search->problem, search->slots);
    ranking->has_begun =
        tw_features_begin(search->problem, search->values, &ranking->begun, NULL) == TW_OK;
    tw_status status = tw_ranking_find_model(ranking, error);
    if (status != TW_OK)
        return status;
    ranking->device = tw_known_device(search->device, search->fingerprint,
                                      ranking->model != NULL ? ranking->model->model->id : 0);
    tw_search_near(search, &here, &elsewhere);
    add_rows(ranking, &here, TW_SELECTED_NEAREST);
    add_rows(ranking, &elsewhere, TW_SELECTED_ARCHITECTURE);
    size_t rows = ranking->count;
    if (ranking->model != NULL) {
        status = add_model(ranking, error);
        if (status != TW_OK)
            return status;
        ask_model(ranking, rows);
        add_unknown(ranking, rows);
    } else if (ranking->count > 0) {
        add_presets(ranking);
    }
    put_in_order(ranking);
    if (ranking->model != NULL) {
        tw_ranking_vary(ranking);
        put_in_order(ranking);
    }
    return TW_OK;
}

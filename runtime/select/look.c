#include "runtime/select/look.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Of so few configurations each is predicted with all trees. A model that goes on from another has
 * learnt of what joined it late with its last trees: by the first ones alone a form was said to
 * take ten times as long as it does, and left there. */
enum { FEW_CONFIGURATIONS = 128 };
/* What another device adds to a model's own uncertainty. */
static const double MODEL_ELSEWHERE = 0.15;
/* What a launch that cannot begin early costs beside the others on an application's stream. Times
 * are measured in graphs, which do not show it (docs/notes/2026-11-23-predicting-types.md). */
static const double LATE_US = 1;

double tw_look_late_us(const struct tw_look *look) {
    return look->features.early ? 0 : LATE_US;
}

/* Whether each launch fits the device the features find out. */
tw_status tw_look_here(struct tw_look *look, const struct tw_ranking *ranking,
                       const struct tw_configuration *configuration, uint64_t held,
                       struct tw_error *error) {
    const struct tw_search *search = ranking->search;
    int64_t *values = look->values;
    tw_status status = tw_search_allows(search, configuration, held, values, error);
    if (status != TW_OK)
        return status;
    look->features = ranking->begun;
    status = ranking->has_begun ? tw_features_add(search->problem, configuration, values,
                                                  search->device, 0, &look->features, error)
                                : tw_features_of(search->problem, configuration, values,
                                                 search->device, 0, &look->features, error);
    if (status == TW_OK)
        tw_estimate_of(&look->features, search->device, &look->estimate);
    return status;
}

bool tw_ranking_has(const struct tw_ranking *ranking,
                    const struct tw_configuration *configuration) {
    for (size_t i = 0; i < ranking->count; i++)
        if (tw_configuration_equal(ranking->search->problem->description,
                                   &ranking->all[i].configuration, configuration))
            return true;
    return false;
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
        ranking->unsure_elsewhere = of_this_device ? 0 : MODEL_ELSEWHERE;
    }
    return TW_OK;
}

/* The one of this device, else the first of its architecture, that covers the problem. */
tw_status tw_ranking_find_model(struct tw_ranking *ranking, struct tw_error *error) {
    const size_t count = tw_catalogue_models(ranking->search->query->catalogue);
    for (int elsewhere = 0; elsewhere < 2; elsewhere++)
        for (size_t i = 0; i < count && ranking->model == NULL; i++) {
            tw_status status = try_model(ranking, i, elsewhere == 0, error);
            if (status != TW_OK)
                return status;
        }
    return TW_OK;
}

const struct tw_model_view *tw_ranking_view(struct tw_ranking *ranking, int implementation) {
    if (!ranking->seen[implementation])
        tw_model_look(ranking->model->model, ranking->search->problem->description, implementation,
                      &ranking->views[implementation]);
    ranking->seen[implementation] = true;
    return &ranking->views[implementation];
}

void tw_ranking_see_other(struct tw_ranking *ranking, const struct tw_configuration *configuration,
                          const struct tw_look *here, struct tw_model_case *seen) {
    const struct tw_model *model = ranking->model->model;
    const struct tw_model_view *view = tw_ranking_view(ranking, configuration->implementation);
    if (!ranking->is_asked)
        tw_model_ask(model, ranking->kind, view, &ranking->asked, &here->features,
                     &ranking->question);
    ranking->is_asked = true;
    tw_model_see(model, &ranking->question, view, configuration, &here->features, &here->estimate,
                 seen);
}

static void join(const struct tw_ranking *ranking, struct tw_model_case *cases, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (!cases[i].is_rough)
            cases[i].time_us =
                tw_model_joined_us(&ranking->first, cases[i].time_us, cases[i].beside);
}

void tw_ranking_answer_others(struct tw_ranking *ranking, struct tw_model_case *cases,
                              size_t count) {
    tw_model_answer(ranking->model->model, ranking->kind, cases, count);
    join(ranking, cases, count);
}

void tw_ranking_see(struct tw_ranking *ranking, const struct tw_look *here) {
    tw_ranking_see_other(ranking, &ranking->all[ranking->count].configuration, here,
                         &ranking->cases[ranking->count]);
}

void tw_ranking_answer(struct tw_ranking *ranking, size_t rows) {
    const struct tw_model *model = ranking->model->model;
    struct tw_model_case *others = ranking->cases + rows;
    const size_t count = ranking->count - rows;
    double near_us = INFINITY;
    if (model->configuration_count > FEW_CONFIGURATIONS)
        tw_model_answer_near(model, ranking->kind, ranking->cases, rows, near_us);
    else
        tw_model_answer(model, ranking->kind, ranking->cases, rows);
    for (size_t i = 0; i < rows; i++)
        near_us = fmin(near_us, ranking->cases[i].time_us);
    if (model->configuration_count > FEW_CONFIGURATIONS)
        tw_model_answer_near(model, ranking->kind, others, count, near_us);
    else
        tw_model_answer(model, ranking->kind, others, count);
    if (!tw_model_has_both(model, ranking->kind))
        return;
    for (size_t i = 0; i < ranking->count; i++)
        if (!ranking->cases[i].is_rough)
            tw_model_note_first(&ranking->first, ranking->cases[i].time_us,
                                ranking->cases[i].beside);
    join(ranking, ranking->cases, ranking->count);
}

double tw_ranking_unsure(const struct tw_ranking *ranking, int implementation) {
    return hypot(ranking->views[implementation].uncertainty, ranking->unsure_elsewhere);
}

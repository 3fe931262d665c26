#include "runtime/select/measured.h"

#include <math.h>
#include <string.h>

/* The standard deviation of the logarithm of what is put in proportion by estimates, as seen where
 * both were measured: what it is at best, what a doubling of a dimension adds, until it is that of
 * any problem; and what another device adds. */
static const double AT_BEST = 0.05, ELSEWHERE = 0.25;
/* What a doubling adds where there is a model, which knows what it does to a time: beside that a
 * row says little of problems that are not next to its own
 * (docs/notes/2026-11-23-predicting.md). */
static const double A_DOUBLING_MORE = 0.3;

struct there {
    struct tw_estimate estimate;
    double model_us; /* 0: the model is not asked */
};

static double ask_model(struct tw_ranking *ranking, const struct tw_catalogue_row *row,
                        const struct tw_problem *problem,
                        const struct tw_configuration *configuration,
                        const struct tw_features *features, const struct tw_estimate *estimate) {
    double vector[TW_MODEL_MAX_FEATURES];
    if (ranking->model == NULL || strcmp(row->device, ranking->model->model->device) != 0)
        return 0;
    const struct tw_model *model = ranking->model->model;
    const int kind = tw_model_kind(model, problem);
    if (kind < 0)
        return 0;
    const struct tw_problem asked = tw_model_problem(model, kind, problem);
    tw_model_vector(model, tw_ranking_view(ranking, configuration->implementation), &asked,
                    configuration, features, estimate, vector);
    return tw_model_predict(model, kind, vector, estimate);
}

/* What was known of a row's configuration where it was measured, had it not been. */
static tw_status look_there(struct tw_ranking *ranking, const struct tw_catalogue_row *row,
                            const struct tw_configuration *configuration, struct there *there,
                            struct tw_error *error) {
    const struct tw_description *d = ranking->search->problem->description;
    struct tw_problem problem;
    struct tw_features features;
    int64_t slots[TW_DEVICE_SLOTS], bound[TW_MAX_SYMBOLS];
    tw_search_slots(ranking->search, row, slots);
    ranking->there.compute_units = slots[TW_SLOT_SM_COUNT];
    tw_status status = tw_problem_read(&problem, d, row->problem, error);
    if (status == TW_OK)
        status = tw_problem_bind(&problem, slots, NULL, bound, error);
    if (status == TW_OK)
        status = tw_configuration_bind(d, configuration, bound, error);
    if (status == TW_OK)
        status =
            tw_features_of(&problem, configuration, bound, &ranking->there, 0, &features, error);
    if (status != TW_OK)
        return status;
    tw_estimate_of(&features, &ranking->there, &there->estimate);
    there->model_us = ask_model(ranking, row, &problem, configuration, &features, &there->estimate);
    return TW_OK;
}

tw_status tw_measured_predict(struct tw_ranking *ranking, struct tw_candidate *candidate,
                              const struct tw_configuration *measured, const struct tw_look *here,
                              struct tw_error *error) {
    const struct tw_catalogue_row *row = candidate->row;
    struct tw_known *known = tw_today_known(ranking->search->today);
    struct there there;
    if (!tw_known_estimate(known, &candidate->key, &there.estimate, &there.model_us)) {
        tw_status status = look_there(ranking, row, measured, &there, error);
        if (status != TW_OK)
            return status;
        tw_known_note_estimate(known, &candidate->key, &there.estimate, there.model_us);
    }
    candidate->predicted_us = tw_estimate_scaled(row->time_us, &there.estimate, &here->estimate);
    candidate->ratio = row->time_us / tw_estimate_total(&there.estimate);
    candidate->uncertainty = AT_BEST +
                             TW_A_DOUBLING * fmin(candidate->distance, TW_MOST_DOUBLINGS) +
                             (candidate->rule == TW_SELECTED_ARCHITECTURE ? ELSEWHERE : 0);
    candidate->model_was_off = there.model_us > 0 ? row->time_us / there.model_us : 0;
    return TW_OK;
}

/* What was measured there, in proportion by what the model says of both: it knows more of what
 * sizes do than estimates, by which it is where the model is of another device. Of that and what
 * the model says by itself the surer one counts for more. */
void tw_measured_join(struct tw_candidate *candidate, double model_us, double uncertainty) {
    const double beside = candidate->uncertainty + (A_DOUBLING_MORE - TW_A_DOUBLING) *
                                                       fmin(candidate->distance, TW_MOST_DOUBLINGS);
    const double ours = 1 / (uncertainty * uncertainty), theirs = 1 / (beside * beside);
    const double by_row = candidate->model_was_off > 0 ? model_us * candidate->model_was_off
                                                       : candidate->predicted_us;
    candidate->predicted_us = exp((ours * log(model_us) + theirs * log(by_row)) / (ours + theirs));
    candidate->uncertainty = sqrt(1 / (ours + theirs));
}

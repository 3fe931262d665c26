#include <math.h>
#include <stdio.h>

#include "tuner/json/json.h"
#include "tuner/replay/print.h"

/* INFINITY becomes null. */
static cJSON *number(double value) {
    return isfinite(value) ? cJSON_CreateNumber(value) : cJSON_CreateNull();
}

static cJSON *quartiles(const struct quartiles *q) {
    cJSON *json = cJSON_CreateArray();
    json_append(json, number(q->low));
    json_append(json, number(q->median));
    json_append(json, number(q->high));
    return json;
}

static cJSON *targets(const struct quartiles *list) {
    cJSON *json = cJSON_CreateObject();
    for (int i = 0; i < ASSESSMENT_TARGETS; i++) {
        char name[16];
        snprintf(name, sizeof name, "%.0f%%", 100 * assessment_targets[i]);
        json_add(json, name, quartiles(&list[i]));
    }
    return json;
}

static cJSON *shares(const double *list) {
    cJSON *json = cJSON_CreateObject();
    for (int i = 0; i < ASSESSMENT_TARGETS; i++) {
        char name[16];
        snprintf(name, sizeof name, "%.0f%%", 100 * assessment_targets[i]);
        json_add(json, name, number(list[i]));
    }
    return json;
}

static cJSON *strategy(const char *name, const struct assessment *a) {
    cJSON *json = cJSON_CreateObject();
    json_add(json, "strategy", cJSON_CreateString(name));
    json_add(json, "trials_to", targets(a->trials));
    json_add(json, "seconds_to", targets(a->seconds));
    json_add(json, "gap_after_100", quartiles(&a->early));
    json_add(json, "gap_at_end", quartiles(&a->late));
    json_add(json, "worst_gap_at_end", number(a->worst));
    json_add(json, "trials_at_end", quartiles(&a->count));
    json_add(json, "searches_within", shares(a->near));
    json_add(json, "score", number(a->score));
    return json;
}

/* null where nothing can be. */
static cJSON *predicted(const struct foresight *f) {
    if (f->trials == 0)
        return cJSON_CreateNull();
    cJSON *json = cJSON_CreateObject();
    json_add(json, "trials", number((double)f->trials));
    json_add(json, "estimate", number(f->estimate));
    json_add(json, "model", f->has_model ? number(f->model) : cJSON_CreateNull());
    return json;
}

static cJSON *file(const struct replayed *r, const struct replay_request *request) {
    cJSON *json = cJSON_CreateObject(), *strategies = cJSON_CreateArray();
    json_add(json, "file", cJSON_CreateString(r->recording->origin));
    json_add(json, "kernel", cJSON_CreateString(r->recording->kernel));
    json_add(json, "device", cJSON_CreateString(r->recording->device));
    json_add(json, "configurations", number((double)space_size(r->recording->space)));
    json_add(json, "worked", number((double)r->recording->ok));
    json_add(json, "best_us", number(r->recording->best * 1e6));
    json_add(json, "trial_s", number(r->baseline->trial_seconds));
    json_add(json, "score_budget_s", number(r->baseline->budget));
    for (int i = 0; i < request->strategies; i++)
        json_append(strategies, strategy(request->names[i], &r->assessments[i]));
    json_add(json, "predicted", predicted(r->foresight));
    json_add(json, "strategies", strategies);
    return json;
}

cJSON *replay_json(const struct replayed *replayed, int files,
                   const struct replay_request *request) {
    cJSON *json = cJSON_CreateObject(), *list = cJSON_CreateArray();
    json_add(json, "seeds", number((double)request->seeds));
    if (request->options.trials > 0)
        json_add(json, "trials", number((double)request->options.trials));
    if (request->options.seconds > 0)
        json_add(json, "budget_s", number(request->options.seconds));
    json_add(json, "outstanding", number((double)request->options.outstanding));
    for (int i = 0; i < files; i++)
        json_append(list, file(&replayed[i], request));
    json_add(json, "files", list);
    return json;
}

#include "tuner/model/samples.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/backend/devices.h"
#include "runtime/select/current.h"
#include "tuner/model/anchors.h"
#include "tuner/model/reading.h"
#include "tuner/model/sample_features.h"

/* ---- Trials ---- */

static bool take_trial(void *context, const struct tw_db_trial_row *row) {
    struct reading *r = context;
    struct model_samples *s = r->samples;
    if (row->trial.source == NULL || row->trial.judge == NULL)
        return true;
    int problem = reading_problem(r, row->problem_key);
    int configuration =
        problem >= 0 ? reading_configuration(r, row->implementation_name, row->trial.configuration)
                     : -1;
    if (r->status != TW_OK)
        return false;
    if (problem < 0 || configuration < 0)
        return true;
    if (row->trial.status == TW_DB_TRIAL_WRONG) {
        if (!reading_grow((void **)&s->mistakes, s->mistake_count, &r->mistake_room,
                          sizeof *s->mistakes))
            return reading_lack(r);
        s->mistakes[s->mistake_count++] = (struct sampled_mistake){problem, configuration};
        return true;
    }
    if (!reading_grow((void **)&s->all, s->count, &r->room, sizeof *s->all))
        return reading_lack(r);
    s->all[s->count++] = (struct sample){problem, configuration, row->trial.time_us, 0};
    s->problems[problem].best_us = fmin(s->problems[problem].best_us, row->trial.time_us);
    return true;
}

/* ---- What they belong to ---- */

/* What takes at most so many times what the best of a problem does is as good there. */
static const double AS_THE_BEST = 1.05;

static bool keep(char **text, const char *now) {
    free(*text);
    *text = strdup(now);
    return *text != NULL;
}

/* Whether a trial says more of where a configuration was good than what is known. Of two problems
 * on which it was, the one with more to do: what was good there as well is not less sure there for
 * having been good where there is little. What an earlier model says was good is, if its code is
 * the same. */
static bool tells_more(const struct sampled_configuration *c, const struct tw_db_trial_row *row,
                       double ratio) {
    const bool is_same =
        c->template_hash != NULL && strcmp(c->template_hash, row->template_hash) == 0;
    const bool was_good = isinf(c->nearest) ? c->earlier != NULL : c->nearest <= AS_THE_BEST;
    return is_same && was_good ? ratio <= AS_THE_BEST && row->trial.time_us > c->time_us
                               : ratio < c->nearest;
}

static bool take_belonging(void *context, const struct tw_db_trial_row *row) {
    struct reading *r = context;
    struct model_samples *s = r->samples;
    if (row->trial.status == TW_DB_TRIAL_WRONG)
        return true;
    int problem = row->trial.source != NULL && row->trial.judge != NULL
                      ? reading_problem(r, row->problem_key)
                      : -1;
    int configuration =
        problem >= 0 ? reading_configuration(r, row->implementation_name, row->trial.configuration)
                     : -1;
    if (problem < 0 || configuration < 0)
        return r->status == TW_OK;
    struct sampled_configuration *c = &s->configurations[configuration];
    double ratio = row->trial.time_us / s->problems[problem].best_us;
    c->samples++;
    if (!tells_more(c, row, ratio))
        return true;
    c->nearest = ratio;
    c->problem = problem;
    c->time_us = row->trial.time_us;
    return (keep(&c->template_hash, row->template_hash) && keep(&c->source, row->trial.source) &&
            keep(&c->judge, row->trial.judge)) ||
           reading_lack(r);
}

/* What the earlier model chooses from. */
static void take_onto(struct reading *r) {
    struct model_samples *s = r->samples;
    for (int i = 0; i < s->onto->configuration_count && r->status == TW_OK; i++) {
        const struct tw_model_configuration *known = &s->onto->configurations[i];
        int problem = reading_problem(r, known->problem);
        int index = problem >= 0
                        ? reading_configuration(r, known->implementation, known->configuration)
                        : -1;
        if (problem < 0 || index < 0)
            continue;
        struct sampled_configuration *c = &s->configurations[index];
        c->earlier = known;
        c->before = s->onto->kind_count == 0
                        ? 0
                        : known->kinds & (UINT64_MAX >> (64 - s->onto->kind_count));
        c->problem = problem;
        c->time_us = known->time_us;
        if (!keep(&c->template_hash, known->template_hash) || !keep(&c->source, known->source) ||
            !keep(&c->judge, known->judge))
            reading_lack(r);
    }
}

/* TW_OK: it is, and goes under today's code from now on. */
static tw_status is_current(const struct model_samples *s, struct tw_today *today,
                            int configuration, struct tw_error *error) {
    struct sampled_configuration *c = &s->configurations[configuration];
    const char *code;
    int64_t slots[TW_DEVICE_SLOTS];
    tw_device_values(s->device, slots);
    const struct tw_stored stored = {
        .backend = s->device->backend,
        .device = slots,
        .implementation = s->description->implementations[c->configuration.implementation].name,
        .template_hash = c->template_hash,
        .source = c->source,
        .judge = c->judge,
        .configuration = c->text};
    tw_status status = tw_today_check(today, &s->problems[c->problem].problem, &stored, error);
    if (status == TW_OK)
        status =
            tw_today_code(today, c->configuration.implementation, s->device->backend, &code, error);
    if (status == TW_OK && !keep(&c->template_hash, code))
        status = tw_fail(error, TW_NO_MEMORY, "out of memory");
    return status;
}

/* Takes out what is not of today's code. */
static tw_status drop_stale(struct model_samples *s, struct tw_error *error) {
    struct tw_today *today = tw_today_create(s->description);
    bool *stale = calloc((size_t)s->configuration_count + 1, sizeof *stale);
    tw_status status =
        today == NULL || stale == NULL ? tw_fail(error, TW_NO_MEMORY, "out of memory") : TW_OK;
    for (int i = 0; i < s->configuration_count && status == TW_OK; i++) {
        if (s->configurations[i].template_hash == NULL)
            continue; /* it was right nowhere */
        tw_status current = is_current(s, today, i, error);
        stale[i] = current != TW_OK;
        s->stale += stale[i];
        status = current == TW_NO_MEMORY ? current : TW_OK;
    }
    int kept = 0;
    for (int i = 0; i < s->count && status == TW_OK; i++)
        if (!stale[s->all[i].configuration])
            s->all[kept++] = s->all[i];
    s->count = kept;
    for (int i = 0; i < s->configuration_count && status == TW_OK; i++)
        if (stale[i]) {
            s->configurations[i].samples = 0;
            s->configurations[i].before = 0;
        }
    free(stale);
    tw_today_free(today);
    return status;
}

/* ---- As a model sees them ---- */

static tw_status look_at_all(struct model_samples *s, struct tw_error *error) {
    int kept = 0;
    size_t width = (size_t)s->shape.feature_count;
    s->vectors = calloc((size_t)s->count * width + 1, sizeof *s->vectors);
    if (s->vectors == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    for (int i = 0; i < s->count; i++) {
        struct sample sample = s->all[i];
        if (reading_look(s, &sample, &s->vectors[(size_t)kept * width]))
            s->all[kept++] = sample;
    }
    s->count = kept;
    return TW_OK;
}

static bool has_trials(const struct model_samples *s, int kind) {
    for (int i = 0; i < s->problem_count; i++)
        if (isfinite(s->problems[i].best_us) && !s->problems[i].only_teaches &&
            tw_model_kind(s->onto, &s->problems[i].problem) == kind)
            return true;
    return false;
}

static void find_kept(struct model_samples *s, uint64_t left) {
    s->kept = left;
    for (int kind = 0; kind < s->onto->kind_count; kind++)
        if (!has_trials(s, kind))
            s->kept |= UINT64_C(1) << kind;
    for (int i = 0; i < s->problem_count && left != 0; i++) {
        const int kind = tw_model_kind(s->onto, &s->problems[i].problem);
        s->problems[i].only_teaches = kind >= 0 && (left >> kind & 1) != 0;
    }
    /* What the earlier model chose for kinds that are fitted anew is no choice of theirs. */
    for (int c = 0; c < s->configuration_count && s->anew; c++)
        s->configurations[c].before &= s->kept;
}

tw_status model_samples_read(struct model_samples *s, tw_db *db,
                             const struct tw_description *description,
                             const struct tw_device_info *device, const char *cache,
                             const struct earlier_model *earlier, struct tw_error *error) {
    char fingerprint[256];
    tw_device_fingerprint(device, fingerprint);
    const struct tw_model *onto = earlier->model;
    const bool anew = earlier->anew;
    *s = (struct model_samples){
        .description = description, .device = device, .cache = cache, .onto = onto, .anew = anew};
    struct reading r = {.samples = s, .error = error, .status = TW_OK};
    const struct tw_db_trial_filter filter = {.kernel = description->kernel,
                                              .device_fingerprint = fingerprint,
                                              .cache_policy = cache,
                                              .statuses = TW_DB_TRIAL_BIT(TW_DB_TRIAL_OK) |
                                                          TW_DB_TRIAL_BIT(TW_DB_TRIAL_WRONG)};
    if (onto != NULL)
        take_onto(&r);
    /* Once for the best of each problem, and once for what is nearest to it. */
    tw_db_trial_visitor const visitors[] = {take_trial, take_belonging};
    for (int i = 0; i < 2 && r.status == TW_OK; i++)
        if (tw_db_trial_each(db, &filter, visitors[i], &r) != TW_DB_OK)
            r.status = tw_fail(error, TW_DATABASE, "%s", tw_db_message(db));
    if (r.status == TW_OK)
        r.status = drop_stale(s, error);
    if (r.status == TW_OK)
        r.status = sample_features_choose(s, error);
    if (r.status == TW_OK)
        r.status = look_at_all(s, error);
    if (r.status == TW_OK && onto != NULL)
        find_kept(s, earlier->left);
    if (r.status == TW_OK && model_grows_on(s) && s->count > 0)
        r.status = anchors_add(&r);
    if (r.status == TW_OK && s->count == 0)
        r.status = tw_fail(error, TW_NOT_FOUND,
                           "no trials of %s on %s to fit a model to; tune record makes them",
                           description->kernel, fingerprint);
    return r.status;
}

void model_samples_free(struct model_samples *s) {
    for (int i = 0; i < s->problem_count; i++)
        free(s->problems[i].key);
    for (int i = 0; i < s->configuration_count; i++) {
        free(s->configurations[i].text);
        free(s->configurations[i].template_hash);
        free(s->configurations[i].source);
        free(s->configurations[i].judge);
    }
    for (int i = 0; i < TW_MODEL_MAX_FEATURES && s->names != NULL; i++)
        free(s->names[i]);
    free(s->names);
    free(s->problems);
    free(s->configurations);
    free(s->mistakes);
    free(s->all);
    free(s->vectors);
    *s = (struct model_samples){0};
}

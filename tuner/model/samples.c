#include "tuner/model/samples.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/backend/devices.h"
#include "runtime/select/current.h"
#include "runtime/variant/geometry.h"
#include "tuner/model/grown_forests.h"

struct reading {
    struct model_samples *samples;
    int room, problem_room, configuration_room, mistake_room;
    struct tw_error *error;
    tw_status status;
};

static bool lack(struct reading *r) {
    r->status = tw_fail(r->error, TW_NO_MEMORY, "out of memory");
    return false;
}

/* Room for one more in an array that doubles. */
static bool grow(void **array, int count, int *room, size_t size) {
    if (count < *room)
        return true;
    int wanted = *room > 0 ? 2 * *room : 256;
    void *grown = realloc(*array, (size_t)wanted * size);
    if (grown == NULL)
        return false;
    *array = grown;
    *room = wanted;
    return true;
}

static int find_problem(struct reading *r, const char *key) {
    struct model_samples *s = r->samples;
    /* Trials come by problem, mostly. */
    for (int i = s->problem_count - 1; i >= 0; i--)
        if (strcmp(s->problems[i].key, key) == 0)
            return i;
    struct sampled_problem problem = {.best_us = INFINITY};
    if (tw_problem_read(&problem.problem, s->description, key, NULL) != TW_OK)
        return -1; /* of a description that it was then */
    problem.key = strdup(key);
    if (problem.key == NULL ||
        !grow((void **)&s->problems, s->problem_count, &r->problem_room, sizeof *s->problems)) {
        free(problem.key);
        lack(r);
        return -1;
    }
    s->problems[s->problem_count] = problem;
    return s->problem_count++;
}

static int find_configuration(struct reading *r, const char *implementation, const char *text) {
    struct model_samples *s = r->samples;
    struct sampled_configuration added = {.nearest = INFINITY};
    int index = tw_description_implementation(s->description, implementation);
    if (index < 0 ||
        tw_configuration_parse(&added.configuration, s->description, index, text, NULL) != TW_OK)
        return -1;
    for (int i = 0; i < s->configuration_count; i++)
        if (tw_configuration_equal(s->description, &s->configurations[i].configuration,
                                   &added.configuration))
            return i;
    added.text = strdup(text);
    if (added.text == NULL || !grow((void **)&s->configurations, s->configuration_count,
                                    &r->configuration_room, sizeof *s->configurations)) {
        free(added.text);
        lack(r);
        return -1;
    }
    s->configurations[s->configuration_count] = added;
    return s->configuration_count++;
}

static bool take_trial(void *context, const struct tw_db_trial_row *row) {
    struct reading *r = context;
    struct model_samples *s = r->samples;
    if (row->trial.source == NULL || row->trial.judge == NULL)
        return true;
    int problem = find_problem(r, row->problem_key);
    int configuration =
        problem >= 0 ? find_configuration(r, row->implementation_name, row->trial.configuration)
                     : -1;
    if (r->status != TW_OK)
        return false;
    if (problem < 0 || configuration < 0)
        return true;
    if (row->trial.status == TW_DB_TRIAL_WRONG) {
        if (!grow((void **)&s->mistakes, s->mistake_count, &r->mistake_room, sizeof *s->mistakes))
            return lack(r);
        s->mistakes[s->mistake_count++] = (struct sampled_mistake){problem, configuration};
        return true;
    }
    if (!grow((void **)&s->all, s->count, &r->room, sizeof *s->all))
        return lack(r);
    s->all[s->count++] = (struct sample){problem, configuration, row->trial.time_us, 0};
    s->problems[problem].best_us = fmin(s->problems[problem].best_us, row->trial.time_us);
    return true;
}

/* ---- What they belong to ---- */

static bool keep(char **text, const char *now) {
    free(*text);
    *text = strdup(now);
    return *text != NULL;
}

static bool take_belonging(void *context, const struct tw_db_trial_row *row) {
    struct reading *r = context;
    struct model_samples *s = r->samples;
    if (row->trial.status == TW_DB_TRIAL_WRONG)
        return true;
    int problem = row->trial.source != NULL && row->trial.judge != NULL
                      ? find_problem(r, row->problem_key)
                      : -1;
    int configuration =
        problem >= 0 ? find_configuration(r, row->implementation_name, row->trial.configuration)
                     : -1;
    if (problem < 0 || configuration < 0)
        return r->status == TW_OK;
    struct sampled_configuration *c = &s->configurations[configuration];
    double ratio = row->trial.time_us / s->problems[problem].best_us;
    c->samples++;
    if (ratio >= c->nearest)
        return true;
    c->nearest = ratio;
    c->problem = problem;
    c->time_us = row->trial.time_us;
    return (keep(&c->template_hash, row->template_hash) && keep(&c->source, row->trial.source) &&
            keep(&c->judge, row->trial.judge)) ||
           lack(r);
}

/* What the earlier model chooses from. */
static void take_onto(struct reading *r) {
    struct model_samples *s = r->samples;
    for (int i = 0; i < s->onto->configuration_count && r->status == TW_OK; i++) {
        const struct tw_model_configuration *known = &s->onto->configurations[i];
        int problem = find_problem(r, known->problem);
        int index =
            problem >= 0 ? find_configuration(r, known->implementation, known->configuration) : -1;
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
            lack(r);
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

static bool add_name(struct model_samples *s, const char *prefix, const char *name) {
    struct tw_text text = {0};
    tw_text_print(&text, "%s%s", prefix, name);
    s->names[s->shape.feature_count] = text.data;
    return !text.failed;
}

static struct tw_model_feature *add_feature(struct model_samples *s,
                                            enum tw_model_feature_kind kind, const char *prefix,
                                            const char *name) {
    static struct tw_model_feature none;
    for (int i = 0; i < s->shape.feature_count; i++)
        if (s->shape.features[i].kind == kind && strcmp(s->shape.features[i].name, name) == 0)
            return &s->shape.features[i];
    if (s->shape.feature_count == TW_MODEL_MAX_FEATURES || !add_name(s, prefix, name))
        return &none;
    struct tw_model_feature *feature = &s->shape.features[s->shape.feature_count++];
    *feature = (struct tw_model_feature){.kind = kind, .name = name};
    return feature;
}

static void add_word(struct tw_model_feature *feature, const char *word) {
    for (int i = 0; i < feature->word_count; i++)
        if (strcmp(feature->words[i], word) == 0)
            return;
    if (feature->word_count < TW_MODEL_MAX_WORDS)
        feature->words[feature->word_count++] = word;
}

static void add_implementation(struct model_samples *s, const struct tw_implementation *in) {
    for (int i = 0; i < in->parameter_count; i++) {
        const struct tw_parameter *p = &in->parameters[i];
        struct tw_model_feature *feature =
            add_feature(s, TW_MODEL_FEATURE_PARAMETER, "parameter.", p->name);
        for (int k = 0; p->is_word && k < p->count; k++)
            add_word(feature, in->symbols->words[p->values[k]]);
    }
}

/* In the places where the earlier model's trees look for them. */
static bool take_features(struct model_samples *s) {
    static const char *const prefixes[] = {[TW_MODEL_FEATURE_GEOMETRY] = "geometry.",
                                           [TW_MODEL_FEATURE_DIMENSION] = "dimension.",
                                           [TW_MODEL_FEATURE_ATTRIBUTE] = "attribute.",
                                           [TW_MODEL_FEATURE_IMPLEMENTATION] = "implementation",
                                           [TW_MODEL_FEATURE_PARAMETER] = "parameter.",
                                           [TW_MODEL_FEATURE_WIDTH] = "width.",
                                           [TW_MODEL_FEATURE_PITCH] = "pitch.",
                                           [TW_MODEL_FEATURE_PIECES] = "pieces.",
                                           [TW_MODEL_FEATURE_FILLED] = "filled."};
    for (int i = 0; i < s->onto->feature_count; i++) {
        const struct tw_model_feature *feature = &s->onto->features[i];
        if (!add_name(s, prefixes[feature->kind], feature->name))
            return false;
        s->shape.features[s->shape.feature_count++] = *feature;
    }
    return true;
}

static tw_status choose_features(struct model_samples *s, struct tw_error *error) {
    static const char *const geometry[] = {
#define NAME(name, value) #name,
        TW_MODEL_GEOMETRY(NAME)
#undef NAME
    };
    const struct tw_description *d = s->description;
    s->names = calloc(TW_MODEL_MAX_FEATURES, sizeof *s->names);
    if (s->names == NULL || (s->onto != NULL && !take_features(s)))
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    for (int i = 0; i < (int)(sizeof geometry / sizeof *geometry); i++)
        add_feature(s, TW_MODEL_FEATURE_GEOMETRY, "geometry.", geometry[i])->geometry = i;
    for (int i = 0; i < d->dimension_count; i++)
        add_feature(s, TW_MODEL_FEATURE_DIMENSION, "dimension.", d->dimensions[i].name);
    for (int i = 0; i < d->dimension_count; i++) {
        add_feature(s, TW_MODEL_FEATURE_PIECES, "pieces.", d->dimensions[i].name);
        add_feature(s, TW_MODEL_FEATURE_FILLED, "filled.", d->dimensions[i].name);
    }
    for (int i = 0; i < d->argument_count; i++)
        if (d->arguments[i].kind == TW_ARGUMENT_BUFFER && d->arguments[i].when == NULL) {
            add_feature(s, TW_MODEL_FEATURE_WIDTH, "width.", d->arguments[i].name);
            add_feature(s, TW_MODEL_FEATURE_PITCH, "pitch.", d->arguments[i].name);
        }
    for (int i = 0; i < d->attribute_count; i++) {
        struct tw_model_feature *feature =
            add_feature(s, TW_MODEL_FEATURE_ATTRIBUTE, "attribute.", d->attributes[i].name);
        for (int k = 0; !d->attributes[i].is_number && k < d->attributes[i].word_count; k++)
            add_word(feature, d->symbols.words[d->attributes[i].words[k]]);
    }
    struct tw_model_feature *implementation =
        add_feature(s, TW_MODEL_FEATURE_IMPLEMENTATION, "implementation", "");
    for (int i = 0; i < s->configuration_count; i++) {
        const struct tw_implementation *in =
            &d->implementations[s->configurations[i].configuration.implementation];
        if (s->configurations[i].samples == 0)
            continue;
        add_word(implementation, in->name);
        add_implementation(s, in);
    }
    return TW_OK;
}

/* False where the device cannot have it any more. */
static bool look(struct model_samples *s, struct sample *sample, double *vector) {
    const struct tw_problem *problem = &s->problems[sample->problem].problem;
    const struct tw_configuration *configuration =
        &s->configurations[sample->configuration].configuration;
    int64_t slots[TW_DEVICE_SLOTS], values[TW_MAX_SYMBOLS];
    struct tw_features features;
    struct tw_estimate estimate;
    tw_device_values(s->device, slots);
    if (tw_problem_bind(problem, slots, NULL, values, NULL) != TW_OK ||
        tw_configuration_bind(problem->description, configuration, values, NULL) != TW_OK ||
        tw_features_of(problem, configuration, values, s->device, 0, &features, NULL) != TW_OK)
        return false;
    tw_estimate_of(&features, s->device, &estimate);
    struct tw_model_view view;
    tw_model_look(&s->shape, problem->description, configuration->implementation, &view);
    tw_model_vector(&s->shape, &view, problem, configuration, &features, &estimate, vector);
    sample->estimate_us =
        model_grows_on(s)
            ? tw_model_predict(s->onto, tw_model_kind(s->onto, problem), vector, &estimate)
            : tw_estimate_total(&estimate);
    return true;
}

/* Where the earlier model has two forests of a problem, what it says is what both say together. */
static bool join_earlier(struct model_samples *s) {
    const size_t width = (size_t)s->shape.feature_count;
    struct tw_model_first *first = calloc((size_t)s->problem_count + 1, sizeof *first);
    double *beside = calloc((size_t)s->count + 1, sizeof *beside);
    const bool there = first != NULL && beside != NULL;
    for (int i = 0; i < s->count && there; i++) {
        const struct sample *sample = &s->all[i];
        const int kind = tw_model_kind(s->onto, &s->problems[sample->problem].problem);
        if (!tw_model_has_both(s->onto, kind))
            continue;
        beside[i] = tw_model_predict_beside(s->onto, kind, &s->vectors[(size_t)i * width]);
        tw_model_note_first(&first[sample->problem], sample->estimate_us, beside[i]);
    }
    for (int i = 0; i < s->count && there; i++)
        s->all[i].estimate_us =
            tw_model_joined_us(&first[s->all[i].problem], s->all[i].estimate_us, beside[i]);
    free(first);
    free(beside);
    return there;
}

static tw_status look_at_all(struct model_samples *s, struct tw_error *error) {
    int kept = 0;
    size_t width = (size_t)s->shape.feature_count;
    s->vectors = calloc((size_t)s->count * width + 1, sizeof *s->vectors);
    if (s->vectors == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    for (int i = 0; i < s->count; i++) {
        struct sample sample = s->all[i];
        if (look(s, &sample, &s->vectors[(size_t)kept * width]))
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

static bool has_others(const struct model_samples *s) {
    for (int i = 0; i < s->problem_count; i++)
        if (tw_model_kind(s->onto, &s->problems[i].problem) < 0)
            return true;
    return false;
}

/* `time_us` 0: what the earlier model says. */
static bool add_anchor(struct reading *r, int problem, int configuration, double time_us) {
    struct model_samples *s = r->samples;
    const size_t width = (size_t)s->shape.feature_count;
    struct sample sample = {.problem = problem, .configuration = configuration, .time_us = time_us};
    if (!grow((void **)&s->all, s->count, &r->room, sizeof *s->all))
        return lack(r);
    double *vectors = realloc(s->vectors, ((size_t)s->count + 1) * width * sizeof *vectors);
    if (vectors == NULL)
        return lack(r);
    s->vectors = vectors;
    if (!look(s, &sample, &vectors[(size_t)s->count * width]))
        return true;
    s->all[s->count++] = sample;
    s->anchors++;
    s->problems[problem].only_teaches = true;
    return true;
}

static void time_anchors(struct model_samples *s) {
    for (int i = s->count - s->anchors; i < s->count; i++) {
        struct sample *anchor = &s->all[i];
        struct sampled_problem *problem = &s->problems[anchor->problem];
        if (anchor->time_us == 0)
            anchor->time_us = anchor->estimate_us;
        problem->best_us = fmin(problem->best_us, anchor->time_us);
    }
}

/* Trees know kinds of problems by the same features: of those that have no trials, where they get
 * trees all the same, the earlier model is held to what it says, of what it chooses from on the
 * problems that its file names. */
static void add_anchors(struct reading *r) {
    struct model_samples *s = r->samples;
    const uint64_t held = s->kept & kinds_of_grown(s->onto, s->kept, has_others(s));
    for (int p = 0; p < s->problem_count; p++) {
        const int kind = tw_model_kind(s->onto, &s->problems[p].problem);
        if (kind < 0 || (held >> kind & 1) == 0)
            continue;
        for (int c = 0; c < s->configuration_count && r->status == TW_OK; c++)
            if ((s->configurations[c].before >> kind & 1) != 0)
                add_anchor(r, p, c, 0);
    }
}

/* Of the others it is held to what its file says was measured there: the trials may be of sizes as
 * it knows few of, and trees say something of all. */
static void add_measured_anchors(struct reading *r) {
    struct model_samples *s = r->samples;
    for (int c = 0; c < s->configuration_count && r->status == TW_OK; c++) {
        const struct tw_model_configuration *earlier = s->configurations[c].earlier;
        const int p = earlier != NULL ? find_problem(r, earlier->problem) : -1;
        if (p < 0 || (isfinite(s->problems[p].best_us) && !s->problems[p].only_teaches))
            continue;
        const int kind = tw_model_kind(s->onto, &s->problems[p].problem);
        if (kind >= 0 && (s->kept >> kind & 1) == 0)
            add_anchor(r, p, c, earlier->time_us);
    }
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
        r.status = choose_features(s, error);
    if (r.status == TW_OK)
        r.status = look_at_all(s, error);
    if (r.status == TW_OK && onto != NULL)
        find_kept(s, earlier->left);
    if (r.status == TW_OK && model_grows_on(s) && s->count > 0) {
        add_anchors(&r);
        add_measured_anchors(&r);
        if (r.status == TW_OK && !join_earlier(s))
            lack(&r);
        time_anchors(s);
    }
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

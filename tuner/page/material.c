#include "tuner/page/material.h"

#include <stdlib.h>
#include <string.h>

#include "tuner/page/store.h"

struct reading {
    struct page_material *material;
    const struct page_filter *filter;
    int64_t device, problem; /* of the rows under way */
    bool no_memory;
};

static const char *or_empty(const char *text) {
    return text != NULL ? text : "";
}

/* Puts one more item at the end of an array; NULL without memory. */
#define APPEND(array, count)                                                                       \
    (appended(store_grow(array, count, sizeof *(array)), (void **)&(array), &(count),              \
              sizeof *(array)))

static void *appended(void *grown, void **array, int *count, size_t item) {
    if (grown == NULL)
        return NULL;
    *array = grown;
    void *at = (char *)grown + (size_t)(*count)++ * item;
    memset(at, 0, item);
    return at;
}

/* ---- Devices ---- */

static bool visit_device(void *context, const struct tw_db_device *device) {
    struct reading *r = context;
    struct page_material *m = r->material;
    struct page_device *kept = APPEND(m->devices, m->device_count);
    if (kept == NULL)
        return !(r->no_memory = true);
    *kept =
        (struct page_device){.fingerprint = store_copy(m->store, device->fingerprint),
                             .backend = store_copy(m->store, device->backend),
                             .name = store_copy(m->store, device->name),
                             .architecture = store_copy(m->store, or_empty(device->architecture)),
                             .properties = store_copy(m->store, or_empty(device->properties)),
                             .compute_units = device->compute_units,
                             .memory_bytes = device->memory_bytes};
    return !(r->no_memory = store_failed(m->store));
}

static const struct page_device *find_device(const struct page_material *m,
                                             const char *fingerprint) {
    for (int i = 0; i < m->device_count; i++)
        if (strcmp(m->devices[i].fingerprint, fingerprint) == 0)
            return &m->devices[i];
    return NULL;
}

/* ---- Subjects ---- */

/* The last subject first: rows come in groups. */
static struct page_subject *find_subject(const struct page_material *m, const char *kernel,
                                         const char *key, const char *fingerprint,
                                         const char *cache) {
    for (int i = m->subject_count - 1; i >= 0; i--) {
        struct page_subject *s = &m->subjects[i];
        if (strcmp(s->key, key) == 0 && strcmp(s->kernel, kernel) == 0 &&
            strcmp(s->device->fingerprint, fingerprint) == 0 && strcmp(s->cache, cache) == 0)
            return s;
    }
    return NULL;
}

static struct page_subject *subject_of(struct reading *r, const char *kernel, const char *key,
                                       const char *problem, const char *fingerprint,
                                       const char *cache) {
    struct page_material *m = r->material;
    struct page_subject *subject = find_subject(m, kernel, key, fingerprint, cache);
    const struct page_device *device = find_device(m, fingerprint);
    if (subject != NULL || device == NULL)
        return subject;
    subject = APPEND(m->subjects, m->subject_count);
    if (subject != NULL)
        *subject = (struct page_subject){.kernel = store_copy(m->store, kernel),
                                         .key = store_copy(m->store, key),
                                         .problem = store_copy(m->store, problem),
                                         .cache = store_copy(m->store, cache),
                                         .device = device};
    r->no_memory |= subject == NULL || store_failed(m->store);
    return r->no_memory ? NULL : subject;
}

static bool visit_best(void *context, const struct tw_db_best_row *row) {
    struct reading *r = context;
    struct page_store *store = r->material->store;
    const struct tw_db_best *b = &row->best;
    const char *problem = row->problem.text != NULL ? row->problem.text : row->problem.key;
    struct page_subject *s = subject_of(r, row->problem.kernel, row->problem.key, problem,
                                        row->device.fingerprint, b->cache_policy);
    struct page_best *best = s != NULL ? APPEND(s->bests, s->best_count) : NULL;
    if (best == NULL)
        return !(r->no_memory = true);
    *best = (struct page_best){.implementation = store_copy(store, row->implementation_name),
                               .configuration = store_copy(store, b->configuration),
                               .ties = store_copy(store, b->tie_set),
                               .presets = store_copy(store, b->baselines),
                               .rate_unit = store_copy(store, b->rate_unit),
                               .time_us = b->time_us,
                               .ci_low_us = b->ci_low_us,
                               .ci_high_us = b->ci_high_us,
                               .rate = b->rate,
                               .has_error = b->has_error,
                               .max_rel_error = b->max_rel_error,
                               .rms_rel_error = b->rms_rel_error,
                               .has_hard = b->has_hard,
                               .hard_max_error = b->hard_max_error,
                               .hard_rms_error = b->hard_rms_error,
                               .rounds = b->repeats,
                               .run = b->run,
                               .measured_at = b->measured_at,
                               .provisional = b->tie_set == NULL};
    return !(r->no_memory = store_failed(store));
}

static bool visit_run(void *context, const struct tw_db_run_row *row) {
    struct reading *r = context;
    struct page_store *store = r->material->store;
    if (row->merged || row->trials == 0)
        return true;
    struct page_subject *s = subject_of(r, row->kernel, row->problem_key, row->problem_text,
                                        row->device_fingerprint, row->run.cache_policy);
    struct page_run *run = s != NULL ? APPEND(s->runs, s->run_count) : NULL;
    if (run == NULL)
        return !(r->no_memory = true);
    bool stopped = row->state == TW_DB_RUN_RUNNING && !row->owner_alive;
    *run = (struct page_run){
        .id = row->id,
        .state = stopped ? "stopped" : tw_db_run_state_text(row->state),
        .strategy = store_copy(store, row->run.strategy),
        .budget_kind = store_copy(store, row->run.budget_kind),
        .budget_value = row->run.budget_value,
        .elapsed_s = row->elapsed_s,
        .seed = row->run.seed,
        .started_at = row->started_at,
        .trials = row->trials,
        .version = store_copy(store, or_empty(row->run.tilewise_version)),
        .driver = store_copy(store, or_empty(row->run.driver)),
        .compiler = store_copy(store, or_empty(row->run.compiler)),
    };
    return !(r->no_memory = store_failed(store));
}

/* What a run is about, for a filter that names one. */
struct subject_name {
    struct page_store *store;
    bool found;
    const char *kernel, *key, *fingerprint, *cache;
};

static bool visit_named(void *context, const struct tw_db_run_row *row) {
    struct subject_name *name = context;
    name->found = true;
    name->kernel = store_copy(name->store, row->kernel);
    name->key = store_copy(name->store, row->problem_key);
    name->fingerprint = store_copy(name->store, row->device_fingerprint);
    name->cache = store_copy(name->store, row->run.cache_policy);
    return false;
}

static int by_age(const void *a, const void *b) {
    const struct page_run *x = a, *y = b;
    return x->started_at != y->started_at ? (x->started_at < y->started_at ? -1 : 1)
                                          : (x->id < y->id ? -1 : x->id > y->id);
}

static int by_name(const void *a, const void *b) {
    const struct page_subject *x = a, *y = b;
    int order = strcmp(x->kernel, y->kernel);
    if (order == 0)
        order = strcmp(x->key, y->key);
    if (order == 0)
        order = strcmp(x->device->fingerprint, y->device->fingerprint);
    return order != 0 ? order : strcmp(x->cache, y->cache);
}

static tw_status read_rows(struct reading *r, tw_db *db, const struct subject_name *name,
                           struct tw_error *error) {
    const struct page_filter *f = r->filter;
    const char *fingerprint = name->found ? name->fingerprint : f->device_fingerprint;
    const struct tw_db_best_filter bests = {.kernel = name->found ? name->kernel : f->kernel,
                                            .problem_key = name->key,
                                            .device_fingerprint = fingerprint,
                                            .cache_policy = name->cache};
    const struct tw_db_run_filter runs = {
        .run = f->run, .kernel = f->kernel, .device_fingerprint = fingerprint};
    enum tw_db_status status = tw_db_device_each(db, visit_device, r);
    if (status == TW_DB_OK && !r->no_memory)
        status = tw_db_best_each(db, &bests, visit_best, r);
    if (status == TW_DB_OK && !r->no_memory)
        status = tw_db_run_each(db, &runs, visit_run, r);
    if (status != TW_DB_OK)
        return tw_fail(error, TW_DATABASE, "%s", tw_db_message(db));
    return r->no_memory ? tw_fail(error, TW_NO_MEMORY, "out of memory") : TW_OK;
}

tw_status material_read(struct page_material *m, tw_db *db, const struct page_filter *filter,
                        struct tw_error *error) {
    *m = (struct page_material){.store = store_create()};
    if (m->store == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    struct subject_name name = {.store = m->store};
    const struct tw_db_run_filter one = {.run = filter->run, .kernel = filter->kernel, .limit = 1};
    if (filter->run != 0 && tw_db_run_each(db, &one, visit_named, &name) != TW_DB_OK)
        return tw_fail(error, TW_DATABASE, "%s", tw_db_message(db));
    if (filter->run != 0 && !name.found)
        return tw_fail(error, TW_NOT_FOUND, "there is no run %lld%s%s", (long long)filter->run,
                       filter->kernel != NULL ? " of " : "",
                       filter->kernel != NULL ? filter->kernel : "");
    struct reading reading = {.material = m, .filter = filter};
    tw_status status = read_rows(&reading, db, &name, error);
    if (status != TW_OK)
        return status;
    if (m->subject_count == 0)
        return tw_fail(error, TW_NOT_FOUND, "nothing is stored%s that a report could be about",
                       filter->kernel != NULL ? " of this kernel" : "");
    qsort(m->subjects, (size_t)m->subject_count, sizeof *m->subjects, by_name);
    for (int i = 0; i < m->subject_count; i++)
        if (m->subjects[i].run_count > 1)
            qsort(m->subjects[i].runs, (size_t)m->subjects[i].run_count,
                  sizeof *m->subjects[i].runs, by_age);
    return TW_OK;
}

void material_free(struct page_material *m) {
    for (int i = 0; i < m->subject_count; i++) {
        free(m->subjects[i].bests);
        free(m->subjects[i].runs);
    }
    free(m->subjects);
    free(m->devices);
    store_free(m->store);
    *m = (struct page_material){0};
}

/* ---- Trials ---- */

struct trials_reading {
    const struct page_subject *subject;
    struct page_trials *trials;
    int run;
    bool no_memory;
};

static bool visit_trial(void *context, const struct tw_db_trial_row *row) {
    struct trials_reading *r = context;
    struct page_trials *list = r->trials;
    const struct tw_db_trial *t = &row->trial;
    struct page_trial *trial = APPEND(list->trials, list->count);
    if (trial == NULL)
        return !(r->no_memory = true);
    *trial =
        (struct page_trial){.status = t->status,
                            .implementation = store_copy(list->store, row->implementation_name),
                            .configuration = store_copy(list->store, t->configuration),
                            .message = store_copy(list->store, or_empty(t->message)),
                            .run = r->run,
                            .time_us = t->time_us,
                            .has_interval = t->has_interval,
                            .ci_low_us = t->ci_low_us,
                            .ci_high_us = t->ci_high_us,
                            .screened_out = t->screened_out,
                            .created_at = t->created_at};
    return !(r->no_memory = store_failed(list->store));
}

enum { MOST_PAUSES = 16 };

/* Takes the time between a stop and going on out: as much as there is more than the run says it
 * took, where nothing was tried for longest. */
static void take_pauses_out(struct page_trial *trials, int count, const struct page_run *run) {
    double excess = run->elapsed_s > 0 ? trials[count - 1].second - run->elapsed_s - 1 : 0;
    for (int turn = 0; turn < MOST_PAUSES && excess > 0; turn++) {
        int at = 0;
        double longest = trials[0].second;
        for (int i = 1; i < count; i++)
            if (trials[i].second - trials[i - 1].second > longest) {
                longest = trials[i].second - trials[i - 1].second;
                at = i;
            }
        double cut = longest < excess ? longest : excess;
        for (int i = at; i < count; i++)
            trials[i].second -= cut;
        excess -= cut;
    }
}

/* Databases keep whole seconds, so the trials of one are spread over it. */
static void place_in_time(struct page_trial *trials, int count, const struct page_run *run,
                          double began) {
    for (int i = 0, same; i < count; i += same) {
        same = 1;
        while (i + same < count && trials[i + same].created_at == trials[i].created_at)
            same++;
        for (int j = 0; j < same; j++)
            trials[i + j].second =
                (double)(trials[i].created_at - run->started_at) + ((double)j + 0.5) / (double)same;
    }
    if (count > 0)
        take_pauses_out(trials, count, run);
    for (int i = 0; i < count; i++)
        trials[i].second += began;
}

tw_status material_trials(const struct page_subject *subject, tw_db *db, struct page_trials *trials,
                          struct tw_error *error) {
    *trials = (struct page_trials){.store = store_create()};
    if (trials->store == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    double began = 0;
    for (int i = 0; i < subject->run_count; i++) {
        struct trials_reading reading = {.subject = subject, .trials = trials, .run = i};
        const struct tw_db_trial_filter filter = {.run = subject->runs[i].id};
        int first = trials->count;
        if (tw_db_trial_each(db, &filter, visit_trial, &reading) != TW_DB_OK)
            return tw_fail(error, TW_DATABASE, "%s", tw_db_message(db));
        if (reading.no_memory)
            return tw_fail(error, TW_NO_MEMORY, "out of memory");
        place_in_time(trials->trials + first, trials->count - first, &subject->runs[i], began);
        began += subject->runs[i].elapsed_s;
    }
    return TW_OK;
}

void material_trials_free(struct page_trials *trials) {
    free(trials->trials);
    store_free(trials->store);
    *trials = (struct page_trials){0};
}

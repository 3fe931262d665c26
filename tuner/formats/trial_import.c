#include "tuner/formats/trial_import.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/base/printable.h"
#include "tuner/exchange/allowed.h"
#include "tuner/exchange/canonical_json.h"

struct ids {
    int64_t device, problem, implementation, run;
};

static tw_status check(tw_db *db, enum tw_db_status status, struct tw_error *error) {
    return status == TW_DB_OK ? TW_OK : tw_fail(error, TW_DATABASE, "%s", tw_db_message(db));
}

static tw_status put_device(tw_db *db, const char *name, int64_t *id, struct tw_error *error) {
    struct tw_text fingerprint = {0};
    tw_text_print(&fingerprint, "%s|%s", IMPORTED, name);
    if (fingerprint.failed)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    const struct tw_db_device row = {
        .fingerprint = fingerprint.data, .backend = IMPORTED, .name = name};
    tw_status status = check(db, tw_db_device_put(db, &row, id), error);
    tw_text_free(&fingerprint);
    return status;
}

static tw_status put_parts(tw_db *db, const struct trial_import *what, struct ids *ids,
                           struct tw_error *error) {
    const struct tw_description *d = what->problem->description;
    const char *hash = what->file->header.template_hash;
    struct allowed_parts parts;
    struct tw_db_problem problem;
    allowed_problem_row(what->problem, &parts, &problem);
    const struct tw_db_implementation implementation = {
        .kernel = d->kernel,
        .name = d->implementations[what->implementation].name,
        .template_hash = hash != NULL ? hash : IMPORTED,
        .description = d->text};
    tw_status status = put_device(db, what->device, &ids->device, error);
    if (status == TW_OK)
        status = check(db, tw_db_problem_put(db, &problem, &ids->problem), error);
    if (status == TW_OK)
        status =
            check(db, tw_db_implementation_put(db, &implementation, &ids->implementation), error);
    return status;
}

/* {"imported": {"file": NAME, "format": FORMAT, "measured_by": TOOL}} */
static void print_provenance(struct tw_text *text, const struct results_file *file) {
    const struct results_file_header *header = &file->header;
    const char *slash = strrchr(file->origin, '/');
    bool is_cache = file->format == RESULTS_FILE_IS_KERNEL_TUNER;
    char name[256];
    tw_text_print(text, "{\"%s\": {\"file\": ", IMPORTED);
    canonical_string(
        text, tw_printable_copy(slash != NULL ? slash + 1 : file->origin, name, sizeof name));
    tw_text_print(text, ", \"format\": \"%s\", \"measured_by\": ",
                  is_cache ? RESULTS_FILE_KERNEL_TUNER : RESULTS_FILE_T4);
    const char *who = header->measured_by != NULL ? header->measured_by
                      : is_cache                  ? "Kernel Tuner"
                                                  : "unknown";
    struct tw_text by = {0};
    tw_text_print(&by, "%s%s", who, file->continued ? " and Kernel Tuner" : "");
    canonical_string(text, by.failed ? who : by.data);
    tw_text_free(&by);
    tw_text_print(text, "}}");
}

static tw_status begin_run(tw_db *db, const struct trial_import *what, struct ids *ids,
                           struct tw_error *error) {
    struct tw_text provenance = {0};
    print_provenance(&provenance, what->file);
    const struct tw_db_run run = {.problem = ids->problem,
                                  .device = ids->device,
                                  .strategy = IMPORTED,
                                  .budget_kind = "trials",
                                  .budget_value = (double)what->file->count,
                                  .cache_policy = what->cache_policy,
                                  .driver = what->file->header.driver,
                                  .compiler = what->file->header.compiler,
                                  .conditions = provenance.data};
    tw_status status = provenance.failed ? tw_fail(error, TW_NO_MEMORY, "out of memory")
                                         : check(db, tw_db_run_begin(db, &run, &ids->run), error);
    tw_text_free(&provenance);
    return status;
}

static int compare_texts(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The file's configurations in order, and how many of them are in the database. */
struct sorted {
    const char **texts;
    size_t count, there;
};

static bool count_there(void *context, const struct tw_db_trial_row *row) {
    struct sorted *sorted = context;
    sorted->there += bsearch(&row->trial.configuration, sorted->texts, sorted->count,
                             sizeof *sorted->texts, compare_texts) != NULL;
    return true;
}

static tw_status find_there(tw_db *db, const struct trial_import *what, const struct ids *ids,
                            size_t *there, struct tw_error *error) {
    struct sorted sorted = {.count = what->file->count};
    const struct tw_db_trial_filter filter = {.problem = ids->problem,
                                              .device = ids->device,
                                              .implementations = &ids->implementation,
                                              .implementation_count = 1,
                                              .cache_policy = what->cache_policy};
    sorted.texts = malloc((sorted.count + 1) * sizeof *sorted.texts);
    if (sorted.texts == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    for (size_t i = 0; i < sorted.count; i++)
        sorted.texts[i] = what->file->trials[i].configuration;
    qsort(sorted.texts, sorted.count, sizeof *sorted.texts, compare_texts);
    tw_status status = check(db, tw_db_trial_each(db, &filter, count_there, &sorted), error);
    *there = sorted.there;
    free(sorted.texts);
    return status;
}

static tw_status put_trials(tw_db *db, const struct trial_import *what, const struct ids *ids,
                            struct tw_error *error) {
    tw_status status = TW_OK;
    for (size_t i = 0; i < what->file->count && status == TW_OK; i++) {
        struct tw_db_trial trial = what->file->trials[i];
        trial.run = ids->run;
        trial.problem = ids->problem;
        trial.device = ids->device;
        trial.implementation = ids->implementation;
        trial.cache_policy = what->cache_policy;
        status = check(db, tw_db_trial_put(db, &trial, NULL), error);
    }
    return status;
}

tw_status trial_import_store(tw_db *db, const struct trial_import *what,
                             struct trial_import_counts *taken, struct tw_error *error) {
    struct ids ids;
    size_t there = 0;
    tw_status status = put_parts(db, what, &ids, error);
    if (status == TW_OK)
        status = find_there(db, what, &ids, &there, error);
    if (status != TW_OK)
        return status;
    taken->there += (int64_t)there;
    taken->added += (int64_t)(what->file->count - there);
    if (there == what->file->count)
        return TW_OK;
    status = begin_run(db, what, &ids, error);
    if (status == TW_OK)
        status = put_trials(db, what, &ids, error);
    if (status == TW_OK)
        status = check(db, tw_db_run_finish(db, ids.run, TW_DB_RUN_DONE, 0), error);
    return status;
}

#include "tuner/commands/db_forget.h"

#include <inttypes.h>

#include "db/upkeep.h"
#include "runtime/backend/devices.h"
#include "runtime/base/printable.h"
#include "tuner/commands/database.h"
#include "tuner/commands/resolve.h"
#include "tuner/report/report.h"

/* What the filter's texts point to. */
struct named {
    char kernel[TW_NAME_SIZE];
    char key[TW_PROBLEM_KEY_SIZE];
    char fingerprint[256];
};

static tw_status name_problem(const struct arguments *a, struct named *named,
                              struct tw_db_trial_filter *filter, struct tw_error *error) {
    struct tw_description *description;
    struct tw_problem problem;
    tw_status status = resolve_single_problem(a, &description, &problem, error);
    if (status == TW_OK) {
        tw_problem_key(&problem, named->key);
        snprintf(named->kernel, sizeof named->kernel, "%s", description->kernel);
        filter->kernel = named->kernel;
        filter->problem_key = named->key;
    }
    tw_description_free(description);
    return status;
}

static tw_status name_trials(const struct arguments *a, struct named *named,
                             struct tw_db_trial_filter *filter, struct tw_error *error) {
    *filter =
        (struct tw_db_trial_filter){.run = a->run, .kernel = a->kernel, .statuses = a->statuses};
    if (a->kernel == NULL && a->shape_count == 0 && a->run == 0 && a->statuses == 0)
        return tw_fail(error, TW_INVALID,
                       "which trials? name a kernel, a --shape, a --run or a --status; see tune db "
                       "--help");
    if (a->shape_count == 0 && a->attribute_count > 0)
        return tw_fail(error, TW_INVALID, "attributes go with a --shape");
    if (a->cache_given)
        filter->cache_policy = a->cache;
    tw_status status = TW_OK;
    if (a->shape_count > 0)
        status = name_problem(a, named, filter, error);
    if (status == TW_OK && a->device != NULL) {
        struct tw_device_info device;
        status = tw_device_pick(a->device, &device, error);
        tw_device_fingerprint(&device, named->fingerprint);
        filter->device_fingerprint = named->fingerprint;
    }
    return status;
}

static bool count_trial(void *context, const struct tw_db_trial_row *row) {
    int64_t *counts = context;
    counts[row->trial.status]++;
    return true;
}

static bool see_run(void *context, const struct tw_db_run_row *row) {
    (void)row;
    *(bool *)context = true;
    return true;
}

/* Counting and removing are one transaction, so that what is told, in `words`, is what was done. */
static tw_status forget(tw_db *db, const struct tw_db_trial_filter *filter, struct tw_text *words,
                        struct tw_error *error) {
    bool has_run = filter->run == 0;
    int64_t counts[TW_DB_TRIAL_STATUS_COUNT] = {0}, removed = 0;
    const struct tw_db_run_filter run = {.run = filter->run};
    enum tw_db_status status = tw_db_begin(db);
    if (status == TW_DB_OK && !has_run)
        status = tw_db_run_each(db, &run, see_run, &has_run);
    if (status == TW_DB_OK && has_run)
        status = tw_db_trial_each(db, filter, count_trial, counts);
    if (status == TW_DB_OK)
        report_counts(counts, words);
    if (status == TW_DB_OK && has_run && !words->failed)
        status = tw_db_trials_remove(db, filter, &removed);
    if (status == TW_DB_OK && !words->failed)
        status = tw_db_commit(db);
    if (status != TW_DB_OK)
        tw_fail(error, TW_DATABASE, "%s", tw_db_message(db));
    tw_db_rollback(db);
    if (status != TW_DB_OK)
        return TW_DATABASE;
    if (words->failed)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    return has_run ? TW_OK : tw_fail(error, TW_NOT_FOUND, "there is no run %" PRId64, filter->run);
}

tw_status db_forget(const struct arguments *a, const char *path, struct tw_error *error) {
    struct named named;
    struct tw_db_trial_filter filter;
    struct tw_text text = {0};
    tw_db *db = NULL;
    tw_status status = name_trials(a, &named, &filter, error);
    if (status == TW_OK)
        status = database_open_existing(path, &db, error);
    if (status == TW_OK)
        status = database_adopt(a, db, error);
    if (status == TW_OK)
        status = forget(db, &filter, &text, error);
    if (status == TW_OK)
        tw_printable_line(stdout, "%s: forgot %s; best rows and runs stay", path, text.data);
    tw_text_free(&text);
    tw_db_close(db);
    return status;
}

#include "tuner/exchange/check.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "db/upkeep.h"
#include "runtime/base/printable.h"
#include "tuner/exchange/allowed.h"
#include "tuner/exchange/sound_model.h"

struct check {
    tw_db *db;
    const struct known_kernels *known;
    struct known_devices devices;
    check_visitor visit;
    void *context;
    struct checked *checked;
    bool no_memory;
    enum tw_db_status status; /* of what visitors read */
};

/* Whether a row could be looked at. */
static bool looked(struct check *check, tw_status status) {
    check->no_memory = check->no_memory || status == TW_NO_MEMORY;
    return !check->no_memory;
}

static void tell(struct check *check, bool is_error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void tell(struct check *check, bool is_error, const char *format, ...) {
    char text[1500], line[1500];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    check->checked->errors += is_error;
    check->checked->notes += !is_error;
    check->visit(check->context, is_error, tw_printable_copy(text, line, sizeof line));
}

static bool tell_damage(void *context, const char *finding) {
    tell(context, true, "%s", finding);
    return true;
}

static const char *plural(int64_t count) {
    return count == 1 ? "" : "s";
}

/* ---- Kernels and templates ---- */

static bool visit_kernel(void *context, const struct tw_db_kernel_row *row) {
    struct check *check = context;
    if (known_kernels_find(check->known, row->kernel) == NULL)
        tell(check, true,
             "kernel %.80s: no such kernel is known, so its %" PRId64 " best row%s cannot be used; "
             "its description can be given with --config FILE",
             row->kernel, row->best, plural(row->best));
    return true;
}

/* Rows of one implementation that are not of today's code. */
struct outdated {
    struct check *check;
    const struct known_kernel *kernel;
    int64_t implementation;
    int64_t best, trials;
    int64_t misjudged; /* of the best rows: of today's code, but another judge's */
};

static bool count_best(void *context, const struct tw_db_best_row *row) {
    struct outdated *outdated = context;
    if (row->best.implementation != outdated->implementation)
        return true;
    tw_status status = known_kernel_check(outdated->kernel, row, NULL);
    outdated->best += status != TW_OK;
    outdated->misjudged += status == TW_WRONG;
    return looked(outdated->check, status);
}

static bool count_trial(void *context, const struct tw_db_trial_row *row) {
    struct outdated *outdated = context;
    tw_status status = known_kernel_check_trial(outdated->kernel, &outdated->check->devices, row);
    outdated->trials += status != TW_OK;
    return looked(outdated->check, status);
}

static bool visit_implementation(void *context, const struct tw_db_implementation *row) {
    struct check *check = context;
    const struct known_kernel *kernel = known_kernels_find(check->known, row->kernel);
    if (kernel == NULL)
        return true;
    struct outdated rows = {.check = check, .kernel = kernel, .implementation = row->id};
    const struct tw_db_best_filter best = {.kernel = row->kernel,
                                           .implementation_name = row->name,
                                           .template_hash = row->template_hash};
    const struct tw_db_trial_filter tried = {.implementations = &row->id,
                                             .implementation_count = 1};
    check->status = tw_db_best_each(check->db, &best, count_best, &rows);
    if (check->status == TW_DB_OK && !check->no_memory)
        check->status = tw_db_trial_each(check->db, &tried, count_trial, &rows);
    if (check->status != TW_DB_OK || check->no_memory)
        return false;
    if (rows.best + rows.trials > 0)
        tell(check, false,
             "%.48s %.48s: %" PRId64 " best row%s and %" PRId64 " trial%s were %s (%.12s) than "
             "today's: hints, not results",
             row->kernel, row->name, rows.best, plural(rows.best), rows.trials, plural(rows.trials),
             rows.misjudged > 0 ? "judged by another reference, tolerance, cases or inputs"
                                : "measured with another template",
             row->template_hash);
    return true;
}

/* ---- Rows ---- */

tw_status check_row(const struct tw_db_best_row *row, const struct known_kernel *kernel,
                    struct tw_error *error) {
    struct tw_problem problem;
    struct tw_configuration configuration;
    tw_status status = well_formed_row(row, error);
    if (status == TW_OK)
        status = allowed_problem(kernel->description, &row->problem, &problem, error);
    if (status == TW_OK)
        status = allowed_configuration(&problem, row->implementation_name, row->best.configuration,
                                       &configuration, error);
    return status;
}

/* Of a row that passed check_row: a wrong rate is wrong, but does not keep it from being used. */
static tw_status check_rate(const struct tw_db_best_row *row, const struct known_kernel *kernel,
                            struct tw_error *error) {
    struct tw_problem problem;
    tw_status status = allowed_problem(kernel->description, &row->problem, &problem, error);
    return status == TW_OK ? allowed_rate(&problem, &row->best, error) : status;
}

static bool visit_best(void *context, const struct tw_db_best_row *row) {
    struct check *check = context;
    const struct known_kernel *kernel = known_kernels_find(check->known, row->problem.kernel);
    struct tw_error error;
    tw_status status =
        kernel != NULL ? check_row(row, kernel, &error) : well_formed_row(row, &error);
    if (status == TW_OK && kernel != NULL)
        status = check_rate(row, kernel, &error);
    if (!looked(check, status))
        return false;
    if (status != TW_OK) {
        char name[ROW_NAME_SIZE];
        row_name(row, name);
        tell(check, true, "%s: %s", name, error.message);
    }
    return true;
}

/* Slots of a device are those of whoever has it here. */
static bool visit_model(void *context, const struct tw_db_model *row) {
    struct check *check = context;
    struct tw_model *model;
    struct tw_error error;
    char name[ROW_NAME_SIZE];
    int current = 0;
    model_name(row, name);
    tw_status status = tw_model_read(&model, row->text, name, &error);
    if (status != TW_OK && looked(check, status))
        tell(check, true, "%s", error.message);
    if (status == TW_OK) {
        const struct known_device *device =
            known_devices_by_fingerprint(&check->devices, model->device);
        const int64_t *slots = device != NULL && device->has_slots ? device->slots : NULL;
        status = sound_model(model, check->known, slots, &current, &error);
        if (status != TW_OK && looked(check, status))
            tell(check, true, "%s: %s", name, error.message);
    }
    if (status == TW_OK && current < model->configuration_count)
        tell(check, false,
             "%s: %d of its %d configurations have other code now, and are not chosen; tune model "
             "fit makes another",
             name, model->configuration_count - current, model->configuration_count);
    tw_model_free(model);
    return !check->no_memory;
}

static bool count_any(void *context, const struct tw_db_best_row *row) {
    (void)row;
    ++*(int64_t *)context;
    return true;
}

/* Problems that only trials are about; those of best rows have been told of with them. */
static bool visit_problem(void *context, const struct tw_db_problem *row) {
    struct check *check = context;
    const struct known_kernel *kernel = known_kernels_find(check->known, row->kernel);
    int64_t best = 0;
    struct tw_problem problem;
    struct tw_error error;
    const struct tw_db_best_filter filter = {.kernel = row->kernel, .problem_key = row->key};
    if (kernel == NULL)
        return true;
    tw_status status = allowed_problem(kernel->description, row, &problem, &error);
    if (status == TW_OK || !looked(check, status))
        return !check->no_memory;
    check->status = tw_db_best_each(check->db, &filter, count_any, &best);
    if (check->status != TW_DB_OK || best > 0)
        return check->status == TW_DB_OK;
    tell(check, true, "problem %.48s %.300s: %s", row->kernel, row->key, error.message);
    return true;
}

tw_status check_database(tw_db *db, const struct known_kernels *known, check_visitor visit,
                         void *context, struct checked *checked, struct tw_error *error) {
    *checked = (struct checked){0};
    struct check check = {
        .db = db, .known = known, .visit = visit, .context = context, .checked = checked};
    enum tw_db_status status = tw_db_check(db, tell_damage, &check);
    /* The rows of a damaged file say nothing. */
    if (status == TW_DB_OK && checked->errors > 0)
        return TW_OK;
    tw_status read = known_devices_read(&check.devices, db, error);
    if (read != TW_OK) {
        known_devices_free(&check.devices);
        return read;
    }
    if (status == TW_DB_OK)
        status = tw_db_kernel_each(db, visit_kernel, &check);
    if (status == TW_DB_OK && check.status == TW_DB_OK && !check.no_memory)
        status = tw_db_problem_each(db, NULL, visit_problem, &check);
    if (status == TW_DB_OK && check.status == TW_DB_OK && !check.no_memory)
        status = tw_db_best_each(db, NULL, visit_best, &check);
    if (status == TW_DB_OK && check.status == TW_DB_OK && !check.no_memory)
        status = tw_db_implementation_each(db, NULL, visit_implementation, &check);
    if (status == TW_DB_OK && check.status == TW_DB_OK && !check.no_memory)
        status = tw_db_model_each(db, NULL, visit_model, &check);
    known_devices_free(&check.devices);
    if (check.no_memory)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    bool read_all = status == TW_DB_OK && check.status == TW_DB_OK;
    return read_all ? TW_OK : tw_fail(error, TW_DATABASE, "%s", tw_db_message(db));
}

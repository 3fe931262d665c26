#include "runtime/select/select.h"

#include <stdio.h>
#include <string.h>

#include "runtime/backend/devices.h"
#include "runtime/variant/geometry.h"
#include "runtime/variant/source.h"

struct search {
    const struct tw_problem *problem;
    const struct tw_device_info *device;
    struct tw_selection *selection;
    bool found;
    char last_refusal[256];
};

static tw_status fits(const struct tw_problem *problem, const struct tw_device_info *device,
                      const struct tw_configuration *configuration, struct tw_error *error) {
    const struct tw_description *d = problem->description;
    int64_t slots[TW_DEVICE_SLOTS], values[TW_MAX_SYMBOLS];
    tw_device_values(device, slots);
    tw_status status = tw_problem_bind(problem, slots, NULL, values, error);
    if (status == TW_OK)
        status = tw_configuration_bind(d, configuration, values, error);
    if (status == TW_OK)
        status = tw_configuration_check(d, configuration, values, error);
    if (status == TW_OK)
        status = tw_implementation_fits(&d->implementations[configuration->implementation], values,
                                        device, error);
    return status;
}

/* Whether a row can be used as it stands; if not, `error` says why. */
static tw_status usable(const struct search *search, const struct tw_db_best_row *row,
                        struct tw_configuration *configuration, struct tw_error *error) {
    const struct tw_description *d = search->problem->description;
    int index = tw_description_implementation(d, row->implementation_name);
    char hash[TW_HASH_SIZE];
    if (index < 0)
        return tw_fail(error, TW_NOT_FOUND, "its implementation %s is not there any more",
                       row->implementation_name);
    tw_status status = tw_source_hash(d, index, hash, error);
    if (status == TW_OK && strcmp(hash, row->template_hash) != 0)
        status = tw_fail(error, TW_NOT_FOUND, "its template has changed since");
    if (status == TW_OK)
        status = tw_configuration_parse(configuration, d, index, row->best.configuration, error);
    if (status == TW_OK)
        status = fits(search->problem, search->device, configuration, error);
    return status;
}

/* Rows come fastest first, so the first that can be used is the one. */
static bool consider(void *context, const struct tw_db_best_row *row) {
    struct search *search = context;
    struct tw_error refusal;
    struct tw_configuration configuration;
    if (usable(search, row, &configuration, &refusal) != TW_OK) {
        snprintf(search->last_refusal, sizeof search->last_refusal, "%.200s", refusal.message);
        return true;
    }
    search->selection->configuration = configuration;
    search->selection->time_us = row->best.time_us;
    search->found = true;
    return false;
}

static tw_status select_default(const struct search *search, struct tw_error *error) {
    const struct tw_preset *preset;
    struct tw_configuration *configuration = &search->selection->configuration;
    /* Reading the description checked that there is one. */
    tw_description_preset(search->problem->description, "default", &configuration->implementation,
                          &preset);
    memcpy(configuration->values, preset->values, sizeof configuration->values);
    tw_status status = fits(search->problem, search->device, configuration, error);
    if (status != TW_OK)
        return tw_fail_within(error, status, "the preset default");
    return TW_OK;
}

tw_status tw_select(tw_db *db, const struct tw_problem *problem,
                    const struct tw_device_info *device, const char *cache,
                    struct tw_selection *selection, struct tw_error *error) {
    *selection = (struct tw_selection){0};
    struct search search = {.problem = problem, .device = device, .selection = selection};
    char key[TW_PROBLEM_KEY_SIZE], fingerprint[256];
    tw_problem_key(problem, key);
    tw_device_fingerprint(device, fingerprint);
    const struct tw_db_best_filter filter = {.kernel = problem->description->kernel,
                                             .problem_key = key,
                                             .device_fingerprint = fingerprint,
                                             .cache_policy = cache};
    if (db != NULL && tw_db_best_each(db, &filter, consider, &search) != TW_DB_OK)
        return tw_fail(error, TW_DATABASE, "%s", tw_db_message(db));
    if (search.found) {
        selection->rule = TW_SELECTED_EXACT;
        snprintf(selection->reason, sizeof selection->reason,
                 "tuned for this problem on this device");
        return TW_OK;
    }
    selection->rule = TW_SELECTED_DEFAULT;
    if (search.last_refusal[0] != '\0')
        snprintf(selection->reason, sizeof selection->reason,
                 "the preset default: a stored result cannot be used, because %.180s",
                 search.last_refusal);
    else
        snprintf(selection->reason, sizeof selection->reason,
                 "the preset default: nothing is stored for this problem on this device");
    return select_default(&search, error);
}

#include "tuner/exchange/well_formed.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "runtime/base/printable.h"
#include "runtime/description/expression.h"
#include "tuner/exchange/canonical_json.h"

/* Beyond this not every whole number is a double, which is what JSON's readers make of it. */
static const int64_t largest = INT64_C(1) << 53;

static tw_status check_name(const char *what, const char *text, struct tw_error *error) {
    if (text != NULL && text[0] != '\0' && tw_is_printable(text))
        return TW_OK;
    return tw_fail(error, TW_INVALID, "%s is empty, too long or not plain text", what);
}

static tw_status check_optional(const char *what, const char *text, struct tw_error *error) {
    if (text == NULL || tw_is_printable(text))
        return TW_OK;
    return tw_fail(error, TW_INVALID, "%s is too long or not plain text", what);
}

static tw_status check_range(const char *what, int64_t number, int64_t least,
                             struct tw_error *error) {
    if (number >= least && number <= largest)
        return TW_OK;
    return tw_fail(error, TW_INVALID, "%s is %" PRId64 ", out of range", what, number);
}

/* Optional JSON that must be an object or array of a form. */
static tw_status check_json(const char *what, const char *text, bool (*fits)(const cJSON *),
                            struct tw_error *error) {
    if (text == NULL)
        return TW_OK;
    errno = 0;
    cJSON *json = cJSON_ParseWithOpts(text, NULL, 1);
    if (json == NULL && errno == ENOMEM)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    bool good = json != NULL && canonical_is_plain(json) && fits(json);
    cJSON_Delete(json);
    return good ? TW_OK
                : tw_fail(error, TW_INVALID, "%s is not JSON of the form it should have", what);
}

static bool is_object(const cJSON *json) {
    return cJSON_IsObject(json);
}

static bool is_time(const cJSON *json) {
    return cJSON_IsNumber(json) && json->valuedouble > 0;
}

static bool is_configuration(const cJSON *json) {
    bool good = cJSON_IsObject(json);
    for (const cJSON *value = good ? json->child : NULL; value != NULL && good; value = value->next)
        good = tw_is_identifier(value->string) &&
               (cJSON_IsString(value)
                    ? tw_is_identifier(value->valuestring)
                    : cJSON_IsNumber(value) && value->valuedouble == floor(value->valuedouble));
    return good;
}

static bool is_tie_set(const cJSON *json) {
    bool good = cJSON_IsArray(json);
    for (const cJSON *tie = good ? json->child : NULL; tie != NULL && good; tie = tie->next) {
        const cJSON *name = cJSON_GetObjectItemCaseSensitive(tie, "implementation");
        good = cJSON_IsObject(tie) && cJSON_GetArraySize(tie) == 3 && cJSON_IsString(name) &&
               tw_is_identifier(name->valuestring) &&
               is_configuration(cJSON_GetObjectItemCaseSensitive(tie, "configuration")) &&
               is_time(cJSON_GetObjectItemCaseSensitive(tie, "time_us"));
    }
    return good;
}

static bool is_baselines(const cJSON *json) {
    bool good = cJSON_IsObject(json);
    for (const cJSON *preset = good ? json->child : NULL; preset != NULL && good;
         preset = preset->next)
        good = is_time(preset);
    return good;
}

tw_status well_formed_device(const struct tw_db_device *device, struct tw_error *error) {
    tw_status status = check_name("the device's fingerprint", device->fingerprint, error);
    if (status == TW_OK)
        status = check_name("the device's backend", device->backend, error);
    if (status == TW_OK)
        status = check_optional("the device's name", device->name, error);
    if (status == TW_OK)
        status = check_optional("the device's vendor", device->vendor, error);
    if (status == TW_OK)
        status = check_optional("the device's architecture", device->architecture, error);
    if (status == TW_OK)
        status = check_range("the device's compute_units", device->compute_units, 0, error);
    if (status == TW_OK)
        status = check_range("the device's memory_bytes", device->memory_bytes, 0, error);
    if (status == TW_OK)
        status = check_json("the device's properties", device->properties, is_object, error);
    return status;
}

static tw_status check_problem(const struct tw_db_problem *problem, struct tw_error *error) {
    tw_status status = check_name("the kernel", problem->kernel, error);
    if (status == TW_OK)
        status = check_name("the problem", problem->key, error);
    if (status == TW_OK)
        status = check_optional("the problem's text", problem->text, error);
    for (size_t i = 0; i < problem->dimension_count && status == TW_OK; i++) {
        status = check_name("a dimension's name", problem->dimensions[i].name, error);
        if (status == TW_OK)
            status =
                check_range(problem->dimensions[i].name, problem->dimensions[i].value, 1, error);
    }
    for (size_t i = 0; i < problem->attribute_count && status == TW_OK; i++) {
        status = check_name("an attribute's name", problem->attributes[i].name, error);
        if (status == TW_OK)
            status = check_name(problem->attributes[i].name, problem->attributes[i].value, error);
    }
    return status;
}

static tw_status check_provenance(const struct tw_db_provenance *run, struct tw_error *error) {
    if (run->uid == NULL)
        return TW_OK;
    tw_status status = check_name("the run's uid", run->uid, error);
    if (status == TW_OK)
        status = check_name("the run's strategy", run->strategy, error);
    if (status == TW_OK)
        status = check_name("the run's budget_kind", run->budget_kind, error);
    if (status == TW_OK && !isfinite(run->budget_value))
        status = tw_fail(error, TW_INVALID, "the run's budget is no number");
    if (status == TW_OK)
        status = check_range("the run's started_at", run->started_at, 0, error);
    if (status == TW_OK)
        status = check_optional("the run's version of tilewise", run->tilewise_version, error);
    if (status == TW_OK)
        status = check_optional("the run's driver", run->driver, error);
    if (status == TW_OK)
        status = check_optional("the run's compiler", run->compiler, error);
    if (status == TW_OK)
        status = check_json("the run's conditions", run->conditions, is_object, error);
    if (status == TW_OK)
        status = check_optional("the run's protocol", run->protocol, error);
    return status;
}

static bool is_positive(double number) {
    return isfinite(number) && number > 0;
}

static bool is_error(double number) {
    return isfinite(number) && number >= 0;
}

static tw_status check_times(const struct tw_db_best *best, struct tw_error *error) {
    if (!is_positive(best->time_us))
        return tw_fail(error, TW_INVALID, "time_us is %g, no time", best->time_us);
    if (!(best->ci_low_us >= 0 && best->ci_low_us <= best->time_us) ||
        !(best->ci_high_us >= best->time_us && isfinite(best->ci_high_us)))
        return tw_fail(error, TW_INVALID, "its time, %g us, is not in its interval, %g to %g",
                       best->time_us, best->ci_low_us, best->ci_high_us);
    if (best->rate_unit != NULL && !is_positive(best->rate))
        return tw_fail(error, TW_INVALID, "its rate is %g", best->rate);
    if (best->has_error && !(is_error(best->max_rel_error) && is_error(best->rms_rel_error)))
        return tw_fail(error, TW_INVALID, "its errors are %g and %g", best->max_rel_error,
                       best->rms_rel_error);
    if (best->has_hard && !(is_error(best->hard_max_error) && is_error(best->hard_rms_error)))
        return tw_fail(error, TW_INVALID, "its errors on hard inputs are %g and %g",
                       best->hard_max_error, best->hard_rms_error);
    return TW_OK;
}

tw_status well_formed_row(const struct tw_db_best_row *row, struct tw_error *error) {
    const struct tw_db_best *best = &row->best;
    tw_status status = check_problem(&row->problem, error);
    if (status == TW_OK)
        status = well_formed_device(&row->device, error);
    if (status == TW_OK)
        status = check_name("the implementation", row->implementation_name, error);
    if (status == TW_OK)
        status = check_name("the template hash", row->template_hash, error);
    if (status == TW_OK)
        status = check_optional("the source's hash", best->source, error);
    if (status == TW_OK)
        status = check_optional("the judge's hash", best->judge, error);
    if (status == TW_OK && strcmp(best->cache_policy, "cold") != 0 &&
        strcmp(best->cache_policy, "warm") != 0)
        status = tw_fail(error, TW_INVALID, "its cache policy is neither cold nor warm");
    if (status == TW_OK)
        status = check_json("its configuration", best->configuration, is_configuration, error);
    if (status == TW_OK)
        status = check_times(best, error);
    if (status == TW_OK)
        status = check_range("repeats", best->repeats, 1, error);
    if (status == TW_OK)
        status = check_range("measured_at", best->measured_at, 1, error);
    if (status == TW_OK)
        status = check_optional("its rate's unit", best->rate_unit, error);
    if (status == TW_OK)
        status = check_json("its ties", best->tie_set, is_tie_set, error);
    if (status == TW_OK)
        status = check_json("its preset times", best->baselines, is_baselines, error);
    return status == TW_OK ? check_provenance(&row->provenance, error) : status;
}

void row_name(const struct tw_db_best_row *row, char name[ROW_NAME_SIZE]) {
    char kernel[48], key[160], device[80], cache[16], implementation[48];
    snprintf(name, ROW_NAME_SIZE, "%s %s on %s, %s cache, %s",
             tw_printable_copy(row->problem.kernel, kernel, sizeof kernel),
             tw_printable_copy(row->problem.text != NULL ? row->problem.text : row->problem.key,
                               key, sizeof key),
             tw_printable_copy(row->device.name, device, sizeof device),
             tw_printable_copy(row->best.cache_policy, cache, sizeof cache),
             tw_printable_copy(row->implementation_name, implementation, sizeof implementation));
}

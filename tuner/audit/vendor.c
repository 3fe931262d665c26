/* The vendor's times, which `bench --json` measured beside what an application got then: `tune` has
 * no vendor's library of its own. */
#include <math.h>
#include <string.h>

#include "runtime/description/json.h"
#include "tuner/audit/audit.h"

static const cJSON *contender(const cJSON *problem, const char *key, const char *value) {
    const cJSON *item;
    cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(problem, "contenders")) {
        const cJSON *word = cJSON_GetObjectItemCaseSensitive(item, key);
        if (cJSON_IsString(word) && strcmp(word->valuestring, value) == 0)
            return item;
    }
    return NULL;
}

static const char *text_of(const cJSON *object, const char *key) {
    const cJSON *value = cJSON_GetObjectItemCaseSensitive(object, key);
    return cJSON_IsString(value) ? value->valuestring : "";
}

static bool is_about(const cJSON *measured, const struct tw_problem *problem) {
    struct tw_problem read;
    char key[TW_PROBLEM_KEY_SIZE], other[TW_PROBLEM_KEY_SIZE];
    if (strcmp(text_of(measured, "kernel"), problem->description->kernel) != 0 ||
        tw_problem_read(&read, problem->description, text_of(measured, "problem"), NULL) != TW_OK)
        return false;
    tw_problem_key(problem, key);
    tw_problem_key(&read, other);
    return strcmp(key, other) == 0;
}

static void take(struct audited *audited, const cJSON *measured) {
    const cJSON *vendor = contender(measured, "name", text_of(measured, "vendor"));
    const cJSON *time = cJSON_GetObjectItemCaseSensitive(vendor, "median_us");
    const cJSON *ratio = cJSON_GetObjectItemCaseSensitive(vendor, "ratio");
    if (!cJSON_IsNumber(time) || !cJSON_IsNumber(ratio) || !isfinite(time->valuedouble) ||
        !isfinite(ratio->valuedouble) || time->valuedouble <= 0 || ratio->valuedouble <= 0)
        return;
    audited->vendor_us = time->valuedouble;
    audited->vendor_ratio = ratio->valuedouble;
}

tw_status audit_read_vendor(cJSON **vendor, const char *file, const char *text,
                            struct tw_error *error) {
    tw_status status = tw_json_parse(vendor, text, file, error);
    if (status == TW_OK && !cJSON_IsArray(cJSON_GetObjectItemCaseSensitive(*vendor, "problems")))
        status = tw_fail(error, TW_INVALID, "%s: is not what bench --json writes", file);
    return status == TW_BAD_DESCRIPTION ? error->status = TW_INVALID : status;
}

void audit_add_vendor(struct audited *all, int count, const cJSON *vendor) {
    const cJSON *problems = cJSON_GetObjectItemCaseSensitive(vendor, "problems"), *measured;
    for (int i = 0; i < count; i++) {
        cJSON_ArrayForEach(measured, problems) {
            if (is_about(measured, &all[i].wanted->problem))
                take(&all[i], measured);
        }
    }
}

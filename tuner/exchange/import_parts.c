#include "tuner/exchange/import_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/exchange/canonical_json.h"

enum { MOST_MEMBERS = 64 };

void import_only_keys(const struct tw_json *json, const char *const *keys) {
    if (tw_json_count(json) > MOST_MEMBERS)
        tw_json_fail(json, "too many members");
    else
        tw_json_exact_keys(json, keys);
}

static const char *text_of(const struct tw_json *object, const char *key) {
    struct tw_json value = tw_json_member(object, key);
    return tw_json_string(&value);
}

/* NULL when it is absent. */
static const char *optional_text(const struct tw_json *object, const char *key) {
    struct tw_json value = tw_json_optional(object, key);
    return value.item != NULL ? tw_json_string(&value) : NULL;
}

static double number_of(const struct tw_json *object, const char *key) {
    struct tw_json value = tw_json_member(object, key);
    return tw_json_number(&value);
}

static int64_t integer_of(const struct tw_json *object, const char *key) {
    struct tw_json value = tw_json_member(object, key);
    return tw_json_integer(&value);
}

/* JSON inside the JSON, which the database keeps as text; NULL when it is absent. */
static const char *json_of(const struct tw_json *object, const char *key, struct tw_text *text) {
    struct tw_json value = tw_json_optional(object, key);
    tw_text_clear(text);
    if (value.item == NULL)
        return NULL;
    if (!canonical_is_plain(value.item)) {
        tw_json_fail(&value, "too large, or not plain text and numbers");
        return NULL;
    }
    canonical_value(text, value.item);
    if (text->failed) {
        tw_json_no_memory(&value);
        return NULL;
    }
    return text->data;
}

void import_device(const struct tw_json *json, struct tw_db_device *row,
                   struct tw_text *properties) {
    static const char *const keys[] = {"architecture", "backend",      "compute_units",
                                       "fingerprint",  "memory_bytes", "name",
                                       "properties",   "vendor",       NULL};
    import_only_keys(json, keys);
    *row = (struct tw_db_device){.fingerprint = text_of(json, "fingerprint"),
                                 .backend = text_of(json, "backend"),
                                 .name = text_of(json, "name"),
                                 .vendor = optional_text(json, "vendor"),
                                 .architecture = optional_text(json, "architecture"),
                                 .compute_units = integer_of(json, "compute_units"),
                                 .memory_bytes = integer_of(json, "memory_bytes"),
                                 .properties = json_of(json, "properties", properties)};
}

void import_problem(const struct tw_json *json, struct tw_db_problem *row,
                    struct written_problem *parts) {
    static const char *const keys[] = {"attributes", "dimensions", "kernel", "key", "text", NULL};
    import_only_keys(json, keys);
    *row = (struct tw_db_problem){.kernel = text_of(json, "kernel"),
                                  .key = text_of(json, "key"),
                                  .text = optional_text(json, "text"),
                                  .dimensions = parts->dimensions,
                                  .attributes = parts->attributes};
    struct tw_json dimensions = tw_json_member(json, "dimensions");
    struct tw_json attributes = tw_json_member(json, "attributes");
    tw_json_expect_object(&dimensions);
    tw_json_expect_object(&attributes);
    if (tw_json_count(&dimensions) > TW_MAX_DIMENSIONS)
        tw_json_fail(&dimensions, "too many of them");
    if (tw_json_count(&attributes) > TW_MAX_ATTRIBUTES)
        tw_json_fail(&attributes, "too many of them");
    if (json->context->status != TW_OK)
        return;
    for (int i = 0; i < tw_json_count(&dimensions); i++) {
        struct tw_json value = tw_json_at(&dimensions, i);
        parts->dimensions[row->dimension_count++] =
            (struct tw_db_dimension){value.item->string, tw_json_integer(&value)};
    }
    for (int i = 0; i < tw_json_count(&attributes); i++) {
        struct tw_json value = tw_json_at(&attributes, i);
        parts->attributes[row->attribute_count++] =
            (struct tw_db_attribute){value.item->string, tw_json_string(&value)};
    }
}

static uint64_t seed_of(const struct tw_json *object) {
    struct tw_json value = tw_json_member(object, "seed");
    const char *digits = tw_json_string(&value);
    char *end;
    errno = 0;
    unsigned long long seed = strtoull(digits, &end, 10);
    if (digits[0] < '0' || digits[0] > '9' || *end != '\0' || errno != 0)
        tw_json_fail(&value, "expected a whole number in quotes");
    return seed;
}

static void read_run(const struct tw_json *json, struct tw_db_provenance *run,
                     struct tw_text *conditions) {
    static const char *const keys[] = {"budget_kind", "budget_value", "compiler", "conditions",
                                       "driver",      "protocol",     "seed",     "started_at",
                                       "strategy",    "tilewise",     "uid",      NULL};
    import_only_keys(json, keys);
    *run = (struct tw_db_provenance){.uid = text_of(json, "uid"),
                                     .strategy = text_of(json, "strategy"),
                                     .seed = seed_of(json),
                                     .budget_kind = text_of(json, "budget_kind"),
                                     .budget_value = number_of(json, "budget_value"),
                                     .started_at = integer_of(json, "started_at"),
                                     .tilewise_version = optional_text(json, "tilewise"),
                                     .driver = optional_text(json, "driver"),
                                     .compiler = optional_text(json, "compiler"),
                                     .conditions = json_of(json, "conditions", conditions),
                                     .protocol = optional_text(json, "protocol")};
}

/* Two members that come together or not at all. */
static bool has_both(const struct tw_json *json, const char *one, const char *other) {
    struct tw_json first = tw_json_optional(json, one), second = tw_json_optional(json, other);
    if ((first.item == NULL) != (second.item == NULL))
        tw_json_fail(first.item == NULL ? &first : &second, "missing");
    return first.item != NULL && second.item != NULL;
}

void import_best(const struct tw_json *json, struct tw_db_best_row *row, struct best_texts *texts) {
    static const char *const keys[] = {
        "cache",         "ci_high_us",     "ci_low_us",      "configuration",
        "device",        "implementation", "kernel",         "problem",
        "max_rel_error", "measured_at",    "rate",           "presets_us",
        "rms_rel_error", "rate_unit",      "repeats",        "run",
        "ties",          "template_hash",  "time_us",        "source",
        "judge",         "hard_max_error", "hard_rms_error", NULL};
    import_only_keys(json, keys);
    struct tw_json run = tw_json_optional(json, "run");
    struct tw_json configuration = tw_json_member(json, "configuration");
    tw_json_expect_object(&configuration);
    *row = (struct tw_db_best_row){
        .implementation_name = text_of(json, "implementation"),
        .template_hash = text_of(json, "template_hash"),
        .best = {.cache_policy = text_of(json, "cache"),
                 .configuration = json_of(json, "configuration", &texts->configuration),
                 .time_us = number_of(json, "time_us"),
                 .ci_low_us = number_of(json, "ci_low_us"),
                 .ci_high_us = number_of(json, "ci_high_us"),
                 .repeats = integer_of(json, "repeats"),
                 .measured_at = integer_of(json, "measured_at"),
                 .tie_set = json_of(json, "ties", &texts->ties),
                 .baselines = json_of(json, "presets_us", &texts->presets)}};
    if (has_both(json, "source", "judge")) {
        row->best.source = text_of(json, "source");
        row->best.judge = text_of(json, "judge");
    }
    if (has_both(json, "rate", "rate_unit")) {
        row->best.rate = number_of(json, "rate");
        row->best.rate_unit = text_of(json, "rate_unit");
    }
    row->best.has_error = has_both(json, "max_rel_error", "rms_rel_error");
    if (row->best.has_error) {
        row->best.max_rel_error = number_of(json, "max_rel_error");
        row->best.rms_rel_error = number_of(json, "rms_rel_error");
    }
    row->best.has_hard = has_both(json, "hard_max_error", "hard_rms_error");
    if (row->best.has_hard) {
        row->best.hard_max_error = number_of(json, "hard_max_error");
        row->best.hard_rms_error = number_of(json, "hard_rms_error");
    }
    if (run.item != NULL)
        read_run(&run, &row->provenance, &texts->conditions);
}

void best_texts_free(struct best_texts *texts) {
    tw_text_free(&texts->configuration);
    tw_text_free(&texts->ties);
    tw_text_free(&texts->presets);
    tw_text_free(&texts->conditions);
}

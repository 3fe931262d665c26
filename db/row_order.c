/* Which of two rows about the same thing is to be kept. The answer depends on what they say and on
 * nothing else, so that merging comes out the same in any order. */
#include "db/internal.h"

#include <string.h>

/* Negative, zero or positive, as strcmp. */
static int by_real(double a, double b) {
    return (a > b) - (a < b);
}

static int by_integer(int64_t a, int64_t b) {
    return (a > b) - (a < b);
}

int tw_db_text_order(const char *a, const char *b) {
    if (a == NULL || b == NULL) {
        return (a != NULL) - (b != NULL);
    }
    return strcmp(a, b);
}

int tw_db_device_order(const struct tw_db_device *a, const struct tw_db_device *b) {
    int order = tw_db_text_order(a->backend, b->backend);
    order = order != 0 ? order : tw_db_text_order(a->name, b->name);
    order = order != 0 ? order : tw_db_text_order(a->vendor, b->vendor);
    order = order != 0 ? order : tw_db_text_order(a->architecture, b->architecture);
    order = order != 0 ? order : by_integer(a->compute_units, b->compute_units);
    order = order != 0 ? order : by_integer(a->memory_bytes, b->memory_bytes);
    return order != 0 ? order : tw_db_text_order(a->properties, b->properties);
}

static int by_provenance(const struct tw_db_provenance *a, const struct tw_db_provenance *b) {
    if (a->uid == NULL || b->uid == NULL) {
        return (a->uid != NULL) - (b->uid != NULL);
    }
    int order = strcmp(a->uid, b->uid);
    order = order != 0 ? order : by_integer(a->started_at, b->started_at);
    order = order != 0 ? order : tw_db_text_order(a->tilewise_version, b->tilewise_version);
    order = order != 0 ? order : tw_db_text_order(a->driver, b->driver);
    order = order != 0 ? order : tw_db_text_order(a->compiler, b->compiler);
    order = order != 0 ? order : tw_db_text_order(a->conditions, b->conditions);
    order = order != 0 ? order : tw_db_text_order(a->protocol, b->protocol);
    order = order != 0 ? order : tw_db_text_order(a->strategy, b->strategy);
    order = order != 0 ? order : (a->seed > b->seed) - (a->seed < b->seed);
    order = order != 0 ? order : tw_db_text_order(a->budget_kind, b->budget_kind);
    return order != 0 ? order : by_real(a->budget_value, b->budget_value);
}

static double relative_width(const struct tw_db_best *best) {
    return (best->ci_high_us - best->ci_low_us) / best->time_us;
}

/* How well it was measured: a playoff beside others says more than any number of repeats. */
static int by_measurement(const struct tw_db_best *a, const struct tw_db_best *b) {
    int order = by_integer(a->tie_set != NULL, b->tie_set != NULL);
    order = order != 0 ? order : by_integer(a->repeats, b->repeats);
    order = order != 0 ? order : by_real(relative_width(b), relative_width(a));
    order = order != 0 ? order : by_real(b->time_us, a->time_us);
    order = order != 0 ? order : by_integer(a->measured_at, b->measured_at);
    order = order != 0 ? order : by_integer(a->has_error, b->has_error);
    if (order == 0 && a->has_error) {
        order = by_real(b->max_rel_error, a->max_rel_error);
        order = order != 0 ? order : by_real(b->rms_rel_error, a->rms_rel_error);
    }
    return order;
}

int tw_db_best_order(const struct tw_db_best_row *left, const struct tw_db_best_row *right) {
    const struct tw_db_best *a = &left->best;
    const struct tw_db_best *b = &right->best;
    int order = by_measurement(a, b);
    order = order != 0 ? order : tw_db_text_order(b->configuration, a->configuration);
    order = order != 0 ? order : by_real(b->ci_low_us, a->ci_low_us);
    order = order != 0 ? order : by_real(b->ci_high_us, a->ci_high_us);
    order = order != 0 ? order : tw_db_text_order(a->rate_unit, b->rate_unit);
    if (order == 0 && a->rate_unit != NULL) {
        order = by_real(a->rate, b->rate);
    }
    order = order != 0 ? order : tw_db_text_order(a->tie_set, b->tie_set);
    order = order != 0 ? order : tw_db_text_order(a->baselines, b->baselines);
    order = order != 0 ? order : tw_db_text_order(a->source, b->source);
    order = order != 0 ? order : tw_db_text_order(a->judge, b->judge);
    order = order != 0 ? order : by_integer(a->has_hard, b->has_hard);
    if (order == 0 && a->has_hard) {
        order = by_real(b->hard_max_error, a->hard_max_error);
        order = order != 0 ? order : by_real(b->hard_rms_error, a->hard_rms_error);
    }
    return order != 0 ? order : by_provenance(&left->provenance, &right->provenance);
}

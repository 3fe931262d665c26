/* What the tests of tuner/exchange share: databases with results of built-in kernels. */
#ifndef TW_TEST_EXCHANGE_SUPPORT_H
#define TW_TEST_EXCHANGE_SUPPORT_H

#include "db/merge.h"
#include "test_db_support.h"

#include "runtime/base/text.h"
#include "tuner/exchange/allowed.h"
#include "tuner/exchange/export.h"
#include "tuner/exchange/import.h"
#include "tuner/exchange/merge.h"

#define assert_fine(call, error)                                                                   \
    do {                                                                                           \
        if ((call) != TW_OK) {                                                                     \
            fail_msg("%s", (error).message);                                                       \
        }                                                                                          \
    } while (0)

struct tuned {
    const char *kernel, *shape, *preset, *device;
    const char *hash; /* NULL: today's */
    double time_us;
    bool has_run;
};

/* A best row as the tuner would store it. Its numbers are not round. */
SUPPORT void put_tuned(tw_db *db, const struct known_kernels *known, struct tuned tuned) {
    struct tw_error error;
    const struct known_kernel *kernel = known_kernels_find(known, tuned.kernel);
    const struct tw_description *d = kernel->description;
    struct tw_problem problem;
    assert_fine(tw_problem_parse(&problem, d, tuned.shape, &error), error);
    struct tw_configuration configuration = {0};
    const struct tw_preset *preset;
    assert_true(tw_description_preset(d, tuned.preset, &configuration.implementation, &preset));
    memcpy(configuration.values, preset->values, sizeof configuration.values);
    struct tw_text text = {0};
    tw_configuration_text(d, &configuration, &text);

    struct ids ids = {0};
    struct tw_db_device device = sample_device;
    device.fingerprint = tuned.device;
    assert_status(tw_db_device_put(db, &device, &ids.device), TW_DB_OK);
    struct allowed_parts parts;
    struct tw_db_problem problem_row;
    allowed_problem_row(&problem, &parts, &problem_row);
    assert_status(tw_db_problem_put(db, &problem_row, &ids.problem), TW_DB_OK);
    int index = configuration.implementation;
    const char *code;
    assert_fine(tw_today_code(kernel->today, index, device.backend, &code, &error), error);
    const struct tw_db_implementation implementation = {.kernel = d->kernel,
                                                        .name = d->implementations[index].name,
                                                        .template_hash =
                                                            tuned.hash != NULL ? tuned.hash : code,
                                                        .description = d->text};
    assert_status(tw_db_implementation_put(db, &implementation, &ids.implementation), TW_DB_OK);
    if (tuned.has_run) {
        struct tw_db_run run = sample_run(ids);
        assert_status(tw_db_run_begin(db, &run, &ids.run), TW_DB_OK);
        assert_status(tw_db_run_finish(db, ids.run, TW_DB_RUN_DONE, 1), TW_DB_OK);
        struct tw_db_trial trial = sample_trial(ids, text.data);
        assert_status(tw_db_trial_put(db, &trial, NULL), TW_DB_OK);
    }
    struct tw_db_best best = sample_best(ids);
    int64_t values[TW_MAX_SYMBOLS];
    const int64_t slots[TW_DEVICE_SLOTS] = {49152, 1024, 32, 132, 1 << 20, 90, 0};
    struct tw_work work;
    assert_fine(tw_problem_bind(&problem, slots, NULL, values, &error), error);
    assert_fine(tw_problem_work(&problem, values, &work, &error), error);
    best.configuration = text.data;
    best.time_us = tuned.time_us;
    best.ci_low_us = tuned.time_us * 0.9;
    best.ci_high_us = tuned.time_us * 1.1;
    best.rate = tw_work_rate(&work, best.time_us * 1e-6, &best.rate_unit);
    best.has_error = true;
    best.max_rel_error = 1e-7 / 3;
    best.rms_rel_error = 1e-8 / 3;
    best.has_hard = true;
    best.hard_max_error = 1e-6 / 7;
    best.hard_rms_error = 1e-7 / 7;
    char ties[1024];
    snprintf(ties, sizeof ties,
             "[{\"time_us\":13.1,\"implementation\":\"x\",\"configuration\":%s}]", text.data);
    best.tie_set = ties;
    best.baselines = "{\"naive\":7992.9680000000017,\"default\":13}";
    best.measured_at = 1795227992;
    assert_status(tw_db_best_put(db, &best), TW_DB_OK);
    tw_text_free(&text);
}

/* Three rows of two kernels on two devices. */
SUPPORT void put_three(tw_db *db, const struct known_kernels *known) {
    put_tuned(db, known,
              (struct tuned){"gemm", "64x32x16", "default", "cuda:b", NULL, 10. / 3, true});
    put_tuned(db, known, (struct tuned){"copy", "100x7", "default", "cuda:b", NULL, 12.5, false});
    put_tuned(db, known, (struct tuned){"gemm", "64x32x16", "naive", "cuda:a", NULL, 25, true});
}

/* The caller frees. */
SUPPORT struct tw_text exported(const char *path, const char *kernel, int64_t expected) {
    struct tw_text text = {0};
    struct tw_error error;
    int64_t count = 0;
    tw_db *db = open_db(path, TW_DB_READ);
    assert_fine(export_best(db, kernel, &text, &count, &error), error);
    assert_int_equal(count, expected);
    tw_db_close(db);
    return text;
}

SUPPORT struct tw_db_merged import_text(const char *path, const struct known_kernels *known,
                                        const struct tw_text *text) {
    struct import *import;
    struct tw_error error;
    struct tw_db_merged merged;
    tw_db *db = open_db(path, TW_DB_WRITE);
    assert_fine(import_read(&import, text->data, text->length, "test.json", known, &error), error);
    assert_fine(merge_imports(db, &import, 1, &merged, &error), error);
    import_close(import);
    tw_db_close(db);
    return merged;
}

/* A copy of `text` with the first `old` behind `after` (NULL: anywhere) replaced. */
SUPPORT char *replaced(const char *text, const char *after, const char *old, const char *with) {
    const char *start = after != NULL ? strstr(text, after) : text;
    assert_non_null(start);
    const char *at = strstr(start, old);
    if (at == NULL) {
        fail_msg("no %s in the text", old);
    }
    size_t size = strlen(text) + strlen(with) + 1;
    char *copy = malloc(size);
    snprintf(copy, size, "%.*s%s%s", (int)(at - text), text, with, at + strlen(old));
    return copy;
}

#endif

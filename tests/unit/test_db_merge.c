/* db/: merging. Whatever the order and grouping, the outcome is the same. */
#include "db/merge.h"
#include "db/upkeep.h"
#include "test_db_support.h"

/* Numbers that are the same in every run. */
static uint64_t next_random(uint64_t *state) {
    *state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = *state;
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static int draw(uint64_t *state, int count) {
    return (int)(next_random(state) % (uint64_t)count);
}

static const char *pick(uint64_t *state, const char *const *words, int count) {
    return words[draw(state, count)];
}
#define PICK(state, ...)                                                                           \
    pick(state, (const char *const[]){__VA_ARGS__},                                                \
         (int)(sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *)))

/* A few values each, so that rows of different databases meet in all ways. */
static void put_random_row(tw_db *db, uint64_t *random) {
    struct ids ids = {0};
    struct tw_db_device device = sample_device;
    char fingerprint[32], key[64];
    snprintf(fingerprint, sizeof fingerprint, "cuda:%d", draw(random, 2));
    device.fingerprint = fingerprint;
    device.vendor = PICK(random, "NVIDIA", "nvidia", NULL);
    device.properties = PICK(random, "{}", NULL);
    assert_status(tw_db_device_put(db, &device, &ids.device), TW_DB_OK);

    struct tw_db_problem problem = sample_problem;
    struct tw_db_dimension dimensions[] = {{"M", 1 + draw(random, 2)}, {"N", 7}};
    snprintf(key, sizeof key, "M=%d,N=7;dtype=f32,trans=nn", (int)dimensions[0].value);
    problem.key = key;
    problem.dimensions = dimensions;
    problem.dimension_count = 2;
    assert_status(tw_db_problem_put(db, &problem, &ids.problem), TW_DB_OK);

    struct tw_db_implementation implementation = sample_implementation;
    implementation.template_hash = PICK(random, "a1", "b2");
    implementation.description = PICK(random, "", "{}", "{\"x\":1}");
    assert_status(tw_db_implementation_put(db, &implementation, &ids.implementation), TW_DB_OK);

    struct tw_db_run run = sample_run(ids);
    run.cache_policy = PICK(random, "cold", "warm");
    run.driver = PICK(random, "550.1", "560.2", NULL);
    run.conditions = PICK(random, "{}", "{\"sm_mhz\":1980}", NULL);
    struct tw_db_best best = sample_best(ids);
    best.run = 0;
    if (draw(random, 4) != 0) {
        assert_status(tw_db_run_begin(db, &run, &best.run), TW_DB_OK);
    }
    best.cache_policy = run.cache_policy;
    best.configuration = PICK(random, "{\"BM\":64}", "{\"BM\":128}");
    best.time_us = 10 + draw(random, 2);
    best.ci_low_us = best.time_us - draw(random, 2);
    best.ci_high_us = best.time_us + draw(random, 2);
    best.repeats = 5 + draw(random, 2);
    best.rate_unit = PICK(random, "GB/s", NULL);
    best.rate = 2 + draw(random, 2);
    best.has_error = draw(random, 2) != 0;
    best.max_rel_error = draw(random, 2) * 1e-7;
    best.rms_rel_error = draw(random, 2) * 1e-8;
    best.has_hard = draw(random, 2) == 1;
    best.hard_max_error = draw(random, 2) * 1e-6;
    best.hard_rms_error = draw(random, 2) * 1e-7;
    best.tie_set = PICK(random, "[]", NULL);
    best.baselines = PICK(random, "{}", "{\"naive\":20}", NULL);
    best.measured_at = 1000 + draw(random, 2);
    assert_status(tw_db_best_put(db, &best), TW_DB_OK);
}

struct dump {
    char *text;
    size_t length;
};

static void add(struct dump *dump, const char *name, const char *value) {
    char piece[512];
    int length = snprintf(piece, sizeof piece, "%s=%s ", name, value != NULL ? value : "-");
    dump->text = realloc(dump->text, dump->length + (size_t)length + 1);
    memcpy(dump->text + dump->length, piece, (size_t)length + 1);
    dump->length += (size_t)length;
}

static void add_number(struct dump *dump, const char *name, double value) {
    char number[40];
    snprintf(number, sizeof number, "%.17g", value);
    add(dump, name, number);
}

static bool dump_best(void *context, const struct tw_db_best_row *row) {
    struct dump *dump = context;
    const struct tw_db_best *best = &row->best;
    const struct tw_db_provenance *run = &row->provenance;
    add(dump, "\nbest", row->problem.key);
    add_number(dump, "M", (double)row->problem.dimensions[0].value);
    add(dump, "trans", row->problem.attributes[1].value);
    add(dump, "device", row->device.fingerprint);
    add(dump, "vendor", row->device.vendor);
    add(dump, "properties", row->device.properties);
    add(dump, "cache", best->cache_policy);
    add(dump, "hash", row->template_hash);
    add(dump, "configuration", best->configuration);
    add_number(dump, "time", best->time_us);
    add_number(dump, "low", best->ci_low_us);
    add_number(dump, "high", best->ci_high_us);
    add_number(dump, "repeats", (double)best->repeats);
    add(dump, "unit", best->rate_unit);
    add_number(dump, "rate", best->rate_unit != NULL ? best->rate : 0);
    add_number(dump, "max", best->has_error ? best->max_rel_error : -1);
    add_number(dump, "rms", best->has_error ? best->rms_rel_error : -1);
    add_number(dump, "hard max", best->has_hard ? best->hard_max_error : -1);
    add_number(dump, "hard rms", best->has_hard ? best->hard_rms_error : -1);
    add(dump, "ties", best->tie_set);
    add(dump, "presets", best->baselines);
    add_number(dump, "at", (double)best->measured_at);
    add(dump, "run", run->uid);
    if (run->uid != NULL) {
        add(dump, "driver", run->driver);
        add(dump, "conditions", run->conditions);
        add_number(dump, "seed", (double)run->seed);
        add_number(dump, "started", (double)run->started_at);
    }
    return true;
}

static bool dump_implementation(void *context, const struct tw_db_implementation *row) {
    add(context, "\nimplementation", row->template_hash);
    add(context, "description", row->description);
    return true;
}

static int by_line(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* All that merging is about, in an order of its own. The caller frees it. */
static char *dump_database(tw_db *db) {
    struct dump dump = {0};
    add(&dump, "start", "");
    assert_status(tw_db_best_each(db, NULL, dump_best, &dump), TW_DB_OK);
    assert_status(tw_db_implementation_each(db, NULL, dump_implementation, &dump), TW_DB_OK);
    char *lines[200], *rest = NULL;
    size_t count = 0;
    for (char *line = strtok_r(dump.text, "\n", &rest); line != NULL;
         line = strtok_r(NULL, "\n", &rest)) {
        assert_true(count < 200);
        lines[count++] = line;
    }
    qsort(lines, count, sizeof *lines, by_line);
    char *sorted = calloc(1, dump.length + count + 1);
    for (size_t i = 0; i < count; i++) {
        strcat(strcat(sorted, lines[i]), "\n");
    }
    free(dump.text);
    return sorted;
}

static void merge_into(tw_db *db, const char *path, struct tw_db_merged *merged) {
    *merged = (struct tw_db_merged){0};
    tw_db *from = open_db(path, TW_DB_READ);
    if (tw_db_merge(db, from, merged) != TW_DB_OK) {
        fail_msg("%s", tw_db_message(db));
    }
    tw_db_close(from);
}

enum { SOURCES = 3 };

/* Merges databases, in an order, into a new one. A source may be a merged one itself. */
static void merge_all(const char *path, char sources[][700], const int *order, int count) {
    tw_db *db = open_db(path, TW_DB_WRITE);
    struct tw_db_merged merged;
    for (int i = 0; i < count; i++) {
        merge_into(db, sources[order[i]], &merged);
    }
    tw_db_close(db);
}

static void assert_same(const char *path, const char *expected) {
    tw_db *db = open_db(path, TW_DB_READ);
    char *text = dump_database(db);
    assert_string_equal(text, expected);
    free(text);
    tw_db_close(db);
}

static void merging_comes_out_the_same_in_any_order(void **state) {
    struct fixture *fixture = *state;
    uint64_t random = 20260;
    for (int round = 0; round < 6; round++) {
        char sources[SOURCES + 1][700], path[700];
        for (int i = 0; i < SOURCES; i++) {
            snprintf(sources[i], sizeof sources[i], "%s/%d-%d.db", fixture->directory, round, i);
            tw_db *db = open_db(sources[i], TW_DB_WRITE);
            for (int row = 0; row < 6; row++) {
                put_random_row(db, &random);
            }
            tw_db_close(db);
        }
        static const int orders[][SOURCES] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                              {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
        char *expected = NULL;
        for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
            snprintf(path, sizeof path, "%s/%d-order%d.db", fixture->directory, round, (int)i);
            merge_all(path, sources, orders[i], SOURCES);
            if (expected == NULL) {
                tw_db *db = open_db(path, TW_DB_READ);
                expected = dump_database(db);
                tw_db_close(db);
                assert_non_null(strstr(expected, "best="));
            }
            assert_same(path, expected);
        }
        /* Grouped otherwise: 1 and 2 first, and what they make into 0 itself. */
        snprintf(sources[SOURCES], sizeof *sources, "%s/%d-pair.db", fixture->directory, round);
        merge_all(sources[SOURCES], sources, (const int[]){2, 1}, 2);
        merge_all(sources[0], sources, (const int[]){SOURCES}, 1);
        assert_same(sources[0], expected);
        /* Again, with itself and with its parts: nothing changes. */
        tw_db *db = open_db(sources[0], TW_DB_WRITE);
        struct tw_db_merged merged;
        for (int i = 0; i <= SOURCES; i++) {
            merge_into(db, sources[i], &merged);
            assert_int_equal(merged.added + merged.replaced, 0);
            assert_true(merged.kept > 0);
        }
        assert_sql(db, "PRAGMA integrity_check", "ok");
        assert_sql(db, "SELECT count(*) FROM pragma_foreign_key_check", "0");
        tw_db_close(db);
        assert_same(sources[0], expected);
        free(expected);
    }
}

/* Every difference decides, and the other way round for the other row. */
static void order_is_total(void **state) {
    (void)state;
    const struct tw_db_best_row row = {
        .best = {.configuration = "b",
                 .time_us = 10,
                 .ci_low_us = 9,
                 .ci_high_us = 11,
                 .repeats = 5,
                 .has_error = true,
                 .max_rel_error = 1,
                 .rms_rel_error = 1,
                 .has_hard = true,
                 .hard_max_error = 1,
                 .hard_rms_error = 1,
                 .measured_at = 100,
                 .tie_set = "b",
                 .baselines = "b",
                 .rate_unit = "b",
                 .rate = 1},
        .provenance = {.uid = "b", .strategy = "b", .budget_kind = "b", .driver = "b"}};
    struct tw_db_best_row better[14];
    for (int i = 0; i < 14; i++) {
        better[i] = row;
    }
    better[0].best.repeats = 6;
    better[0].best.time_us = 1000; /* well measured goes before fast */
    better[0].best.ci_high_us = 2000;
    better[1].best.ci_low_us = 9.5;
    better[2].best = row.best;
    better[2].best.time_us = 5; /* with the same relative width */
    better[2].best.ci_low_us = 4.5;
    better[2].best.ci_high_us = 5.5;
    better[3].best.measured_at = 101;
    better[4].best.max_rel_error = 0.5;
    better[5].best.rms_rel_error = 0.5;
    better[6].best.configuration = "a";
    better[7].best.rate = 2;
    better[8].best.tie_set = "c";
    better[9].best.baselines = "c";
    better[10].provenance.driver = "c";
    better[11].provenance.seed = 1;
    better[12].best.hard_max_error = 0.5;
    better[13].best.hard_rms_error = 0.5;
    for (int i = 0; i < 14; i++) {
        assert_true(tw_db_best_order(&better[i], &row) > 0);
        assert_true(tw_db_best_order(&row, &better[i]) < 0);
        assert_int_equal(tw_db_best_order(&better[i], &better[i]), 0);
    }
    /* What no playoff has decided goes behind what one has, however often it was repeated. */
    struct tw_db_best_row provisional = better[0];
    provisional.best.tie_set = NULL;
    assert_true(tw_db_best_order(&row, &provisional) > 0);
    assert_true(tw_db_best_order(&provisional, &row) < 0);
    struct tw_db_best_row none = row;
    none.provenance.uid = NULL;
    assert_true(tw_db_best_order(&row, &none) > 0);
    assert_true(tw_db_best_order(&none, &row) < 0);
}

static bool keep_best(void *context, const struct tw_db_best_row *row) {
    *(double *)context = row->best.time_us;
    return true;
}

static bool count_run(void *context, const struct tw_db_run_row *row) {
    (void)row;
    ++*(int *)context;
    return true;
}

static void better_row_replaces_and_brings_its_run(void **state) {
    struct fixture *fixture = *state;
    char other[700];
    snprintf(other, sizeof other, "%s/other.db", fixture->directory);
    tw_db *db = open_db(fixture->path, TW_DB_WRITE), *from = open_db(other, TW_DB_WRITE);
    struct ids ids = put_samples(db), there = put_samples(from);
    struct tw_db_best best = sample_best(ids);
    best.measured_at = 100;
    assert_status(tw_db_best_put(db, &best), TW_DB_OK);
    struct tw_db_trial trial = sample_trial(there, "{}");
    assert_status(tw_db_trial_put(from, &trial, NULL), TW_DB_OK);
    best = sample_best(there);
    best.repeats++;
    best.time_us = 12.6;
    best.measured_at = 100;
    assert_status(tw_db_best_put(from, &best), TW_DB_OK);
    tw_db_close(from);

    struct tw_db_merged merged;
    merge_into(db, other, &merged);
    assert_int_equal(merged.added, 0);
    assert_int_equal(merged.replaced, 1);
    assert_int_equal(merged.kept, 0);
    double time = 0;
    assert_status(tw_db_best_each(db, NULL, keep_best, &time), TW_DB_OK);
    assert_true(time == 12.6);
    /* Its run came along, without the trials and without a claim to being resumed. */
    assert_sql(db, "SELECT count(*) FROM trial", "0");
    assert_sql(db, "SELECT count(*) FROM run WHERE merged", "1");
    assert_sql(db, "SELECT state || owner_host FROM run WHERE merged", "done");
    assert_sql(db, "SELECT count(*) FROM best JOIN run ON run.id = best.run WHERE merged", "1");
    const struct tw_db_run_filter here = {.made_here = true};
    int runs = 0;
    assert_status(tw_db_run_each(db, &here, count_run, &runs), TW_DB_OK);
    assert_int_equal(runs, 1);
    assert_status(tw_db_run_each(db, NULL, count_run, &runs), TW_DB_OK);
    assert_int_equal(runs, 3);
    tw_db_close(db);
}

static void nothing_is_taken_from_a_database_that_makes_no_sense(void **state) {
    struct fixture *fixture = *state;
    char other[700];
    snprintf(other, sizeof other, "%s/other.db", fixture->directory);
    tw_db *from = open_db(other, TW_DB_WRITE);
    struct ids there = put_samples(from);
    struct tw_db_best best = sample_best(there);
    assert_status(tw_db_best_put(from, &best), TW_DB_OK);
    best.cache_policy = "warm";
    assert_status(tw_db_best_put(from, &best), TW_DB_OK);
    tw_db_close(from);
    static const char *const harm[] = {
        "UPDATE best SET time_us = 'soon' WHERE cache_policy = 'warm'",
        "UPDATE best SET time_us = 9e999, ci_high_us = 9e999 WHERE cache_policy = 'warm'",
        "UPDATE best SET measured_at = 0 WHERE cache_policy = 'warm'",
        "UPDATE best SET cache_policy = x'00ff' WHERE cache_policy = 'warm'",
        "UPDATE run SET strategy = ''",
        "UPDATE problem_dimension SET value = 3 WHERE name = 'M'",
    };
    for (size_t i = 0; i < sizeof harm / sizeof *harm; i++) {
        struct bytes bytes = read_file(other);
        char bad[700], path[700], sql[512];
        snprintf(bad, sizeof bad, "%s/bad%d.db", fixture->directory, (int)i);
        snprintf(path, sizeof path, "%s/good%d.db", fixture->directory, (int)i);
        write_file(bad, bytes.data, bytes.size);
        free(bytes.data);
        snprintf(sql, sizeof sql, "PRAGMA ignore_check_constraints = 1; %s", harm[i]);
        run_sql(bad, sql);
        tw_db *db = open_db(path, TW_DB_WRITE);
        int64_t id = 0;
        assert_status(tw_db_problem_put(db, &sample_problem, &id), TW_DB_OK);
        from = open_db(bad, TW_DB_READ);
        struct tw_db_merged merged = {0};
        enum tw_db_status status = tw_db_merge(db, from, &merged);
        assert_true(status == TW_DB_CONSTRAINT || status == TW_DB_CORRUPT);
        assert_string_not_equal(tw_db_message(db), "");
        assert_null(strchr(tw_db_message(db), '\n'));
        assert_sql(db, "SELECT count(*) FROM best", "0");
        assert_sql(db, "SELECT count(*) FROM device", "0");
        tw_db_close(from);
        tw_db_close(db);
    }
}

static void merged_runs_are_not_resumed(void **state) {
    struct fixture *fixture = *state;
    tw_db *db = open_db(fixture->path, TW_DB_WRITE);
    struct ids ids = put_samples(db);
    struct tw_db_run run = sample_run(ids);
    struct tw_db_resumed resumed;
    assert_status(tw_db_run_finish(db, ids.run, TW_DB_RUN_INTERRUPTED, 1), TW_DB_OK);
    run_sql(fixture->path, "UPDATE run SET merged = 1");
    assert_status(tw_db_run_resume(db, &run, &resumed), TW_DB_NOT_FOUND);
    run_sql(fixture->path, "UPDATE run SET merged = 0");
    assert_status(tw_db_run_resume(db, &run, &resumed), TW_DB_OK);
    tw_db_close(db);
}

static bool collect(void *context, const char *finding) {
    char *all = context;
    strncat(all, finding, 3000 - strlen(all));
    strcat(all, "\n");
    return true;
}

static void check_finds(const char *path, const char *word) {
    char findings[4000] = "";
    tw_db *db = open_db(path, TW_DB_READ);
    enum tw_db_status status = tw_db_check(db, collect, findings);
    if (status != TW_DB_OK) {
        fail_msg("%s", tw_db_message(db));
    }
    if (word == NULL) {
        assert_string_equal(findings, "");
    } else if (strstr(findings, word) == NULL) {
        fail_msg("no \"%s\" in: %s", word, findings);
    }
    tw_db_close(db);
}

static void check_tells_damage(void **state) {
    struct fixture *fixture = *state;
    tw_db *db = open_db(fixture->path, TW_DB_WRITE);
    struct ids ids = put_samples(db);
    struct tw_db_best best = sample_best(ids);
    assert_status(tw_db_best_put(db, &best), TW_DB_OK);
    tw_db_close(db);
    check_finds(fixture->path, NULL);
    run_sql(fixture->path, "ANALYZE");
    check_finds(fixture->path, NULL);
    static const char *const harm[][2] = {
        {"CREATE TRIGGER evil AFTER INSERT ON trial BEGIN DELETE FROM best; END", "trigger evil"},
        {"CREATE VIEW \"look\n\x1b[31m\" AS SELECT 1", "view look"},
        {"CREATE TABLE theirs(x)", "table theirs is none"},
        {"DROP TABLE best", "table best is missing"},
        {"DROP INDEX trial_by_run", "index trial_by_run is missing"},
        {"ALTER TABLE device ADD COLUMN extra AS (zeroblob(1e9))", "table device is not as"},
        {"UPDATE best SET run = 77", "table best: 1 row refers to a run"},
        {"PRAGMA ignore_check_constraints = 1; UPDATE best SET time_us = 'soon'",
         "in column time_us"},
        {"UPDATE device SET name = x'00'", "in column name"},
        {"PRAGMA ignore_check_constraints = 1; UPDATE run SET state = 'asleep'", "CHECK"},
    };
    struct bytes bytes = read_file(fixture->path);
    for (size_t i = 0; i < sizeof harm / sizeof *harm; i++) {
        char path[700];
        snprintf(path, sizeof path, "%s/%d.db", fixture->directory, (int)i);
        write_file(path, bytes.data, bytes.size);
        run_sql(path, harm[i][0]);
        check_finds(path, harm[i][1]);
    }
    free(bytes.data);
}

static void sweep_removes_what_nothing_refers_to(void **state) {
    struct fixture *fixture = *state;
    tw_db *db = open_db(fixture->path, TW_DB_WRITE);
    struct ids ids = put_samples(db);
    struct tw_db_swept swept;
    struct tw_db_trial trial = sample_trial(ids, "{}");
    assert_status(tw_db_trial_put(db, &trial, NULL), TW_DB_OK);
    assert_status(tw_db_run_finish(db, ids.run, TW_DB_RUN_DONE, 1), TW_DB_OK);
    assert_status(tw_db_sweep(db, &swept), TW_DB_OK);
    assert_int_equal(swept.runs + swept.implementations + swept.problems + swept.devices, 0);
    int64_t count = 0;
    assert_status(
        tw_db_trials_remove(db,
                            &(struct tw_db_trial_filter){.implementations = &ids.implementation,
                                                         .implementation_count = 1},
                            &count),
        TW_DB_OK);
    assert_int_equal(count, 1);
    assert_status(tw_db_sweep(db, &swept), TW_DB_OK);
    assert_int_equal(swept.runs, 1);
    assert_int_equal(swept.implementations, 1);
    assert_int_equal(swept.problems, 1);
    assert_int_equal(swept.devices, 1);
    assert_sql(db, "SELECT count(*) FROM problem_dimension", "0");
    assert_status(tw_db_compact(db), TW_DB_OK);
    assert_sql(db, "PRAGMA integrity_check", "ok");
    /* A run under way keeps what it refers to. */
    ids = put_samples(db);
    assert_status(tw_db_sweep(db, &swept), TW_DB_OK);
    assert_int_equal(swept.runs + swept.problems + swept.devices, 0);
    assert_status(tw_db_begin(db), TW_DB_OK);
    assert_status(tw_db_compact(db), TW_DB_MISUSE);
    tw_db_rollback(db);
    tw_db_close(db);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        DB_TEST(merging_comes_out_the_same_in_any_order),
        cmocka_unit_test(order_is_total),
        DB_TEST(better_row_replaces_and_brings_its_run),
        DB_TEST(nothing_is_taken_from_a_database_that_makes_no_sense),
        DB_TEST(merged_runs_are_not_resumed),
        DB_TEST(check_tells_damage),
        DB_TEST(sweep_removes_what_nothing_refers_to),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

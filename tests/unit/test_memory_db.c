/* db/: every allocation fails in turn. What fails has no effect on the file. */
#include "db/merge.h"
#include "db/upkeep.h"
#include "test_memory_support.h"

/* Each operation begins with the same two databases. */
struct place {
    const char *path, *other;
    struct bytes file, other_file;
    char *rows;  /* of the first one, as text */
    char *today; /* the same of an old one that was brought up to date */
    struct ids ids;
    tw_db *db; /* open while an operation runs that needs it so */
};

static tw_status told(enum tw_db_status status, const char *message, struct tw_error *error) {
    tw_status result = status == TW_DB_NO_MEMORY ? TW_NO_MEMORY : TW_IO;
    return status == TW_DB_OK ? TW_OK : tw_fail(error, result, "%s", message);
}

static tw_status open_watched(tw_db **db, const char *path, enum tw_db_mode mode,
                              struct tw_error *error) {
    char message[TW_DB_MESSAGE_SIZE];
    return told(tw_db_open(db, path, mode, message, sizeof message), message, error);
}

struct operation {
    const char *name;
    enum tw_db_status (*run)(struct place *place, struct tw_text *seen);
};

struct trying {
    struct place *place;
    const struct operation *operation;
    enum tw_db_mode mode;
};

static tw_status try_operation(void *context, struct tw_text *seen, struct tw_error *error) {
    struct trying *trying = context;
    struct place *place = trying->place;
    memory_pause(); /* an operation of its own */
    place->db = open_db(place->path, trying->mode);
    memory_resume();
    tw_status status = told(trying->operation->run(place, seen), tw_db_message(place->db), error);
    tw_db_close(place->db);
    place->db = NULL;
    return status;
}

static tw_status try_to_open(void *context, struct tw_text *seen, struct tw_error *error) {
    struct trying *trying = context;
    struct place *place = trying->place;
    tw_status status = open_watched(&place->db, place->path, trying->mode, error);
    if (status == TW_OK)
        status = told(trying->operation->run(place, seen), tw_db_message(place->db), error);
    tw_db_close(place->db);
    place->db = NULL;
    return status;
}

static void look_and_put_back(void *context, bool worked) {
    struct trying *trying = context;
    struct place *place = trying->place;
    char *rows = rows_of(place->path);
    if (!worked)
        assert_string_equal(rows, place->rows);
    free(rows);
    put_back(place->path, &place->file);
    put_back(place->other, &place->other_file);
}

/* ---- Writing ---- */

static enum tw_db_status put_device(struct place *place, struct tw_text *seen) {
    struct tw_db_device device = sample_device;
    int64_t id;
    (void)seen;
    device.fingerprint = "cuda:another";
    return tw_db_device_put(place->db, &device, &id);
}

static enum tw_db_status put_problem(struct place *place, struct tw_text *seen) {
    struct tw_db_problem problem = sample_problem;
    int64_t id;
    (void)seen;
    problem.key = "M=4096,N=512,K=1024;dtype=f64,trans=nn";
    problem.text = "M=4096";
    return tw_db_problem_put(place->db, &problem, &id);
}

static enum tw_db_status rename_problem(struct place *place, struct tw_text *seen) {
    struct tw_db_problem problem = sample_problem;
    (void)seen;
    problem.id = place->ids.problem;
    problem.key = "M=4096,N=512,K=1024";
    problem.text = "M=4096,N=512,K=1024;dtype=f32,trans=nn";
    return tw_db_problem_rename(place->db, &problem);
}

static enum tw_db_status put_implementation(struct place *place, struct tw_text *seen) {
    struct tw_db_implementation implementation = sample_implementation;
    int64_t id;
    (void)seen;
    implementation.template_hash = "c3d4";
    return tw_db_implementation_put(place->db, &implementation, &id);
}

static enum tw_db_status begin_run(struct place *place, struct tw_text *seen) {
    struct tw_db_run run = sample_run(place->ids);
    int64_t id;
    (void)seen;
    run.seed = 1;
    return tw_db_run_begin(place->db, &run, &id);
}

/* As a session does: where there is none to go on with, one is begun. */
static enum tw_db_status take_up_run(struct place *place, struct tw_text *seen) {
    struct tw_db_run run = sample_run(place->ids);
    struct tw_db_resumed found;
    int64_t id;
    (void)seen;
    run.strategy = "another";
    enum tw_db_status status = tw_db_run_resume(place->db, &run, &found);
    return status == TW_DB_NOT_FOUND ? tw_db_run_begin(place->db, &run, &id) : status;
}

static enum tw_db_status resume_run(struct place *place, struct tw_text *seen) {
    struct tw_db_run run = sample_run(place->ids);
    struct tw_db_resumed resumed;
    run.strategy = "greedy";
    enum tw_db_status status = tw_db_run_resume(place->db, &run, &resumed);
    if (status == TW_DB_OK)
        memory_see(seen, "%lld", (long long)resumed.trials);
    return status;
}

static enum tw_db_status update_run(struct place *place, struct tw_text *seen) {
    (void)seen;
    return tw_db_run_update(place->db, place->ids.run, 2.5, "{\"sm_mhz\":1}");
}

static enum tw_db_status finish_run(struct place *place, struct tw_text *seen) {
    (void)seen;
    return tw_db_run_finish(place->db, place->ids.run, TW_DB_RUN_DONE, 3.5);
}

static enum tw_db_status put_trial(struct place *place, struct tw_text *seen) {
    struct tw_db_trial trial = sample_trial(place->ids, "{\"BM\":64}");
    bool inserted;
    enum tw_db_status status = tw_db_trial_put(place->db, &trial, &inserted);
    if (status == TW_DB_OK)
        memory_see(seen, "%d", inserted);
    return status;
}

static enum tw_db_status condemn_trial(struct place *place, struct tw_text *seen) {
    struct tw_db_trial trial = sample_trial(place->ids, "{\"BM\":128}");
    (void)seen;
    trial.status = TW_DB_TRIAL_WRONG;
    trial.message = "element 3";
    return tw_db_trial_condemn(place->db, &trial);
}

static enum tw_db_status retime_trial(struct place *place, struct tw_text *seen) {
    struct tw_db_trial trial = sample_trial(place->ids, "{\"BM\":128}");
    (void)seen;
    trial.time_us = 7;
    return tw_db_trial_retime(place->db, &trial);
}

static enum tw_db_status identify_trial(struct place *place, struct tw_text *seen) {
    (void)seen;
    return tw_db_trial_identify(place->db, 1, place->ids.implementation, "source", "judge");
}

static enum tw_db_status put_best(struct place *place, struct tw_text *seen) {
    struct tw_db_best best = sample_best(place->ids);
    (void)seen;
    best.configuration = "{\"BM\":64}";
    best.tie_set = "[]";
    return tw_db_best_put(place->db, &best);
}

static enum tw_db_status put_provisional(struct place *place, struct tw_text *seen) {
    struct tw_db_best best = sample_best(place->ids);
    (void)seen;
    best.cache_policy = "warm";
    return tw_db_best_put_provisional(place->db, &best, &place->ids.implementation, 1);
}

static enum tw_db_status remove_provisional(struct place *place, struct tw_text *seen) {
    (void)seen;
    return tw_db_best_remove_provisional(place->db, place->ids.problem, place->ids.device, "cold");
}

static enum tw_db_status identify_best(struct place *place, struct tw_text *seen) {
    struct tw_db_best best = sample_best(place->ids);
    (void)seen;
    return tw_db_best_identify(place->db, &best, place->ids.implementation, "source", "judge");
}

static enum tw_db_status put_binary(struct place *place, struct tw_text *seen) {
    const struct tw_db_binary binary = {.key = "new",
                                        .backend = "cuda",
                                        .architecture = "sm_90",
                                        .label = "gemm",
                                        .hash = "1",
                                        .bytes = "bytes",
                                        .size = 5};
    (void)seen;
    return tw_db_binary_put(place->db, &binary);
}

static enum tw_db_status group_of_writes(struct place *place, struct tw_text *seen) {
    enum tw_db_status status = tw_db_begin(place->db);
    if (status == TW_DB_OK)
        status = put_trial(place, seen);
    if (status == TW_DB_OK)
        status = put_best(place, seen);
    if (status == TW_DB_OK)
        return tw_db_commit(place->db);
    char message[TW_DB_MESSAGE_SIZE];
    strcpy(message, tw_db_message(place->db));
    tw_db_rollback(place->db);
    return tw_db_fail(place->db, status, "%s", message);
}

static enum tw_db_status merge(struct place *place, struct tw_text *seen) {
    tw_db *from = NULL;
    char message[TW_DB_MESSAGE_SIZE];
    struct tw_db_merged merged = {0};
    enum tw_db_status status = tw_db_open(&from, place->other, TW_DB_READ, message, sizeof message);
    if (status != TW_DB_OK)
        return tw_db_fail(place->db, status, "%s", message);
    status = tw_db_merge(place->db, from, &merged);
    tw_db_close(from);
    if (status == TW_DB_OK)
        memory_see(seen, "%d added, %d kept", (int)merged.added, (int)merged.kept);
    return status;
}

static enum tw_db_status remove_best(struct place *place, struct tw_text *seen) {
    struct tw_db_best best = sample_best(place->ids);
    (void)seen;
    return tw_db_best_remove(place->db, &best);
}

static enum tw_db_status remove_trials(struct place *place, struct tw_text *seen) {
    const struct tw_db_trial_filter filter = {.kernel = "gemm", .statuses = TW_DB_TRIAL_BIT(0)};
    int64_t count = 0;
    enum tw_db_status status = tw_db_trials_remove(place->db, &filter, &count);
    if (status == TW_DB_OK)
        memory_see(seen, "%d", (int)count);
    return status;
}

static enum tw_db_status remove_trial(struct place *place, struct tw_text *seen) {
    (void)seen;
    return tw_db_trial_remove(place->db, 1);
}

static enum tw_db_status sweep(struct place *place, struct tw_text *seen) {
    struct tw_db_swept swept = {0};
    enum tw_db_status status = tw_db_sweep(place->db, &swept);
    if (status == TW_DB_OK)
        memory_see(seen, "%d %d %d %d", (int)swept.runs, (int)swept.implementations,
                   (int)swept.problems, (int)swept.devices);
    return status;
}

static enum tw_db_status compact(struct place *place, struct tw_text *seen) {
    (void)seen;
    return tw_db_compact(place->db);
}

static const struct operation writing[] = {
    {"a device", put_device},
    {"a problem", put_problem},
    {"a problem's new name", rename_problem},
    {"an implementation", put_implementation},
    {"a run's begin", begin_run},
    {"a run's resumption", resume_run},
    {"a run taken up", take_up_run},
    {"a run's update", update_run},
    {"a run's end", finish_run},
    {"a trial", put_trial},
    {"a trial condemned", condemn_trial},
    {"a trial timed again", retime_trial},
    {"a trial identified", identify_trial},
    {"a best row", put_best},
    {"a provisional row", put_provisional},
    {"a provisional row's removal", remove_provisional},
    {"a best row identified", identify_best},
    {"a binary", put_binary},
    {"a group of writes", group_of_writes},
    {"merging", merge},
    {"a best row's removal", remove_best},
    {"trials' removal", remove_trials},
    {"a trial's removal", remove_trial},
    {"sweeping", sweep},
    {"compacting", compact},
};

/* ---- Reading ---- */

static bool see_device(void *context, const struct tw_db_device *row) {
    memory_see(context, "%s %s\n", row->fingerprint, row->properties);
    return true;
}

static bool see_problem(void *context, const struct tw_db_problem *row) {
    memory_see(context, "%s %zu %zu\n", row->key, row->dimension_count, row->attribute_count);
    return true;
}

static bool see_implementation(void *context, const struct tw_db_implementation *row) {
    memory_see(context, "%s %s\n", row->name, row->description);
    return true;
}

static bool see_run(void *context, const struct tw_db_run_row *row) {
    memory_see(context, "%s %s %s\n", row->problem_key, row->run.strategy, row->run.conditions);
    return true;
}

static bool see_trial(void *context, const struct tw_db_trial_row *row) {
    memory_see(context, "%s %s\n", row->trial.configuration, row->template_hash);
    return true;
}

static bool see_best(void *context, const struct tw_db_best_row *row) {
    memory_see(context, "%s %s %zu %zu %s\n", row->best.configuration, row->problem.key,
               row->problem.dimension_count, row->problem.attribute_count,
               row->problem.attributes[0].value);
    return true;
}

static bool see_result(void *context, const struct tw_db_result *row) {
    memory_see(context, "%s %s\n", row->problem_key, row->configuration);
    return true;
}

static bool see_binary(void *context, const struct tw_db_binary *row) {
    memory_see(context, "%s %zu\n", row->key, row->size);
    return true;
}

static bool see_kernel(void *context, const struct tw_db_kernel_row *row) {
    memory_see(context, "%s %d %d\n", row->kernel, (int)row->best, (int)row->trials);
    return true;
}

static bool see_finding(void *context, const char *finding) {
    memory_see(context, "%s\n", finding);
    return true;
}

static enum tw_db_status each_device(struct place *place, struct tw_text *seen) {
    return tw_db_device_each(place->db, see_device, seen);
}

static enum tw_db_status each_problem(struct place *place, struct tw_text *seen) {
    enum tw_db_status status = tw_db_problem_each(place->db, "gemm", see_problem, seen);
    return status == TW_DB_OK ? tw_db_problem_each_old(place->db, NULL, see_problem, seen) : status;
}

static enum tw_db_status each_implementation(struct place *place, struct tw_text *seen) {
    return tw_db_implementation_each(place->db, NULL, see_implementation, seen);
}

static enum tw_db_status each_run(struct place *place, struct tw_text *seen) {
    const struct tw_db_run_filter filter = {.kernel = "gemm", .limit = 2};
    return tw_db_run_each(place->db, &filter, see_run, seen);
}

static enum tw_db_status each_trial(struct place *place, struct tw_text *seen) {
    const struct tw_db_trial_filter filter = {.implementations = &place->ids.implementation,
                                              .implementation_count = 1,
                                              .kernel = "gemm",
                                              .cache_policy = "cold"};
    return tw_db_trial_each(place->db, &filter, see_trial, seen);
}

static enum tw_db_status each_best(struct place *place, struct tw_text *seen) {
    const struct tw_db_best_filter filter = {.kernel = "gemm"};
    return tw_db_best_each(place->db, &filter, see_best, seen);
}

static enum tw_db_status each_result(struct place *place, struct tw_text *seen) {
    return tw_db_result_each(place->db, see_result, seen);
}

static enum tw_db_status each_binary(struct place *place, struct tw_text *seen) {
    return tw_db_binary_each(place->db, "cuda", see_binary, seen);
}

static enum tw_db_status each_kernel(struct place *place, struct tw_text *seen) {
    return tw_db_kernel_each(place->db, see_kernel, seen);
}

static enum tw_db_status look_for_damage(struct place *place, struct tw_text *seen) {
    return tw_db_check(place->db, see_finding, seen);
}

static enum tw_db_status finding(struct place *place, struct tw_text *seen) {
    int64_t device = 0, problem = 0, implementation = 0;
    bool old = false;
    enum tw_db_status status = tw_db_device_find(place->db, sample_device.fingerprint, &device);
    if (status == TW_DB_OK)
        status = tw_db_problem_find(place->db, "gemm", sample_problem.key, &problem);
    if (status == TW_DB_OK)
        status = tw_db_implementation_find(place->db, "gemm", "tiled", "a1b2", &implementation);
    if (status == TW_DB_OK)
        status = tw_db_has_old_rows(place->db, &old);
    if (status == TW_DB_OK)
        memory_see(seen, "%d %d %d %d", (int)device, (int)problem, (int)implementation, old);
    return status;
}

static const struct operation reading[] = {
    {"devices", each_device},
    {"problems", each_problem},
    {"implementations", each_implementation},
    {"runs", each_run},
    {"trials", each_trial},
    {"best rows", each_best},
    {"results", each_result},
    {"binaries", each_binary},
    {"kernels", each_kernel},
    {"damage", look_for_damage},
    {"finding", finding},
};

/* ---- The databases ---- */

static void make_databases(struct place *place, const struct fixture *fixture, char other[700]) {
    snprintf(other, 700, "%s/other.db", fixture->directory);
    *place = (struct place){.path = fixture->path, .other = other};
    tw_db *db = open_db(place->path, TW_DB_WRITE);
    place->ids = put_samples(db);
    struct tw_db_run run = sample_run(place->ids);
    int64_t interrupted;
    run.strategy = "greedy";
    assert_status(tw_db_run_begin(db, &run, &interrupted), TW_DB_OK);
    assert_status(tw_db_run_finish(db, interrupted, TW_DB_RUN_INTERRUPTED, 1), TW_DB_OK);
    struct tw_db_trial trial = sample_trial(place->ids, "{\"BM\":128}");
    assert_status(tw_db_trial_put(db, &trial, NULL), TW_DB_OK);
    struct tw_db_best best = sample_best(place->ids);
    assert_status(tw_db_best_put(db, &best), TW_DB_OK);
    const struct tw_db_binary binary = {.key = "key",
                                        .backend = "cuda",
                                        .architecture = "sm_90",
                                        .label = "gemm",
                                        .hash = "1",
                                        .bytes = "bytes",
                                        .size = 5};
    assert_status(tw_db_binary_put(db, &binary), TW_DB_OK);
    tw_db_close(db);
    db = open_db(other, TW_DB_WRITE);
    struct ids ids = put_samples(db);
    best = sample_best(ids);
    assert_status(tw_db_best_put(db, &best), TW_DB_OK);
    best.cache_policy = "warm";
    assert_status(tw_db_best_put(db, &best), TW_DB_OK);
    tw_db_close(db);
    place->file = read_file(place->path);
    place->other_file = read_file(place->other);
    place->rows = rows_of(place->path);
}

static void free_place(struct place *place) {
    free(place->file.data);
    free(place->other_file.data);
    free(place->rows);
    free(place->today);
}

static void try_all(struct fixture *fixture, const struct operation *operations, size_t count,
                    enum tw_db_mode mode) {
    struct place place;
    char other[700];
    make_databases(&place, fixture, other);
    for (size_t i = 0; i < count; i++) {
        struct trying trying = {&place, &operations[i], mode};
        const struct memory_scenario scenario = {operations[i].name, try_operation,
                                                 look_and_put_back, &trying};
        memory_fails_everywhere(&scenario);
    }
    free_place(&place);
}

static void what_is_written(void **state) {
    try_all(*state, writing, sizeof writing / sizeof *writing, TW_DB_WRITE);
}

static void what_is_read(void **state) {
    try_all(*state, reading, sizeof reading / sizeof *reading, TW_DB_READ);
}

/* ---- Opening ---- */

static enum tw_db_status nothing(struct place *place, struct tw_text *seen) {
    (void)place;
    (void)seen;
    return TW_DB_OK;
}

/* A new file may be there already, without rows. */
static void begin_anew(void *context, bool worked) {
    struct trying *trying = context;
    (void)worked;
    free(rows_of(trying->place->path));
    put_back(trying->place->path, &trying->place->file);
}

static void a_new_file(void **state) {
    struct fixture *fixture = *state;
    struct place place = {.path = fixture->path};
    const struct operation only = {"a new file", nothing};
    struct trying trying = {&place, &only, TW_DB_WRITE};
    const struct memory_scenario scenario = {only.name, try_to_open, begin_anew, &trying};
    memory_fails_everywhere(&scenario);
}

static void a_file_of_today(void **state) {
    struct fixture *fixture = *state;
    struct place place;
    char other[700];
    const struct operation only = {"a file of today", nothing};
    static const enum tw_db_mode modes[] = {TW_DB_READ, TW_DB_WRITE};
    make_databases(&place, fixture, other);
    for (int i = 0; i < 2; i++) {
        struct trying trying = {&place, &only, modes[i]};
        const struct memory_scenario scenario = {only.name, try_to_open, look_and_put_back,
                                                 &trying};
        memory_fails_everywhere(&scenario);
    }
    free_place(&place);
}

/* Brought up to date, or left as it was. */
static void look_at_old_file(void *context, bool worked) {
    struct trying *trying = context;
    struct place *place = trying->place;
    char *rows = rows_of(place->path);
    if (worked && place->today == NULL)
        place->today = rows_of(place->path);
    if (worked || strcmp(rows, place->rows) != 0)
        assert_string_equal(rows, trying->mode == TW_DB_WRITE ? place->today : place->rows);
    free(rows);
    put_back(place->path, &place->file);
}

/* A file of the first schema. */
static void an_old_file(void **state) {
    struct fixture *fixture = *state;
    struct place place = {.path = fixture->path, .other = ""};
    const struct tw_db_schema first = {tw_db_schema.steps, 1};
    const struct operation writes = {"an old file to write", nothing};
    const struct operation reads = {"an old file to read", each_problem};
    char message[TW_DB_MESSAGE_SIZE];
    tw_db *db;
    assert_status(tw_db_open_schema(&db, place.path, TW_DB_WRITE, &first, message, sizeof message),
                  TW_DB_OK);
    tw_db_close(db);
    run_sql(place.path, "INSERT INTO problem (kernel, key) VALUES ('gemm', 'M=1;dtype=f32')");
    place.file = read_file(place.path);
    place.rows = rows_of(place.path);
    struct trying trying = {&place, &writes, TW_DB_WRITE};
    struct memory_scenario scenario = {writes.name, try_to_open, look_at_old_file, &trying};
    memory_fails_everywhere(&scenario);
    trying = (struct trying){&place, &reads, TW_DB_READ};
    scenario = (struct memory_scenario){reads.name, try_to_open, look_at_old_file, &trying};
    memory_fails_everywhere(&scenario);
    free_place(&place);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        DB_TEST(what_is_written), DB_TEST(what_is_read), DB_TEST(a_new_file),
        DB_TEST(a_file_of_today), DB_TEST(an_old_file),
    };
    return cmocka_run_group_tests(tests, memory_start, NULL);
}

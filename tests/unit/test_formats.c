/* tuner/formats: what goes out comes back, unclosed files are read as far as they go, and
 * nothing that is not sound comes in. */
#include "test_exchange_support.h"
#include "test_spoil.h"

#include "tuner/formats/outline.h"
#include "tuner/formats/trial_export.h"
#include "tuner/formats/trial_import.h"

typedef tw_status (*export_function)(tw_db *, const struct trial_export *, struct tw_text *,
                                     int64_t *, struct tw_error *);

static struct tw_description *gemm;
static struct tw_problem problem;
static int naive;
static const struct trial_export latest = {0};

/* As Kernel Tuner lays it out. */
static const char header[] =
    "{\n\"device_name\": \"A GPU\",\n\"kernel_name\": \"mm\",\n\"problem_size\": [\n32,\n64\n],\n"
    "\"tune_params_keys\": [\n\"BLOCK_X\",\n\"BLOCK_Y\"\n],\n"
    "\"tune_params\": {\n\"BLOCK_X\": [\n16,\n32\n],\n\"BLOCK_Y\": [\n4\n]\n},\n"
    "\"objective\": [\n\"time\"\n],\n\"cache\": {";
static const char first[] =
    "\n\"16,4\": {\"BLOCK_X\": 16, \"BLOCK_Y\": 4, \"time\": 0.5, \"times\": [0.25, 0.75],"
    " \"note\": \"a } b \\\" {\", \"compile_time\": 7.5, \"verification_time\": 0,"
    " \"timestamp\": \"2023-12-22 09:54:05.502007+00:00\"}";
static const char second[] = "\n\"32,4\": {\"BLOCK_X\": 32, \"BLOCK_Y\": 4, \"__error__\":"
                             " \"CompilationFailedConfig\", \"compile_time\": 0}";
static const char t4[] =
    "{\"results\": ["
    "{\"timestamp\": \"2023-12-22T09:54:05Z\", \"configuration\": {\"BLOCK_X\": 16, \"BLOCK_Y\": "
    "4},"
    " \"times\": {\"compilation\": 7.5, \"runtimes\": [0.25, 0.75]}, \"invalidity\": \"correct\","
    " \"correctness\": 1, \"measurements\": [{\"name\": \"time\", \"value\": 0.5, \"unit\": "
    "\"ms\"}]},"
    "{\"configuration\": {\"BLOCK_X\": 32, \"BLOCK_Y\": 4}, \"times\": {}, \"invalidity\": "
    "\"compile\","
    " \"correctness\": 1, \"measurements\": [{\"name\": \"time\", \"value\": \"\", \"unit\": "
    "\"ms\"}]}],"
    " \"schema_version\": \"1.0.0\", \"metadata\": {\"timeunit\": \"milliseconds\"}}";

static char cache[2000];

static int start(void **state) {
    struct tw_error error;
    (void)state;
    snprintf(cache, sizeof cache, "%s%s,%s}\n}", header, first, second);
    if (tw_description_builtin(&gemm, "gemm", &error) != TW_OK ||
        tw_problem_parse(&problem, gemm, "64x32x16", &error) != TW_OK)
        return -1;
    naive = tw_description_implementation(gemm, "naive");
    return naive < 0;
}

static int end(void **state) {
    (void)state;
    tw_description_free(gemm);
    return 0;
}

static tw_status read_text(struct results_file **file, const char *text, size_t length,
                           const char *implementation, struct tw_error *error) {
    int index;
    tw_status status = results_file_parse(file, text, length, "dir/test.json", error);
    if (status == TW_OK)
        status = results_file_implementation(*file, gemm, implementation, &index, error);
    if (status == TW_OK)
        status = results_file_read(*file, &problem, index, error);
    if (status != TW_OK) {
        results_file_close(*file);
        *file = NULL;
    }
    return status;
}

static struct results_file *read_sound(const char *text) {
    struct results_file *file;
    struct tw_error error;
    assert_fine(read_text(&file, text, strlen(text), NULL, &error), error);
    return file;
}

static void assert_two(const struct results_file *file) {
    const struct tw_db_trial *one = &file->trials[0], *other = &file->trials[1];
    assert_int_equal(file->count, 2);
    assert_string_equal(one->configuration, "{\"BLOCK_X\":16,\"BLOCK_Y\":4}");
    assert_int_equal(one->status, TW_DB_TRIAL_OK);
    assert_true(one->has_time && one->time_us == 500 && one->repeats == 2);
    assert_true(one->has_compile_ms && one->compile_ms == 7.5);
    assert_int_equal(one->created_at, 1703238845);
    assert_string_equal(other->configuration, "{\"BLOCK_X\":32,\"BLOCK_Y\":4}");
    assert_int_equal(other->status, TW_DB_TRIAL_COMPILE_ERROR);
    assert_false(other->has_time || other->has_compile_ms);
}

static void both_formats_say_the_same(void **state) {
    (void)state;
    const char *const texts[] = {cache, t4};
    for (int i = 0; i < 2; i++) {
        struct results_file *file = read_sound(texts[i]);
        assert_two(file);
        assert_false(file->cut);
        results_file_close(file);
    }
}

static void failures_of_old_layouts_are_read(void **state) {
    (void)state;
    static const struct {
        const char *with;
        enum tw_db_trial_status status;
    } cases[] = {
        {"\"time\": \"InvalidConfig\"", TW_DB_TRIAL_RESOURCE},
        {"\"GFLOP/s\": \"RuntimeFailedConfig\"", TW_DB_TRIAL_LAUNCH_ERROR},
        {"\"time\": 1e20", TW_DB_TRIAL_LAUNCH_ERROR},
        {"\"time\": 1e+20", TW_DB_TRIAL_LAUNCH_ERROR},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text =
            replaced(cache, NULL, "\"__error__\": \"CompilationFailedConfig\"", cases[i].with);
        struct results_file *file = read_sound(text);
        assert_int_equal(file->trials[1].status, cases[i].status);
        results_file_close(file);
        free(text);
    }
}

/* Wherever a file ends behind the beginning of its entries, those that are whole are read. */
static void files_may_end_anywhere(void **state) {
    (void)state;
    size_t whole[] = {strlen(header) + strlen(first), strlen(cache) - strlen("}\n}")};
    for (size_t length = strlen(header); length <= strlen(cache); length++) {
        struct results_file *file = NULL;
        struct tw_error error;
        size_t count = (length >= whole[0]) + (length >= whole[1]);
        tw_status status = read_text(&file, cache, length, NULL, &error);
        if (count == 0) {
            assert_int_equal(status, TW_INVALID);
            assert_non_null(strstr(error.message, "no results"));
            continue;
        }
        assert_fine(status, error);
        assert_int_equal(file->count, count);
        /* A comma, or what closes the file, is no entry. */
        assert_int_equal(file->cut, length > whole[0] + 2 && length < whole[1]);
        results_file_close(file);
    }
}

/* ---- There and back ---- */

static void put_all_kinds(tw_db *db) {
    struct ids ids = {0};
    struct allowed_parts parts;
    struct tw_db_problem row;
    allowed_problem_row(&problem, &parts, &row);
    const struct tw_db_implementation implementation = {
        .kernel = "gemm", .name = "naive", .template_hash = "abc", .description = "{}"};
    assert_status(tw_db_device_put(db, &sample_device, &ids.device), TW_DB_OK);
    assert_status(tw_db_problem_put(db, &row, &ids.problem), TW_DB_OK);
    assert_status(tw_db_implementation_put(db, &implementation, &ids.implementation), TW_DB_OK);
    struct tw_db_run run = sample_run(ids);
    assert_status(tw_db_run_begin(db, &run, &ids.run), TW_DB_OK);
    for (int i = 0; i <= TW_DB_TRIAL_CRASH + 1; i++) {
        char configuration[80];
        snprintf(configuration, sizeof configuration, "{\"BLOCK_X\":%d,\"BLOCK_Y\":%d}",
                 i % 2 ? 64 : 32, 1 << i / 2);
        struct tw_db_trial trial = sample_trial(ids, configuration);
        trial.status = (enum tw_db_trial_status)(i % (TW_DB_TRIAL_CRASH + 1));
        trial.has_time = trial.has_interval = trial.status == TW_DB_TRIAL_OK;
        trial.screened_out = i > TW_DB_TRIAL_CRASH;
        trial.time_us = 100. / (3 + i);
        trial.ci_low_us = trial.time_us * 0.9;
        trial.ci_high_us = trial.time_us * 1.1;
        trial.message = i % 3 == 1 ? "a \"message\", \xc3\xa9" : NULL;
        trial.has_error = trial.has_time || trial.status == TW_DB_TRIAL_WRONG;
        trial.max_rel_error = 1. / 3e7;
        trial.rms_rel_error = 1. / 3e8;
        trial.has_hard = true;
        trial.hard_max_error = 1. / 7e7;
        trial.hard_rms_error = 1. / 7e8;
        trial.has_compile_ms = trial.has_registers = trial.has_spill_bytes = i % 2 == 0;
        trial.compile_ms = 1000. / 3;
        trial.registers = 128;
        trial.has_shared_bytes = i == 0;
        trial.shared_bytes = 4096;
        trial.created_at = 1703238845 + i;
        assert_status(tw_db_trial_put(db, &trial, NULL), TW_DB_OK);
    }
    assert_status(tw_db_run_finish(db, ids.run, TW_DB_RUN_DONE, 1), TW_DB_OK);
}

static void take(tw_db *db, const char *text, struct trial_import_counts *taken) {
    struct tw_error error;
    struct results_file *file = read_sound(text);
    const struct trial_import what = {.file = file,
                                      .problem = &problem,
                                      .implementation = naive,
                                      .device = file->header.device,
                                      .cache_policy = file->header.cache};
    assert_fine(trial_import_store(db, &what, taken, &error), error);
    results_file_close(file);
}

static void nothing_is_lost_on_the_way(void **state) {
    const struct fixture *fixture = *state;
    static const export_function functions[] = {trial_export_kernel_tuner, trial_export_t4};
    char other[700];
    snprintf(other, sizeof other, "%s.other", fixture->path);
    tw_db *db = open_db(fixture->path, TW_DB_WRITE);
    put_all_kinds(db);
    for (int i = 0; i < 2; i++) {
        struct tw_text out = {0}, back = {0};
        struct tw_error error;
        struct trial_import_counts taken = {0};
        int64_t left_out;
        assert_fine(functions[i](db, &latest, &out, &left_out, &error), error);
        assert_int_equal(left_out, 0);
        unlink(other);
        tw_db *elsewhere = open_db(other, TW_DB_WRITE);
        take(elsewhere, out.data, &taken);
        assert_int_equal(taken.added, TW_DB_TRIAL_CRASH + 2);
        assert_fine(functions[i](elsewhere, &latest, &back, &left_out, &error), error);
        assert_string_equal(back.data, out.data);
        /* Again, and nothing is new: not even a run. */
        take(elsewhere, out.data, &taken);
        assert_int_equal(taken.there, TW_DB_TRIAL_CRASH + 2);
        assert_sql(elsewhere, "SELECT count(*) FROM run", "1");
        /* Nothing here was measured by Tilewise on the device at hand. */
        assert_sql(elsewhere, "SELECT count(*) FROM best", "0");
        assert_sql(elsewhere, "SELECT backend || fingerprint FROM device",
                   "importedimported|NVIDIA H200");
        assert_sql(elsewhere, "SELECT strategy || conditions FROM run",
                   i == 0 ? "imported{\"imported\": {\"file\": \"test.json\", \"format\": "
                            "\"kernel-tuner\", \"measured_by\": \"Tilewise 0.1\"}}"
                          : "imported{\"imported\": {\"file\": \"test.json\", \"format\": \"t4\", "
                            "\"measured_by\": \"Tilewise 0.1\"}}");
        tw_db_close(elsewhere);
        tw_text_free(&out);
        tw_text_free(&back);
    }
    tw_db_close(db);
}

/* Of a recording: every trial, with few digits, in order. */
static void a_brief_file_has_every_trial(void **state) {
    const struct fixture *fixture = *state;
    struct trial_export what = latest;
    struct tw_text whole = {0}, brief = {0};
    struct tw_error error;
    struct trial_import_counts taken = {0};
    int64_t left_out;
    char other[700];
    what.brief = true;
    snprintf(other, sizeof other, "%s.other", fixture->path);
    tw_db *db = open_db(fixture->path, TW_DB_WRITE);
    put_all_kinds(db);
    /* 0.01162 is a thousandth of no double of microseconds. */
    run_sql(fixture->path, "UPDATE trial SET ci_low_us = 11, ci_high_us = 12, time_us = 11.621 "
                           "WHERE time_us IS NOT NULL");
    assert_fine(trial_export_kernel_tuner(db, &latest, &whole, &left_out, &error), error);
    assert_fine(trial_export_kernel_tuner(db, &what, &brief, &left_out, &error), error);
    tw_db_close(db);
    assert_true(brief.length < whole.length * 3 / 4);
    assert_non_null(strstr(brief.data, "\"time\": 0.01162, "));
    /* What an entry begins with, one after the other. */
    char last[200] = "";
    int entries = 0;
    for (const char *line = strstr(brief.data, "\"cache\": {");
         (line = strchr(line, '\n')) != NULL;) {
        char key[200];
        if (sscanf(++line, "\"%199[^\"]\": {", key) != 1)
            break;
        assert_true(strcmp(last, key) < 0);
        strcpy(last, key);
        entries++;
    }
    assert_int_equal(entries, TW_DB_TRIAL_CRASH + 2);
    tw_db *elsewhere = open_db(other, TW_DB_WRITE);
    take(elsewhere, brief.data, &taken);
    assert_int_equal(taken.added, TW_DB_TRIAL_CRASH + 2);
    assert_sql(elsewhere, "SELECT count(DISTINCT status) FROM trial", "8");
    tw_db_close(elsewhere);
    tw_text_free(&whole);
    tw_text_free(&brief);
}

/* Kernel Tuner takes off the last braces and appends. */
static void who_goes_on_with_a_file_is_remembered(void **state) {
    const struct fixture *fixture = *state;
    struct tw_text out = {0}, more = {0};
    struct tw_error error;
    struct trial_import_counts taken = {0};
    int64_t left_out;
    tw_db *db = open_db(fixture->path, TW_DB_WRITE);
    put_all_kinds(db);
    assert_fine(trial_export_kernel_tuner(db, &latest, &out, &left_out, &error), error);
    assert_string_equal(out.data + out.length - 4, "}\n}\n");
    tw_text_print(&more, "%.*s,%s,", (int)(out.length - 4), out.data, first);
    take(db, more.data, &taken);
    assert_int_equal(taken.added, TW_DB_TRIAL_CRASH + 3);
    assert_sql(db,
               "SELECT conditions LIKE '%\"Tilewise 0.1 and Kernel Tuner\"%' FROM run WHERE id = 2",
               "1");
    tw_db_close(db);
    tw_text_free(&out);
    tw_text_free(&more);
}

static void an_implementation_may_have_to_be_chosen(void **state) {
    const struct fixture *fixture = *state;
    struct tw_text out = {0};
    struct tw_error error;
    int64_t left_out;
    tw_db *db = open_db(fixture->path, TW_DB_WRITE);
    assert_int_equal(trial_export_t4(db, &latest, &out, &left_out, &error), TW_NOT_FOUND);
    struct ids ids = put_samples(db);
    assert_int_equal(trial_export_t4(db, &latest, &out, &left_out, &error), TW_NOT_FOUND);
    struct tw_db_trial trial = sample_trial(ids, "{\"BM\":8}");
    assert_status(tw_db_trial_put(db, &trial, NULL), TW_DB_OK);
    struct tw_db_implementation other = sample_implementation;
    other.name = "other";
    assert_status(tw_db_implementation_put(db, &other, &trial.implementation), TW_DB_OK);
    assert_status(tw_db_trial_put(db, &trial, NULL), TW_DB_OK);
    /* The same implementation with a newer template. */
    other.template_hash = "c3d4";
    assert_status(tw_db_implementation_put(db, &other, &trial.implementation), TW_DB_OK);
    assert_status(tw_db_trial_put(db, &trial, NULL), TW_DB_OK);
    assert_int_equal(trial_export_t4(db, &latest, &out, &left_out, &error), TW_INVALID);
    assert_non_null(strstr(error.message, "tiled, other"));
    struct trial_export chosen = {.implementation = "none"};
    assert_int_equal(trial_export_t4(db, &chosen, &out, &left_out, &error), TW_NOT_FOUND);
    chosen.implementation = "other";
    assert_fine(trial_export_t4(db, &chosen, &out, &left_out, &error), error);
    assert_int_equal(left_out, 1);
    assert_non_null(strstr(out.data, "c3d4"));
    tw_text_free(&out);
    tw_db_close(db);
}

/* ---- What is refused ---- */

static void bad_files_are_refused_by_name(void **state) {
    (void)state;
    static const struct {
        const char *sound, *old, *with;
        const char *says[3];
    } cases[] = {
        {cache, "\"cache\"", "\"cash\"", {"neither"}},
        {cache, "\"cache\": {", "\"cache\": 7, \"x\": {", {"key cache", "object"}},
        {cache, "{\n\"device", "{\n?\"device", {"dir/test.json:2:"}},
        {cache, "\"A GPU\"", "\"A \\u001b GPU\"", {"device_name", "plain"}},
        {cache, "\"A GPU\"", "7", {"device_name", "string"}},
        {cache, "\"kernel_name\"", "\"device_name\"", {"device_name", "twice"}},
        {cache, "\"tune_params_keys\"", "\"keys\"", {"tune_params_keys", "missing"}},
        {cache, "\"BLOCK_X\",", "\"BLOCK_Z\",", {"no implementation of gemm", "BLOCK_Y"}},
        {cache,
         "\"BLOCK_X\",",
         "\"BLOCK_X\",\"BLOCK_X\",",
         {"no implementation of gemm", "BLOCK_Y"}},
        {cache, "\"device_name\"", "\"schema_version\": \"2.0.0\",\"device_name\"", {"newer"}},
        {cache, "\"device_name\"", "\"tilewise\": {\"x\": 1},\"device_name\"", {"unknown key"}},
        {cache, "\"device_name\"", "\"tilewise\": {\"cache\": \"hot\"},\"device_name\"", {"cold"}},
        {cache, "\"device_name\"", "\"tilewise\": [],\"device_name\"", {"tilewise", "object"}},
        {cache, "\"BLOCK_X\": 16, ", "\"BLOCK_X\": 17, ", {"cache \"16,4\"", "BLOCK_X"}},
        {cache, "\"BLOCK_X\": 16, ", "\"BLOCK_X\": \"16\", ", {"cache \"16,4\"", "BLOCK_X"}},
        {cache, "\"BLOCK_X\": 16, ", "\"BLOCK_X\": 1e300, ", {"cache \"16,4\"", "BLOCK_X"}},
        {cache, "\"BLOCK_X\": 16, ", "\"BLOCK_X\": [16], ", {"cache \"16,4\"", "BLOCK_X"}},
        {cache, "\"BLOCK_X\": 16, ", "", {"cache \"16,4\"", "BLOCK_X", "missing"}},
        {cache, "\"BLOCK_X\": 16, ", "\"BLOCK_X\": 16, \"BLOCK_X\": 32, ", {"BLOCK_X", "twice"}},
        {cache,
         "\"BLOCK_X\": 16, \"BLOCK_Y\": 4",
         "\"BLOCK_X\": 8, \"BLOCK_Y\": 2",
         {"constraint"}},
        {cache, "\"BLOCK_X\": 32", "\"BLOCK_X\": 16", {"there twice"}},
        {cache, "\"16,4\": {", "\"\\u001b\": {\"time\": 1},\n\"16,4\": {", {"cache \"?\""}},
        {cache, "\"16,4\": {", "\"8,4\": 7,\n\"16,4\": {", {"cache \"8,4\"", "object"}},
        {cache, "\"time\": 0.5", "\"time\": -0.5", {"cache \"16,4\"", "time"}},
        {cache, "\"time\": 0.5", "\"time\": 0", {"cache \"16,4\"", "time"}},
        {cache, "\"time\": 0.5", "\"time\": 1e19", {"cache \"16,4\"", "time"}},
        {cache, "\"time\": 0.5", "\"time\": 1e999", {"cache \"16,4\"", "time"}},
        {cache, "\"time\": 0.5", "\"time\": NaN", {"dir/test.json:"}},
        {cache, "\"time\": 0.5", "\"time\": \"fast\"", {"cache \"16,4\"", "time"}},
        {cache, "\"time\": 0.5", "\"tine\": 0.5", {"cache \"16,4\"", "time", "missing"}},
        {cache, "\"times\": [0.25", "\"times\": [{}", {"times", "numbers"}},
        {cache, "2023-12-22", "last week", {"timestamp"}},
        {cache, "\"note\": \"", "\"tilewise_status\": \"", {"tilewise_status"}},
        {cache, "\"note\": \"", "\"tilewise_status\": \"crash\", \"x\": \"", {"and a time"}},
        {cache, "\"note\": \"", "\"tilewise_ci_low\": 2, \"x\": \"", {"interval"}},
        {cache, "\"note\": \"", "\"tilewise_repeats\": 0, \"x\": \"", {"tilewise_repeats"}},
        {cache, "\"note\": \"", "\"tilewise_message\": \"\\u0007\", \"x\": \"", {"plain"}},
        {cache, "\"note\": \"", "\"tilewise_odd\": 1, \"x\": \"", {"tilewise_odd"}},
        {t4, "\"results\": [", "\"results\": {", {"dir/test.json"}},
        {t4, "\"BLOCK_X\": 32", "\"BLOCK_X\": 33", {"results[1]", "BLOCK_X"}},
        {t4, "\"BLOCK_X\": 32", "\"BLOCK_X\": 32, \"Z\": 1", {"results[1]", "\"Z\""}},
        {t4,
         "\"invalidity\": \"compile\"",
         "\"invalidity\": \"odd\"",
         {"results[1]", "invalidity"}},
        {t4, "\"unit\": \"ms\"", "\"unit\": \"h\"", {"results[0]", "unit"}},
        {t4, "milliseconds", "fortnights", {"timeunit"}},
        {t4, "\"name\": \"time\"", "\"name\": \"energy\"", {"results[0]", "time"}},
        {t4, "\"value\": 0.5", "\"value\": [0.5]", {"results[0]", "value"}},
        {t4, "\"1.0.0\"", "\"2.0.0\"", {"newer"}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = replaced(cases[i].sound, NULL, cases[i].old, cases[i].with);
        struct results_file *file = NULL;
        struct tw_error error = {0};
        if (read_text(&file, text, strlen(text), NULL, &error) == TW_OK)
            fail_msg("%s was taken for %s", cases[i].with, cases[i].old);
        assert_null(file);
        assert_null(strchr(error.message, '\n'));
        assert_non_null(strstr(error.message, "dir/test.json"));
        for (int j = 0; j < 3 && cases[i].says[j] != NULL; j++)
            if (strstr(error.message, cases[i].says[j]) == NULL)
                fail_msg("no \"%s\" in: %s", cases[i].says[j], error.message);
        free(text);
    }
}

static void a_named_implementation_says_what_it_lacks(void **state) {
    (void)state;
    static const char *const cases[][2] = {{"tiled", "has no parameter \"BLOCK_X\""},
                                           {"none", "no implementation \"none\""}};
    for (int i = 0; i < 2; i++) {
        struct results_file *file;
        struct tw_error error;
        assert_int_equal(read_text(&file, cache, strlen(cache), cases[i][0], &error), TW_INVALID);
        assert_non_null(strstr(error.message, cases[i][1]));
    }
}

static void units_of_t4_are_heeded(void **state) {
    (void)state;
    char *text = replaced(t4, NULL, "\"unit\": \"ms\"", "\"unit\": \"ns\"");
    struct results_file *file = read_sound(text);
    assert_true(file->trials[0].time_us == 500e-6);
    results_file_close(file);
    free(text);
    char *bare = replaced(t4, NULL, "\"unit\": \"ms\"", "\"unit\": \"\"");
    text = replaced(bare, NULL, "milliseconds", "seconds");
    file = read_sound(text);
    assert_true(file->trials[0].time_us == 500e3);
    results_file_close(file);
    free(bare);
    free(text);
}

/* A search may come by a configuration again. */
static void repeated_results_count_once(void **state) {
    (void)state;
    char *text = replaced(t4, NULL, "\"BLOCK_X\": 32", "\"BLOCK_X\": 16");
    struct results_file *file = read_sound(text);
    assert_int_equal(file->count, 1);
    assert_int_equal(file->repeated, 1);
    assert_int_equal(file->trials[0].status, TW_DB_TRIAL_OK);
    results_file_close(file);
    free(text);
}

static void deep_nesting_is_refused(void **state) {
    (void)state;
    enum { DEPTH = 100000 };
    char *text = malloc(DEPTH + 100);
    size_t length = (size_t)sprintf(text, "{\"cache\": ");
    memset(text + length, '[', DEPTH);
    length += DEPTH;
    text[length] = '\0';
    struct results_file *file;
    struct tw_error error;
    assert_int_not_equal(read_text(&file, text, length, NULL, &error), TW_OK);
    memset(text + strlen("{\"cache\": "), '{', DEPTH);
    assert_int_not_equal(read_text(&file, text, length, NULL, &error), TW_OK);
    free(text);
}

static void spoilt_files_crash_nothing(void **state) {
    (void)state;
    const char *const texts[] = {cache, t4};
    uint64_t random = UINT64_C(0x5eed);
    int taken = 0;
    for (int round = 0; round < 8000; round++) {
        size_t length = strlen(texts[round % 2]);
        char *text = spoilt(texts[round % 2], &length, &random);
        struct results_file *file;
        struct tw_error error = {0};
        if (read_text(&file, text, length, NULL, &error) == TW_OK)
            taken++;
        else
            assert_string_not_equal(error.message, "");
        results_file_close(file);
        free(text);
    }
    /* Much of a file says nothing of its trials. */
    assert_in_range(taken, 1, 6000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_formats_say_the_same),
        cmocka_unit_test(failures_of_old_layouts_are_read),
        cmocka_unit_test(files_may_end_anywhere),
        DB_TEST(nothing_is_lost_on_the_way),
        DB_TEST(a_brief_file_has_every_trial),
        DB_TEST(who_goes_on_with_a_file_is_remembered),
        DB_TEST(an_implementation_may_have_to_be_chosen),
        cmocka_unit_test(bad_files_are_refused_by_name),
        cmocka_unit_test(a_named_implementation_says_what_it_lacks),
        cmocka_unit_test(units_of_t4_are_heeded),
        cmocka_unit_test(repeated_results_count_once),
        cmocka_unit_test(deep_nesting_is_refused),
        cmocka_unit_test(spoilt_files_crash_nothing),
    };
    return cmocka_run_group_tests(tests, start, end);
}

/* tuner/exchange: models go with exports and merges, come back the same, and are held against
 * today's code. */
#include "test_exchange_support.h"

#include "db/upkeep.h"
#include "runtime/backend/devices.h"
#include "runtime/predict/model.h"
#include "runtime/variant/identity.h"
#include "tuner/exchange/check.h"
#include "tuner/exchange/sound_model.h"

#define assert_says(text, part) assert_non_null(strstr(text, part))

static struct known_kernels known;

static int start(void **state) {
    struct tw_error error;
    return known_kernels_open(&known, NULL, 0, &error) == TW_OK ? fixture_start(state) : -1;
}

static int end(void **state) {
    known_kernels_close(&known);
    return fixture_end(state);
}

/* A model of the kernel copy with one configuration, of this code, source and judge. The caller
 * frees. */
static char *model_of(const char *code, const char *base, const char *configuration,
                      const char *source, const char *judge) {
    struct tw_text text = {0};
    char quoted[1024] = "";
    for (const char *at = configuration; *at != '\0'; at++)
        sprintf(quoted + strlen(quoted), "%s%c", *at == '"' ? "\\" : "", *at);
    tw_text_print(
        &text,
        "{\"format\": \"tilewise-model\", \"version\": 1, \"kernel\": \"copy\", "
        "\"cache\": \"cold\", \"device\": \"cuda:b\", \"device_name\": \"D\", "
        "\"backend\": \"cuda\", \"architecture\": \"sm_90\", \"units\": 132, "
        "\"attributes\": [\"\"], \"uncertainty\": 0.1, \"base\": %s, \"features\": "
        "[{\"name\": \"dimension.M\"}], \"trees\": [[[0,64,2],[-0.25],[0.1]], [[0.125]]], "
        "\"configurations\": [{\"implementation\": \"%s\", \"configuration\": \"%s\", "
        "\"problem\": \"M=100,N=7\", \"time_us\": 12.5, \"code\": \"%s\", \"source\": "
        "\"%s\", \"judge\": \"%s\"}]}",
        base, known_kernels_find(&known, "copy")->description->implementations[0].name, quoted,
        code, source, judge);
    assert_false(text.failed);
    return text.data;
}

static char *model_text(const char *code, const char *base) {
    return model_of(code, base, "{}", "s", "j");
}

static const char *todays_code(void) {
    const char *code;
    struct tw_error error;
    assert_fine(tw_today_code(known_kernels_find(&known, "copy")->today, 0, "cuda", &code, &error),
                error);
    return code;
}

/* What is of today's code goes under today's name when it is taken in, and nothing else does. */
static void current_code_goes_under_its_name(void **state) {
    (void)state;
    const int64_t slots[TW_DEVICE_SLOTS] = {49152, 1024, 32, 132, 1 << 20, 90, 0};
    const struct tw_description *d = known_kernels_find(&known, "copy")->description;
    struct tw_configuration configuration = {0};
    struct tw_problem problem;
    struct tw_error error;
    struct tw_text text = {0};
    char source[TW_HASH_SIZE], judge[TW_HASH_SIZE];
    const struct tw_preset *preset;
    assert_true(tw_description_preset(d, "default", &configuration.implementation, &preset));
    assert_int_equal(configuration.implementation, 0);
    memcpy(configuration.values, preset->values, sizeof configuration.values);
    tw_configuration_text(d, &configuration, &text);
    assert_fine(tw_problem_parse(&problem, d, "100x7", &error), error);
    assert_fine(tw_identity_source(&problem, &configuration, "cuda", slots, source, &error), error);
    assert_fine(tw_identity_judge(&problem, "cuda", slots, judge, &error), error);
    const struct {
        const char *code, *source;
        const int64_t *slots;
        bool renewed;
    } cases[] = {{"before", source, slots, true},
                 {"before", source, NULL, false},
                 {"before", "another", slots, false},
                 {todays_code(), source, slots, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *written = model_of(cases[i].code, "0.1", text.data, cases[i].source, judge);
        struct tw_model *model, *read;
        struct tw_text out = {0};
        assert_fine(tw_model_read(&model, written, "m", &error), error);
        assert_fine(sound_model_renew(model, written, &known, cases[i].slots, &out, &error), error);
        assert_int_equal(out.length > 0, cases[i].renewed);
        if (out.length > 0) {
            assert_fine(tw_model_read(&read, out.data, "m", &error), error);
            assert_string_equal(read->configurations[0].template_hash, todays_code());
            assert_string_equal(read->configurations[0].source, source);
            assert_true(read->base == 0.1 && read->node_count == model->node_count);
            tw_model_free(read);
        }
        tw_model_free(model);
        tw_text_free(&out);
        free(written);
    }
    tw_text_free(&text);
}

static void put_model(const char *path, const char *text, int64_t fitted_at) {
    const struct tw_db_model model = {.kernel = "copy",
                                      .device = "cuda:b",
                                      .cache_policy = "cold",
                                      .text = text,
                                      .fitted_at = fitted_at};
    tw_db *db = open_db(path, TW_DB_WRITE);
    assert_status(tw_db_model_put(db, &model), TW_DB_OK);
    tw_db_close(db);
}

struct seen {
    int count;
    int64_t fitted_at;
    double base;
};

static bool see(void *context, const struct tw_db_model *row) {
    struct seen *seen = context;
    struct tw_model *model;
    struct tw_error error;
    assert_fine(tw_model_read(&model, row->text, "m", &error), error);
    assert_string_equal(row->kernel, model->kernel);
    assert_string_equal(row->device, model->device);
    seen->count++;
    seen->fitted_at = row->fitted_at;
    seen->base = model->base;
    tw_model_free(model);
    return true;
}

static struct seen models_of(const char *path) {
    struct seen seen = {0};
    tw_db *db = open_db(path, TW_DB_READ);
    assert_status(tw_db_model_each(db, NULL, see, &seen), TW_DB_OK);
    tw_db_close(db);
    return seen;
}

static void place_beside(const struct fixture *fixture, const char *name, char path[700]) {
    snprintf(path, 700, "%s/%s", fixture->directory, name);
}

static void models_come_back_the_same(void **state) {
    struct fixture *fixture = *state;
    char other[700];
    place_beside(fixture, "other.db", other);
    tw_db *db = open_db(fixture->path, TW_DB_WRITE);
    put_three(db, &known);
    tw_db_close(db);
    struct tw_text without = exported(fixture->path, NULL, 3);
    assert_says(without.data, "\"version\": 2\n");
    assert_null(strstr(without.data, "\"models\""));
    char *text = model_text(todays_code(), "0.1");
    put_model(fixture->path, text, 1234);
    struct tw_text first = exported(fixture->path, NULL, 4);
    assert_says(first.data, "\"version\": 3\n");
    assert_says(first.data, "\"fitted_at\": 1234,\n");
    (void)import_text(other, &known, &first);
    struct tw_text again = exported(other, NULL, 4);
    assert_string_equal(first.data, again.data);
    struct seen seen = models_of(other);
    assert_true(seen.count == 1 && seen.fitted_at == 1234 && seen.base == 0.1);
    tw_text_free(&again);
    /* Those of one kernel alone; and none of a kernel that has none. */
    again = exported(fixture->path, "copy", 2);
    assert_says(again.data, "\"models\"");
    tw_text_free(&again);
    again = exported(fixture->path, "gemm", 2);
    assert_null(strstr(again.data, "\"models\""));
    tw_text_free(&again);
    tw_text_free(&first);
    tw_text_free(&without);
    free(text);
}

static void the_newer_model_stays(void **state) {
    struct fixture *fixture = *state;
    char other[700];
    place_beside(fixture, "other.db", other);
    char *old = model_text(todays_code(), "0.1"), *new = model_text(todays_code(), "0.2");
    put_model(fixture->path, old, 1000);
    put_model(other, new, 2000);
    struct tw_text from_old = exported(fixture->path, NULL, 1), from_new = exported(other, NULL, 1);
    (void)import_text(other, &known, &from_old);
    assert_true(models_of(other).base == 0.2);
    (void)import_text(fixture->path, &known, &from_new);
    assert_true(models_of(fixture->path).base == 0.2);
    tw_text_free(&from_old);
    tw_text_free(&from_new);
    free(old);
    free(new);
}

static bool give_up(void *context, const struct tw_db_model *row) {
    (void)row;
    ++*(int *)context;
    return true;
}

static void models_of_other_templates_are_not_taken(void **state) {
    struct fixture *fixture = *state;
    struct tw_error error;
    char *text = model_text("0123456789abcdef0123456789abcdef", "0.1");
    /* The row has the device's values, which tell what its sources are. */
    tw_db *db = open_db(fixture->path, TW_DB_WRITE);
    put_tuned(db, &known, (struct tuned){"copy", "100x7", "default", "cuda:b", NULL, 12.5, false});
    struct tw_db_device device = sample_device;
    struct tw_text properties = {0};
    const struct tw_device_info info = {.max_threads = 1024, .max_shared = 1 << 16, .warp = 32};
    tw_device_properties(&info, &properties);
    device.fingerprint = "cuda:b";
    device.properties = properties.data;
    int64_t id;
    assert_status(tw_db_device_put(db, &device, &id), TW_DB_OK);
    tw_db_close(db);
    put_model(fixture->path, text, 1234);
    struct tw_text whole = exported(fixture->path, NULL, 2);
    struct import *import;
    int others, handed = 0;
    assert_fine(import_read(&import, whole.data, whole.length, "test.json", &known, &error), error);
    assert_int_equal(import_models(import, &others), 1);
    assert_int_equal(others, 1);
    assert_true(import_each_model(import, give_up, &handed));
    assert_int_equal(handed, 0);
    import_close(import);
    tw_text_free(&whole);
    tw_text_free(&properties);
    free(text);
}

static void damaged_ones_are_refused(void **state) {
    struct fixture *fixture = *state;
    static const struct {
        const char *part, *in_place, *says;
    } cases[] = {
        {"\"fitted_at\": 1234", "\"fitted_at\": -1", "fitted_at: must be above 0"},
        {"\"fitted_at\": 1234", "\"fitted\": 1234", "fitted"},
        {"\"kernel\": \"copy\"", "\"kernel\": \"copie\"", "no kernel of that name is known"},
        {"\"device_name\": \"D\"", "\"device_name\": \"\\u0007\"", "key device_name: empty"},
        {"\"cache\": \"cold\"", "\"cache\": \"cool\"", "expected cold or warm"},
        {"\"judge\": \"j\"", "\"judge\": \"\xff\"", "not plain text"},
        {"[0, 64, 2]", "[0, 64, 9]", "that leads on"},
        {"\"version\": 3", "\"version\": 2", "there are models from version 3 on"},
        {"\"version\": 3", "\"version\": 4", "newer than this program's 3"},
    };
    char *text = model_text(todays_code(), "0.1");
    put_model(fixture->path, text, 1234);
    struct tw_text whole = exported(fixture->path, NULL, 1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct import *import;
        struct tw_error error;
        char *broken = replaced(whole.data, NULL, cases[i].part, cases[i].in_place);
        tw_status status =
            import_read(&import, broken, strlen(broken), "test.json", &known, &error);
        assert_true(status == TW_INVALID || status == TW_BAD_DESCRIPTION);
        assert_says(error.message, cases[i].says);
        assert_int_equal(strncmp(error.message, "test.json", 9), 0);
        assert_null(strchr(error.message, '\n'));
        assert_null(import);
        free(broken);
    }
    tw_text_free(&whole);
    free(text);
}

static void note_finding(void *context, bool is_error, const char *line) {
    tw_text_print(context, "%s %s\n", is_error ? "error" : "note", line);
}

/* What is stored may have been damaged there: it goes nowhere from there. */
static void a_damaged_model_stays_where_it_is(void **state) {
    struct fixture *fixture = *state;
    struct tw_text text = {0}, findings = {0};
    struct tw_error error;
    struct checked checked;
    struct tw_db_merged merged;
    int64_t count;
    char other[700];
    place_beside(fixture, "other.db", other);
    put_model(fixture->path, "{\"format\": \"tilewise-model\"}", 1234);
    tw_db *from = open_db(fixture->path, TW_DB_READ), *to = open_db(other, TW_DB_WRITE);
    assert_int_equal(export_best(from, NULL, &text, &count, &error), TW_INVALID);
    assert_says(error.message, "cannot export: model of copy on cuda:b, cold: ");
    assert_int_equal(merge_databases(to, &from, 1, &merged, &error), TW_INVALID);
    assert_says(error.message, "cannot take in: model of copy on cuda:b, cold: ");
    assert_fine(check_database(from, &known, note_finding, &findings, &checked, &error), error);
    assert_int_equal(checked.errors, 1);
    assert_says(findings.data, "error model of copy on cuda:b, cold: ");
    tw_db_close(to);
    assert_int_equal(models_of(other).count, 0);
    tw_db_close(from);
    tw_text_free(&findings);
    tw_text_free(&text);
}

#define EXCHANGE_TEST(function) cmocka_unit_test_setup_teardown(function, start, end)

int main(void) {
    const struct CMUnitTest tests[] = {
        EXCHANGE_TEST(current_code_goes_under_its_name),
        EXCHANGE_TEST(models_come_back_the_same),
        EXCHANGE_TEST(the_newer_model_stays),
        EXCHANGE_TEST(models_of_other_templates_are_not_taken),
        EXCHANGE_TEST(damaged_ones_are_refused),
        EXCHANGE_TEST(a_damaged_model_stays_where_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

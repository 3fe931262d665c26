/* A model's configurations are the same whether they stand as `tune model fit` writes them, which
 * is read faster, or otherwise. */
#include <cjson/cJSON.h>

#include "runtime/base/file.h"
#include "runtime/predict/model_configurations.h"
#include "tests/support/support.h"

static const char list[] =
    "[\n"
    "  {\"implementation\": \"direct\", \"configuration\": "
    "\"{\\\"A\\\":1,\\\"B\\\":\\\"x\\\\\\\\\\\"}\", "
    "\"problem\": \"M=1,N=2;dtype=f64\", \"kinds\": [0,2,11], \"near\": [3,17,4095], "
    "\"time_us\": 8.56533, "
    "\"code\": \"c0\", \"source\": \"s0\", \"judge\": \"\"},\n"
    "  {\"implementation\": \"other\", \"configuration\": \"{}\", \"problem\": \"M=3\", "
    "\"kinds\": [5], \"time_us\": 12345, \"code\": \"c1\", \"source\": \"s1\", \"judge\": \"j1\"}\n"
    " ]";

/* As databases keep it. */
static char *without_blanks(const char *text) {
    cJSON *json = cJSON_Parse(text);
    char *shorter = cJSON_PrintUnformatted(json);
    cJSON_Delete(json);
    assert_non_null(shorter);
    return shorter;
}

static void assert_read(const char *text) {
    struct tw_model *model = calloc(1, sizeof *model);
    int most_kind;
    assert_non_null(model);
    assert_true(tw_model_read_written(model, text, text + strlen(text), &most_kind));
    assert_int_equal(model->configuration_count, 2);
    assert_int_equal(most_kind, 11);
    const struct tw_model_configuration *c = model->configurations;
    assert_string_equal(c[0].implementation, "direct");
    assert_string_equal(c[0].configuration, "{\"A\":1,\"B\":\"x\\\\\"}");
    assert_string_equal(c[0].problem, "M=1,N=2;dtype=f64");
    assert_string_equal(c[0].template_hash, "c0");
    assert_string_equal(c[0].source, "s0");
    assert_string_equal(c[0].judge, "");
    assert_true(c[0].time_us == 8.56533 && c[0].kinds == (1 | 4 | 2048));
    assert_true(c[0].near_count == 3 && c[1].near_count == 0 && model->near_count == 3);
    assert_true(model->near[0] == 3 && model->near[1] == 17 && model->near[2] == 4095);
    assert_string_equal(c[1].implementation, "other");
    assert_true(c[1].time_us == 12345 && c[1].kinds == 32);
    tw_model_free(model);
}

static void what_is_written(void **state) {
    (void)state;
    char *shorter = without_blanks(list);
    assert_read(list);
    assert_read(shorter);
    free(shorter);
}

static void what_is_left_to_json(void **state) {
    (void)state;
    static const char *const changes[][2] = {
        {"8.56533", "8.56533e0"},
        {"8.56533", "8."},
        {"8.56533", "-8.5"},
        {"8.56533", "0"},
        {"8.56533", "0.1234567890123456"},
        {"[0,2,11]", "[]"},
        {"[0,2,11]", "[0, 2]"},
        {"[0,2,11]", "[64]"},
        {"[0,2,11]", "[99999999999999999999]"},
        {"\"direct\"", "\"dir\\u0065ct\""},
        {"\"direct\"", "\"direct\x7f\""},
        {"\"direct\"", "\"dir\nct\""},
        {"\"direct\", ", "\"direct\" , "},
        {"\"code\": \"c0\", ", ""},
        {"\"judge\": \"\"}", "\"judge\": \"\", \"more\": 1}"},
        {"\"j1\"}\n ]", "\"j1\"},\n ]"},
        {"\"j1\"}\n ]", "\"j1\"}\n"},
        {"\"j1\"}\n ]", "\"j1"},
    };
    struct tw_model *model = calloc(1, sizeof *model);
    int most_kind;
    assert_non_null(model);
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        char *changed = replaced(list, changes[i][0], changes[i][1]);
        assert_false(tw_model_read_written(model, changed, changed + strlen(changed), &most_kind));
        assert_null(model->configurations);
        free(changed);
    }
    /* Longer than what may be printed. */
    char text[1200];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    char *longer = replaced(list, "M=3", text);
    assert_false(tw_model_read_written(model, longer, longer + strlen(longer), &most_kind));
    free(longer);
    static const char none[] = "[]";
    assert_false(tw_model_read_written(model, none, none + 2, &most_kind));
    tw_model_free(model);
}

static struct tw_model *read_model(const char *text) {
    struct tw_model *model;
    struct tw_error error;
    must(tw_model_read(&model, text, "m.json", &error), error);
    return model;
}

static void assert_same(const struct tw_model *a, const struct tw_model *b) {
    assert_int_equal(a->configuration_count, b->configuration_count);
    assert_int_equal(a->node_count, b->node_count);
    assert_int_equal(a->kind_count, b->kind_count);
    for (int i = 0; i < a->configuration_count; i++) {
        const struct tw_model_configuration *x = &a->configurations[i], *y = &b->configurations[i];
        assert_string_equal(x->implementation, y->implementation);
        assert_string_equal(x->configuration, y->configuration);
        assert_string_equal(x->problem, y->problem);
        assert_string_equal(x->template_hash, y->template_hash);
        assert_string_equal(x->source, y->source);
        assert_string_equal(x->judge, y->judge);
        assert_true(x->time_us == y->time_us && x->kinds == y->kinds);
    }
}

/* All that ship, and each with blanks where nobody writes them. */
static void what_ships(void **state) {
    (void)state;
    static const char *const kernels[] = {"gemm", "aat", "transpose", "conv2d"};
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        char path[1024];
        struct tw_text text = {0};
        struct tw_error error;
        snprintf(path, sizeof path, TUNED "/models/nvidia-h200-%s.json", kernels[i]);
        must(tw_file_read(&text, path, &error), error);
        char *otherwise = replaced(text.data, "{\"implementation\": ", "{\"implementation\" :  ");
        char *shorter = without_blanks(text.data);
        struct tw_model *a = read_model(text.data), *b = read_model(otherwise),
                        *c = read_model(shorter);
        assert_non_null(a->texts);
        assert_null(b->texts);
        assert_non_null(c->texts);
        assert_same(a, b);
        assert_same(a, c);
        tw_model_free(a);
        tw_model_free(b);
        tw_model_free(c);
        free(shorter);
        /* A kind that the model has not is told as ever. */
        char *wrong = replaced(text.data, "\"kinds\": [", "\"kinds\": [63,");
        assert_int_equal(tw_model_read(&a, wrong, "m.json", &error), TW_INVALID);
        assert_says(error.message, "kinds[0]");
        free(wrong);
        free(otherwise);
        tw_text_free(&text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written),
        cmocka_unit_test(what_is_left_to_json),
        cmocka_unit_test(what_ships),
    };
    return cmocka_run_group_tests_name("model as written", tests, NULL, NULL);
}

/* Reading descriptions: what is right is read, what is no JSON or not there is refused. */
#include <cjson/cJSON.h>

#include "runtime/description/builtin.h"
#include "tests/support/scale.h"

/* ---- What is right ---- */

static void reads_the_example(void **state) {
    (void)state;
    struct tw_description *d = read_description(scale_text, "/somewhere");
    assert_string_equal(d->kernel, "scale");
    assert_string_equal(d->summary, "B = alpha*A for an MxN matrix");
    assert_string_equal(d->text, scale_text);
    assert_string_equal(d->origin, "scale.json");
    assert_string_equal(d->directory, "/somewhere");
    assert_int_equal(d->dimension_count, 2);
    assert_string_equal(d->dimensions[1].name, "N");
    assert_int_equal(d->attribute_count, 1);
    assert_string_equal(d->symbols.words[d->attributes[0].default_word], "f32");
    assert_int_equal(d->let_count, 1);

    assert_int_equal(d->argument_count, 5);
    const struct tw_argument *a = &d->arguments[0], *b = &d->arguments[1];
    assert_int_equal(a->access, TW_ACCESS_IN);
    assert_int_equal(b->access, TW_ACCESS_OUT);
    assert_int_equal(a->stride, 2);
    assert_int_equal(b->stride, 3);
    assert_int_equal(a->type_attribute, 0);
    assert_int_equal(a->read_when, -1);
    assert_int_equal(a->fill_seed, 1);
    assert_true(a->fill_low == -1 && a->fill_high == 1);
    assert_int_equal(d->arguments[3].kind, TW_ARGUMENT_STRIDE);
    assert_int_equal(d->arguments[4].kind, TW_ARGUMENT_SCALAR);

    assert_int_equal(d->case_count, 2);
    assert_true(d->cases[0].scalars[4] == 1.5);
    assert_true(d->cases[1].scalars[4] == -0.25);
    assert_true(d->tolerance[TW_TYPE_f32] == 1e-6);
    assert_int_equal(d->reference.passed_count, 7);

    assert_int_equal(d->implementation_count, 1);
    const struct tw_implementation *in = &d->implementations[0];
    assert_int_equal(in->languages & 3, 3);
    assert_int_equal(in->parameter_count, 3);
    assert_false(in->parameters[0].is_word || in->parameters[0].launch);
    assert_true(in->parameters[1].is_word);
    assert_true(in->parameters[2].launch);
    assert_int_equal(in->constraint_count, 1);
    assert_int_equal(in->redundant_count, 1);
    assert_int_equal(in->define_count, 1);
    assert_int_equal(in->launches[0].passed[7].kind, TW_PASS_SLOT);
    assert_int_equal(in->launches[0].passed[7].index, in->parameters[2].slot);

    int where = -1;
    const struct tw_preset *preset = NULL;
    assert_true(tw_description_preset(d, "default", &where, &preset));
    assert_int_equal(where, 0);
    assert_int_equal(preset->values[0], 64);
    assert_false(tw_description_preset(d, "fast", &where, &preset));
    assert_int_equal(tw_description_implementation(d, "direct"), 0);
    assert_int_equal(tw_description_implementation(d, "Direct"), -1);
    tw_description_free(d);
    tw_description_free(NULL);
}

/* What may be left out has a meaning without it. */
static void optional_parts(void **state) {
    (void)state;
    static const char *const parts[] = {
        "\"cases\": [ {}, { \"alpha\": -0.25 } ],",
        "\"requires\": { \"backends\": [\"cuda\", \"opencl\"], \"min_arch\": 0 },",
        "\"constraints\": [\"BLOCK_X <= MAX_THREADS\"],",
        "\"redundant\": [\"M == 1 && ORDER == 'columns'\"],",
        "\"defines\": { \"RAGGED\": \"N % BLOCK_X != 0\" },",
        "\"workspace\": \"0\",",
        "\"shared\": \"0\", \"min_blocks\": \"1\",",
        ", \"fill\": { \"low\": -1, \"high\": 1, \"seed\": 1 }",
        ", \"seed\": 1",
        ", \"growth\": \"1\"",
        ", \"stride\": \"ldb\"",
        ", \"min_arch\": 0"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        char *text = replaced(scale_text, parts[i], "");
        struct tw_description *d = read_description(text, NULL);
        assert_true(d->case_count >= 1);
        assert_true(d->cases[0].scalars[4] == 1.5);
        assert_int_equal(d->implementations[0].languages & 3, 3);
        tw_description_free(d);
        free(text);
    }
}

/* In every object whose keys the format gives, and in none whose keys are a user's own names. */
static void comments(void **state) {
    (void)state;
    static const char *const places[] = {
        "\"kernel\": \"scale\"",     "\"dimensions\":", "\"values\": [\"f32\"",
        "\"name\": \"A\"",           "\"low\":",        "\"name\": \"lda\"",
        "\"name\": \"alpha\"",       "\"flops\":",      "\"templates\": [\"scale/reference.cu",
        "\"name\": \"direct\"",      "\"backends\":",   "\"values\": [1, 4]",
        "\"templates\": [\"scale/d", "\"f32\": 1e-6"};
    static const char *const names[] = {"\"BLOCK_X\": 64, \"ORDER\"", "\"BLOCK_X\": [",
                                        "\"RAGGED\":", "\"ESIZE\":", "\"alpha\": -0.25"};
    struct tw_description *d;
    struct tw_error error;
    char with[200];
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        snprintf(with, sizeof with, "\"comment\": [\"why\", \"so\"], %s", places[i]);
        char *text = replaced(scale_text, places[i], with);
        tw_description_free(read_description(text, NULL));
        free(text);
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(with, sizeof with, "\"comment\": true, %s", names[i]);
        char *text = replaced(scale_text, names[i], with);
        assert_status(tw_description_read(&d, text, "scale.json", NULL, &error),
                      TW_BAD_DESCRIPTION);
        assert_says(error.message, "comment");
        free(text);
    }
}

static void reads_every_builtin(void **state) {
    (void)state;
    const char *kernels[64];
    size_t count = tw_builtin_kernels(kernels, 64);
    assert_true(count >= 6);
    for (size_t i = 0; i < count; i++) {
        struct tw_description *d;
        struct tw_error error;
        assert_true(i == 0 || strcmp(kernels[i - 1], kernels[i]) < 0);
        must(tw_description_builtin(&d, kernels[i], &error), error);
        assert_string_equal(d->kernel, kernels[i]);
        assert_true(d->summary[0] != '\0');
        for (int j = 0; j < d->implementation_count; j++)
            assert_true(d->implementations[j].summary[0] != '\0');
        tw_description_free(d);
    }
    assert_int_equal(tw_builtin_kernels(kernels, 2), 2);
}

static void unknown_builtins(void **state) {
    (void)state;
    struct tw_description *d = (struct tw_description *)-1;
    struct tw_error error;
    assert_refuses(tw_description_builtin(&d, "gem", &error), TW_NOT_FOUND, error,
                   "unknown kernel \"gem\"; did you mean gemm?");
    assert_null(d);
    assert_refuses(tw_description_builtin(&d, "zzzzzzzzz", &error), TW_NOT_FOUND, error,
                   "copy, gemm");
    assert_refuses(tw_description_builtin(&d, "../configs/gemm", &error), TW_NOT_FOUND, error,
                   "unknown kernel");
    assert_refuses(tw_description_builtin(&d, "", &error), TW_NOT_FOUND, error, "unknown kernel");
}

static void loads_files(void **state) {
    const struct scratch *scratch = *state;
    char path[1024], missing[1100];
    struct tw_description *d;
    struct tw_error error;
    scratch_write(scratch, "scale.json", scale_text, path);
    must(tw_description_load(&d, path, &error), error);
    assert_string_equal(d->origin, path);
    assert_string_equal(d->directory, scratch->path);
    tw_description_free(d);

    snprintf(missing, sizeof missing, "%s.not", path);
    assert_refuses(tw_description_load(&d, missing, &error), TW_IO, error, missing);
    assert_null(d);
    assert_refuses(tw_description_load(&d, scratch->path, &error), TW_IO, error, scratch->path);
    scratch_write(scratch, "empty.json", "", path);
    assert_refuses(tw_description_load(&d, path, &error), TW_BAD_DESCRIPTION, error,
                   "empty.json:1:1: ");
}

/* ---- What is wrong ---- */

static void syntax_errors_have_line_and_column(void **state) {
    (void)state;
    static const struct {
        const char *text, *where;
    } cases[] = {
        {"", "scale.json:1:1: "},
        /* Where a key should be, cJSON points one column past it. */
        {"{\n  \"kernel\": \"scale\",\n  oops\n}", "scale.json:3:"},
        {"{\n  \"kernel\": 1,\n}", "scale.json:3:"},
        {"{\"kernel\": \"scale\"} x", "scale.json:1:21: "},
        {"{\"kernel\": 'scale'}", "scale.json:1:12: "},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tw_description *d = (struct tw_description *)-1;
        struct tw_error error;
        assert_refuses(tw_description_read(&d, cases[i].text, "scale.json", NULL, &error),
                       TW_BAD_DESCRIPTION, error, cases[i].where);
        assert_null(d);
    }
    /* Cut off anywhere, it is refused, and nothing leaks or is read past its end. */
    size_t length = strlen(scale_text);
    for (size_t i = 0; i < length; i += 7) {
        char *text = strndup(scale_text, i);
        struct tw_description *d;
        struct tw_error error;
        assert_refuses(tw_description_read(&d, text, "scale.json", NULL, &error),
                       TW_BAD_DESCRIPTION, error, "scale.json:1:");
        free(text);
    }
}

/* Bytes changed, left out and repeated at random: it is read or refused, and nothing breaks or
 * leaks. */
static void survives_noise(void **state) {
    (void)state;
    static const char bytes[] = "{}[]\",:0123456789.-eM+*/()'?x\\ \x01\xff";
    size_t length = strlen(scale_text);
    uint32_t seed = 1;
    int refused = 0;
    for (int i = 0; i < 4000; i++) {
        char *text = strdup(scale_text);
        for (int change = 0; change <= i % 3; change++) {
            seed = seed * 1664525 + 1013904223;
            size_t at = seed / 7 % (length - 20), span = seed % 19;
            if (i % 4 == 0)
                memmove(text + at, text + at + span, length - at - span + 1);
            else if (i % 4 == 1)
                memmove(text + at, text + at / 2, span);
            else
                text[at] = bytes[seed / 1000 % (sizeof bytes - 1)];
            length = strlen(text);
        }
        struct tw_description *d = NULL;
        struct tw_error error = {0};
        tw_status status = tw_description_read(&d, text, "scale.json", NULL, &error);
        assert_true(status == TW_OK ? d != NULL : status == TW_BAD_DESCRIPTION && d == NULL);
        assert_true(status == TW_OK || strncmp(error.message, "scale.json:", 11) == 0);
        refused += status != TW_OK;
        tw_description_free(d);
        free(text);
        length = strlen(scale_text);
    }
    assert_in_range(refused, 2000, 3999);
}

static cJSON *named_copy(const cJSON *like, const cJSON *value) {
    cJSON *copy = cJSON_Duplicate(value, true);
    if (like->string != NULL)
        copy->string = strdup(like->string);
    return copy;
}

/* With the value at place `index` of the tree (in the order they are written) replaced; false when
 * there are not so many. */
static bool replace_nth(cJSON *parent, int *index, const cJSON *by) {
    for (cJSON *child = parent->child; child != NULL; child = child->next) {
        if ((*index)-- == 0) {
            cJSON_ReplaceItemViaPointer(parent, child, named_copy(child, by));
            return true;
        }
        if (replace_nth(child, index, by))
            return true;
    }
    return false;
}

/* Every value of the example, from a whole part to a single number, in turn replaced by one of
 * another kind: a list where names are read, a list of lists, an object where there is a list. */
static void survives_values_of_other_kinds(void **state) {
    (void)state;
    static const char *const values[] = {"null",
                                         "true",
                                         "-1",
                                         "1e300",
                                         "\"\"",
                                         "\"f32\"",
                                         "[]",
                                         "[1]",
                                         "[[\"a\"],[1,2]]",
                                         "[{}]",
                                         "[\"M\"]",
                                         "{}",
                                         "{\"a\":[1]}",
                                         "{\"default\":{}}",
                                         "{\"\":[[]]}"};
    int refused = 0;
    for (size_t v = 0; v < sizeof values / sizeof *values; v++) {
        cJSON *by = cJSON_Parse(values[v]);
        assert_non_null(by);
        for (int at = 0;; at++) {
            cJSON *json = cJSON_Parse(scale_text);
            int index = at;
            bool done = !replace_nth(json, &index, by);
            char *text = cJSON_PrintUnformatted(json);
            struct tw_description *d = NULL;
            struct tw_error error = {0};
            tw_status status = tw_description_read(&d, text, "scale.json", NULL, &error);
            refused += status != TW_OK;
            assert_true(status == TW_OK ? d != NULL : status == TW_BAD_DESCRIPTION && d == NULL);
            assert_true(status == TW_OK || strncmp(error.message, "scale.json: ", 12) == 0);
            tw_description_free(d);
            cJSON_free(text);
            cJSON_Delete(json);
            if (done)
                break;
        }
        cJSON_Delete(by);
    }
    assert_true(refused > 1000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_the_example),
        cmocka_unit_test(optional_parts),
        cmocka_unit_test(comments),
        cmocka_unit_test(reads_every_builtin),
        cmocka_unit_test(unknown_builtins),
        SCRATCH_TEST(loads_files),
        cmocka_unit_test(syntax_errors_have_line_and_column),
        cmocka_unit_test(survives_noise),
        cmocka_unit_test(survives_values_of_other_kinds),
    };
    return cmocka_run_group_tests_name("description", tests, NULL, NULL);
}

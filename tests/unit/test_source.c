/* Rendering: what reaches the compiler, and where templates come from. */
#include "runtime/variant/source.h"

#include "runtime/description/builtin.h"
#include "runtime/variant/preprocess.h"
#include "tests/support/scale.h"

/* The example's source for a problem of 8x100 in f64, with BLOCK_X 32, ORDER columns, GROUP 4. It
 * is the same whether what is left of it is asked for or not. */
static tw_status render(const struct tw_description *d, const char *backend, bool reference,
                        struct tw_text *source, struct tw_error *error) {
    struct tw_problem problem = parse_problem(d, "8x100");
    struct tw_configuration c;
    struct tw_geometry geometry;
    int64_t values[TW_MAX_SYMBOLS];
    must(tw_problem_set(&problem, "dtype", "f64", error), *error);
    must(tw_configuration_parse(&c, d, 0, "{\"BLOCK_X\":32,\"GROUP\":4,\"ORDER\":\"columns\"}",
                                error),
         *error);
    bind_problem(&problem, &paper_gpu, values);
    must(tw_configuration_bind(d, &c, values, error), *error);
    const struct tw_launch_description *launch =
        reference ? &d->reference : &d->implementations[0].launches[0];
    must(tw_geometry_of(launch, values, &paper_gpu, &geometry, error), *error);
    const struct tw_configuration *configuration = reference ? NULL : &c;
    tw_status status = tw_source_render(&problem, configuration, launch, backend, values, &geometry,
                                        source, NULL, error);
    if (status != TW_OK)
        return status;
    struct tw_text same = {0}, left = {0}, expected = {0};
    must(tw_source_render(&problem, configuration, launch, backend, values, &geometry, &same, &left,
                          error),
         *error);
    assert_string_equal(same.data, source->data);
    must(tw_preprocess(source->data, NULL, &expected, error), *error);
    assert_string_equal(tw_text_or(&left, ""), tw_text_or(&expected, ""));
    tw_text_free(&same);
    tw_text_free(&left);
    tw_text_free(&expected);
    return TW_OK;
}

static const char direct[] = "/* the template */\nTW_KERNEL(scale_direct)(int x) { }";

/* The place of a line of its own; it must be there once. */
static const char *line_of(const char *source, const char *line) {
    char whole[300];
    snprintf(whole, sizeof whole, "\n%s\n", line);
    const char *at =
        strncmp(source, whole + 1, strlen(whole) - 1) == 0 ? source : strstr(source, whole);
    if (at == NULL) {
        fail_msg("no line \"%s\" in:\n%s", line, source);
    }
    if (strstr(at + 1, whole) != NULL) {
        fail_msg("\"%s\" is there twice", line);
    }
    return at;
}

static void defines_everything(void **state) {
    const struct scratch *scratch = *state;
    char path[1024];
    struct tw_text source = {0};
    struct tw_error error;
    scratch_write(scratch, "scale/direct.cu", direct, path);
    struct tw_description *d = read_description(scale_text, scratch->path);
    must(render(d, "cuda", false, &source, &error), error);
    /* In this order: what a template may rely on comes before it. */
    static const char *const lines[] = {
        "#define TW_BLOCK_X 32",
        "#define TW_MIN_BLOCKS 1",
        "#line 1 \"templates/prelude/cuda.cuh\"",
        "#define TW_CUDA 1",
        "#define DTYPE_f32 0",
        "#define DTYPE_f64 1",
        "#define DTYPE DTYPE_f64",
        "#define BLOCK_X 32",
        "#define ORDER_rows 0",
        "#define ORDER_columns 1",
        "#define ORDER ORDER_columns",
        "#define RAGGED 1",
        "#line 1 \"scale/direct.cu\"",
    };
    const char *last = source.data;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        const char *at = line_of(source.data, lines[i]);
        assert_true(at >= last);
        last = at;
    }
    line_of(source.data, "#define TW_BLOCK_Y 1");
    line_of(source.data, "#define TW_BLOCK_Z 1");
    /* The template follows its #line at once, so that its lines are numbered right. */
    assert_true(strncmp(strchr(last + 1, '\n') + 1, direct, strlen(direct)) == 0);
    /* A launch parameter is passed: the binary must not depend on it. Nor on sizes. */
    assert_does_not_say(source.data, "GROUP");
    assert_does_not_say(source.data, "#define M ");
    assert_does_not_say(source.data, "#define ESIZE ");
    tw_text_free(&source);
    tw_description_free(d);
}

static void backends_have_their_preludes(void **state) {
    const struct scratch *scratch = *state;
    char path[1024];
    struct tw_text source = {0};
    struct tw_error error;
    scratch_write(scratch, "scale/direct.cu", direct, path);
    struct tw_description *d = read_description(scale_text, scratch->path);
    must(render(d, "opencl", false, &source, &error), error);
    line_of(source.data, "#define TW_OPENCL 1");
    assert_does_not_say(source.data, "TW_CUDA");
    assert_says(source.data, tw_builtin_file("templates/prelude/opencl.clh"));
    tw_text_free(&source);
    tw_description_free(d);
}

/* ---- The prelude's extensions ---- */

static void assert_extensions(const struct scratch *scratch, const char *template,
                              const char *backend, const char *const *expected) {
    static const char *const all[] = {"maths", "subgroups", "atomics"};
    char path[1024], extension[80], line[100];
    struct tw_text source = {0};
    struct tw_error error;
    scratch_write(scratch, "scale/direct.cu", template, path);
    struct tw_description *d = read_description(scale_text, scratch->path);
    must(render(d, backend, false, &source, &error), error);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        bool is_expected = false;
        for (size_t j = 0; expected[j] != NULL; j++)
            is_expected |= strcmp(expected[j], all[i]) == 0;
        snprintf(extension, sizeof extension, "templates/prelude/%s/%s.%s", backend, all[i],
                 strcmp(backend, "cuda") == 0 ? "cuh" : "clh");
        assert_non_null(tw_builtin_file(extension));
        if (is_expected) {
            snprintf(line, sizeof line, "#line 1 \"%s\"", extension);
            const char *at = line_of(source.data, line);
            assert_says(at, tw_builtin_file(extension));
            assert_true(at < line_of(source.data, "#define BLOCK_X 32"));
        } else if (strstr(source.data, extension) != NULL) {
            fail_msg("%s: %s is there", template, extension);
        }
    }
    tw_text_free(&source);
    tw_description_free(d);
}

/* A source that names nothing of them stays as it was to the byte: results are tied to it. */
static void extensions_come_where_they_are_named(void **state) {
    static const struct {
        const char *template;
        const char *expected[4];
    } cases[] = {
        {direct, {NULL}},
        {"float f(float x) { return expf(x); }", {"maths"}},
        {"expf", {"maths"}},
        {"x=-INFINITY;", {"maths"}},
        {"float f(float x) { return exp(x) + my_expf + expf2 + expfexpf + atomic; }", {NULL}},
        {"/* expf, TW_SUBGROUP */ int x; // atomicAdd\nint y; char *z = \"expf\";", {NULL}},
        {"/* expf */ fmaxf /* not closed", {"maths"}},
        {"TW_SUBGROUP(group);", {"subgroups"}},
        {"tw_subgroup", {"subgroups"}},
        {"tw_subgroup_sum_f32(group, x, 32)", {"subgroups"}},
        {"tw_subgrou", {NULL}},
        {"tw_shuffle_f32 atomicCAS", {"subgroups", "atomics"}},
        {"tw_atomic_add_f32(p, sqrtf(2))", {"maths", "atomics"}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_extensions(*state, cases[i].template, "cuda", cases[i].expected);
        assert_extensions(*state, cases[i].template, "opencl", cases[i].expected);
    }
}

/* What a reference does not name would make its source another for each shape. */
static void references_know_the_lets_they_name(void **state) {
    static const struct {
        const char *template;
        bool defined;
    } cases[] = {{"x[ESIZE]", true},       {"ESIZE", true},     {"(8*ESIZE)", true},
                 {"the reference", false}, {"ESIZES", false},   {"MY_ESIZE my_ESIZE2", false},
                 {"ESIZES ESIZE", true},   {"E ## SIZE", true}, {"#include \"a.h\"", true}};
    const struct scratch *scratch = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char path[1024];
        struct tw_text source = {0};
        struct tw_error error;
        scratch_write(scratch, "scale/reference.cu", cases[i].template, path);
        struct tw_description *d = read_description(scale_text, scratch->path);
        must(render(d, "cuda", true, &source, &error), error);
        line_of(source.data, "#define DTYPE DTYPE_f64");
        line_of(source.data, "#define TW_BLOCK_X 64");
        if (cases[i].defined)
            line_of(source.data, "#define ESIZE 8");
        else
            assert_does_not_say(source.data, "#define ESIZE");
        assert_does_not_say(source.data, "ORDER");
        assert_does_not_say(source.data, "RAGGED");
        tw_text_free(&source);
        tw_description_free(d);
    }
}

static void missing_templates(void **state) {
    const struct scratch *scratch = *state;
    struct tw_text source = {0};
    struct tw_error error;
    struct tw_description *d = read_description(scale_text, scratch->path);
    assert_refuses(render(d, "cuda", false, &source, &error), TW_NOT_FOUND, error,
                   "scale.json: the template scale/direct.cu is neither beside the description nor "
                   "built in");
    tw_text_free(&source);
    tw_description_free(d);
}

/* ---- Where templates come from ---- */

static void assert_template(const struct tw_description *d, const char *path,
                            const char *expected) {
    struct tw_text text = {0};
    struct tw_error error;
    must(tw_source_template(d, path, &text, &error), error);
    assert_string_equal(text.data, expected);
    tw_text_free(&text);
}

static void a_users_directory_comes_first(void **state) {
    const struct scratch *scratch = *state;
    char path[1024];
    const char *builtin = tw_builtin_file("templates/gemm/naive.cu");
    struct tw_description *d = read_description(scale_text, scratch->path);
    assert_non_null(builtin);
    assert_template(d, "gemm/naive.cu", builtin);
    scratch_write(scratch, "gemm/naive.cu", "/* mine */", path);
    assert_template(d, "gemm/naive.cu", "/* mine */");
    assert_template(d, path, "/* mine */"); /* an absolute path is one */
    tw_description_free(d);

    d = read_description(scale_text, NULL);
    assert_template(d, "gemm/naive.cu", builtin);
    tw_description_free(d);
}

static void built_in_kernels(void **state) {
    (void)state;
    struct tw_text source = {0};
    struct tw_error error;
    must(tw_source_builtin("check/fill.cu", "opencl", "#define T float\n", 96, &source, &error),
         error);
    line_of(source.data, "#define TW_BLOCK_X 96");
    const char *define = line_of(source.data, "#define T float");
    const char *line = line_of(source.data, "#line 1 \"check/fill.cu\"");
    assert_true(define < line);
    assert_says(line, tw_builtin_file("templates/check/fill.cu"));
    assert_refuses(tw_source_builtin("check/none.cu", "cuda", "", 1, &source, &error), TW_NOT_FOUND,
                   error, "templates/check/none.cu is not built in");
    tw_text_free(&source);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        SCRATCH_TEST(defines_everything),
        SCRATCH_TEST(backends_have_their_preludes),
        SCRATCH_TEST(extensions_come_where_they_are_named),
        SCRATCH_TEST(references_know_the_lets_they_name),
        SCRATCH_TEST(missing_templates),
        SCRATCH_TEST(a_users_directory_comes_first),
        cmocka_unit_test(built_in_kernels),
    };
    return cmocka_run_group_tests_name("source", tests, NULL, NULL);
}

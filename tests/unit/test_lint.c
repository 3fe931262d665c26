/* tune lint: what it finds in a description, and that it finds nothing in those that are built in.
 */
#include "runtime/description/builtin.h"
#include "tests/support/scale.h"
#include "tuner/lint/lint.h"

/* The templates of the example, beside it. */
static int make_templates(void **state) {
    if (scratch_make(state) != 0)
        return -1;
    const struct scratch *scratch = *state;
    char path[1024];
    scratch_write(
        scratch, "scale/reference.cu",
        "TW_KERNEL(scale_reference)\n"
        "(TW_GLOBAL const float *A, TW_GLOBAL double *B, int M, int N, int lda, int ldb,\n"
        " float alpha)\n"
        "{ /* ORDER */ }\n",
        path);
    scratch_write(scratch, "scale/direct.cu",
                  "TW_KERNEL(scale_direct)\n"
                  "(TW_GLOBAL const float *A, TW_GLOBAL float *B, int M, int N, int lda, int ldb,\n"
                  " float alpha, int group)\n"
                  "{\n#if RAGGED && ORDER == ORDER_rows\n#endif\n}\n",
                  path);
    return 0;
}

static struct lint lint_text(const struct scratch *scratch, const char *text) {
    struct tw_description *d = read_description(text, scratch->path);
    struct tw_error error;
    struct lint lint;
    must(lint_description(d, &lint, &error), error);
    tw_description_free(d);
    return lint;
}

static const struct lint_finding *find(const struct lint *lint, bool is_error, const char *where,
                                       const char *says) {
    for (size_t i = 0; i < lint->count; i++)
        if (lint->findings[i].is_error == is_error && strcmp(lint->findings[i].where, where) == 0 &&
            strstr(lint->findings[i].message, says) != NULL)
            return &lint->findings[i];
    return NULL;
}

static void print_findings(const struct lint *lint) {
    for (size_t i = 0; i < lint->count; i++)
        print_error("  %s: %s: %s\n", lint->findings[i].is_error ? "error" : "warning",
                    lint->findings[i].where, lint->findings[i].message);
}

static void nothing_in_the_example(void **state) {
    struct lint lint = lint_text(*state, scale_text);
    if (lint.errors > 0 || lint.warnings != 2)
        print_findings(&lint);
    assert_int_equal(lint.errors, 0);
    /* Its grid has M rows, which on CUDA end at 65535: the reference's and the default's. */
    assert_int_equal(lint.warnings, 2);
    assert_non_null(find(&lint, false, "reference", "grid y is "));
    assert_non_null(find(&lint, false, "implementations.direct.presets.default", "grid y is "));
    assert_true(lint.problems > 1000 && lint.configurations > 10000);
    lint_free(&lint);
}

static void no_error_in_what_is_built_in(void **state) {
    (void)state;
    const char *kernels[64];
    size_t count = tw_builtin_kernels(kernels, 64);
    assert_true(count > 3);
    for (size_t i = 0; i < count; i++) {
        struct tw_description *d;
        struct tw_error error;
        struct lint lint;
        must(tw_description_builtin(&d, kernels[i], &error), error);
        must(lint_description(d, &lint, &error), error);
        if (lint.errors > 0) {
            print_error("%s:\n", kernels[i]);
            print_findings(&lint);
        }
        assert_int_equal(lint.errors, 0);
        assert_true(lint.problems > 1000);
        lint_free(&lint);
        tw_description_free(d);
    }
}

/* A mistake planted in the example, and what is found. */
struct planted {
    const char *from, *to;
    bool is_error;
    const char *where, *says;
    const char *problem; /* part of the problem it is shown with; NULL: any, or none */
};

static void mistakes_are_found(void **state) {
#define IMPLEMENTATION "implementations.direct"
    static const struct planted planted[] = {
        /* What is evaluated. */
        {"dtype == 'f64' ? 8 : 4", "64 / (M - 7)", true, "problem", "ESIZE", "M=7,"},
        {"\"bytes\": \"2*ESIZE*M*N\"", "\"bytes\": \"M/(N-1)\"", true, "work", "divides by zero",
         "N=1;"},
        {"\"bytes\": \"2*ESIZE*M*N\"", "\"bytes\": \"M - 8\"", true, "work", "bytes -", "M=1,"},
        {"\"growth\": \"1\"", "\"growth\": \"N / 2\"", true, "tolerance.growth", "below 1", "N=1;"},
        {"\"rows\": \"M\"", "\"rows\": \"M - 1\"", true, "arguments", "A would have 0 rows",
         "M=1,"},
        {"\"name\": \"lda\", \"kind\": \"stride\", \"default\": \"N\"",
         "\"name\": \"lda\", \"kind\": \"stride\", \"default\": \"N - N % 2\"", true, "problem",
         "lda is ", ""},
        {"ceil_div(N, 64)", "N / 64", true, "reference", "grid x", "N=1;"},
        {"\"BLOCK_X <= MAX_THREADS\"", "\"BLOCK_X <= MAX_THREADS\", \"BLOCK_X % (M - 3) >= 0\"",
         true, IMPLEMENTATION ".constraints", "divides by zero, with the preset default", "M=3,"},
        {"M == 1 && ORDER", "64 / (N - 33) == 1 || ORDER", true, IMPLEMENTATION ".redundant",
         "divides by zero", "N=33;"},
        {"\"launch\": true", "\"launch\": true, \"untuned\": \"M / (N - 33) > M ? 1 : GROUP\"",
         true, IMPLEMENTATION ".parameters.GROUP.untuned", "divides by zero", "N=33;"},
        {"\"launch\": true", "\"launch\": true, \"untuned\": \"M == 7 ? 5 : GROUP\"", true,
         IMPLEMENTATION ".parameters.GROUP.untuned", "is 5, which is no value of it", "M=7,"},
        {"N % BLOCK_X != 0", "N % (BLOCK_X - 32)", true, IMPLEMENTATION ".defines",
         "\"N % (BLOCK_X - 32)\" divides by zero", NULL},
        {"\"workspace\": \"0\"", "\"workspace\": \"M - 31\"", true, IMPLEMENTATION ".workspace",
         "negative", "M=1,"},
        {"\"workspace\": \"0\"", "\"workspace\": \"0\", \"counters\": \"M - 31\"", true,
         IMPLEMENTATION ".counters", "negative", "M=1,"},
        {"\"shared\": \"0\"", "\"shared\": \"4096 / (N - 17)\"", true,
         IMPLEMENTATION ".launches[0]", "divides by zero", "N=17;"},
        {"\"let\": { ", "\"let\": { \"AREA\": \"M*N\", ", false, "problem.let",
         "AREA is used by no", NULL},
        /* The default. */
        {"\"BLOCK_X <= MAX_THREADS\"", "\"N % 2 == 0\"", true, IMPLEMENTATION ".presets.default",
         "the constraint \"N % 2 == 0\" does not hold", "N=1;"},
        {"\"shared\": \"0\"", "\"shared\": \"BLOCK_X * 2000\"", true,
         IMPLEMENTATION ".presets.default", "shared memory is 128000; the device allows", NULL},
        {"\"backends\": [\"cuda\", \"opencl\"]", "\"backends\": [\"cuda\"]", true,
         "implementations", "the preset default is of direct, which does not run on every device",
         NULL},
        /* What is referred to. */
        {"\"implementations\":",
         "\"ladder\": [ { \"kernel\": \"cpy\", \"preset\": \"default\", \"shows\": \"\" } ], "
         "\"implementations\":",
         true, "ladder[0]", "did you mean copy?", NULL},
        {"\"implementations\":",
         "\"ladder\": [ { \"kernel\": \"gemm\", \"preset\": \"naive\", \"shows\": \"\" } ], "
         "\"implementations\":",
         true, "ladder[0]", "gemm has 3 dimensions and scale has 2", NULL},
        {", \"f64\": 1e-15", "", true, "tolerance", "B may be f64", NULL},
        {"scale/direct.cu", "scale/dirct.cu", true, IMPLEMENTATION ".launches[0]",
         "the template scale/dirct.cu is neither", NULL},
        {"scale_direct\"", "scale_drect\"", true, IMPLEMENTATION ".launches[0]",
         "the templates have no TW_KERNEL(scale_drect)", NULL},
        {"\"alpha\", \"GROUP\"]", "\"alpha\"]", true, IMPLEMENTATION ".launches[0]",
         "the kernel scale_direct has 8 parameters, and \"pass\" gives it 7", NULL},
        {"\"pass\": [\"A\", \"B\", \"M\", \"N\", \"lda\", \"ldb\", \"alpha\"]",
         "\"pass\": [\"A\", \"M\", \"B\", \"N\", \"lda\", \"ldb\", \"alpha\"]", true, "reference",
         "parameter 2 of the kernel scale_reference is a pointer, and what \"pass\" gives it is no "
         "buffer",
         NULL},
        /* What nothing uses. */
        {"\"GROUP\": { \"values\": [1, 4], \"launch\": true }", "\"GROUP\": [1, 4]", false,
         IMPLEMENTATION, "the parameter GROUP is used by no expression and no template", NULL},
        {"\"RAGGED\":", "\"RAGGD\":", false, IMPLEMENTATION,
         "the define RAGGD is used by no expression and no template", NULL},
        {"\"pass\": [\"A\", \"B\", \"M\", \"N\", \"lda\", \"ldb\", \"alpha\", \"GROUP\"]",
         "\"pass\": [\"A\", \"M\", \"N\", \"lda\", \"ldb\", \"alpha\", \"GROUP\"]", true,
         IMPLEMENTATION, "no launch is given B to write to", NULL},
        {"\"attributes\": { ",
         "\"attributes\": { \"mode\": { \"values\": [\"x\"], \"default\": \"x\" }, ", false,
         "problem.attributes", "mode is no argument's type", NULL},
        {"[\"M\", \"N\"]", "[\"M\", \"N\", \"Q\"]", false, "problem.dimensions", "Q is used by no",
         NULL},
    };
    size_t missed = 0;
    for (size_t i = 0; i < sizeof planted / sizeof *planted; i++) {
        const struct planted *p = &planted[i];
        char *text = replaced(scale_text, p->from, p->to);
        if (strstr(p->to, "\"GROUP\": [1, 4]") != NULL) {
            char *passed = replaced(text, "\"alpha\", \"GROUP\"]", "\"alpha\"]");
            free(text);
            text = passed;
        }
        struct lint lint = lint_text(*state, text);
        const struct lint_finding *found = find(&lint, p->is_error, p->where, p->says);
        if (found == NULL || (p->problem != NULL && strstr(found->problem, p->problem) == NULL)) {
            print_error("%s -> %s: no \"%s: %s\" (%s) among\n", p->from, p->to, p->where, p->says,
                        found != NULL ? found->problem : "none");
            print_findings(&lint);
            missed++;
        }
        lint_free(&lint);
        free(text);
    }
    assert_int_equal(missed, 0);
}

/* The same mistake with many problems is one finding; errors come before warnings. */
static void findings_are_counted_and_sorted(void **state) {
    char *text = replaced(scale_text, "\"BLOCK_X <= MAX_THREADS\"", "\"N % 2 == 0\"");
    struct lint lint = lint_text(*state, text);
    assert_int_equal(lint.errors, 1);
    assert_true(lint.findings[0].is_error && lint.findings[0].times > 100);
    assert_string_equal(lint.findings[0].on, "a CUDA GPU of sm_90");
    for (size_t i = 1; i < lint.count; i++)
        assert_false(lint.findings[i].is_error);
    lint_free(&lint);
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_in_the_example),
        cmocka_unit_test(no_error_in_what_is_built_in),
        cmocka_unit_test(mistakes_are_found),
        cmocka_unit_test(findings_are_counted_and_sorted),
    };
    return cmocka_run_group_tests(tests, make_templates, scratch_remove);
}

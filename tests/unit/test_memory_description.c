/* runtime/description, tuner/lint: every allocation fails in turn while descriptions are read. */
#include "runtime/description/builtin.h"
#include "runtime/description/configuration.h"
#include "runtime/description/outline.h"
#include "tests/support/memory.h"
#include "tests/support/scale.h"
#include "tuner/lint/lint.h"

/* ---- Descriptions ---- */

struct reading {
    const char *path, *written, *kernel; /* one of them */
};

static tw_status start_reading(const struct reading *reading, struct tw_description **d,
                               struct tw_error *error) {
    if (reading->path != NULL)
        return tw_description_load(d, reading->path, error);
    if (reading->written != NULL)
        return tw_description_read(d, reading->written, "written.json", NULL, error);
    return tw_description_builtin(d, reading->kernel, error);
}

static tw_status read_one(void *context, struct tw_text *seen, struct tw_error *error) {
    const struct reading *reading = context;
    struct tw_description *d = NULL;
    tw_status status = start_reading(reading, &d, error);
    if (status == TW_OK) {
        memory_see(seen, "%llx %d %s", (long long)tw_hash64(d->text, strlen(d->text)),
                   d->implementation_count, d->origin);
    } else {
        assert_null(d);
    }
    tw_description_free(d);
    return status;
}

static void built_in_descriptions(void **state) {
    const char *kernels[64];
    size_t count = tw_builtin_kernels(kernels, 64);
    (void)state;
    for (size_t i = 0; i < count; i++) {
        char path[128];
        snprintf(path, sizeof path, "configs/%s.json", kernels[i]);
        struct reading flat = {.kernel = kernels[i]}, written = {.written = tw_builtin_file(path)};
        memory_fails(&(struct memory_scenario){kernels[i], read_one, NULL, &flat}, true);
        memory_fails(&(struct memory_scenario){path, read_one, NULL, &written}, true);
    }
}

/* An outline, and an implementation when it is needed. */
static tw_status read_outline(void *context, struct tw_text *seen, struct tw_error *error) {
    const char *kernel = context;
    struct tw_description *d = NULL;
    tw_status status = tw_description_outline(&d, kernel, error);
    const int last = status == TW_OK ? d->implementation_count - 1 : 0;
    if (status == TW_OK)
        status = tw_description_need(d, last, error);
    if (status == TW_OK)
        memory_see(seen, "%d %s", d->implementations[last].launch_count,
                   d->implementations[last].summary);
    tw_description_free(d);
    return status;
}

static void outlines(void **state) {
    (void)state;
    memory_fails(&(struct memory_scenario){"outline", read_outline, NULL, "gemm"}, true);
}

/* Every way to compose: included files, a folder of implementations, parts, lets with and without
 * parameters, lists, launches and presets from another. */
static const char parts_text[] =
    "{ \"parts\": { \"whole\": { \"let\": { \"HALF\": \"BLOCK_X/2\", \"ODD(X)\": \"X % 2 != 0\" }, "
    "\"constraints\": [\"HALF*2 == BLOCK_X\", \"BLOCK_X <= MAX_THREADS\"], "
    "\"redundant\": [\"ODD(HALF) && M == 1\"], \"lists\": { \"matrices\": [\"A\", \"B\"] }, "
    "\"launches\": { \"only\": { \"templates\": [\"scale/direct.cu\"], \"function\": \"direct\", "
    "\"block\": [\"2*HALF\"], \"grid\": [\"ceil_div(N, BLOCK_X)\", \"M\"], "
    "\"pass\": [\"@matrices\", \"M\", \"N\", \"lda\", \"ldb\", \"alpha\"] } } } } }";
static const char implementation_text[] =
    "{ \"name\": \"%s\", \"summary\": \"\", \"parts\": [\"whole\"], "
    "\"parameters\": { \"BLOCK_X\": { \"values\": [32, 64, 128], \"untuned\": \"2*HALF\" } }, "
    "\"defines\": { \"RAGGED\": \"ODD(N)\" }, "
    "\"workspace\": \"8*HALF\", \"counters\": \"HALF\", \"launches\": [ { \"from\": \"only\", "
    "\"shared\": \"HALF\" } ], "
    "\"disqualified_by\": [\"serialized\"], \"presets\": { %s } }";

static void write_composed(const struct scratch *scratch, char path[1024]) {
    const char *list = strstr(scale_text, "\"implementations\": [");
    char *text = malloc(strlen(scale_text) + 200), one[2048];
    assert_non_null(text);
    assert_non_null(list);
    sprintf(
        text,
        "{ \"include\": [\"scale/parts.json\"], %.*s \"implementations\": [\"scale/all/*.json\"] }",
        (int)(list - strchr(scale_text, '{') - 1), strchr(scale_text, '{') + 1);
    scratch_write(scratch, "scale/parts.json", parts_text, path);
    snprintf(path, 1024, "%s/scale/all", scratch->path);
    assert_int_equal(mkdir(path, 0700), 0);
    snprintf(one, sizeof one, implementation_text, "one", "\"default\": { \"BLOCK_X\": 64 }");
    scratch_write(scratch, "scale/all/one.json", one, path);
    snprintf(one, sizeof one, implementation_text, "two",
             "\"narrow\": { \"from\": \"default\", \"BLOCK_X\": 32 }, \"same\": { \"from\": "
             "\"narrow\" }");
    scratch_write(scratch, "scale/all/two.json", one, path);
    scratch_write(scratch, "scale/direct.cu", "void direct(void);", path);
    scratch_write(scratch, "scale/reference.cu", "void scale_reference(void);", path);
    scratch_write(scratch, "scale.json", text, path);
    free(text);
}

static void a_composed_description(void **state) {
    char path[1024];
    write_composed(*state, path);
    struct reading reading = {.path = path};
    memory_fails_everywhere(&(struct memory_scenario){"composed", read_one, NULL, &reading});
}

static tw_status name_a_kernel(void *context, struct tw_text *seen, struct tw_error *error) {
    struct tw_description *d;
    (void)context;
    tw_status status = tw_description_builtin(&d, "quxxly", error);
    assert_null(d);
    if (status != TW_NOT_FOUND)
        return status;
    memory_see(seen, "%.12s", error->message); /* it may list "..." */
    return TW_OK;
}

static void a_kernel_that_is_not_there(void **state) {
    (void)state;
    memory_fails_everywhere(&(struct memory_scenario){"no kernel", name_a_kernel, NULL, NULL});
}

/* ---- What is written about problems and configurations ---- */

static tw_status use_configuration(void *context, struct tw_text *seen, struct tw_error *error) {
    static const char text[] = "{\"BLOCK_X\":64,\"GROUP\":4,\"ORDER\":\"columns\"}";
    struct tw_configuration c;
    struct tw_problem problem;
    (void)context;
    tw_status status = tw_configuration_parse(&c, scale, 0, text, error);
    if (status == TW_OK)
        status = tw_problem_read(&problem, scale, "M=8,N=4;dtype=f64", error);
    struct tw_text again = {0};
    if (status == TW_OK)
        tw_configuration_text(scale, &c, &again);
    if (status == TW_OK && again.failed)
        status = tw_fail(error, TW_NO_MEMORY, "out of memory");
    if (status == TW_OK)
        memory_see(seen, "%s %d", again.data, (int)problem.dimensions[0]);
    tw_text_free(&again);
    return status;
}

static void configurations(void **state) {
    (void)state;
    memory_fails_everywhere(
        &(struct memory_scenario){"configuration", use_configuration, NULL, NULL});
}

/* ---- Lint ---- */

static tw_status lint_one(void *context, struct tw_text *seen, struct tw_error *error) {
    struct lint lint = {0};
    tw_status status = lint_description(context, &lint, error);
    for (size_t i = 0; status == TW_OK && i < lint.count; i++)
        memory_see(seen, "%s: %s (%s)\n", lint.findings[i].where, lint.findings[i].message,
                   lint.findings[i].problem);
    lint_free(&lint);
    return status;
}

static void lint(void **state) {
    struct scratch *scratch = *state;
    char path[1024];
    struct tw_description *d;
    struct tw_error error;
    write_composed(scratch, path);
    must(tw_description_load(&d, path, &error), error);
    memory_fails_everywhere(&(struct memory_scenario){"lint", lint_one, NULL, d});
    tw_description_free(d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(built_in_descriptions),
        cmocka_unit_test(outlines),
        SCRATCH_TEST(a_composed_description),
        cmocka_unit_test(a_kernel_that_is_not_there),
        cmocka_unit_test_setup_teardown(configurations, read_scale, free_scale),
        SCRATCH_TEST(lint),
    };
    return cmocka_run_group_tests(tests, memory_start, NULL);
}

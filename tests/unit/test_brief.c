/* What a source is rendered from tells which one it is: equal briefs are equal sources. */
#include "runtime/variant/brief.h"

#include "runtime/description/builtin.h"
#include "runtime/description/outline.h"
#include "tests/support/scale.h"

enum { MOST = 4096 };

struct known {
    char brief[TW_HASH_SIZE], source[TW_HASH_SIZE];
};

static struct known all[MOST];
static int count, agreed;

static void note(const struct tw_executable *x, int launch, const char *backend) {
    struct tw_error error;
    struct tw_text source = {0};
    assert_true(count < MOST);
    struct known *added = &all[count];
    must(tw_executable_brief(x, launch, backend, added->brief, &error), error);
    must(tw_executable_source(x, launch, backend, &source, added->source, &error), error);
    tw_text_free(&source);
    for (int i = 0; i < count; i++) {
        if (strcmp(all[i].brief, added->brief) != 0)
            continue;
        assert_string_equal(all[i].source, added->source);
        agreed++;
        return;
    }
    count++;
}

static void note_preset(const struct tw_description *d, int implementation,
                        const struct tw_preset *preset, const char *shape) {
    struct tw_problem problem = parse_problem(d, shape);
    struct tw_configuration c;
    struct tw_executable *x;
    struct tw_error error;
    int64_t values[TW_MAX_SYMBOLS];
    bind_problem(&problem, &paper_gpu, values);
    if (tw_configuration_preset(&c, d, implementation, preset, &error) != TW_OK ||
        tw_configuration_bind(d, &c, values, &error) != TW_OK ||
        tw_executable_create(&x, &problem, &c, values, &paper_gpu, &error) != TW_OK)
        return;
    for (int i = 0; i < x->launch_count; i++) {
        note(x, i, "cuda");
        note(x, i, "opencl");
    }
    tw_executable_free(x);
}

static void equal_briefs_are_equal_sources(void **state) {
    (void)state;
    static const struct {
        const char *kernel, *shapes[4];
    } kernels[] = {{"gemm", {"512x512x512", "1000x77x3000", "64x64x64", "1024x512x256"}},
                   {"transpose", {"512x512", "77x1000", "33x33", "1024x64"}},
                   {"aat", {"512x512", "77x1000", "33x33", "1024x64"}}};
    count = agreed = 0;
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        struct tw_description *d;
        struct tw_error error;
        must(tw_description_builtin(&d, kernels[k].kernel, &error), error);
        for (int i = 0; i < d->implementation_count; i++)
            for (int p = 0; p < d->implementations[i].preset_count; p++)
                for (int s = 0; s < 4; s++)
                    note_preset(d, i, &d->implementations[i].presets[p], kernels[k].shapes[s]);
        tw_description_free(d);
    }
    assert_true(count > 50);
    assert_true(agreed > 50);
}

static const char text[] = "/* the template */\nTW_KERNEL(scale_direct)(int x) { x += BLOCK_X; }";

/* Of the example, from a folder with a template. */
static void brief_of(const char *description, const char *folder, const char *configuration,
                     char brief[TW_HASH_SIZE]) {
    struct tw_description *d = read_description(description, folder);
    struct tw_problem problem = parse_problem(d, "8x100");
    struct tw_configuration c;
    struct tw_executable *x;
    struct tw_error error;
    int64_t values[TW_MAX_SYMBOLS];
    must(tw_configuration_parse(&c, d, 0, configuration, &error), error);
    bind_problem(&problem, &paper_gpu, values);
    must(tw_configuration_bind(d, &c, values, &error), error);
    must(tw_executable_create(&x, &problem, &c, values, &paper_gpu, &error), error);
    must(tw_executable_brief(x, 0, "cuda", brief, &error), error);
    tw_executable_free(x);
    tw_description_free(d);
}

static void every_part_counts(void **state) {
    const struct scratch *scratch = *state;
    char path[1024], first[TW_HASH_SIZE], other[TW_HASH_SIZE];
    static const char usual[] = "{\"BLOCK_X\":32,\"GROUP\":4,\"ORDER\":\"columns\"}";
    scratch_write(scratch, "scale/direct.cu", text, path);
    brief_of(scale_text, scratch->path, usual, first);
    brief_of(scale_text, scratch->path, usual, other);
    assert_string_equal(first, other);
    static const char *const others[] = {"{\"BLOCK_X\":64,\"GROUP\":4,\"ORDER\":\"columns\"}",
                                         "{\"BLOCK_X\":32,\"GROUP\":4,\"ORDER\":\"rows\"}"};
    for (int i = 0; i < 2; i++) {
        brief_of(scale_text, scratch->path, others[i], other);
        assert_string_not_equal(first, other);
    }
    scratch_write(scratch, "scale/direct.cu", "TW_KERNEL(scale_direct)(int x) { }", path);
    brief_of(scale_text, scratch->path, usual, other);
    assert_string_not_equal(first, other);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_briefs_are_equal_sources),
        cmocka_unit_test_setup_teardown(every_part_counts, scratch_make, scratch_remove)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

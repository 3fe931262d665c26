/* What compile workers give is what NVRTC makes of each source by itself, to the byte: also where
 * variants share launches, and where the compiler is told to leave out what a source does not name.
 * Without a GPU. */
#include "runtime/variant/compile.h"
#include "runtime/variant/variant.h"
#include "tests/support/problems.h"
#include "tests/support/scale.h"
#include "tuner/workers/compile_pool.h"
#include "tuner/workers/compile_worker.h"

/* Of 384x192x2624: two whose tiles are alike to the sum over their splits, and one with larger
 * ones.
 */
#define TILES                                                                                      \
    "\"FMA_ORDER\":\"rows\",\"GROUP_M\":1,\"MIN_BLOCKS\":1,\"PREFETCH\":2,"                        \
    "\"REG_PREFETCH\":0,\"SLICES\":1,\"STAGING\":\"async\",\"UNROLL\":8,\"VEC\":4,"
static const char *const configurations[] = {
    "{" TILES "\"BK\":16,\"BM\":32,\"BN\":64,\"SPLIT_K\":8,\"TM\":4,\"TN\":8,\"WARP_X\":8}",
    "{" TILES "\"BK\":16,\"BM\":32,\"BN\":64,\"SPLIT_K\":12,\"TM\":4,\"TN\":4,\"WARP_X\":8}",
    "{" TILES "\"BK\":16,\"BM\":64,\"BN\":64,\"SPLIT_K\":8,\"TM\":4,\"TN\":8,\"WARP_X\":8}",
};
enum { VARIANTS = sizeof configurations / sizeof *configurations, LAUNCHES = 2 };

struct subject {
    struct tw_description *description;
    struct tw_problem problem;
    struct tw_configuration configuration;
    int64_t values[TW_MAX_SYMBOLS];
    struct tw_executable *executable;
    struct tw_text sources[TW_MAX_LAUNCHES];
    char hashes[TW_MAX_LAUNCHES][TW_HASH_SIZE];
};

static struct subject subjects[VARIANTS];

static void make(struct subject *s, struct tw_description *d, const char *configuration) {
    struct tw_error error;
    int split = 0;
    *s = (struct subject){.description = d, .problem = parse_problem(d, "384x192x2624")};
    while (strcmp(d->implementations[split].name, "split_k") != 0)
        split++;
    must(tw_configuration_parse(&s->configuration, d, split, configuration, &error), error);
    bind_problem(&s->problem, &paper_gpu, s->values);
    must(tw_configuration_bind(d, &s->configuration, s->values, &error), error);
    must(tw_configuration_check(d, &s->configuration, s->values, &error), error);
    must(tw_executable_create(&s->executable, &s->problem, &s->configuration, s->values, &paper_gpu,
                              &error),
         error);
    assert_int_equal(s->executable->launch_count, LAUNCHES);
    for (int i = 0; i < LAUNCHES; i++) {
        must(tw_executable_source(s->executable, i, "cuda", &s->sources[i], s->hashes[i], &error),
             error);
    }
}

static struct compiled compile_in(struct compile_pool *pool, const struct subject *s) {
    struct compiled compiled;
    struct tw_error error;
    bool taken = false;
    must(compile_pool_submit(pool, 1, s->executable, s->sources, s->hashes, &error), error);
    while (!taken) {
        struct pollfd fd;
        must(compile_pool_take(pool, &compiled, &taken, &error), error);
        if (!taken)
            poll(&fd, (nfds_t)compile_pool_fds(pool, &fd), 200);
    }
    if (compiled.status != TW_DB_TRIAL_OK)
        fail_msg("%s", compiled.message);
    return compiled;
}

static void assert_same(const struct tw_binary *a, const struct tw_binary *b) {
    assert_true(a->size > 0);
    assert_int_equal(a->size, b->size);
    assert_memory_equal(a->bytes, b->bytes, a->size);
    assert_true(a->has_resources && b->has_resources);
    assert_int_equal(a->registers, b->registers);
    assert_int_equal(a->spill_bytes, b->spill_bytes);
}

static void variants_share_launches(void **state) {
    (void)state;
    static const int shared[VARIANTS] = {0, 1, 1};
    struct compile_pool *pool;
    struct tw_error error;
    must(compile_pool_create(&pool, &paper_gpu, 1, 300, &error), error);
    for (int i = 0; i < VARIANTS; i++) {
        struct tw_binaries alone;
        struct compiled compiled = compile_in(pool, &subjects[i]);
        assert_int_equal(compile_pool_shared(pool), shared[i]);
        must(tw_variant_compile(tw_backend_find("cuda"), &paper_gpu, &subjects[i].problem,
                                &subjects[i].configuration, subjects[i].values, &alone, &error),
             error);
        int64_t registers = 0;
        for (int k = 0; k < LAUNCHES; k++) {
            struct tw_binary one;
            must(compiled_binary(&compiled, k, &one, &error), error);
            assert_same(&one, &alone.launches[k]);
            registers = one.registers > registers ? one.registers : registers;
            tw_binary_free(&one);
        }
        assert_int_equal(compiled.registers, registers);
        tw_binaries_free(&alone);
        compiled_free(&compiled);
    }
    compile_pool_free(pool);
}

static struct tw_binary compile_text(const char *source, const char *function) {
    const struct tw_backend *backend = tw_backend_find("cuda");
    const struct tw_compile_request request = {
        .source = source, .name = "kernel.cu", .function = function};
    struct tw_binary binary;
    struct tw_error error;
    must(backend->compile(&paper_gpu, &request, &binary, &error), error);
    return binary;
}

/* A type that only the whole language has makes the compiler read all of it. */
static void what_is_left_out_changes_nothing(void **state) {
    (void)state;
    for (int i = 0; i < VARIANTS; i++) {
        for (int k = 0; k < LAUNCHES; k++) {
            const char *function = subjects[i].executable->launches[k].function;
            struct tw_text whole = {0};
            tw_text_print(&whole, "%s\ntypedef cudaTextureObject_t tw_texture;\n",
                          subjects[i].sources[k].data);
            struct tw_binary a = compile_text(subjects[i].sources[k].data, function),
                             b = compile_text(whole.data, function);
            assert_same(&a, &b);
            tw_binary_free(&a);
            tw_binary_free(&b);
            tw_text_free(&whole);
        }
    }
}

/* What does not compile either way is told as by the whole language. */
static void mistakes_are_told_once(void **state) {
    (void)state;
    const struct tw_backend *backend = tw_backend_find("cuda");
    const struct tw_compile_request request = {
        .source = "extern \"C\" __global__ void f(cudaTextureObject_t t) {\n  nothing = 1; }",
        .name = "kernel.cu",
        .function = "f"};
    struct tw_binary binary;
    struct tw_error error;
    assert_status(backend->compile(&paper_gpu, &request, &binary, &error), TW_COMPILE);
    assert_non_null(strstr(binary.log.data, "\"nothing\" is undefined"));
    assert_null(strstr(binary.log.data, "cudaTextureObject_t"));
    assert_null(strstr(strstr(binary.log.data, "nothing") + 1, "nothing\" is undefined"));
    tw_binary_free(&binary);
}

static bool has_compiler(void) {
    const struct tw_compile_request request = {
        .source = "extern \"C\" __global__ void f() { }", .name = "f.cu", .function = "f"};
    const struct tw_backend *backend = tw_backend_find("cuda");
    struct tw_binary binary = {0};
    struct tw_error error = {0};
    tw_status status =
        backend == NULL ? TW_UNAVAILABLE : backend->compile(&paper_gpu, &request, &binary, &error);
    tw_binary_free(&binary);
    if (status == TW_UNAVAILABLE)
        print_message("no NVRTC here: %s\n", error.message);
    return status != TW_UNAVAILABLE;
}

int main(int count, char **words) {
    if (count > 1 && strcmp(words[1], "compile-worker") == 0)
        return compile_worker();
    if (!has_compiler())
        return 0;
    struct tw_description *d;
    struct tw_error error;
    must(tw_description_builtin(&d, "gemm", &error), error);
    for (int i = 0; i < VARIANTS; i++)
        make(&subjects[i], d, configurations[i]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(variants_share_launches),
        cmocka_unit_test(what_is_left_out_changes_nothing),
        cmocka_unit_test(mistakes_are_told_once),
    };
    int failed = cmocka_run_group_tests_name("nvrtc workers", tests, NULL, NULL);
    for (int i = 0; i < VARIANTS; i++) {
        for (int k = 0; k < LAUNCHES; k++)
            tw_text_free(&subjects[i].sources[k]);
        tw_executable_free(subjects[i].executable);
    }
    tw_description_free(d);
    return failed;
}

/* What was never tuned, nor is predicted: a product on a GPU whose tensor cores multiply its type
 * runs on them, whatever its layout, sizes and the rest of it, and one on a CPU by a preset that is
 * for CPUs. */
#include "runtime/description/builtin.h"
#include "runtime/select/select.h"
#include "tests/support/problems.h"
#include "tests/support/subjects.h"

static const char *const shapes[] = {"1000x1000x1000", "1000x1001x1024", "1001x1003x999",
                                     "4096x4096x4096", "4096x4097x4096", "100x101x512",
                                     "13x1001x1040",   "16x4096x4096"};
static const char *const types[] = {"dtype=f16",    "dtype=bf16", "dtype=e4m3",
                                    "dtype=e5m2",   "dtype=i8",   "dtype=f64",
                                    "compute=tf32", "btype=e5m2", "compute=f32_split"};
static const char *const layouts[] = {"nn", "nt", "tn", "tt"};

/* What else a product may be; each by itself. */
static const char *const others[] = {"batch=1",      "batch=3",        "scales=tensor",
                                     "scales=rows",  "scales=blocks",  "ctype=f32",
                                     "bias=row",     "bias=column",    "activation=gelu",
                                     "addend=apart", "scalars=device", "addend_scale=tensor"};

static void set(struct tw_problem *problem, const char *pair) {
    struct tw_error error;
    char name[40];
    snprintf(name, sizeof name, "%s", pair);
    char *word = strchr(name, '=');
    *word++ = '\0';
    must(tw_problem_set(problem, name, word, &error), error);
}

/* False: there is no such product. */
static bool describe(struct tw_problem *problem, const struct tw_description *d, const char *shape,
                     const char *type, const char *layout, const char *other) {
    struct tw_error error;
    must(tw_problem_parse(problem, d, shape, &error), error);
    if (strcmp(type, "btype=e5m2") == 0)
        set(problem, "dtype=e4m3");
    set(problem, type);
    must(tw_problem_set(problem, "trans", layout, &error), error);
    set(problem, other);
    return tw_problem_refusal(problem) == NULL;
}

static bool is_on_tensor_cores(const char *implementation) {
    return strncmp(implementation, "wgmma", 5) == 0 || strncmp(implementation, "mma", 3) == 0 ||
           strncmp(implementation, "dmma", 4) == 0;
}

static bool suits_gpu(const struct tw_description *d, const struct tw_selection *selection) {
    return is_on_tensor_cores(d->implementations[selection->configuration.implementation].name);
}

/* `default` is made for GPUs. */
static bool suits_cpu(const struct tw_description *d, const struct tw_selection *selection) {
    (void)d;
    return selection->rule == TW_SELECTED_FALLBACK;
}

typedef bool (*judge)(const struct tw_description *d, const struct tw_selection *selection);

static int check(const struct tw_description *d, const struct tw_problem *problem,
                 const struct tw_device_info *device, judge suits) {
    const struct tw_query query = {.problem = problem, .device = device, .cache = "cold"};
    struct tw_selection selection;
    struct tw_error error;
    char key[TW_PROBLEM_KEY_SIZE];
    must(tw_select(&query, &selection, &error), error);
    if (suits(d, &selection))
        return 0;
    tw_problem_key(problem, key);
    print_error("%s falls to %s\n", key,
                d->implementations[selection.configuration.implementation].name);
    return 1;
}

static void products_on(const struct tw_device_info *device, judge suits) {
    struct tw_description *d;
    struct tw_error error;
    int tried = 0, wrong = 0;
    must(tw_description_builtin(&d, "gemm", &error), error);
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (size_t t = 0; t < sizeof types / sizeof *types; t++)
            for (size_t l = 0; l < sizeof layouts / sizeof *layouts; l++)
                for (size_t o = 0; o < sizeof others / sizeof *others; o++) {
                    struct tw_problem problem;
                    if (!describe(&problem, d, shapes[s], types[t], layouts[l], others[o]))
                        continue;
                    tried++;
                    wrong += check(d, &problem, device, suits);
                }
    tw_description_free(d);
    assert_true(tried > 1000);
    assert_int_equal(wrong, 0);
}

static void products_on_hopper(void **state) {
    (void)state;
    const struct tw_device_info device = paper_h200();
    products_on(&device, suits_gpu);
}

static struct tw_device_info paper_cpu(void) {
    return (struct tw_device_info){.id = "opencl:0",
                                   .backend = "opencl",
                                   .name = "Paper CPU",
                                   .architecture = "cpu",
                                   .is_cpu = true,
                                   .compute_units = 4,
                                   .warp = 1,
                                   .max_threads = 4096,
                                   .max_block = {4096, 4096, 4096},
                                   .max_grid = {2147483647, 2147483647, 2147483647},
                                   .max_shared = 1048576,
                                   .cache_bytes = 33554432,
                                   .memory_bytes = (int64_t)8 << 30,
                                   .has_fp64 = true};
}

static void products_on_a_cpu(void **state) {
    (void)state;
    const struct tw_device_info device = paper_cpu();
    products_on(&device, suits_cpu);
}

static void others_on_a_cpu(void **state) {
    (void)state;
    static const char *const kernels[] = {"aat", "transpose"};
    static const char *const sides[] = {"1x1", "31x7000", "7001x32", "500x501", "4096x1024"};
    const struct tw_device_info device = paper_cpu();
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        struct tw_description *d;
        struct tw_error error;
        must(tw_description_builtin(&d, kernels[k], &error), error);
        for (size_t s = 0; s < sizeof sides / sizeof *sides; s++) {
            const struct tw_problem problem = parse_problem(d, sides[s]);
            assert_int_equal(check(d, &problem, &device, suits_cpu), 0);
        }
        tw_description_free(d);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(products_on_hopper),
                                       cmocka_unit_test(products_on_a_cpu),
                                       cmocka_unit_test(others_on_a_cpu)};
    return cmocka_run_group_tests_name("fallbacks", tests, NULL, NULL);
}

/* Every implementation gives the right answer for the strides, alignments and scalars that a call
 * may have, and leaves gaps as they were.
 *
 *     test_strides [BACKEND [KERNEL [SEED [CASES [PIECE/PIECES]]]]]
 *
 * draws problems, configurations and calls; a CPU, which compiles slowly, gets one or two of each
 * implementation. What once was wrong is tried by name. Implementations may be dealt out to several
 * runs side by side, as NVRTC takes long: 1/4 to 4/4 together try what one run without would. */
#include "runtime/description/builtin.h"
#include "tests/support/bench.h"
#include "tests/support/device.h"
#include "tests/support/plain_sums.h"
#include "tests/support/problems.h"
#include "tuner/measure/verify.h"

enum { CASES_ON_A_CPU = 6, CASES_ON_A_GPU = 40, MOST_TESTS = 64 };

struct subject {
    const struct tw_device_info *device;
    const char *kernel;
    uint64_t seed;
    int cases;
    int piece, pieces; /* which of the implementations, and of how many parts of them; from 0 */
};

/* What a call is: a problem with an alignment, its strides, and how it is to be computed. */
struct call {
    struct tw_problem problem;
    int64_t strides[TW_MAX_ARGUMENTS];
    struct tw_configuration configuration;
};

static void print_call(const struct subject *subject, const struct call *call, const char *what) {
    const struct tw_description *d = call->problem.description;
    char variant[1200], key[TW_PROBLEM_KEY_SIZE];
    describe_variant(d, &call->configuration, variant, sizeof variant);
    tw_problem_key(&call->problem, key);
    print_error("%s, %s %s, ", subject->device->id, d->kernel, key);
    for (int i = 0; i < d->argument_count; i++)
        if (d->arguments[i].kind == TW_ARGUMENT_STRIDE)
            print_error("%s %ld, ", d->arguments[i].name, (long)call->strides[i]);
    print_error("alignment %d, %s\n    %s\n", call->problem.alignment, variant, what);
}

/* Whether it was right; what needs more registers than a block has is. */
static bool is_right(const struct subject *subject, struct bench *bench, const struct call *call) {
    const struct testbed *testbed = &bench->testbed;
    struct tw_binaries binaries = {0};
    struct tw_variant *variant = NULL;
    struct accuracy accuracy;
    struct tw_error error = {0};
    int64_t values[TW_MAX_SYMBOLS];
    tw_status status = bench_take(bench, subject->device, &call->problem, call->strides,
                                  (uint32_t)subject->seed, &error);
    if (status == TW_OK)
        status = testbed_compile(testbed, &call->configuration, values, &binaries, &error);
    if (status == TW_OK)
        status = testbed_load(testbed, &call->configuration, values, &binaries, &variant, &error);
    if (status == TW_OK)
        status = verify_drawn(bench, &call->configuration, variant, &accuracy, &error);
    if (status != TW_OK && status != TW_RESOURCE)
        print_call(subject, call, error.message);
    tw_variant_free(variant);
    tw_binaries_free(&binaries);
    return status == TW_OK || status == TW_RESOURCE;
}

/* ---- Calls drawn by lot ---- */

static int64_t draw_below(uint64_t *seed, int64_t count) {
    return (int64_t)(draw(seed) % (uint64_t)count);
}

/* Tiny ones, what all widths divide, what is next to that, and anything. */
static int64_t draw_size(uint64_t *seed) {
    switch (draw(seed) % 4) {
    case 0:
        return 1 + draw_below(seed, 20);
    case 1:
        return 16 * (1 + draw_below(seed, 16));
    case 2:
        return 16 * (1 + draw_below(seed, 16)) + draw_below(seed, 3) - 1;
    default:
        return 1 + draw_below(seed, 300);
    }
}

/* Few images, and filters that fit. */
static void draw_images(uint64_t *seed, int64_t sizes[TW_MAX_DIMENSIONS]) {
    sizes[0] = 1 + draw_below(seed, 3);
    sizes[1] = 1 + draw_below(seed, draw(seed) % 2 == 0 ? 3 : 20);
    for (int i = 2; i < 5; i++)
        sizes[i] = 1 + draw_below(seed, 20);
    for (int i = 0; i < 2; i++)
        sizes[5 + i] = 1 + draw_below(seed, sizes[2 + i] < 4 ? sizes[2 + i] : 4);
}

/* None, one or a few more than a row has, or what some width divides. */
static int64_t draw_stride(uint64_t *seed, int64_t dense) {
    int64_t width = INT64_C(1) << draw_below(seed, 5);
    switch (draw(seed) % 4) {
    case 0:
        return dense;
    case 1:
        return dense + 1 + draw_below(seed, 5);
    default:
        return (dense + 1 + draw_below(seed, 20) + width - 1) / width * width;
    }
}

/* From an element's size to what tuning has. */
static int draw_alignment(uint64_t *seed, const struct tw_problem *problem) {
    int least = 1;
    for (int i = 0; i < problem->description->argument_count; i++) {
        int bytes = (int)tw_type_info(tw_problem_type(problem, i))->bytes;
        if (problem->description->arguments[i].kind == TW_ARGUMENT_BUFFER && bytes > least)
            least = bytes;
    }
    int alignment = TW_FULL_ALIGNMENT;
    while (alignment > least && draw(seed) % 2 == 0)
        alignment /= 2;
    return alignment;
}

/* The description is the test's own, so that a call's scalars can be its cases. What is promised of
 * errors is held with those of the first case, which stays then. */
static void draw_scalars(uint64_t *seed, struct tw_description *d) {
    static const double usual[] = {0, 1, -1, 1.5};
    const int last = d->accuracy != NULL ? 1 : 0;
    d->case_count = last + 1;
    for (int i = 0; i < d->argument_count; i++)
        d->cases[last].scalars[i] =
            draw(seed) % 2 == 0 ? usual[draw_below(seed, 4)] : (double)draw_below(seed, 64) / 8 - 4;
}

static bool draw_call(uint64_t *seed, struct tw_description *d, const struct tw_device_info *device,
                      int implementation, struct call *call) {
    int64_t sizes[TW_MAX_DIMENSIONS], slots[TW_DEVICE_SLOTS], values[TW_MAX_SYMBOLS];
    struct tw_error error;
    for (int i = 0; i < TW_MAX_DIMENSIONS; i++)
        sizes[i] = draw_size(seed);
    if (is_of_images(d))
        draw_images(seed, sizes);
    *call =
        (struct call){.problem = problem_of(d, sizes, (int)draw_below(seed, attribute_choices(d)))};
    call->problem.alignment = draw_alignment(seed, &call->problem);
    tw_device_values(device, slots);
    must(tw_problem_bind(&call->problem, slots, NULL, values, &error), error);
    for (int i = 0; i < d->argument_count; i++) {
        const int64_t dense = tw_problem_stride(&call->problem, i, values);
        if (dense == 0)
            continue;
        call->strides[i] = draw_stride(seed, dense);
        values[d->arguments[i].slot] = call->strides[i];
    }
    must(tw_problem_bind(&call->problem, slots, call->strides, values, &error), error);
    /* What takes a CPU's compiler long, test_kernels has some of. */
    return may_serve(&d->implementations[implementation], values) &&
           draw_configuration(d, implementation, values, device, seed, &call->configuration) &&
           !(device->is_cpu && unrolls_much(&call->problem, &call->configuration));
}

/* Some implementations are for few problems: one type of seven, one layout of four, no batch. */
enum { MOST_DRAWS = 40000 };

/* Implementations take turns, and each case has numbers of its own. */
static void calls_by_lot(void **state) {
    struct subject *subject = *state;
    struct tw_description *d;
    struct tw_error error;
    struct bench bench = {0};
    int tried = 0, wrong = 0;
    must(tw_description_builtin(&d, subject->kernel, &error), error);
    int cases = subject->cases > d->implementation_count ? subject->cases : d->implementation_count;
    for (int i = 0; i < cases; i++) {
        struct call call;
        int implementation = i % d->implementation_count, draws = 0;
        uint64_t seed = subject->seed * 1000003 + (uint64_t)i;
        if (implementation % subject->pieces != subject->piece ||
            !is_for(&d->implementations[implementation], subject->device))
            continue;
        draw_scalars(&seed, d);
        while (draws < MOST_DRAWS && !draw_call(&seed, d, subject->device, implementation, &call))
            draws++;
        if (draws == MOST_DRAWS)
            fail_msg("%s fits no problem", d->implementations[implementation].name);
        tried++;
        wrong += !is_right(subject, &bench, &call);
    }
    bench_close(&bench);
    tw_description_free(d);
    print_message("             %d calls\n", tried);
    assert_true(tried > 0 || subject->pieces > 1);
    assert_int_equal(wrong, 0);
}

/* ---- What once was wrong ---- */

/* Matrices with fewer columns than a word of `shifted` has elements: the words at a matrix's ends,
 * which it may not read, hold parts of several rows. */
static void narrow_transposes(void **state) {
    const struct subject *subject = *state;
    static const struct {
        const char *shape, *dtype, *configuration;
        int64_t lda, ldb;
        int alignment;
    } narrow[] = {
        {"64x1", "f32", "16", 2, 66, 16}, {"64x1", "f32", "16", 2, 67, 16},
        {"63x1", "f32", "16", 1, 63, 16}, {"64x3", "u16", "16", 5, 65, 16},
        {"33x1", "f64", "16", 1, 33, 8},  {"64x3", "f32", "16", 3, 64, 4},
    };
    struct tw_description *d;
    struct tw_error error;
    struct bench bench = {0};
    int allowed = 0, wrong = 0;
    must(tw_description_builtin(&d, "transpose", &error), error);
    for (size_t i = 0; i < sizeof narrow / sizeof *narrow; i++) {
        struct call call = {.strides = {[2] = narrow[i].lda, [3] = narrow[i].ldb}};
        int64_t slots[TW_DEVICE_SLOTS], values[TW_MAX_SYMBOLS];
        char text[300];
        must(tw_problem_parse(&call.problem, d, narrow[i].shape, &error), error);
        must(tw_problem_set(&call.problem, "dtype", narrow[i].dtype, &error), error);
        call.problem.alignment = narrow[i].alignment;
        snprintf(text, sizeof text,
                 "{\"CACHE\":\"normal\",\"CUT_BYTES\":32,\"ORDER\":\"columns\",\"READ_BYTES\":%s,"
                 "\"THREADS\":256,\"TILE_M\":64,\"TILE_N\":64,\"WRITE_BYTES\":16}",
                 narrow[i].configuration);
        must(tw_configuration_parse(&call.configuration, d,
                                    tw_description_implementation(d, "shifted"), text, &error),
             error);
        tw_device_values(subject->device, slots);
        must(tw_problem_bind(&call.problem, slots, call.strides, values, &error), error);
        /* A call is given nothing that its strides rule out. */
        if (is_allowed(d, &call.configuration, values, subject->device, &error) != TW_OK)
            continue;
        allowed++;
        wrong += !is_right(subject, &bench, &call);
    }
    bench_close(&bench);
    tw_description_free(d);
    print_message("             %d allowed\n", allowed);
    assert_int_equal(wrong, 0);
}

int main(int count, char **arguments) {
    const char *backend = count > 1 ? arguments[1] : NULL, *only = count > 2 ? arguments[2] : NULL;
    const char *kernels[MOST_TESTS];
    int piece = 1, pieces = 1;
    if (count > 5 &&
        (sscanf(arguments[5], "%d/%d", &piece, &pieces) != 2 || piece < 1 || piece > pieces)) {
        print_error("%s is no piece; 1/4 to 4/4 are\n", arguments[5]);
        return 1;
    }
    size_t kernel_count = tw_builtin_kernels(kernels, MOST_TESTS);
    int failed = 0;
    for (int b = 0; tw_backends()[b] != NULL; b++) {
        struct tw_device_info device;
        struct subject subjects[MOST_TESTS];
        struct CMUnitTest tests[MOST_TESTS + 1];
        size_t test_count = 0;
        if (backend != NULL && strcmp(backend, tw_backends()[b]->name) != 0)
            continue;
        if (!first_device(tw_backends()[b]->name, &device)) {
            print_message("[  SKIPPED ] %s\n", tw_backends()[b]->name);
            continue;
        }
        for (size_t k = 0; k < kernel_count; k++) {
            if (only != NULL && strcmp(only, kernels[k]) != 0)
                continue;
            struct subject *subject = &subjects[test_count];
            *subject = (struct subject){
                .device = &device,
                .kernel = kernels[k],
                .seed = count > 3 ? strtoull(arguments[3], NULL, 10) : 1,
                .cases = count > 4       ? atoi(arguments[4])
                         : device.is_cpu ? CASES_ON_A_CPU
                                         : CASES_ON_A_GPU,
                .piece = piece - 1,
                .pieces = pieces,
            };
            tests[test_count++] = (struct CMUnitTest){
                .name = kernels[k], .test_func = calls_by_lot, .initial_state = subject};
        }
        if (only == NULL || strcmp(only, "transpose") == 0)
            tests[test_count++] = (struct CMUnitTest){.name = "narrow_transposes",
                                                      .test_func = narrow_transposes,
                                                      .initial_state = &subjects[0]};
        failed += _cmocka_run_group_tests(tw_backends()[b]->name, tests, test_count, NULL, NULL);
    }
    return failed;
}

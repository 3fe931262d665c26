/* Every CUDA template compiles, with no GPU: references, the kernels that check, all presets, and a
 * seeded sample of configurations, for two architectures.
 *
 *     test_nvrtc [SEED [TESTS]]
 *
 * TESTS is a pattern for the tests' names.
 */
#include <pthread.h>

#include "runtime/description/builtin.h"
#include "runtime/variant/compile.h"
#include "runtime/variant/variant.h"
#include "tests/support/dialect.h"
#include "tests/support/kernels.h"
#include "tests/support/problems.h"
#include "tests/support/scale.h"
#include "tuner/measure/check_kernels.h"

enum { FEW_BYTES = 96, FEW_BYTES_BEFORE = 320, SAMPLES = 24, MAX_JOBS = 2000, MAX_THREADS = 4 };

/* A multiple of every tile, of every vector width, of nothing; and with a few columns or one row.
 */
static const int64_t shapes[][TW_MAX_DIMENSIONS] = {
    {1024, 1024, 1024}, {1000, 1000, 1000}, {1021, 1023, 511}, {1021, 4, 1000}, {1, 1024, 1024}};
enum { SHAPES = sizeof shapes / sizeof *shapes };
/* As many of images: channels that all vectors divide, some, and none; a single pixel; 1x1. */
static const int64_t image_shapes[SHAPES][TW_MAX_DIMENSIONS] = {{32, 64, 56, 56, 128, 3, 3},
                                                                {8, 12, 33, 47, 60, 5, 3},
                                                                {2, 3, 24, 25, 9, 7, 7},
                                                                {1, 1, 3, 3, 1, 3, 3},
                                                                {4, 256, 14, 14, 512, 1, 1}};

static const int64_t *shape_of(const struct tw_description *d, int number) {
    return is_of_images(d) ? image_shapes[number % SHAPES] : shapes[number % SHAPES];
}

enum kind { REFERENCE, PRESET, SAMPLE };

struct job {
    enum kind kind;
    const struct tw_device_info *device;
    struct tw_problem problem;
    struct tw_configuration configuration;
    const char *preset; /* its name */
};

static struct tw_device_info devices[2];
static const struct tw_backend *backend;
static uint64_t seed = 1;

static struct job jobs[MAX_JOBS];
static int job_count, next_job, spilling, beyond_registers, failures;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Architectures take turns. */
static struct job *new_job(enum kind kind) {
    assert_true(job_count < MAX_JOBS);
    jobs[job_count] = (struct job){.kind = kind, .device = &devices[job_count % 2]};
    return &jobs[job_count++];
}

/* ---- Compiling ---- */

static void complain(const struct job *job, const char *what) {
    char variant[1200] = "reference", key[TW_PROBLEM_KEY_SIZE];
    if (job->kind != REFERENCE)
        describe_variant(job->problem.description, &job->configuration, variant, sizeof variant);
    tw_problem_text(&job->problem, key);
    pthread_mutex_lock(&lock);
    print_error("sm_%d, %s %s, %s %s\n    %s\n", job->device->arch,
                job->problem.description->kernel, key, variant,
                job->preset != NULL ? job->preset : "", what);
    failures++;
    pthread_mutex_unlock(&lock);
}

/* One kernel's binary is whole and tells what it needs; a preset keeps to its registers but for a
 * few words outside its loop, and some more on an architecture older than those that it was tuned
 * on. */
static void judge(const struct job *job, const struct tw_binary *binary) {
    char what[200];
    if (binary->bytes == NULL || binary->size == 0)
        complain(job, "no binary");
    if (!binary->has_resources || binary->registers < 1 || binary->registers > 255)
        complain(job, "its registers are not known");
    if (binary->spill_bytes == 0)
        return;
    snprintf(what, sizeof what, "spills %ld bytes with %ld registers", (long)binary->spill_bytes,
             (long)binary->registers);
    if (job->kind != SAMPLE &&
        binary->spill_bytes > (job->device->arch >= 90 ? FEW_BYTES : FEW_BYTES_BEFORE))
        complain(job, what);
    pthread_mutex_lock(&lock);
    spilling++;
    pthread_mutex_unlock(&lock);
}

static void run_job(const struct job *job) {
    struct tw_error error = {0};
    struct tw_binaries binaries = {.count = 1};
    int64_t slots[TW_DEVICE_SLOTS], values[TW_MAX_SYMBOLS];
    tw_device_values(job->device, slots);
    tw_status status = tw_problem_bind(&job->problem, slots, NULL, values, &error);
    if (status != TW_OK) {
        binaries.count = 0;
    } else if (job->kind == REFERENCE) {
        status = tw_reference_compile(backend, job->device, &job->problem, values,
                                      &binaries.launches[0], &error);
    } else {
        const struct tw_configuration *c = &job->configuration;
        status = tw_configuration_bind(job->problem.description, c, values, &error);
        if (status == TW_OK)
            status = tw_variant_compile(backend, job->device, &job->problem, c, values, &binaries,
                                        &error);
    }
    if (status == TW_RESOURCE && job->kind == SAMPLE) {
        pthread_mutex_lock(&lock);
        beyond_registers++;
        pthread_mutex_unlock(&lock);
    } else if (status != TW_OK) {
        complain(job, error.message);
    }
    for (int i = 0; i < binaries.count && status == TW_OK; i++)
        judge(job, &binaries.launches[i]);
    tw_binaries_free(&binaries);
}

static void *work(void *argument) {
    (void)argument;
    for (;;) {
        pthread_mutex_lock(&lock);
        int index = next_job < job_count ? next_job++ : -1;
        pthread_mutex_unlock(&lock);
        if (index < 0)
            return NULL;
        run_job(&jobs[index]);
    }
}

static void run_jobs(void) {
    pthread_t threads[MAX_THREADS];
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    int count = cores < 1 ? 1 : cores > MAX_THREADS ? MAX_THREADS : (int)cores;
    assert_true(job_count > 0);
    next_job = spilling = beyond_registers = failures = 0;
    for (int i = 0; i < count; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, work, NULL), 0);
    for (int i = 0; i < count; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    print_message("             %d compiled, %d spill, %d need too many registers\n", job_count,
                  spilling, beyond_registers);
    assert_int_equal(failures, 0);
}

/* ---- What to compile ---- */

static void add_references(const struct tw_description *d) {
    for (int choice = 0; choice < attribute_choices(d); choice++)
        new_job(REFERENCE)->problem = problem_of(d, shape_of(d, choice), choice);
}

/* Of a kernel with more ways to choose words, a preset meets so many that it is allowed for, far
 * from one another. */
enum { MOST_ROUNDS = 16, STRIDE = 37 };

/* Shapes turn with the architecture, so that each preset meets all of both. What others meet, and
 * were seen to fit, is the same with presets for CPUs as without. */
static void add_presets(const struct tw_description *d) {
    int choices = attribute_choices(d), rounds = choices < 2 * SHAPES ? 2 * SHAPES : choices;
    for (int preset = 0, others = 0; preset < preset_count(d); preset++) {
        const char *name;
        preset_number(d, preset, &name);
        const int number = strncmp(name, "cpu", 3) == 0 ? preset : others++;
        for (int i = 0, added = 0; i < rounds && added < MOST_ROUNDS; i++, added++) {
            struct job *job = new_job(PRESET);
            int64_t values[TW_MAX_SYMBOLS];
            struct tw_error error;
            job->device = &devices[i % 2];
            job->configuration = preset_number(d, preset, &job->preset);
            job->problem = problem_of(d, shape_of(d, i + number), (number + STRIDE * i) % choices);
            bind_problem(&job->problem, job->device, values);
            /* Not for this backend, architecture or problem; but the default is for all. */
            if (is_allowed(d, &job->configuration, values, job->device, &error) != TW_OK) {
                assert_string_not_equal(job->preset, "default");
                job_count--;
                added--;
            }
        }
    }
}

static void add_samples(const struct tw_description *d) {
    for (int implementation = 0; implementation < d->implementation_count; implementation++) {
        for (int i = 0; i < SAMPLES; i++) {
            struct job *job = new_job(SAMPLE);
            int64_t values[TW_MAX_SYMBOLS];
            job->problem = problem_of(d, shape_of(d, i), (int)(draw(&seed) % 1000));
            bind_problem(&job->problem, job->device, values);
            if (!draw_configuration(d, implementation, values, job->device, &seed,
                                    &job->configuration))
                job_count--;
        }
    }
}

static void kernel_compiles(void **state) {
    struct tw_description *d;
    struct tw_error error;
    must(tw_description_builtin(&d, *state, &error), error);
    job_count = 0;
    add_references(d);
    add_presets(d);
    add_samples(d);
    run_jobs();
    tw_description_free(d);
}

/* ---- The kernels that check ---- */

/* NVRTC with a device on paper, which takes any binary. */
static int checks_compiled;

static tw_status compile_and_count(const struct tw_device_info *info,
                                   const struct tw_compile_request *request,
                                   struct tw_binary *binary, struct tw_error *error) {
    tw_status status = backend->compile(info, request, binary, error);
    if (status == TW_OK && binary->has_resources && binary->spill_bytes == 0)
        checks_compiled++;
    return status;
}

static tw_status load_nothing(struct tw_device *device, const void *bytes, size_t size,
                              const char *function, uint32_t shared, struct tw_module **out,
                              struct tw_error *error) {
    (void)device, (void)function, (void)shared, (void)error;
    *out = NULL;
    assert_true(bytes != NULL && size > 0);
    return TW_OK;
}

static void unload_nothing(struct tw_device *device, struct tw_module *module) {
    (void)device, (void)module;
}

static tw_status allocate_nothing(struct tw_device *device, uint64_t bytes, struct tw_memory *out,
                                  struct tw_error *error) {
    (void)device, (void)error;
    *out = (struct tw_memory){.bytes = bytes};
    return TW_OK;
}

static void release_nothing(struct tw_device *device, struct tw_memory *memory) {
    (void)device, (void)memory;
}

/* For a problem that has a buffer of each type. */
static void checking_kernels(void **state) {
    (void)state;
    struct tw_backend paper = *backend;
    char arguments[2000] = "\"arguments\": [";
    struct tw_error error;
    paper.compile = compile_and_count;
    paper.load = load_nothing;
    paper.unload = unload_nothing;
    paper.allocate = allocate_nothing;
    paper.release = release_nothing;
    for (int i = 0; i < TW_TYPE_COUNT; i++)
        sprintf(arguments + strlen(arguments),
                "{ \"name\": \"T%d\", \"kind\": \"buffer\", \"type\": \"%s\", \"access\": \"in\", "
                "\"rows\": \"M\", \"columns\": \"N\" },",
                i, tw_type_info((enum tw_type)i)->word);
    char *text = replaced(scale_text, "\"arguments\": [", arguments);
    struct tw_description *d = read_description(text, NULL);
    for (int i = 0; i < 2; i++) {
        struct check_kernels checks;
        struct testbed testbed = {.backend = &paper, .info = devices[i]};
        testbed.problem = parse_problem(d, "8x100");
        checks_compiled = 0;
        must(check_kernels_create(&checks, &testbed, &error), error);
        /* With a module that is nothing, f32 is compiled again for A and B: at least once each. */
        assert_true(checks_compiled >= 2 * TW_TYPE_COUNT + 1);
        check_kernels_free(&checks);
    }
    tw_description_free(d);
    free(text);
}

/* The screening that all this serves: what does not fit is told without a GPU. */
static void too_many_registers_are_told(void **state) {
    (void)state;
    struct tw_device_info small = devices[1];
    struct tw_description *d;
    struct tw_binaries binaries;
    struct tw_error error;
    const char *name;
    int64_t values[TW_MAX_SYMBOLS];
    must(tw_description_builtin(&d, "gemm", &error), error);
    struct tw_configuration c = preset_number(d, 0, &name);
    struct tw_problem problem = problem_of(d, shapes[0], 0);
    small.max_registers = 256;
    bind_problem(&problem, &small, values);
    must(tw_configuration_bind(d, &c, values, &error), error);
    assert_refuses(tw_variant_compile(backend, &small, &problem, &c, values, &binaries, &error),
                   TW_RESOURCE, error, "the device has 256 for a block");
    tw_binaries_free(&binaries);
    tw_description_free(d);
}

/* All that the prelude's extensions provide, without a warning. */
static void the_dialect_compiles(void **state) {
    (void)state;
    static const uint32_t block[3] = {12, 4, 1};
    static const char *const elements[] = {"#define ELEMENT float\n#define SUFFIX f32\n",
                                           "#define ELEMENT double\n#define SUFFIX f64\n",
                                           "#define ELEMENT int\n#define SUFFIX i32\n",
                                           "#define ELEMENT tw_u32\n#define SUFFIX u32\n"};
    static const struct {
        const char *function, *body;
    } kernels[] = {{"dialect_maths", dialect_maths},     {"dialect_doubles", dialect_doubles},
                   {"dialect_special", dialect_special}, {"dialect_atomics", dialect_atomics},
                   {"dialect_lanes", dialect_lanes},     {"dialect_lanes", dialect_lanes},
                   {"dialect_lanes", dialect_lanes},     {"dialect_lanes", dialect_lanes}};
    for (size_t i = 0; i < 2 * sizeof kernels / sizeof *kernels; i++) {
        size_t k = i / 2;
        const struct stage stage = {.backend = backend, .info = devices[i % 2]};
        struct tw_binary binary;
        struct tw_error error;
        char body[8000];
        snprintf(body, sizeof body, "%s%s", k >= 4 ? elements[k - 4] : "", kernels[k].body);
        tw_status status = compile_body(&stage, body, kernels[k].function, block, &binary, &error);
        const char *log = binary.log.data != NULL ? binary.log.data : "";
        if (status != TW_OK || strstr(log, "warning") != NULL) {
            fail_msg("%s: %s\n%s", kernels[k].function, status != TW_OK ? error.message : "", log);
        }
        tw_binary_free(&binary);
    }
}

/* ptxas drops setmaxnreg where it does not know how many registers there are, and says so in the
 * log of a success: a variant that rests on it is out, with the compiler's words. */
static void messages_disqualify(void **state) {
    (void)state;
    static const char *const out[] = {"C7507", "C7508", NULL};
    static const char *const other[] = {"C7510", NULL};
    struct tw_device_info device = devices[0];
    struct tw_compile_request request = {
        .source = "extern \"C\" __global__ void __launch_bounds__(256) f(int *out) {\n"
                  "    if (threadIdx.x < 128)\n"
                  "        asm volatile(\"setmaxnreg.dec.sync.aligned.u32 24;\");\n"
                  "    else\n"
                  "        asm volatile(\"setmaxnreg.inc.sync.aligned.u32 240;\");\n"
                  "    out[threadIdx.x] = 1;\n"
                  "}\n",
        .name = "f.cu",
        .function = "f"};
    const struct {
        const char *const *messages;
        tw_status status;
    } cases[] = {{NULL, TW_OK}, {other, TW_OK}, {out, TW_RESOURCE}};
    device.arch = 90;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tw_binary binary;
        struct tw_error error = {0};
        request.disqualified_by = cases[i].messages;
        assert_status(tw_launch_compile(backend, &device, &request, &binary, &error),
                      cases[i].status);
        if (cases[i].status != TW_OK) {
            assert_non_null(strstr(error.message, "the compiler said: "));
            assert_non_null(strstr(error.message, "setmaxnreg"));
        }
        tw_binary_free(&binary);
    }
}

static bool has_compiler(void) {
    const struct tw_compile_request request = {
        .source = "extern \"C\" __global__ void f() { }", .name = "f.cu", .function = "f"};
    struct tw_binary binary;
    struct tw_error error = {0};
    backend = tw_backend_find("cuda");
    if (backend == NULL) {
        print_message("no NVRTC here: the CUDA backend is not compiled in\n");
        return false;
    }
    tw_status status = backend->compile(&devices[0], &request, &binary, &error);
    if (status == TW_UNAVAILABLE)
        print_message("no NVRTC here: %s\n", error.message);
    else if (status != TW_OK)
        print_error("an empty kernel does not compile: %s\n", error.message);
    tw_binary_free(&binary);
    return status != TW_UNAVAILABLE;
}

int main(int count, char **arguments) {
    const char *kernels[64];
    struct CMUnitTest tests[68] = {
        cmocka_unit_test(checking_kernels), cmocka_unit_test(too_many_registers_are_told),
        cmocka_unit_test(the_dialect_compiles), cmocka_unit_test(messages_disqualify)};
    size_t kernel_count = tw_builtin_kernels(kernels, 64);
    if (count > 1)
        seed = strtoull(arguments[1], NULL, 10);
    if (count > 2)
        cmocka_set_test_filter(arguments[2]);
    devices[0] = devices[1] = paper_gpu;
    devices[0].arch = 80;
    devices[0].max_cluster = 1;
    devices[0].has_tensor_maps = false;
    devices[0].max_shared = 166912;
    strcpy(devices[0].architecture, "sm_80");
    if (!has_compiler())
        return 0;
    for (size_t i = 0; i < kernel_count; i++)
        tests[i + 4] = (struct CMUnitTest){
            .name = kernels[i], .test_func = kernel_compiles, .initial_state = (void *)kernels[i]};
    return _cmocka_run_group_tests("nvrtc", tests, kernel_count + 4, NULL, NULL);
}

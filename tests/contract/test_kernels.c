/* Every built-in kernel on every backend gives the right answer, whatever the shape, the
 * attributes, the strides and the configuration.
 *
 *     test_kernels [BACKEND [KERNEL [SEED [TESTS [PIECE/PIECES]]]]]
 *
 * tries presets and sampled configurations, and the preset default on a large problem. A CPU
 * compiles slowly and gets presets and samples in turn; a GPU gets what tests/support/drawing.h
 * draws. TESTS is a pattern for the tests' names, as in *515x*. A GPU's problems may be dealt out
 * to several runs side by side, as NVRTC takes long: 1/4 to 4/4 together try what one run without
 * would. */
#include <pthread.h>

#include "runtime/description/builtin.h"
#include "tests/support/bench.h"
#include "tests/support/device.h"
#include "tests/support/drawing.h"
#include "tests/support/plain_sums.h"
#include "tuner/measure/verify.h"
#include "tuner/measure/workload_create.h"

/* Odd ones, one that every vector width divides but no tile, one that most tiles divide, and one
 * with sums so long that they are taken in pieces; between them, so that the presets for such meet
 * them, some with few rows or columns. */
static const int64_t shapes[][TW_MAX_DIMENSIONS] = {
    {1, 1, 1},      {515, 3, 709},  {1, 264, 1032}, {17, 31, 5},    {264, 16, 520},
    {129, 257, 63}, {136, 264, 72}, {256, 128, 64}, {40, 72, 1700},
};
static const int64_t large[TW_MAX_DIMENSIONS] = {1000, 1000, 1000};

/* Of images and filters: one pixel of one channel, filters that are not square, one of a single
 * term, and more of each than a tile has under the filter that most have, with so many images that
 * Winograd's convolution has four results each way. The last is for GPUs: so many channels as their
 * copy engines take at a time and as that folds its sums with, and many pixels. */
static const int64_t image_shapes[][TW_MAX_DIMENSIONS] = {
    {1, 1, 1, 1, 1, 1, 1},   {2, 1, 9, 11, 6, 3, 2},     {3, 24, 13, 8, 6, 1, 1},
    {9, 18, 5, 8, 66, 3, 3}, {4, 192, 20, 24, 72, 3, 3},
};
static const int64_t large_images[TW_MAX_DIMENSIONS] = {2, 16, 33, 47, 40, 3, 3};

enum { SHAPES = sizeof shapes / sizeof *shapes };

static const int64_t *shape_of(const struct tw_description *d, int number) {
    return is_of_images(d) ? image_shapes[number] : shapes[number];
}

static int shape_count(const struct tw_description *d, const struct tw_device_info *device) {
    const int of_images = sizeof image_shapes / sizeof *image_shapes;
    return !is_of_images(d) ? SHAPES : device->is_cpu ? of_images - 1 : of_images;
}

static const int64_t *large_shape(const struct tw_description *d) {
    return is_of_images(d) ? large_images : large;
}

struct job {
    const struct tw_description *description;
    const struct tw_device_info *device;
    int shape; /* which; the last is the large one */
    const int64_t *sizes;
    struct progress *progress;
    char name[160];
};

enum { MOST_PRESETS = 256 };

/* Which of a kernel's problems are tried here, on a GPU. */
struct piece {
    int number, of; /* of them; counted from 0 */
};

/* Of a kernel. */
struct progress {
    uint64_t seed;
    struct piece piece;
    bool drawn; /* a GPU's problems and variants */
    struct drawing drawing;
    int cursor;                          /* which preset or sample comes next */
    int choice;                          /* which words come next */
    bool compiles_slowly;                /* a CPU's compiler */
    int costly;                          /* how many costly variants were tried */
    bool preset_was_tried[MOST_PRESETS]; /* by number */
    struct bench bench;
};

/* A problem on the testbed. */
struct trial {
    const struct job *job;
    const struct testbed *testbed;
    const struct workload *workload;
    char problem[300];
    int tried, failures;
};

/* ---- What a CPU compiles slowly ---- */

/* Of variants that take a CPU's compiler long each kernel gets some, besides each preset once: big
 * tiles meet plain problems first, and the other problems meet small tiles. */
enum { MOST_COSTLY = 5 };

static bool is_costly(const struct trial *trial, const struct tw_configuration *c) {
    return trial->job->progress->compiles_slowly && unrolls_much(&trial->testbed->problem, c);
}

static bool affords(const struct trial *trial, const struct tw_configuration *c) {
    return !is_costly(trial, c) || trial->job->progress->costly < MOST_COSTLY;
}

/* ---- Variants of a problem ---- */

static void complain(struct trial *trial, const struct tw_configuration *c, const char *preset,
                     tw_status status, const struct tw_error *error) {
    char variant[1200];
    describe_variant(trial->job->description, c, variant, sizeof variant);
    print_error("%s, %s, %s%s%s\n    %s: %s\n", trial->job->device->id, trial->problem, variant,
                preset != NULL ? ", preset " : "", preset != NULL ? preset : "",
                tw_status_text(status), error->message);
    trial->failures++;
}

/* `preset` NULL: a sample, which may need more registers than a block has. */
static void try_variant(struct trial *trial, const struct tw_configuration *c, const char *preset) {
    struct tw_binaries binaries;
    struct tw_variant *variant = NULL;
    struct accuracy accuracy;
    struct tw_error error = {0};
    int64_t values[TW_MAX_SYMBOLS];
    tw_status status = testbed_compile(trial->testbed, c, values, &binaries, &error);
    if (status == TW_OK)
        status = testbed_load(trial->testbed, c, values, &binaries, &variant, &error);
    if (status == TW_OK)
        status = verify_drawn(&trial->job->progress->bench, c, variant, &accuracy, &error);
    tw_variant_free(variant);
    tw_binaries_free(&binaries);
    if (status == TW_RESOURCE && preset == NULL)
        return;
    trial->tried++;
    trial->job->progress->costly += is_costly(trial, c);
    if (status == TW_OK)
        return;
    complain(trial, c, preset, status, &error);
    struct workload *workload = (struct workload *)trial->workload;
    if (status == TW_WRONG)
        must(workload_restore(workload, &error), error);
    else if (status == TW_DEVICE_LOST)
        fail_msg("the device is lost");
}

static void try_preset(struct trial *trial, int number) {
    const char *name;
    struct tw_error error;
    struct tw_configuration c = preset_number(trial->job->description, number, &name);
    /* The default is for every problem; another preset may be for some, or for another backend. */
    tw_status status =
        is_allowed(trial->job->description, &c, trial->testbed->values, trial->job->device, &error);
    if (status == TW_OK) {
        trial->job->progress->preset_was_tried[number] = true;
        try_variant(trial, &c, name);
    } else if (strcmp(name, "default") == 0) {
        complain(trial, &c, name, status, &error);
    }
}

static void try_sample(struct trial *trial, int implementation) {
    enum { DRAWS = 20 };
    struct tw_configuration c;
    for (int i = 0; i < DRAWS; i++) {
        if (!draw_configuration(trial->job->description, implementation, trial->testbed->values,
                                trial->job->device, &trial->job->progress->seed, &c))
            return;
        if (affords(trial, &c)) {
            try_variant(trial, &c, NULL);
            return;
        }
    }
}

static bool is_allowed_here(const struct trial *trial, const struct tw_configuration *c) {
    return is_allowed(trial->job->description, c, trial->testbed->values, trial->job->device,
                      NULL) == TW_OK;
}

/* The next preset that no problem has met and this one allows, else the next in turn. Where big
 * tiles are cheap they come first. */
static int next_preset(const struct trial *trial, int turn) {
    const struct job *job = trial->job;
    const int count = preset_count(job->description);
    const struct tw_problem *problem = &trial->testbed->problem;
    const bool is_cheap = is_plain(problem);
    const char *name;
    int untried = -1, next = -1;
    assert_true(count <= MOST_PRESETS);
    for (int i = 0; i < count; i++) {
        const int number = (turn + i) % count;
        const struct tw_configuration c = preset_number(job->description, number, &name);
        if (!is_cheap && job->progress->preset_was_tried[number] && !affords(trial, &c))
            continue;
        if (next < 0)
            next = number;
        if (job->progress->preset_was_tried[number] || !is_allowed_here(trial, &c))
            continue;
        if ((tile_elements(problem, &c) >= BIG_TILE) == is_cheap)
            return number;
        if (untried < 0)
            untried = number;
    }
    return untried >= 0 ? untried : next >= 0 ? next : turn % count;
}

/* Presets and samples take turns from problem to problem. */
static void try_some(struct trial *trial, int how_many) {
    const struct tw_description *d = trial->job->description;
    int *cursor = &trial->job->progress->cursor;
    for (int i = 0; i < how_many; i++, ++*cursor) {
        if (*cursor % 2 == 0)
            try_preset(trial, next_preset(trial, *cursor / 2));
        else
            try_sample(trial, *cursor / 2 % d->implementation_count);
    }
}

enum extent { DEFAULT_ONLY, SOME, ONE };

/* The trial of a problem, on the bench. */
static struct trial begin_trial(const struct job *job, const struct tw_problem *problem,
                                enum padding padding) {
    static const char *const paddings[] = {"", ", strides padded", ", strides padded to 16"};
    struct bench *bench = &job->progress->bench;
    struct tw_error error;
    int64_t values[TW_MAX_SYMBOLS], strides[TW_MAX_ARGUMENTS];
    bind_padded(problem, job->device, padding, strides, values);
    must(bench_take(bench, job->device, problem, strides, 3, &error), error);
    struct trial trial = {.job = job, .testbed = &bench->testbed, .workload = &bench->workload};
    char key[TW_PROBLEM_KEY_SIZE];
    tw_problem_text(problem, key);
    snprintf(trial.problem, sizeof trial.problem, "%s %.200s%s", job->description->kernel, key,
             paddings[padding]);
    return trial;
}

/* `how_many` SOME, or which ONE of the presets. Returns how many variants were tried; failures are
 * added. */
static int try_problem(const struct job *job, const struct tw_problem *problem,
                       enum padding padding, enum extent extent, int how_many, int *failures) {
    struct trial trial = begin_trial(job, problem, padding);
    if (extent == SOME) {
        try_some(&trial, how_many);
    } else if (extent == ONE) {
        try_preset(&trial, how_many);
    } else {
        const char *name;
        for (int i = 0; i < preset_count(job->description); i++) {
            preset_number(job->description, i, &name);
            if (strcmp(name, "default") == 0)
                try_preset(&trial, i);
        }
    }
    *failures += trial.failures;
    return trial.tried;
}

/* Of a kernel with more ways to choose words, a shape gets as many as there are presets, but so
 * many at the least and at the most, in turn with the other shapes. */
enum { LEAST_CHOICES = 8, MOST_CHOICES = 16 };

static int problems_of_a_shape(const struct tw_description *d) {
    const int choices = attribute_choices(d), presets = preset_count(d);
    if (choices <= MOST_CHOICES)
        return choices < PADDINGS ? PADDINGS : choices;
    return presets < LEAST_CHOICES  ? LEAST_CHOICES
           : presets < MOST_CHOICES ? presets
                                    : MOST_CHOICES;
}

/* ---- What a GPU tries ---- */

static const struct drawing *drawing_of(const struct job *job) {
    struct progress *progress = job->progress;
    if (!progress->drawn) {
        const struct tw_description *d = job->description;
        const struct drawn_from from = {.description = d,
                                        .device = job->device,
                                        .shapes = is_of_images(d) ? image_shapes : shapes,
                                        .shape_count = shape_count(d, job->device),
                                        .pieces = progress->piece.of,
                                        .seed = progress->seed};
        drawing_make(&progress->drawing, &from);
        progress->drawn = true;
    }
    return &progress->drawing;
}

/* The variants of a problem that another piece tries are left to it. Returns how many were tried.
 */
static int try_drawn(const struct job *job, const struct drawn_problem *drawn, int *failures) {
    struct progress *progress = job->progress;
    const struct drawn_variant *variants = &progress->drawing.variants[drawn->first_candidate];
    const bool here = drawn->piece == progress->piece.number;
    struct trial trial = {0};
    if (here)
        trial = begin_trial(job, &drawn->problem, drawn->padding);
    for (int i = 0; i < drawn->candidates; i++) {
        if (!variants[i].taken)
            continue;
        if (variants[i].preset != SAMPLE)
            progress->preset_was_tried[variants[i].preset] = true;
        if (here && variants[i].preset != SAMPLE)
            try_preset(&trial, variants[i].preset);
        else if (here)
            try_variant(&trial, &variants[i].configuration, NULL);
    }
    *failures += trial.failures;
    return trial.tried;
}

static void test_shape_drawn(void **state) {
    const struct job *job = *state;
    const struct drawing *drawing = drawing_of(job);
    int tried = 0, failures = 0, dealt = 0;
    for (int i = 0; i < drawing->problem_count; i++)
        if (drawing->problems[i].shape == job->shape) {
            tried += try_drawn(job, &drawing->problems[i], &failures);
            dealt += drawing->problems[i].piece == job->progress->piece.number;
        }
    if (dealt == 0)
        skip();
    print_message("             %d variants of %d problems\n", tried, dealt);
    assert_int_equal(failures, 0);
}

/* ---- What a CPU tries ---- */

/* As many variants as there are presets: over all shapes, every preset meets several. */
static void test_shape(void **state) {
    const struct job *job = *state;
    const struct tw_description *d = job->description;
    int choices = attribute_choices(d), tried = 0, failures = 0;
    int problems = problems_of_a_shape(d);
    int how_many = (preset_count(d) + problems - 1) / problems;
    for (int i = 0; i < problems; i++) {
        struct tw_problem problem =
            problem_of(d, job->sizes, choices <= MOST_CHOICES ? i : job->progress->choice++);
        enum padding padding = (enum padding)((i + (int)(job->sizes[0] % 3)) % PADDINGS);
        struct tw_device_info device = *job->device;
        struct job here = *job;
        here.device = &device;
        /* Every other time it does what a GPU would be given. */
        if ((i + job->sizes[0]) % 2 == 0) {
            device.is_cpu = false;
            device.warp = 32;
            strcat(device.id, " as a GPU");
        }
        tried += try_problem(&here, &problem, padding, SOME, how_many, &failures);
    }
    print_message("             %d variants of %d problems\n", tried, problems);
    assert_true(tried > 0);
    assert_int_equal(failures, 0);
}

static void test_large(void **state) {
    const struct job *job = *state;
    int failures = 0;
    struct tw_problem problem = problem_of(job->description, job->sizes, 0);
    if (job->progress->piece.number != 0)
        skip();
    default_words(&problem);
    assert_int_equal(try_problem(job, &problem, PADDING_NONE, DEFAULT_ONLY, 1, &failures), 1);
    assert_int_equal(failures, 0);
}

static bool allows(const struct job *job, const struct tw_problem *problem, int number) {
    int64_t values[TW_MAX_SYMBOLS], strides[TW_MAX_ARGUMENTS];
    const char *name;
    const struct tw_configuration c = preset_number(job->description, number, &name);
    bind_padded(problem, job->device, PADDING_NONE, strides, values);
    return is_allowed(job->description, &c, values, job->device, NULL) == TW_OK;
}

/* A problem that allows a preset, as plain as its choice of words lets it be, of dense rows; with a
 * seed, numbers, as strides are, are drawn. */
static bool find_problem(const struct job *job, int number, uint64_t seed,
                         struct tw_problem *problem) {
    const struct tw_description *d = job->description;
    const int shapes_here = shape_count(d, job->device), choices = attribute_choices(d);
    for (int shape = shapes_here; shape >= 0; shape--)
        for (int choice = 0; choice < choices; choice++) {
            *problem =
                problem_of(d, shape == shapes_here ? large_shape(d) : shape_of(d, shape), choice);
            count_choices(d, problem, choice);
            if (seed > 0)
                mix(problem, seed);
            if (tw_problem_refusal(problem) == NULL && allows(job, problem, number))
                return true;
        }
    return false;
}

static bool find_drawn_problem(const struct job *job, int number, struct tw_problem *problem) {
    enum { DRAWS = 100 };
    for (uint64_t seed = 1; seed < DRAWS; seed++)
        if (find_problem(job, number, seed, problem))
            return true;
    return false;
}

/* Whether newer hardware than this would be given it. */
static bool wants_newer_hardware(const struct job *job, int number) {
    struct tw_device_info newest = *job->device;
    struct job there = *job;
    struct tw_problem problem;
    newest.arch = 1000;
    there.device = &newest;
    return find_problem(&there, number, 0, &problem);
}

/* The same with other numbers, in one group, where the preset allows any. */
static bool find_numbers(const struct job *job, int number, struct tw_problem *problem) {
    enum { DRAWS = 100 };
    const struct tw_description *d = job->description;
    for (uint64_t seed = 0; seed < DRAWS; seed++) {
        struct tw_problem other = *problem;
        mix(&other, (uint64_t)number * DRAWS + seed);
        for (int i = 0; i < d->attribute_count; i++)
            if (!d->attributes[i].is_number || strcmp(d->attributes[i].name, "groups") == 0)
                other.words[i] = problem->words[i];
        if (memcmp(other.words, problem->words, sizeof other.words) == 0 ||
            tw_problem_refusal(&other) != NULL || !allows(job, &other, number))
            continue;
        *problem = other;
        return true;
    }
    return false;
}

/* What no problem allowed so far is tried on one that does, as it is and with other numbers.
 * The others are dealt out as problems are. */
static void every_preset(void **state) {
    const struct job *job = *state;
    const struct tw_description *d = job->description;
    const struct piece piece = job->progress->piece;
    int failures = 0, left = 0;
    for (int i = 0; i < preset_count(d); i++) {
        const char *name;
        struct tw_problem problem;
        struct tw_configuration c = preset_number(d, i, &name);
        if (!is_for(&d->implementations[c.implementation], job->device)) {
            print_message("             %s does not run on %s\n", name, job->device->id);
        } else if (job->progress->preset_was_tried[i]) {
            continue;
        } else if (find_problem(job, i, 0, &problem) ||
                   (!wants_newer_hardware(job, i) && find_drawn_problem(job, i, &problem))) {
            if (left++ % piece.of != piece.number)
                continue;
            assert_int_equal(try_problem(job, &problem, PADDING_NONE, ONE, i, &failures), 1);
            if (find_numbers(job, i, &problem))
                try_problem(job, &problem, PADDING_NONE, ONE, i, &failures);
        } else {
            if (!wants_newer_hardware(job, i))
                fail_msg("the preset %s was allowed for no problem", name);
            print_message("             %s wants newer hardware than %s\n", name, job->device->id);
        }
    }
    assert_int_equal(failures, 0);
}

static int test_kernel(const char *kernel, const struct tw_device_info *device, uint64_t seed,
                       struct piece piece) {
    struct tw_description *d;
    struct tw_error error;
    struct job jobs[SHAPES + 1];
    struct CMUnitTest tests[SHAPES + 2];
    struct progress progress = {.seed = seed, .piece = piece, .compiles_slowly = device->is_cpu};
    if (tw_description_builtin(&d, kernel, &error) != TW_OK) {
        print_error("%s\n", error.message);
        return 1;
    }
    const int count = shape_count(d, device);
    for (int i = 0; i <= count; i++) {
        struct job *job = &jobs[i];
        *job = (struct job){.description = d,
                            .device = device,
                            .shape = i,
                            .sizes = i < count ? shape_of(d, i) : large_shape(d),
                            .progress = &progress};
        struct tw_problem problem = problem_of(d, job->sizes, 0);
        char shape[TW_PROBLEM_KEY_SIZE];
        tw_problem_shape(&problem, shape);
        snprintf(job->name, sizeof job->name, "%s %.60s on %s", kernel, shape, device->id);
        tests[i] = (struct CMUnitTest){.name = job->name,
                                       .test_func = i == count       ? test_large
                                                    : device->is_cpu ? test_shape
                                                                     : test_shape_drawn,
                                       .initial_state = job};
    }
    tests[count + 1] = (struct CMUnitTest){
        .name = "every_preset", .test_func = every_preset, .initial_state = &jobs[0]};
    int failed = _cmocka_run_group_tests(kernel, tests, (size_t)count + 2, NULL, NULL);
    bench_close(&progress.bench);
    drawing_free(&progress.drawing);
    tw_description_free(d);
    return failed;
}

/* PoCL keeps what the threads of a block hold across barriers on the stack of the thread that runs
 * the block: 12 MB for gemv with 512 threads and 8 rows. A search sees such a variant crash and
 * goes on; here all of them share this process, and their answers are wanted. */
static void widen_stacks(void) {
    enum { STACK = 64 << 20 };
    pthread_attr_t attributes;
    assert_int_equal(pthread_attr_init(&attributes), 0);
    assert_int_equal(pthread_attr_setstacksize(&attributes, STACK), 0);
    assert_int_equal(pthread_setattr_default_np(&attributes), 0);
    pthread_attr_destroy(&attributes);
}

int main(int count, char **arguments) {
    const char *backend = count > 1 ? arguments[1] : NULL, *only = count > 2 ? arguments[2] : NULL;
    uint64_t seed = count > 3 ? strtoull(arguments[3], NULL, 10) : 1;
    struct piece piece = {.of = 1};
    if (count > 4)
        cmocka_set_test_filter(arguments[4]);
    if (count > 5) {
        if (sscanf(arguments[5], "%d/%d", &piece.number, &piece.of) != 2 || piece.number < 1 ||
            piece.number > piece.of) {
            print_error("%s is no piece; 1/4 to 4/4 are\n", arguments[5]);
            return 1;
        }
        piece.number--;
    }
    const char *kernels[64];
    size_t kernel_count = tw_builtin_kernels(kernels, 64);
    int failed = 0, known = 0;
    widen_stacks();
    struct tw_device_info none;
    /* One that was left out of the build has no device, which is no failure. */
    if (backend != NULL && tw_backend_find(backend) == NULL && !first_device(backend, &none))
        return 0;
    for (int b = 0; tw_backends()[b] != NULL; b++) {
        struct tw_device_info device;
        if (backend != NULL && strcmp(backend, tw_backends()[b]->name) != 0)
            continue;
        bool present = first_device(tw_backends()[b]->name, &device);
        if (present && device.is_cpu && piece.of > 1) {
            print_error("a CPU's problems share what is left to try, and make one piece\n");
            return 1;
        }
        for (size_t k = 0; k < kernel_count; k++) {
            if (only != NULL && strcmp(only, kernels[k]) != 0)
                continue;
            known++;
            if (present)
                failed += test_kernel(kernels[k], &device, seed, piece);
            else
                print_message("[  SKIPPED ] %s\n", kernels[k]);
        }
    }
    if (known == 0)
        print_error("nothing is called so\n");
    return known == 0 ? 1 : failed;
}

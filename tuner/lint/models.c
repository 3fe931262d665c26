#include "tuner/lint/models.h"

#include <math.h>
#include <string.h>

const struct tw_device_info lint_devices[LINT_DEVICES] = {
    {.backend = "cuda",
     .name = "a CUDA GPU of sm_90",
     .architecture = "sm_90",
     .arch = 90,
     .compute_units = 132,
     .warp = 32,
     .max_threads = 1024,
     .max_block = {1024, 1024, 64},
     .max_cluster = 8,
     .has_tensor_maps = true,
     .max_grid = {2147483647, 65535, 65535},
     .max_shared = 232448,
     .cache_bytes = 50 << 20,
     .has_fp64 = true},
    {.backend = "cuda",
     .name = "a CUDA GPU of sm_70",
     .architecture = "sm_70",
     .arch = 70,
     .compute_units = 80,
     .warp = 32,
     .max_threads = 1024,
     .max_block = {1024, 1024, 64},
     .max_grid = {2147483647, 65535, 65535},
     .max_shared = 98304,
     .cache_bytes = 6 << 20,
     .has_fp64 = true},
    {.backend = "opencl",
     .name = "an OpenCL CPU",
     .is_cpu = true,
     .compute_units = 2,
     .warp = 1,
     .max_threads = 4096,
     .max_block = {4096, 4096, 4096},
     .max_grid = {2147483647, 2147483647, 2147483647},
     .max_shared = 262144,
     .cache_bytes = 16 << 20,
     .has_fp64 = true},
    /* As Intel's drivers have it. */
    {.backend = "opencl",
     .name = "a small OpenCL GPU",
     .compute_units = 24,
     .warp = 16,
     .max_threads = 512,
     .max_block = {512, 512, 512},
     .max_grid = {2147483647, 2147483647, 2147483647},
     .max_shared = 65536,
     .cache_bytes = 1 << 20,
     .has_fp64 = true},
};

/* One, primes, powers of two and their neighbours, large ones. */
static const int64_t sizes[] = {
    1,    2,     3,     4,     5,     7,       8,       15,       16,        17,        31,   32,
    33,   63,    64,    65,    100,   127,     128,     129,      255,       256,       257,  509,
    512,  1000,  1021,  1023,  1024,  1025,    2047,    2048,     2049,      4093,      4096, 4097,
    8191, 16384, 65535, 65536, 65537, 1048573, 1048576, 16777216, 100000007, 2147483647};
enum { SIZES = sizeof sizes / sizeof *sizes, RANDOM_PROBLEMS = 200, MOST_REFUSED = 1000 };

/* What the other dimensions are while one goes through all sizes. */
static const int64_t others[] = {1, 64, 1000};
enum { OTHERS = sizeof others / sizeof *others };

uint32_t lint_random(uint64_t *state) {
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 33);
}

/* Of numbers the first few. */
static int number_choices(const struct tw_attribute *attribute) {
    return (int)fmin(8, (double)attribute->most - attribute->least + 1);
}

static void take_words(const struct tw_description *d, int index, struct tw_problem *problem) {
    int left = index;
    for (int i = 0; i < d->attribute_count; i++) {
        const struct tw_attribute *attribute = &d->attributes[i];
        int choices = attribute->word_count;
        /* Most implementations know nothing of these, so every other problem has none of them. */
        if (attribute->quiet && (index + index / SIZES) % 2 == 0) {
            problem->words[i] = attribute->default_word;
            continue;
        }
        if (attribute->is_number)
            choices = number_choices(attribute);
        problem->words[i] = attribute->is_number ? attribute->least + left % choices
                                                 : attribute->words[left % choices];
        /* Shapes come in turns of SIZES, so that a step of one would meet the same words again. */
        left = left / choices + index / SIZES;
    }
}

static void draw_words(const struct tw_description *d, uint64_t *state,
                       struct tw_problem *problem) {
    bool quiet = lint_random(state) % 2 == 0;
    for (int i = 0; i < d->attribute_count; i++) {
        const struct tw_attribute *attribute = &d->attributes[i];
        if (attribute->quiet && quiet)
            problem->words[i] = attribute->default_word;
        else if (attribute->is_number)
            problem->words[i] =
                attribute->least + (int)(lint_random(state) % (uint32_t)number_choices(attribute));
        else
            problem->words[i] =
                attribute->words[lint_random(state) % (uint32_t)attribute->word_count];
    }
}

bool lint_problem(const struct tw_description *d, int index, struct tw_problem *problem) {
    *problem = (struct tw_problem){.description = d};
    int rounds = 1 + d->dimension_count * OTHERS;
    if (index >= rounds * SIZES + RANDOM_PROBLEMS)
        return false;
    int round = index / SIZES - 1;
    uint64_t state = (uint64_t)index;
    for (int i = 0; i < d->dimension_count; i++) {
        if (round >= rounds - 1)
            problem->dimensions[i] = sizes[lint_random(&state) % SIZES];
        else if (round < 0 || round / OTHERS == i)
            problem->dimensions[i] = sizes[index % SIZES];
        else
            problem->dimensions[i] = others[round % OTHERS];
    }
    take_words(d, index, problem);
    /* In place of words that do not go together, others. */
    for (int more = 0; more < MOST_REFUSED && tw_problem_refusal(problem) != NULL; more++)
        draw_words(d, &state, problem);
    return true;
}

static bool product_is_plausible(const struct tw_problem *problem) {
    double product = 1;
    for (int i = 0; i < problem->description->dimension_count; i++)
        product *= (double)problem->dimensions[i];
    return product <= 0x1p48;
}

bool lint_plausible(const struct tw_problem *problem, const int64_t *values) {
    double bytes = 0;
    bool fits_int = true; /* rows, columns and strides are passed as int */
    if (!product_is_plausible(problem))
        return false;
    for (int i = 0; values != NULL && i < problem->description->argument_count; i++) {
        const struct tw_argument *argument = &problem->description->arguments[i];
        int64_t rows = 0, columns = 0, layers = 1;
        if (argument->kind != TW_ARGUMENT_BUFFER)
            continue;
        tw_expression_evaluate(argument->rows, values, &rows);
        tw_expression_evaluate(argument->columns, values, &columns);
        if (argument->layers != NULL)
            tw_expression_evaluate(argument->layers, values, &layers);
        fits_int = fits_int && rows <= INT32_MAX && columns <= INT32_MAX &&
                   (layers == 1 || rows * (columns + 8) <= INT32_MAX);
        bytes += (double)layers * (double)rows * (double)columns *
                 (double)tw_type_info(tw_problem_type(problem, i))->bytes;
    }
    return bytes <= 0x1p37 && fits_int; /* what one GPU holds */
}

/* Element types on every backend: the dialect's conversions of all bit patterns, and filling and
 * comparing buffers of each type. With an argument, only the backend of that name is tested. */
#include <math.h>

#include "tests/support/scale.h"
#include "tests/support/stages.h"
#include "tuner/measure/check_kernels.h"

static const enum tw_type smalls[] = {TW_TYPE_f16, TW_TYPE_bf16, TW_TYPE_e4m3, TW_TYPE_e5m2};
enum { SMALLS = sizeof smalls / sizeof *smalls, THREADS = 64, PATTERNS = 1 << 16 };

static double decoded(enum tw_type type, unsigned bits) {
    unsigned char bytes[8] = {(unsigned char)bits, (unsigned char)(bits >> 8)};
    return tw_type_decode(type, bytes);
}

static unsigned encoded(enum tw_type type, double number) {
    unsigned char bytes[8] = {0};
    tw_type_encode(type, number, bytes);
    return bytes[0] | (unsigned)bytes[1] << 8;
}

/* Floats that a conversion may get wrong: all that the type has, the middles between them and what
 * is beside those, and what lies beyond the type's range. */
static int interesting(enum tw_type type, float *floats) {
    static const float ends[] = {INFINITY,        -INFINITY, NAN,      -NAN,
                                 0x1.fffffep127F, 1e38F,     -1e38F,   0x1p-149F,
                                 -0x1p-149F,      0x1p-126F, 65520.0F, -65519.0F};
    int count = 0;
    for (unsigned bits = 0; bits < 1U << 8 * tw_type_info(type)->bytes; bits++) {
        double value = decoded(type, bits), next = decoded(type, bits + 1);
        if (!isfinite(value))
            continue;
        floats[count++] = (float)value;
        if (!isfinite(next) || signbit(next) != signbit(value))
            continue;
        float middle = (float)((value + next) / 2);
        floats[count++] = middle;
        floats[count++] = nextafterf(middle, INFINITY);
        floats[count++] = nextafterf(middle, -INFINITY);
    }
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        floats[count++] = ends[i];
    return count;
}

static struct tw_module *load_conversions(const struct stage *stage, enum tw_type type) {
    static const uint32_t block[3] = {THREADS, 1, 1};
    const char *word = tw_type_info(type)->word;
    char body[1000];
    snprintf(body, sizeof body,
             "TW_KERNEL(convert)(TW_GLOBAL const float *floats, TW_GLOBAL tw_%s *bits,\n"
             "                   TW_GLOBAL float *all, int count, int patterns) {\n"
             "    int i = (int)(blockIdx.x * TW_BLOCK_X + threadIdx.x);\n"
             "    if (i < count) bits[i] = tw_f32_to_%s(floats[i]);\n"
             "    if (i < patterns) all[i] = tw_%s_to_f32((tw_%s)i);\n"
             "}\n",
             word, word, word, word);
    return load_body(stage, body, "convert", block, 0);
}

static void conversions(void **state) {
    const struct stage *stage = *state;
    float *floats = malloc(5 * PATTERNS * sizeof *floats), *all = malloc(PATTERNS * sizeof *all);
    unsigned char *bits = malloc(5 * PATTERNS * 2);
    struct tw_error error;
    assert_true(floats != NULL && all != NULL && bits != NULL);
    for (int t = 0; t < SMALLS; t++) {
        const struct tw_type_info *type = tw_type_info(smalls[t]);
        int count = interesting(smalls[t], floats), patterns = 1 << 8 * type->bytes;
        struct tw_module *module = load_conversions(stage, smalls[t]);
        struct tw_memory in = allocate(stage, (uint64_t)count * 4),
                         out = allocate(stage, (uint64_t)count * type->bytes),
                         wide = allocate(stage, (uint64_t)patterns * 4);
        const struct tw_value values[] = {memory_value(in), memory_value(out), memory_value(wide),
                                          number_value(TW_TYPE_i32, count),
                                          number_value(TW_TYPE_i32, patterns)};
        must(stage->backend->write(stage->device, &in, floats, &error), error);
        launch(stage,
               &(struct tw_launch){
                   .module = module,
                   .block = {THREADS, 1, 1},
                   .grid = {(uint32_t)((count > patterns ? count : patterns) / THREADS + 1), 1, 1},
                   .value_count = 5,
                   .values = values});
        read_back(stage, &out, bits);
        read_back(stage, &wide, all);
        for (int i = 0; i < patterns; i++) {
            double want = decoded(smalls[t], (unsigned)i), got = (double)all[i];
            if (isnan(want) ? !isnan(got) : got != want || signbit(got) != signbit(want))
                fail_msg("%s: pattern %x is %g in place of %g", type->word, i, got, want);
        }
        for (int i = 0; i < count; i++) {
            unsigned got =
                type->bytes == 1 ? bits[i] : bits[2 * i] | (unsigned)bits[2 * i + 1] << 8;
            unsigned want = encoded(smalls[t], (double)floats[i]);
            if (isnan(floats[i]) ? !isnan(decoded(smalls[t], got)) : got != want)
                fail_msg("%s: %a becomes %x in place of %x", type->word, (double)floats[i], got,
                         want);
        }
        stage->backend->release(stage->device, &in);
        stage->backend->release(stage->device, &out);
        stage->backend->release(stage->device, &wide);
        stage->backend->unload(stage->device, module);
    }
    free(bits);
    free(all);
    free(floats);
}

/* ---- Filling and comparing ---- */

enum { ROWS = 7, COLUMNS = 61, STRIDE = 64, ELEMENTS = (ROWS - 1) * STRIDE + COLUMNS };

static struct tw_description *typed(enum tw_type type) {
    char word[40];
    snprintf(word, sizeof word, "\"type\": \"%s\"", tw_type_info(type)->word);
    char *text = replaced(scale_text, "\"type\": \"dtype\"", word);
    struct tw_description *d = read_description(text, NULL);
    free(text);
    return d;
}

/* What a reference would write: doubles for floating types, the same bytes for others. */
static void write_reference(const struct stage *stage, enum tw_type type,
                            const unsigned char *bytes, const struct tw_memory *reference) {
    const struct tw_type_info *info = tw_type_info(type);
    double numbers[ELEMENTS];
    struct tw_error error;
    for (int i = 0; i < ELEMENTS; i++)
        numbers[i] = tw_type_decode(type, bytes + (size_t)i * info->bytes);
    must(stage->backend->write(stage->device, reference,
                               info->floating ? (const void *)numbers : bytes, &error),
         error);
}

static void fills_and_compares(const struct stage *stage, enum tw_type type) {
    const struct tw_type_info *info = tw_type_info(type);
    struct tw_description *d = typed(type);
    struct testbed testbed = {
        .backend = stage->backend, .device = stage->device, .info = stage->info};
    struct check_kernels checks;
    struct comparison comparison;
    struct tw_error error;
    testbed.problem = parse_problem(d, "7x61");
    must(check_kernels_create(&checks, &testbed, &error), error);
    struct tw_memory memory = allocate(stage, ELEMENTS * info->bytes),
                     reference = allocate(stage, ELEMENTS * 8);
    struct tw_memory answers =
        tw_memory_part(&reference, 0, ELEMENTS * (info->floating ? sizeof(double) : info->bytes));
    const struct tw_extent extent = {.layers = 1,
                                     .rows = ROWS,
                                     .columns = COLUMNS,
                                     .stride = STRIDE,
                                     .type = type,
                                     .bytes = memory.bytes};
    unsigned char bytes[ELEMENTS * 8];
    double low = info->is_signed ? -4 : 2, high = 6, least = high, most = low;
    fill_with(stage, &memory, 0xFF);
    must(check_kernels_fill(&checks, &memory, &extent, 3, low, high, &error), error);
    read_back(stage, &memory, bytes);
    for (int i = 0; i < ELEMENTS; i++) {
        double number = tw_type_decode(type, bytes + (size_t)i * info->bytes);
        if (i % STRIDE >= COLUMNS) {
            for (size_t b = 0; b < info->bytes; b++)
                assert_int_equal(bytes[(size_t)i * info->bytes + b], 0xFF);
            continue;
        }
        assert_true(number >= low && number <= high);
        least = fmin(least, number);
        most = fmax(most, number);
    }
    assert_true(least < low + 1 && most > high - 1);

    write_reference(stage, type, bytes, &answers);
    must(check_kernels_compare(&checks, &memory, 0, &answers, &extent, 1e-3, &comparison, &error),
         error);
    assert_true(comparison.wrong == 0 && comparison.gaps == 0 && comparison.max_error == 0);
    assert_true(comparison.scale > 0.5);

    /* One element off, and one that nobody wrote. */
    unsigned char other[8], *element = bytes + (size_t)(2 * STRIDE + 5) * info->bytes;
    tw_type_encode(type, tw_type_decode(type, element) >= 4 ? 3 : 5, other);
    memcpy(element, other, info->bytes);
    if (info->floating)
        memset(bytes + (size_t)(3 * STRIDE + 1) * info->bytes, 0xFF, info->bytes);
    must(stage->backend->write(stage->device, &memory, bytes, &error), error);
    must(check_kernels_compare(&checks, &memory, 0, &answers, &extent, 1e-3, &comparison, &error),
         error);
    assert_int_equal(comparison.wrong, info->floating ? 2 : 1);
    assert_int_equal(comparison.unwritten, info->floating ? 1 : 0);
    assert_int_equal(comparison.first_wrong, 2 * STRIDE + 5);
    assert_int_equal(comparison.gaps, 0);
    stage->backend->release(stage->device, &memory);
    stage->backend->release(stage->device, &reference);
    check_kernels_free(&checks);
    tw_description_free(d);
}

static void every_type_is_checked(void **state) {
    const struct stage *stage = *state;
    if (!stage->info.has_fp64)
        skip();
    for (int i = 0; i < TW_TYPE_COUNT; i++)
        fills_and_compares(stage, (enum tw_type)i);
}

int main(int count, char **arguments) {
    struct CMUnitTest tests[] = {
        STAGE_TEST(conversions),
        STAGE_TEST(every_type_is_checked),
    };
    return run_on_backends(count, arguments, tests, sizeof tests / sizeof *tests);
}

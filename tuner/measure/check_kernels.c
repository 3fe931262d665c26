#include "tuner/measure/check_kernels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/measure/check_launch.h"

/* SIZES and COUNTS: what a block of check/compare.cu reports. */
enum { SUM_BLOCKS = 64, SIZES = 3, COUNTS = 7 };

static tw_status build_for_type(struct check_kernels *checks, enum tw_type type,
                                struct tw_error *error) {
    const struct tw_type_info *info = tw_type_info(type);
    if (checks->fill[type] != NULL)
        return TW_OK;
    static const char *const unsigned_types[] = {
        [1] = "tw_u8", [2] = "tw_u16", [4] = "tw_u32", [8] = "tw_u64"};
    struct tw_text defines = {0};
    check_define_type(type, &defines);
    tw_text_print(&defines, "#define R %s\n#define U %s\n#define FLOATING %d\n",
                  info->floating ? "double" : info->dialect, unsigned_types[info->bytes],
                  info->floating);
    tw_status status = defines.failed ? tw_fail(error, TW_NO_MEMORY, "out of memory")
                                      : check_load(checks->testbed, "check/fill.cu", "tw_fill",
                                                   defines.data, &checks->fill[type], error);
    if (status == TW_OK)
        status = check_load(checks->testbed, "check/compare.cu", "tw_compare", defines.data,
                            &checks->compare[type], error);
    tw_text_free(&defines);
    return status;
}

tw_status check_kernels_add(struct check_kernels *checks, struct tw_error *error) {
    const struct tw_problem *problem = &checks->testbed->problem;
    tw_status status = TW_OK;
    for (int i = 0; i < problem->description->argument_count && status == TW_OK; i++)
        if (problem->description->arguments[i].kind == TW_ARGUMENT_BUFFER)
            status = build_for_type(checks, tw_problem_type(problem, i), error);
    return status;
}

tw_status check_kernels_create(struct check_kernels *checks, const struct testbed *testbed,
                               struct tw_error *error) {
    *checks = (struct check_kernels){.testbed = testbed};
    if (!testbed->info.has_fp64)
        return tw_fail(error, TW_UNAVAILABLE,
                       "%s has no double precision, which answers are checked with",
                       testbed->info.name);
    tw_status status =
        check_load(testbed, "check/checksum.cu", "tw_checksum", "", &checks->checksum, error);
    if (status == TW_OK)
        status = check_kernels_add(checks, error);
    if (status == TW_OK)
        status = testbed->backend->allocate(testbed->device,
                                            (uint64_t)CHECK_BLOCKS * (SIZES + COUNTS) * 8,
                                            &checks->results, error);
    return status;
}

void check_kernels_free(struct check_kernels *checks) {
    if (checks->testbed == NULL)
        return;
    const struct tw_backend *backend = checks->testbed->backend;
    for (int i = 0; i < TW_TYPE_COUNT; i++) {
        backend->unload(checks->testbed->device, checks->fill[i]);
        backend->unload(checks->testbed->device, checks->compare[i]);
    }
    backend->unload(checks->testbed->device, checks->checksum);
    backend->release(checks->testbed->device, &checks->results);
    *checks = (struct check_kernels){0};
}

static uint32_t blocks_for(const struct tw_extent *extent) {
    int64_t tasks =
        extent->layers * extent->rows * ((extent->columns + CHECK_PIECE - 1) / CHECK_PIECE);
    return (uint32_t)(tasks < CHECK_BLOCKS ? tasks : CHECK_BLOCKS);
}

tw_status check_kernels_fill(const struct check_kernels *checks, const struct tw_memory *memory,
                             const struct tw_extent *extent, uint32_t seed, double low, double high,
                             struct tw_error *error) {
    const struct tw_type_info *info = tw_type_info(extent->type);
    if (!info->floating) {
        /* All ones must never be right, so that an element that was not written never is; of signed
         * types that is -1, which sums and products cannot do without. */
        int bits = (int)info->bytes * 8;
        double least = info->is_signed ? -ldexp(1, bits - 1) : 0;
        double most = info->is_signed ? ldexp(1, bits - 1) - 1 : ldexp(1, bits) - 6;
        low = fmin(fmax(low, least), most);
        high = fmin(fmax(high, low), most);
    }
    const struct tw_value values[] = {
        check_memory(memory),
        CHECK_EXTENT(extent),
        check_number(TW_TYPE_i32, (double)(seed & 0x7fffffff)),
        check_number(TW_TYPE_f64, low),
        check_number(TW_TYPE_f64, high),
    };
    return check_queue(checks->testbed, checks->fill[extent->type], blocks_for(extent), 0, values,
                       9, error);
}

static uint64_t next_random(uint64_t *state) { /* splitmix64, as check/fill.cu */
    uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

static int compare_ends(const void *a, const void *b) {
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* Cuts at random places, so that parts are uneven and some of many empty. */
static tw_status fill_parts(const struct check_kernels *checks, const struct tw_memory *memory,
                            const struct tw_extent *extent, uint32_t seed, int32_t total,
                            struct tw_error *error) {
    const size_t count = (size_t)(extent->rows * extent->columns);
    int32_t *ends = malloc(count * sizeof *ends);
    uint64_t state = seed;
    if (ends == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    for (size_t i = 0; i < count; i++)
        ends[i] = (int32_t)(next_random(&state) % ((uint64_t)total + 1));
    ends[count - 1] = total;
    qsort(ends, count, sizeof *ends, compare_ends);
    struct tw_memory part = tw_memory_part(memory, 0, count * sizeof *ends);
    tw_status status = checks->testbed->backend->write(checks->testbed->device, &part, ends, error);
    free(ends);
    return status;
}

tw_status check_kernels_fill_input(const struct check_kernels *checks, int argument,
                                   const int64_t *values, const struct tw_memory *memory,
                                   const struct tw_extent *extent, uint32_t seed,
                                   struct tw_error *error) {
    const struct tw_problem *problem = &checks->testbed->problem;
    const struct tw_argument *a = &problem->description->arguments[argument];
    const uint32_t own = seed * 64 + a->fill_seed * 8 + (uint32_t)argument;
    double low, high;
    tw_status status = tw_problem_fill(problem, argument, values, &low, &high, error);
    if (status != TW_OK)
        return status;
    return a->fill_parts_of != NULL
               ? fill_parts(checks, memory, extent, own, (int32_t)high, error)
               : check_kernels_fill(checks, memory, extent, own, low, high, error);
}

static void add_up(struct comparison *comparison, const double *errors, const uint64_t *counts,
                   uint32_t blocks, double elements) {
    double largest = 0, squares = 0, references = 0;
    *comparison = (struct comparison){
        .first_wrong = CHECKS_NONE, .first_gap = CHECKS_NONE, .first_around = CHECKS_NONE};
    uint64_t *sums[] = {&comparison->wrong, &comparison->unwritten, &comparison->gaps,
                        &comparison->around};
    uint64_t *firsts[] = {&comparison->first_wrong, &comparison->first_gap,
                          &comparison->first_around};
    for (uint32_t b = 0; b < blocks; b++, errors += SIZES, counts += COUNTS) {
        largest = fmax(largest, errors[0]);
        squares += errors[1];
        references += errors[2];
        for (int k = 0; k < 4; k++)
            *sums[k] += counts[k];
        for (int k = 0; k < 3; k++)
            *firsts[k] = counts[4 + k] < *firsts[k] ? counts[4 + k] : *firsts[k];
    }
    bool any = comparison->wrong > 0;
    comparison->scale = references > 0 ? sqrt(references / elements) : 1;
    comparison->max_error = any ? INFINITY : largest / comparison->scale;
    comparison->rms_error = any ? INFINITY : sqrt(squares / elements) / comparison->scale;
}

tw_status check_kernels_compare(const struct check_kernels *checks, const struct tw_memory *got,
                                uint64_t ahead, const struct tw_memory *reference,
                                const struct tw_extent *extent, double allowed,
                                struct comparison *comparison, struct tw_error *error) {
    const struct testbed *testbed = checks->testbed;
    uint32_t blocks = blocks_for(extent);
    struct tw_memory errors = tw_memory_part(&checks->results, 0, (uint64_t)blocks * SIZES * 8);
    struct tw_memory counts = tw_memory_part(&checks->results, (uint64_t)CHECK_BLOCKS * SIZES * 8,
                                             (uint64_t)blocks * COUNTS * 8);
    const struct tw_value values[] = {
        check_memory(got),
        check_memory(reference),
        CHECK_EXTENT(extent),
        check_number(TW_TYPE_i64, (double)ahead),
        check_number(TW_TYPE_i64, (double)(got->bytes / tw_type_info(extent->type)->bytes)),
        check_number(TW_TYPE_f64, allowed),
        check_memory(&errors),
        check_memory(&counts),
    };
    tw_status status = check_queue(checks->testbed, checks->compare[extent->type], blocks,
                                   CHECK_THREADS * (SIZES + COUNTS) * 8, values, 12, error);
    double error_rows[CHECK_BLOCKS * SIZES];
    uint64_t count_rows[CHECK_BLOCKS * COUNTS];
    if (status == TW_OK)
        status = testbed->backend->read(testbed->device, &errors, error_rows, error);
    if (status == TW_OK)
        status = testbed->backend->read(testbed->device, &counts, count_rows, error);
    if (status == TW_OK)
        add_up(comparison, error_rows, count_rows, blocks,
               (double)extent->layers * (double)extent->rows * (double)extent->columns);
    return status;
}

tw_status check_kernels_sums(const struct check_kernels *checks, const struct tw_memory *zones,
                             int count, uint64_t *sums, struct tw_error *error) {
    const struct testbed *testbed = checks->testbed;
    tw_status status = TW_OK;
    for (int z = 0; z < count && status == TW_OK; z++) {
        struct tw_memory row =
            tw_memory_part(&checks->results, (uint64_t)z * SUM_BLOCKS * 8, SUM_BLOCKS * 8);
        struct tw_value values[] = {check_memory(&zones[z]),
                                    check_number(TW_TYPE_i64, (double)(zones[z].bytes / 4)),
                                    check_memory(&row)};
        status = check_queue(checks->testbed, checks->checksum, SUM_BLOCKS, CHECK_THREADS * 8,
                             values, 3, error);
    }
    uint64_t rows[CHECKS_MAX_ZONES * SUM_BLOCKS];
    struct tw_memory all = tw_memory_part(&checks->results, 0, (uint64_t)count * SUM_BLOCKS * 8);
    if (status == TW_OK)
        status = testbed->backend->read(testbed->device, &all, rows, error);
    for (int z = 0; z < count; z++) {
        sums[z] = 0;
        for (int b = 0; b < SUM_BLOCKS && status == TW_OK; b++)
            sums[z] += rows[z * SUM_BLOCKS + b];
    }
    return status;
}

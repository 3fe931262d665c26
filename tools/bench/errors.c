#include "tools/bench/errors.h"

#include <math.h>
#include <string.h>

#include "runtime/backend/devices.h"
#include "runtime/variant/geometry.h"
#include "runtime/variant/variant.h"

enum {
    BAND_ROWS = 64,
    /* Bands start at multiples of it, which keeps the alignment that devices ask of buffers. */
    BAND_STEP = 256
};

/* Multiplications that the right answer may take: a fraction of a second on the device. */
static const double GPU_PRODUCTS = 1.2e11, CPU_PRODUCTS = 5e8;

/* The argument indices of gemm's description. */
enum { A, B, C, LDA, LDB, LDC, ALPHA };

static void choose_bands(struct errors *e) {
    const struct task *task = e->data->task;
    double limit = e->data->stage->info.is_cpu ? CPU_PRODUCTS : GPU_PRODUCTS;
    double affordable = task->is_product ? limit / ((double)task->n * (double)task->k) : INFINITY;
    int64_t places = (task->m - BAND_ROWS) / BAND_STEP + 1;
    double wanted = floor(affordable / BAND_ROWS);
    e->rows = e->data->out.rows;
    e->band_count = 1;
    if (affordable >= (double)e->rows || e->rows < BAND_STEP)
        return;
    e->rows = BAND_ROWS;
    e->band_count = (int)fmin(fmax(wanted, 1), fmin((double)places, ERRORS_MAX_BANDS));
    for (int i = 1; i < e->band_count; i++)
        e->first_rows[i] = (places - 1) * i / (e->band_count - 1) * BAND_STEP;
}

/* A band of a product is a product of its own: some rows of op(A) and all of op(B). */
static tw_status band_problem(struct errors *e, int64_t values[TW_MAX_SYMBOLS], tw_error *error) {
    static const char *const words[2][2] = {{"nn", "nt"}, {"tn", "tt"}};
    const struct task *task = e->data->task;
    if (!task->is_product) {
        e->problem = task->problem;
        memcpy(values, task->values, sizeof task->values);
        return TW_OK;
    }
    tw_status status = tw_description_builtin(&e->product, "gemm", error);
    if (status == TW_OK)
        status = tw_problem_parse(&e->problem, e->product, "1x1x1", error);
    if (status == TW_OK)
        status = tw_problem_set(&e->problem, "dtype", tw_type_info(task->type)->word, error);
    if (status == TW_OK)
        status = tw_problem_set(&e->problem, "trans", words[task->transposed_a][task->transposed_b],
                                error);
    const int64_t sizes[] = {e->rows, task->n, task->k};
    memcpy(e->problem.dimensions, sizes, sizeof sizes);
    const int64_t strides[TW_MAX_ARGUMENTS] = {
        [LDA] = task->lda, [LDB] = task->ldb, [LDC] = task->ldc};
    int64_t device[TW_DEVICE_SLOTS];
    tw_device_values(&e->data->stage->info, device);
    return status == TW_OK ? tw_problem_bind(&e->problem, device, strides, values, error) : status;
}

static void band_arguments(const struct errors *e, int band, const int64_t *values,
                           struct tw_arguments *arguments) {
    const struct task *task = e->data->task;
    const struct set *set = &e->data->sets[0];
    size_t element = tw_type_info(task->type)->bytes;
    struct tw_extent extent;
    *arguments = (struct tw_arguments){0};
    if (!task->is_product) {
        arguments->memory[0] = data_memory(set->in[0], &e->data->in[0]);
        arguments->memory[1] = e->right[band];
        return;
    }
    /* Cannot fail: the whole product's extents were taken. */
    (void)tw_problem_extent(&e->problem, A, values, &extent, NULL);
    arguments->memory[A] = data_memory(set->in[0], &extent);
    arguments->memory[A].offset =
        (uint64_t)(e->first_rows[band] * (task->transposed_a ? 1 : task->lda)) * element;
    (void)tw_problem_extent(&e->problem, B, values, &extent, NULL);
    arguments->memory[B] = data_memory(set->in[1], &extent);
    arguments->memory[C] = e->right[band];
    arguments->before[C] = e->right[band]; /* not read: beta is 0 */
    arguments->scalars[ALPHA] = 1;
}

static tw_status run_reference(struct errors *e, const struct tw_module *module,
                               const struct tw_geometry *geometry, const int64_t *values,
                               tw_error *error) {
    const struct bench *bench = &e->data->bench;
    const struct tw_launch_description *reference = &e->problem.description->reference;
    const struct tw_type_info *type = tw_type_info(e->extent.type);
    uint64_t elements = e->extent.bytes / type->bytes;
    tw_status status = TW_OK;
    for (int i = 0; i < e->band_count && status == TW_OK; i++) {
        status = bench->backend->allocate(
            bench->device, elements * (type->floating ? sizeof(double) : type->bytes), &e->right[i],
            error);
        if (status != TW_OK)
            return status;
        struct tw_arguments arguments;
        struct tw_value passed[TW_MAX_PASSED];
        band_arguments(e, i, values, &arguments);
        tw_launch_values(&e->problem, reference, values, &arguments, NULL, passed);
        struct tw_launch launch = {.module = module,
                                   .shared = geometry->shared,
                                   .value_count = (size_t)reference->passed_count,
                                   .values = passed};
        memcpy(launch.block, geometry->block, sizeof launch.block);
        memcpy(launch.grid, geometry->grid, sizeof launch.grid);
        status = bench->backend->launch(bench->device, &launch, error);
    }
    return status == TW_OK ? bench->backend->synchronize(bench->device, error) : status;
}

tw_status errors_create(struct errors *e, const struct data *data, tw_error *error) {
    const struct bench *bench = &data->bench;
    int64_t values[TW_MAX_SYMBOLS];
    struct tw_geometry geometry;
    struct tw_binary binary = {0};
    struct tw_module *module = NULL;
    *e = (struct errors){.data = data};
    choose_bands(e);
    e->extent = data->out;
    e->extent.rows = e->rows;
    e->extent.bytes = (uint64_t)((e->rows - 1) * e->extent.stride + e->extent.columns) *
                      tw_type_info(e->extent.type)->bytes;
    tw_status status = band_problem(e, values, error);
    if (status != TW_OK)
        return status;
    const struct tw_launch_description *reference = &e->problem.description->reference;
    status = tw_geometry_of(reference, values, &bench->info, &geometry, error);
    if (status == TW_OK)
        status =
            tw_reference_compile(bench->backend, &bench->info, &e->problem, values, &binary, error);
    if (status == TW_OK)
        status = bench->backend->load(bench->device, binary.bytes, binary.size, reference->function,
                                      geometry.shared, &module, error);
    if (status == TW_OK)
        status = run_reference(e, module, &geometry, values, error);
    bench->backend->unload(bench->device, module);
    tw_binary_free(&binary);
    return status == TW_OK ? TW_OK : tw_fail_within(error, status, "the right answer");
}

void errors_free(struct errors *e) {
    for (int i = 0; i < e->band_count; i++)
        e->data->bench.backend->release(e->data->bench.device, &e->right[i]);
    tw_description_free(e->product);
    *e = (struct errors){0};
}

tw_status errors_poison(const struct errors *e, tw_error *error) {
    struct tw_memory out = data_memory(e->data->sets[0].out, &e->data->out);
    tw_status status = e->data->bench.backend->fill(e->data->bench.device, &out, 0xFF, error);
    return status == TW_OK ? stage_settle(e->data->stage, error) : status;
}

tw_status errors_compare(const struct errors *e, struct error_sizes *sizes, tw_error *error) {
    const struct data *data = e->data;
    double squares = 0;
    *sizes = (struct error_sizes){0};
    tw_status status = stage_settle(data->stage, error);
    for (int i = 0; i < e->band_count && status == TW_OK; i++) {
        struct comparison comparison;
        struct tw_memory got = data_memory(data->sets[0].out, &e->extent);
        got.offset =
            (uint64_t)(e->first_rows[i] * e->extent.stride) * tw_type_info(e->extent.type)->bytes;
        status = checks_compare(&data->checks, &got, &e->right[i], &e->extent, &comparison, error);
        sizes->max = fmax(sizes->max, comparison.max_error);
        squares += comparison.rms_error * comparison.rms_error;
    }
    sizes->rms = sqrt(squares / e->band_count);
    return status;
}

double errors_share(const struct errors *e) {
    return (double)e->rows * e->band_count / (double)e->data->out.rows;
}

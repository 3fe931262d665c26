#include "tools/bench/errors.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/variant/geometry.h"
#include "runtime/variant/variant.h"
#include "tools/bench/truth.h"

/* An error is WRONG that is beyond what sums lose, relative to the answer's root mean square, and
 * what SPACINGS of the output's type next to an element of that size are: the largest elements are
 * some six times the mean, and libraries round parts of sums before they add them. */
static const double SUMS = 1e-2, SPACINGS = 8;

enum {
    BAND_ROWS = 64,
    /* Bands start at multiples of it, which keeps the alignment that devices ask of buffers. */
    BAND_STEP = 256
};

/* Multiplications that the right answer may take: a fraction of a second on the device. */
static const double GPU_PRODUCTS = 1.2e11, CPU_PRODUCTS = 5e8;

static void choose_bands(struct errors *e) {
    const struct task *task = e->data->task;
    double limit = e->data->stage->info.is_cpu ? CPU_PRODUCTS : GPU_PRODUCTS;
    double affordable = task->is_product ? limit / ((double)task->n * (double)task->k) : INFINITY;
    e->rows = e->data->out.rows;
    int64_t places = (e->rows - BAND_ROWS) / BAND_STEP + 1;
    double wanted = floor(affordable / BAND_ROWS);
    e->band_count = 1;
    if (affordable >= (double)e->rows || e->rows < BAND_STEP)
        return;
    e->rows = BAND_ROWS;
    e->band_count = (int)fmin(fmax(wanted, 1), fmin((double)places, ERRORS_MAX_BANDS));
    for (int i = 1; i < e->band_count; i++)
        e->first_rows[i] = (places - 1) * i / (e->band_count - 1) * BAND_STEP;
}

static tw_status compute_products(const struct errors *e, tw_error *error) {
    const struct data *data = e->data;
    struct tw_module *module;
    tw_status status = truth_create(&module, data, error);
    for (int i = 0; i < e->band_count && status == TW_OK; i++)
        status = truth_queue(module, data, e->first_rows[i], e->rows, &e->right[i], error);
    if (status == TW_OK)
        status = data->testbed.backend->synchronize(data->testbed.device, error);
    data->testbed.backend->unload(data->testbed.device, module);
    return status;
}

/* What is no product of matrices. */
static tw_status launch_reference(const struct errors *e, const struct tw_executable *reference,
                                  const struct tw_module *module, tw_error *error) {
    const struct data *data = e->data;
    const struct testbed *bench = &data->testbed;
    struct tw_arguments arguments = {0};
    for (int i = 0; i < data->in_count; i++)
        arguments.memory[data->in_arguments[i]] = data_memory(data->sets[0].in[i], &data->in[i]);
    arguments.memory[data->out_argument] = e->right[0];
    arguments.before[data->out_argument] = data_memory(data->sets[0].out, &data->out);
    struct tw_value values[TW_MAX_PASSED];
    struct tw_launch launch;
    tw_executable_launch(reference, 0, module, &arguments, NULL, NULL, values, &launch);
    tw_status status = bench->backend->launch(bench->device, &launch, error);
    return status == TW_OK ? bench->backend->synchronize(bench->device, error) : status;
}

static tw_status compute_reference(const struct errors *e, tw_error *error) {
    const struct testbed *bench = &e->data->testbed;
    const struct task *task = e->data->task;
    struct tw_executable *reference;
    struct tw_binary binary = {0};
    struct tw_module *module = NULL;
    tw_status status =
        tw_executable_create(&reference, &task->problem, NULL, task->values, &bench->info, error);
    if (status == TW_OK)
        status = tw_reference_compile(bench->backend, &bench->info, &task->problem, task->values,
                                      &binary, error);
    if (status == TW_OK)
        status = bench->backend->load(bench->device, binary.bytes, binary.size,
                                      reference->launches[0].function,
                                      reference->launches[0].geometry.shared, &module, error);
    if (status == TW_OK)
        status = launch_reference(e, reference, module, error);
    bench->backend->unload(bench->device, module);
    tw_binary_free(&binary);
    tw_executable_free(reference);
    return status;
}

tw_status errors_create(struct errors *e, const struct data *data, tw_error *error) {
    const struct testbed *bench = &data->testbed;
    *e = (struct errors){.data = data};
    choose_bands(e);
    const struct tw_type_info *type = tw_type_info(data->out.type);
    uint64_t elements = (uint64_t)((e->rows - 1) * data->out.stride + data->out.columns);
    e->extent = data->out;
    e->extent.rows = e->rows;
    e->extent.bytes = elements * type->bytes;
    tw_status status = TW_OK;
    for (int i = 0; i < e->band_count && status == TW_OK; i++)
        status = bench->backend->allocate(
            bench->device, elements * (type->floating ? sizeof(double) : type->bytes), &e->right[i],
            error);
    if (status == TW_OK)
        status = data->task->is_product ? compute_products(e, error) : compute_reference(e, error);
    return status == TW_OK ? TW_OK : tw_fail_within(error, status, "the right answer");
}

void errors_free(struct errors *e) {
    for (int i = 0; i < e->band_count; i++)
        e->data->testbed.backend->release(e->data->testbed.device, &e->right[i]);
    *e = (struct errors){0};
}

tw_status errors_poison(const struct errors *e, tw_error *error) {
    struct tw_memory out = data_memory(e->data->sets[0].out, &e->data->out);
    tw_status status = e->data->testbed.backend->fill(e->data->testbed.device, &out, 0xFF, error);
    return status == TW_OK ? stage_settle(e->data->stage, error) : status;
}

static double limit_of(enum tw_type type) {
    unsigned char next[8];
    if (!tw_type_info(type)->floating)
        return SUMS;
    tw_type_encode(type, 1, next);
    next[0]++;
    return SUMS + SPACINGS * (tw_type_decode(type, next) - 1);
}

tw_status errors_compare(const struct errors *e, struct error_sizes *sizes, tw_error *error) {
    const struct data *data = e->data;
    double squares = 0;
    *sizes = (struct error_sizes){.limit = limit_of(data->out.type)};
    tw_status status = stage_settle(data->stage, error);
    for (int i = 0; i < e->band_count && status == TW_OK; i++) {
        struct comparison comparison;
        struct tw_memory got = data_memory(data->sets[0].out, &e->extent);
        got.offset =
            (uint64_t)(e->first_rows[i] * e->extent.stride) * tw_type_info(e->extent.type)->bytes;
        status = check_kernels_compare(&data->stage->checks, &got, 0, &e->right[i], &e->extent,
                                       CHECKS_ANY_NUMBER, &comparison, error);
        sizes->max = fmax(sizes->max, comparison.max_error);
        squares += comparison.rms_error * comparison.rms_error;
    }
    sizes->rms = sqrt(squares / e->band_count);
    return status;
}

double errors_share(const struct errors *e) {
    return (double)e->rows * e->band_count / (double)e->data->out.rows;
}

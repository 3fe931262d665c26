#include "tuner/measure/hard_inputs.h"

#include "runtime/description/builtin.h"
#include "tuner/measure/check_launch.h"

static const struct {
    const char *template, *function;
} kernels[] = {[HARD_FILL] = {"check/hard.cu", "tw_fill_hard"},
               [HARD_GATHER] = {"check/gather.cu", "tw_gather"}};

/* What the kernels are told of a type, and the one that gathers of samples. */
static tw_status write_defines(enum hard_kernel kernel, enum tw_type type, struct tw_text *defines,
                               struct tw_error *error) {
    check_define_type(type, defines);
    if (kernel == HARD_GATHER)
        tw_text_print(defines, "%s", tw_builtin_file("templates/check/sampled.cu"));
    return defines->failed ? tw_fail(error, TW_NO_MEMORY, "out of memory") : TW_OK;
}

tw_status hard_inputs_compile(const struct tw_backend *backend, const struct tw_device_info *device,
                              enum hard_kernel kernel, enum tw_type type, struct tw_binary *binary,
                              struct tw_error *error) {
    struct tw_text defines = {0};
    *binary = (struct tw_binary){0};
    tw_status status = write_defines(kernel, type, &defines, error);
    if (status == TW_OK)
        status = check_compile(backend, device, kernels[kernel].template, kernels[kernel].function,
                               defines.data, binary, error);
    tw_text_free(&defines);
    return status;
}

tw_status hard_inputs_need(struct hard_inputs *inputs, const struct testbed *testbed,
                           enum hard_kernel kernel, enum tw_type type, struct tw_error *error) {
    struct tw_module **module = kernel == HARD_FILL ? &inputs->fill[type] : &inputs->gather;
    struct tw_text defines = {0};
    if (*module != NULL)
        return TW_OK;
    tw_status status = write_defines(kernel, type, &defines, error);
    if (status == TW_OK)
        status = check_load(testbed, kernels[kernel].template, kernels[kernel].function,
                            defines.data, module, error);
    tw_text_free(&defines);
    return status;
}

void hard_inputs_free(struct hard_inputs *inputs, const struct testbed *testbed) {
    for (int i = 0; i < TW_TYPE_COUNT; i++)
        testbed->backend->unload(testbed->device, inputs->fill[i]);
    testbed->backend->unload(testbed->device, inputs->gather);
    *inputs = (struct hard_inputs){0};
}

static tw_status put_spots(const struct testbed *testbed, const struct tw_hard_fill *fill,
                           const struct tw_extent *extent, bool across,
                           const struct tw_memory *memory, struct tw_error *error) {
    const size_t bytes = tw_type_info(extent->type)->bytes;
    for (int s = 0; s < fill->spot_count; s++) {
        int64_t line = 0, term = 0;
        if (tw_expression_evaluate(fill->spots[s].line, testbed->values, &line) != TW_EVALUATED ||
            tw_expression_evaluate(fill->spots[s].term, testbed->values, &term) != TW_EVALUATED)
            continue;
        const int64_t row = across ? term : line, column = across ? line : term;
        if (row < 0 || column < 0 || row >= extent->rows || column >= extent->columns)
            continue;
        unsigned char element[8];
        tw_type_encode(extent->type, fill->spots[s].value, element);
        const struct tw_memory place =
            tw_memory_part(memory, (uint64_t)(row * extent->stride + column) * bytes, bytes);
        tw_status status = testbed->backend->write(testbed->device, &place, element, error);
        if (status != TW_OK)
            return status;
    }
    return TW_OK;
}

tw_status hard_inputs_fill(const struct hard_inputs *inputs, const struct testbed *testbed,
                           const struct tw_hard_fill *fill, const struct tw_extent *extent,
                           uint32_t seed, const struct tw_memory *memory, struct tw_error *error) {
    const struct tw_description *d = testbed->problem.description;
    int64_t across = 0;
    if (d->accuracy->terms[fill->argument] != NULL &&
        tw_expression_evaluate(d->accuracy->terms[fill->argument], testbed->values, &across) !=
            TW_EVALUATED)
        return tw_fail(error, TW_BAD_DESCRIPTION, "%s: key accuracy.terms.%s: has no value",
                       d->origin, d->arguments[fill->argument].name);
    const struct tw_value values[] = {
        check_memory(memory),
        CHECK_EXTENT(extent),
        check_number(TW_TYPE_i32, (double)((seed * 64 + (uint32_t)fill->argument) & 0x3fffffff)),
        check_number(TW_TYPE_f64, fill->low),
        check_number(TW_TYPE_f64, fill->high),
        check_number(TW_TYPE_i32, fill->least_exponent),
        check_number(TW_TYPE_i32, fill->most_exponent),
        check_number(TW_TYPE_i32, fill->exponents_of),
        check_number(TW_TYPE_i32, (double)across),
        check_number(TW_TYPE_i32, fill->second_half),
    };
    tw_status status =
        check_queue(testbed, inputs->fill[extent->type], CHECK_BLOCKS, 0, values, 14, error);
    return status == TW_OK ? put_spots(testbed, fill, extent, across != 0, memory, error) : status;
}

tw_status hard_inputs_gather(const struct hard_inputs *inputs, const struct testbed *testbed,
                             const struct tw_extent *extent, const struct tw_memory *from,
                             const struct tw_memory *to, struct tw_error *error) {
    const struct tw_value values[] = {
        check_memory(from),
        check_memory(to),
        CHECK_EXTENT(extent),
    };
    return check_queue(testbed, inputs->gather, CHECK_BLOCKS, 0, values, 7, error);
}

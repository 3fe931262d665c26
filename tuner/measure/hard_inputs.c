#include "tuner/measure/hard_inputs.h"

#include "runtime/description/builtin.h"
#include "runtime/variant/source.h"

enum { THREADS = 128, BLOCKS = 1024, PIECE = 4096 };

static const struct {
    const char *template, *function;
} kernels[] = {[HARD_FILL] = {"check/hard.cu", "tw_fill_hard"},
               [HARD_GATHER] = {"check/gather.cu", "tw_gather"}};

/* What the kernels are told of a type, and the kernel that gathers of samples. */
static tw_status write_defines(enum hard_kernel kernel, enum tw_type type, struct tw_text *defines,
                               struct tw_error *error) {
    const struct tw_type_info *info = tw_type_info(type);
    const char *sampled = tw_builtin_file("templates/check/sampled.cu");
    if (info->converted)
        tw_text_print(
            defines, "#define LOAD(x) tw_%s_to_f32(x)\n#define STORE(x) tw_f32_to_%s((float)(x))\n",
            info->word, info->word);
    else
        tw_text_print(defines, "#define LOAD(x) (x)\n#define STORE(x) (T)(x)\n");
    tw_text_print(defines, "#define T %s\n#define TW_PIECE %d\n", info->dialect, PIECE);
    if (kernel == HARD_GATHER)
        tw_text_print(defines, "%s", sampled);
    return defines->failed ? tw_fail(error, TW_NO_MEMORY, "out of memory") : TW_OK;
}

tw_status hard_inputs_compile(const struct tw_backend *backend, const struct tw_device_info *device,
                              enum hard_kernel kernel, enum tw_type type, struct tw_binary *binary,
                              struct tw_error *error) {
    struct tw_text defines = {0}, source = {0};
    *binary = (struct tw_binary){0};
    tw_status status = write_defines(kernel, type, &defines, error);
    if (status == TW_OK)
        status = tw_source_builtin(kernels[kernel].template, backend->name, defines.data, THREADS,
                                   &source, error);
    if (status == TW_OK) {
        const struct tw_compile_request request = {.source = source.data,
                                                   .name = kernels[kernel].template,
                                                   .function = kernels[kernel].function,
                                                   .passing = true};
        status = backend->compile(device, &request, binary, error);
        if (status == TW_COMPILE)
            tw_binary_explain(binary, error);
    }
    tw_text_free(&source);
    tw_text_free(&defines);
    return status == TW_OK
               ? TW_OK
               : tw_fail_within(error, status, "the checking kernel %s", kernels[kernel].template);
}

tw_status hard_inputs_need(struct hard_inputs *inputs, const struct testbed *testbed,
                           enum hard_kernel kernel, enum tw_type type, struct tw_error *error) {
    struct tw_module **module = kernel == HARD_FILL ? &inputs->fill[type] : &inputs->gather;
    struct tw_binary binary;
    if (*module != NULL)
        return TW_OK;
    tw_status status =
        hard_inputs_compile(testbed->backend, &testbed->info, kernel, type, &binary, error);
    if (status == TW_OK)
        status = testbed->backend->load(testbed->device, binary.bytes, binary.size,
                                        kernels[kernel].function, 0, module, error);
    tw_binary_free(&binary);
    return status;
}

void hard_inputs_free(struct hard_inputs *inputs, const struct testbed *testbed) {
    for (int i = 0; i < TW_TYPE_COUNT; i++)
        testbed->backend->unload(testbed->device, inputs->fill[i]);
    testbed->backend->unload(testbed->device, inputs->gather);
    *inputs = (struct hard_inputs){0};
}

static struct tw_value memory_value(const struct tw_memory *memory) {
    return (struct tw_value){.kind = TW_VALUE_MEMORY, .memory = *memory};
}

static struct tw_value number_value(enum tw_type type, double number) {
    struct tw_value value = {.kind = TW_VALUE_BYTES};
    value.size = tw_type_encode(type, number, value.bytes);
    return value;
}

static tw_status queue(const struct testbed *testbed, const struct tw_module *module,
                       const struct tw_value *values, size_t count, struct tw_error *error) {
    const struct tw_launch launch = {.module = module,
                                     .block = {THREADS, 1, 1},
                                     .grid = {BLOCKS, 1, 1},
                                     .value_count = count,
                                     .values = values};
    return testbed->backend->launch(testbed->device, &launch, error);
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
        memory_value(memory),
        number_value(TW_TYPE_i32, (double)extent->layers),
        number_value(TW_TYPE_i32, (double)extent->rows),
        number_value(TW_TYPE_i32, (double)extent->columns),
        number_value(TW_TYPE_i32, (double)extent->stride),
        number_value(TW_TYPE_i32, (double)extent->layer_stride),
        number_value(TW_TYPE_i32, (double)((seed * 64 + (uint32_t)fill->argument) & 0x3fffffff)),
        number_value(TW_TYPE_f64, fill->low),
        number_value(TW_TYPE_f64, fill->high),
        number_value(TW_TYPE_i32, fill->least_exponent),
        number_value(TW_TYPE_i32, fill->most_exponent),
        number_value(TW_TYPE_i32, fill->exponents_of),
        number_value(TW_TYPE_i32, (double)across),
        number_value(TW_TYPE_i32, fill->second_half),
    };
    tw_status status = queue(testbed, inputs->fill[extent->type], values, 14, error);
    return status == TW_OK ? put_spots(testbed, fill, extent, across != 0, memory, error) : status;
}

tw_status hard_inputs_gather(const struct hard_inputs *inputs, const struct testbed *testbed,
                             const struct tw_extent *extent, const struct tw_memory *from,
                             const struct tw_memory *to, struct tw_error *error) {
    const struct tw_value values[] = {
        memory_value(from),
        memory_value(to),
        number_value(TW_TYPE_i32, (double)extent->layers),
        number_value(TW_TYPE_i32, (double)extent->rows),
        number_value(TW_TYPE_i32, (double)extent->columns),
        number_value(TW_TYPE_i32, (double)extent->stride),
        number_value(TW_TYPE_i32, (double)extent->layer_stride),
    };
    return queue(testbed, inputs->gather, values, 7, error);
}

#include "tuner/measure/check_launch.h"

#include "runtime/variant/source.h"

void check_define_type(enum tw_type type, struct tw_text *defines) {
    const struct tw_type_info *info = tw_type_info(type);
    if (info->converted)
        tw_text_print(
            defines, "#define LOAD(x) tw_%s_to_f32(x)\n#define STORE(x) tw_f32_to_%s((float)(x))\n",
            info->word, info->word);
    else
        tw_text_print(defines, "#define LOAD(x) (x)\n#define STORE(x) (T)(x)\n");
    tw_text_print(defines, "#define T %s\n#define TW_PIECE %d\n", info->dialect, CHECK_PIECE);
}

tw_status check_compile(const struct tw_backend *backend, const struct tw_device_info *device,
                        const char *template, const char *function, const char *defines,
                        struct tw_binary *binary, struct tw_error *error) {
    struct tw_text source = {0};
    *binary = (struct tw_binary){0};
    tw_status status =
        tw_source_builtin(template, backend->name, defines, CHECK_THREADS, &source, error);
    if (status == TW_OK) {
        const struct tw_compile_request request = {.source = source.data,
                                                   .name = template,
                                                   .function = function,
                                                   .passing = true,
                                                   .trusted = true};
        status = backend->compile(device, &request, binary, error);
        if (status == TW_COMPILE)
            tw_binary_explain(binary, error);
    }
    tw_text_free(&source);
    return status == TW_OK ? TW_OK
                           : tw_fail_within(error, status, "the checking kernel %s", template);
}

tw_status check_load(const struct testbed *testbed, const char *template, const char *function,
                     const char *defines, struct tw_module **module, struct tw_error *error) {
    struct tw_binary binary;
    tw_status status = check_compile(testbed->backend, &testbed->info, template, function, defines,
                                     &binary, error);
    if (status == TW_OK) {
        status = testbed->backend->load(testbed->device, binary.bytes, binary.size, function, 0,
                                        module, error);
        if (status != TW_OK)
            tw_fail_within(error, status, "the checking kernel %s", template);
    }
    tw_binary_free(&binary);
    return status;
}

struct tw_value check_memory(const struct tw_memory *memory) {
    return (struct tw_value){.kind = TW_VALUE_MEMORY, .memory = *memory};
}

struct tw_value check_number(enum tw_type type, double number) {
    struct tw_value value = {.kind = TW_VALUE_BYTES};
    value.size = tw_type_encode(type, number, value.bytes);
    return value;
}

tw_status check_queue(const struct testbed *testbed, const struct tw_module *module,
                      uint32_t blocks, uint32_t shared, const struct tw_value *values, size_t count,
                      struct tw_error *error) {
    const struct tw_launch launch = {.module = module,
                                     .block = {CHECK_THREADS, 1, 1},
                                     .grid = {blocks, 1, 1},
                                     .shared = shared,
                                     .value_count = count,
                                     .values = values};
    return testbed->backend->launch(testbed->device, &launch, error);
}

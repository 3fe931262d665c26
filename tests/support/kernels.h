/* Small kernels in the templates' dialect, compiled and loaded straight through a backend. */
#ifndef TESTS_SUPPORT_KERNELS_H
#define TESTS_SUPPORT_KERNELS_H

#include <cjson/cJSON.h>

#include "runtime/description/builtin.h"
#include "runtime/description/types.h"
#include "runtime/variant/prelude.h"
#include "tests/support/device.h"

/* An open device. */
struct stage {
    const struct tw_backend *backend;
    struct tw_device *device;
    struct tw_device_info info;
};

/* The compiler is told that `body` is the file planted.cu. `passing`: see tw_compile_request. */
SUPPORT tw_status compile_for(const struct stage *stage, const char *body, const char *function,
                              const uint32_t block[3], bool passing, struct tw_binary *binary,
                              struct tw_error *error) {
    const char *prelude = strcmp(stage->info.backend, "cuda") == 0
                              ? tw_builtin_file("templates/prelude/cuda.cuh")
                              : tw_builtin_file("templates/prelude/opencl.clh");
    struct tw_text source = {0};
    tw_text_print(&source,
                  "#define TW_BLOCK_X %u\n#define TW_BLOCK_Y %u\n#define TW_BLOCK_Z %u\n"
                  "#define TW_MIN_BLOCKS 1\n#line 1 \"prelude\"\n%s",
                  block[0], block[1], block[2], prelude);
    must(tw_prelude_extend(&source, stage->info.backend, body, error), *error);
    tw_text_print(&source, "#line 1 \"planted.cu\"\n%s", body);
    const struct tw_compile_request request = {
        .source = source.data, .name = "planted.cu", .function = function, .passing = passing};
    tw_status status = stage->backend->compile(&stage->info, &request, binary, error);
    tw_text_free(&source);
    return status;
}

SUPPORT tw_status compile_body(const struct stage *stage, const char *body, const char *function,
                               const uint32_t block[3], struct tw_binary *binary,
                               struct tw_error *error) {
    return compile_for(stage, body, function, block, false, binary, error);
}

SUPPORT struct tw_module *load_body(const struct stage *stage, const char *body,
                                    const char *function, const uint32_t block[3],
                                    uint32_t shared) {
    struct tw_binary binary;
    struct tw_module *module;
    struct tw_error error;
    tw_status status = compile_for(stage, body, function, block, true, &binary, &error);
    if (status != TW_OK) {
        fail_msg("%s\n%s", error.message, binary.log.data != NULL ? binary.log.data : "");
    }
    must(stage->backend->load(stage->device, binary.bytes, binary.size, function, shared, &module,
                              &error),
         error);
    tw_binary_free(&binary);
    return module;
}

SUPPORT struct tw_memory allocate(const struct stage *stage, uint64_t bytes) {
    struct tw_memory memory;
    struct tw_error error;
    must(stage->backend->allocate(stage->device, bytes, &memory, &error), error);
    assert_int_equal(memory.bytes, bytes);
    assert_int_equal(memory.offset, 0);
    return memory;
}

SUPPORT struct tw_value memory_value(struct tw_memory memory) {
    return (struct tw_value){.kind = TW_VALUE_MEMORY, .memory = memory};
}

SUPPORT struct tw_value number_value(enum tw_type type, double number) {
    struct tw_value value = {.kind = TW_VALUE_BYTES};
    value.size = tw_type_encode(type, number, value.bytes);
    return value;
}

SUPPORT void launch(const struct stage *stage, const struct tw_launch *one) {
    struct tw_error error;
    must(stage->backend->launch(stage->device, one, &error), error);
}

SUPPORT void read_back(const struct stage *stage, const struct tw_memory *memory, void *bytes) {
    struct tw_error error;
    must(stage->backend->read(stage->device, memory, bytes, &error), error);
}

SUPPORT void fill_with(const struct stage *stage, const struct tw_memory *memory,
                       unsigned char byte) {
    struct tw_error error;
    must(stage->backend->fill(stage->device, memory, byte, &error), error);
}

#endif

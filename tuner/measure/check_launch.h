/* What the kernels of templates/check have in common: how they are compiled for a type, loaded, and
 * queued. */
#ifndef TUNER_MEASURE_CHECK_LAUNCH_H
#define TUNER_MEASURE_CHECK_LAUNCH_H

#include "runtime/base/text.h"
#include "tuner/measure/testbed.h"

/* CHECK_BLOCKS: the most that are queued. CHECK_PIECE: columns of a row that a block takes at a
 * time. */
enum { CHECK_THREADS = 128, CHECK_BLOCKS = 1024, CHECK_PIECE = 4096 };

/* Appends what they are told of a type: its name, how an element is read and written. */
void check_define_type(enum tw_type type, struct tw_text *defines);

/* The binary is to be freed in every case. */
tw_status check_compile(const struct tw_backend *backend, const struct tw_device_info *device,
                        const char *template, const char *function, const char *defines,
                        struct tw_binary *binary, struct tw_error *error);
/* Compiles and loads. The caller unloads. */
tw_status check_load(const struct testbed *testbed, const char *template, const char *function,
                     const char *defines, struct tw_module **module, struct tw_error *error);

struct tw_value check_memory(const struct tw_memory *memory);
struct tw_value check_number(enum tw_type type, double number);
/* An array's sizes and strides, as five values in the order that the kernels take them. */
#define CHECK_EXTENT(extent)                                                                       \
    check_number(TW_TYPE_i32, (double)(extent)->layers),                                           \
        check_number(TW_TYPE_i32, (double)(extent)->rows),                                         \
        check_number(TW_TYPE_i32, (double)(extent)->columns),                                      \
        check_number(TW_TYPE_i32, (double)(extent)->stride),                                       \
        check_number(TW_TYPE_i32, (double)(extent)->layer_stride)

tw_status check_queue(const struct testbed *testbed, const struct tw_module *module,
                      uint32_t blocks, uint32_t shared, const struct tw_value *values, size_t count,
                      struct tw_error *error);

#endif

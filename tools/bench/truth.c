#include "tools/bench/truth.h"

#include <string.h>

enum { THREADS = 64 };

/* CUDA C and OpenCL C alike. No product may be contracted into the sum after it. */
static const char source[] =
    "#ifdef __OPENCL_VERSION__\n"
    "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
    "#pragma OPENCL FP_CONTRACT OFF\n"
    "#define KERNEL __kernel void\n"
    "#define GLOBAL __global\n"
    "#define INDEX ((long)get_global_id(0))\n"
    "#define PRODUCT(a, b) ((a) * (b))\n"
    "typedef long index;\n"
    "#else\n"
    "#define KERNEL extern \"C\" __global__ void\n"
    "#define GLOBAL\n"
    "#define INDEX ((long long)blockIdx.x * blockDim.x + threadIdx.x)\n"
    "#define PRODUCT(a, b) __dmul_rn(a, b)\n"
    "typedef long long index;\n"
    "#endif\n"
    "KERNEL truth(GLOBAL const REAL *A, GLOBAL const REAL *B, GLOBAL double *C, index first,\n"
    "             index rows, index n, index k, index a_row, index a_column, index b_row,\n"
    "             index b_column)\n"
    "{\n"
    "    const index element = INDEX;\n"
    "    if (element >= rows * n)\n"
    "        return;\n"
    "    GLOBAL const REAL *a = A + (first + element / n) * a_row;\n"
    "    GLOBAL const REAL *b = B + element % n * b_column;\n"
    "    double sum = 0, lost = 0;\n"
    "    for (index l = 0; l < k; l++) {\n"
    "        const double x = a[l * a_column], y = b[l * b_row];\n"
    "#if DOUBLE\n"
    "        const double product = PRODUCT(x, y), next = sum + product, added = next - sum;\n"
    "        lost += (sum - (next - added)) + (product - added) + fma(x, y, -product);\n"
    "        sum = next;\n"
    "#else\n"
    "        sum = fma(x, y, sum);\n"
    "#endif\n"
    "    }\n"
    "    C[element] = sum + lost;\n"
    "}\n";

tw_status truth_create(struct tw_module **out, const struct data *data, tw_error *error) {
    const struct bench *bench = &data->bench;
    struct tw_text text = {0};
    struct tw_binary binary = {0};
    *out = NULL;
    tw_text_print(&text, "#define REAL %s\n#define DOUBLE %d\n%s",
                  tw_type_info(data->task->type)->dialect, data->task->type == TW_TYPE_f64, source);
    if (text.failed)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    const struct tw_compile_request request = {
        .source = text.data, .name = "truth.cu", .function = "truth", .passing = true};
    tw_status status = bench->backend->compile(&bench->info, &request, &binary, error);
    if (status == TW_COMPILE)
        tw_binary_explain(&binary, error);
    if (status == TW_OK)
        status =
            bench->backend->load(bench->device, binary.bytes, binary.size, "truth", 0, out, error);
    tw_binary_free(&binary);
    tw_text_free(&text);
    return status;
}

static struct tw_value memory_value(const struct tw_memory *memory) {
    return (struct tw_value){.kind = TW_VALUE_MEMORY, .memory = *memory};
}

static struct tw_value index_value(int64_t number) {
    struct tw_value value = {.kind = TW_VALUE_BYTES, .size = sizeof number};
    memcpy(value.bytes, &number, sizeof number);
    return value;
}

tw_status truth_queue(const struct tw_module *module, const struct data *data, int64_t first,
                      int64_t rows, const struct tw_memory *right, tw_error *error) {
    const struct task *task = data->task;
    const struct set *set = &data->sets[0];
    const struct tw_memory a = {.address = (uintptr_t)set->in[0]};
    const struct tw_memory b = {.address = (uintptr_t)set->in[1]};
    const struct tw_value values[] = {memory_value(&a),
                                      memory_value(&b),
                                      memory_value(right),
                                      index_value(first),
                                      index_value(rows),
                                      index_value(task->n),
                                      index_value(task->k),
                                      index_value(task->transposed_a ? 1 : task->lda),
                                      index_value(task->transposed_a ? task->lda : 1),
                                      index_value(task->transposed_b ? 1 : task->ldb),
                                      index_value(task->transposed_b ? task->ldb : 1)};
    const struct tw_launch launch = {
        .module = module,
        .block = {THREADS, 1, 1},
        .grid = {(uint32_t)((rows * task->n + THREADS - 1) / THREADS), 1, 1},
        .value_count = sizeof values / sizeof *values,
        .values = values};
    return data->bench.backend->launch(data->bench.device, &launch, error);
}

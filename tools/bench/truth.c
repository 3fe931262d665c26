#include "tools/bench/truth.h"

#include <string.h>

#include "runtime/variant/source.h"

enum { THREADS = 64 };

/* REAL_A, REAL_B and REAL_C are the elements' types, LOAD_A to LOAD_C make numbers of them. Whole
 * numbers have a whole answer, which double holds exactly below 2^53. No product may be contracted
 * into the sum after it. Rows are counted through all matrices of a batch, `m` in each. With
 * groups, the B and the biases of a row are those of the first group that ends behind it. */
static const char source[] =
    "#ifdef TW_OPENCL\n"
    "#pragma OPENCL FP_CONTRACT OFF\n"
    "#define PRODUCT(a, b) ((a) * (b))\n"
    "#else\n"
    "#define PRODUCT(a, b) __dmul_rn(a, b)\n"
    "#endif\n"
    "TW_KERNEL(truth)(TW_GLOBAL const REAL_A *A, TW_GLOBAL const REAL_B *B, TW_GLOBAL RIGHT *C,\n"
    "                 TW_GLOBAL const REAL_C *biases, TW_GLOBAL const REAL_C *added,\n"
    "                 TW_GLOBAL const int *ends,\n"
    "                 TW_GLOBAL const float *a_scales, TW_GLOBAL const float *b_scales,\n"
    "                 tw_index first, tw_index rows, tw_index m, tw_index n, tw_index k,\n"
    "                 tw_index a_layer, tw_index a_row, tw_index a_column, tw_index b_layer,\n"
    "                 tw_index b_row, tw_index b_column)\n"
    "{\n"
    "    const tw_index element = (tw_index)blockIdx.x * TW_BLOCK_X + threadIdx.x;\n"
    "    if (element >= rows * n)\n"
    "        return;\n"
    "    const tw_index row = first + element / n, column = element % n, layer = row / m;\n"
    "    tw_index own = layer;\n"
    "#if GROUPS\n"
    "    while (own + 1 < GROUPS && row >= ends[own])\n"
    "        own++;\n"
    "#endif\n"
    "    TW_GLOBAL const REAL_A *a = A + layer * a_layer + row % m * a_row;\n"
    "    TW_GLOBAL const REAL_B *b = B + own * b_layer + column * b_column;\n"
    "    double sum = 0, lost = 0;\n"
    "    for (tw_index l = 0; l < k; l++) {\n"
    "        double x = LOAD_A(a[l * a_column]), y = LOAD_B(b[l * b_row]);\n"
    "#if SCALES == 3\n"
    "        x *= a_scales[row * ((k + 127) / 128) + l / 128];\n"
    "        y *= b_scales[column / 128 * ((k + 127) / 128) + l / 128];\n"
    "#endif\n"
    "#if DOUBLE\n"
    "        const double product = PRODUCT(x, y), next = sum + product, added = next - sum;\n"
    "        lost += (sum - (next - added)) + (product - added) + fma(x, y, -product);\n"
    "        sum = next;\n"
    "#else\n"
    "        sum = fma(x, y, sum);\n"
    "#endif\n"
    "    }\n"
    "    double x = sum + lost;\n"
    "#if SCALES == 1\n"
    "    x *= a_scales[0] * b_scales[0];\n"
    "#elif SCALES == 2\n"
    "    x *= a_scales[row] * b_scales[column];\n"
    "#endif\n"
    "#if APART\n"
    "    x += LOAD_C(added[row * n + column]);\n"
    "#endif\n"
    "#if BIAS\n"
    "    x += LOAD_C(biases[BIAS == 1 ? row % m : GROUPS ? own * n + column : column]);\n"
    "#endif\n"
    "    C[element] = (RIGHT)ROUNDED(ACTIVATED(x));\n"
    "}\n";

static void define_operand(struct tw_text *defines, char operand, enum tw_type type) {
    const struct tw_type_info *info = tw_type_info(type);
    tw_text_print(defines, "#define REAL_%c %s\n", operand, info->dialect);
    if (info->converted)
        tw_text_print(defines, "#define LOAD_%c(x) tw_%s_to_f32(x)\n", operand, info->word);
    else
        tw_text_print(defines, "#define LOAD_%c(x) (x)\n", operand);
}

static tw_status render(const struct data *data, const char *backend, struct tw_text *text,
                        tw_error *error) {
    static const char *const activations[] = {
        [TASK_ACTIVATION_NONE] = "x",
        [TASK_ACTIVATION_RELU] = "x < 0 ? 0 : x",
        [TASK_ACTIVATION_GELU] = "0.5 * x * (1 + erf(x * 0.70710678118654752440))",
        [TASK_ACTIVATION_GELU_TANH] =
            "0.5 * x * (1 + tanh(0.79788456080286535588 * (x + 0.044715 * x * x * x)))",
        [TASK_ACTIVATION_SILU] = "x / (1 + exp(-x))"};
    const struct task *task = data->task;
    const struct tw_type_info *right = tw_type_info(data->out.type);
    struct tw_text defines = {0};
    define_operand(&defines, 'A', data->in[0].type);
    define_operand(&defines, 'B', data_type_b(data));
    define_operand(&defines, 'C', data->out.type);
    tw_text_print(&defines, "#define DOUBLE %d\n#define RIGHT %s\n#define APART %d\n",
                  data->in[0].type == TW_TYPE_f64, right->floating ? "double" : right->dialect,
                  task->apart);
    tw_text_print(&defines, "#define GROUPS %d\n#define SCALES %d\n", (int)task->groups,
                  task->scales);
    tw_text_print(&defines, "#define BIAS %d\n#define ACTIVATED(x) (%s)\n#define ROUNDED(x) %s\n",
                  task->bias, activations[task->activation],
                  right->floating ? "(x)" : "fmin(fmax(rint(x), -2147483648.0), 2147483647.0)");
    tw_status status = defines.failed ? tw_fail(error, TW_NO_MEMORY, "out of memory")
                                      : tw_source_own("truth.cu", source, backend, defines.data,
                                                      THREADS, text, error);
    tw_text_free(&defines);
    return status;
}

tw_status truth_create(struct tw_module **out, const struct data *data, tw_error *error) {
    const struct testbed *bench = &data->testbed;
    struct tw_text text = {0};
    struct tw_binary binary = {0};
    *out = NULL;
    tw_status status = render(data, bench->backend->name, &text, error);
    if (status == TW_OK) {
        const struct tw_compile_request request = {
            .source = text.data, .name = "truth.cu", .function = "truth", .passing = true};
        status = bench->backend->compile(&bench->info, &request, &binary, error);
    }
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

/* Nowhere if the task has no such input. */
static struct tw_memory input(const struct data *data, const char *name) {
    int number = data_input(data, name);
    return (struct tw_memory){.address = number >= 0 ? (uintptr_t)data->sets[0].in[number] : 0};
}

tw_status truth_queue(const struct tw_module *module, const struct data *data, int64_t first,
                      int64_t rows, const struct tw_memory *right, tw_error *error) {
    const struct task *task = data->task;
    const struct set *set = &data->sets[0];
    const struct tw_memory a = {.address = (uintptr_t)set->in[0]};
    const struct tw_memory b = {.address = (uintptr_t)set->in[1]};
    const struct tw_memory biases = input(data, "biases"), added = input(data, "E");
    const struct tw_memory ends = input(data, "ends");
    const struct tw_memory a_scales = input(data, "a_scales"), b_scales = input(data, "b_scales");
    const struct tw_value values[] = {memory_value(&a),
                                      memory_value(&b),
                                      memory_value(right),
                                      memory_value(&biases),
                                      memory_value(&added),
                                      memory_value(&ends),
                                      memory_value(&a_scales),
                                      memory_value(&b_scales),
                                      index_value(first),
                                      index_value(rows),
                                      index_value(task->m),
                                      index_value(task->n),
                                      index_value(task->k),
                                      index_value(task->m * task->k),
                                      index_value(task->transposed_a ? 1 : task->lda),
                                      index_value(task->transposed_a ? task->lda : 1),
                                      index_value(task->k * task->n),
                                      index_value(task->transposed_b ? 1 : task->ldb),
                                      index_value(task->transposed_b ? task->ldb : 1)};
    const struct tw_launch launch = {
        .module = module,
        .block = {THREADS, 1, 1},
        .grid = {(uint32_t)((rows * task->n + THREADS - 1) / THREADS), 1, 1},
        .value_count = sizeof values / sizeof *values,
        .values = values};
    return data->testbed.backend->launch(data->testbed.device, &launch, error);
}

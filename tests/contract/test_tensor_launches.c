/* Launches in clusters and with tensor maps, on devices that have them. With an argument, only the
 * backend of that name is tested; with a second, only the tests of that pattern. */
#include "tests/support/stages.h"

static const uint32_t one[3] = {1, 1, 1};

/* Blocks of a cluster number themselves, and a grid of no whole clusters is refused. */
static void clusters(void **state) {
    const struct stage *stage = *state;
    static const char body[] = "TW_KERNEL(ranks)(TW_GLOBAL int *out) {\n"
                               "    int rank, blocks;\n"
                               "    asm(\"mov.u32 %0, %%cluster_ctarank;\" : \"=r\"(rank));\n"
                               "    asm(\"mov.u32 %0, %%cluster_nctarank;\" : \"=r\"(blocks));\n"
                               "    out[blockIdx.x] = 10 * blocks + rank;\n"
                               "}\n";
    if (stage->info.max_cluster < 4)
        skip();
    struct tw_module *module = load_body(stage, body, "ranks", one, 0);
    struct tw_memory out = allocate(stage, 12 * 4);
    const struct tw_value value = memory_value(out);
    struct tw_launch ranks = {.module = module,
                              .block = {1, 1, 1},
                              .grid = {12, 1, 1},
                              .value_count = 1,
                              .values = &value};
    int32_t got[12];
    for (int blocks = 1; blocks <= 4; blocks *= 2) {
        ranks.cluster[0] = (uint32_t)blocks;
        fill_with(stage, &out, 0xff);
        launch(stage, &ranks);
        read_back(stage, &out, got);
        for (int i = 0; i < 12; i++)
            assert_int_equal(got[i], 10 * blocks + i % blocks);
    }
    struct tw_error error;
    ranks.cluster[0] = 5;
    assert_true(stage->backend->launch(stage->device, &ranks, &error) != TW_OK);
    stage->backend->release(stage->device, &out);
    stage->backend->unload(stage->device, module);
}

enum { MAP_ROWS = 9, MAP_COLUMNS = 21, MAP_PITCH = 24 };

/* A box of 8x8 floats from (x, y) on, by the copy engine, of the first or the second of two
 * matrices. */
static void copy_box(const struct stage *stage, int second, int swizzle, int x, int y) {
    static const char body[] =
        "struct tensor_map { tw_u64 words[16] __attribute__((aligned(64))); };\n"
        "extern \"C\" __global__ void box(const __grid_constant__ tensor_map map, float *out,\n"
        "                               int x, int y) {\n"
        "    __shared__ __align__(1024) float tile[8 * 8];\n"
        "    __shared__ tw_u64 ready;\n"
        "    unsigned to = (unsigned)__cvta_generic_to_shared(tile);\n"
        "    unsigned bar = (unsigned)__cvta_generic_to_shared(&ready), done = 0;\n"
        "    asm volatile(\"mbarrier.init.shared::cta.b64 [%0], 1;\" :: \"r\"(bar) : \"memory\");\n"
        "    asm volatile(\"fence.proxy.async.shared::cta;\" ::: \"memory\");\n"
        "    asm volatile(\"mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 256;\" :: \"r\"(bar)"
        " : \"memory\");\n"
        "    asm volatile(\"cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::"
        "complete_tx::bytes [%0], [%1, {%3, %4}], [%2];\" :: \"r\"(to), \"l\"((tw_u64)&map),"
        " \"r\"(bar), \"r\"(x), \"r\"(y) : \"memory\");\n"
        "    while (!done)\n"
        "        asm volatile(\"{.reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0;"
        " selp.u32 %0, 1, 0, p;}\" : \"=r\"(done) : \"r\"(bar) : \"memory\");\n"
        "    for (int i = 0; i < 64; i++)\n        out[i] = tile[i];\n"
        "}\n";
    if (!stage->info.has_tensor_maps)
        skip();
    struct tw_module *module = load_body(stage, body, "box", one, 0);
    const uint64_t matrix = MAP_ROWS * MAP_PITCH * sizeof(float);
    struct tw_memory in = allocate(stage, 2 * matrix), out = allocate(stage, 64 * sizeof(float));
    float numbers[2 * MAP_ROWS * MAP_PITCH], got[64];
    struct tw_error error;
    for (int i = 0; i < 2 * MAP_ROWS * MAP_PITCH; i++)
        numbers[i] = (float)(i + 1);
    must(stage->backend->write(stage->device, &in, numbers, &error), error);
    const struct tw_tensor tensor = {.type = TW_TENSOR_f32,
                                     .rank = 2,
                                     .dims = {MAP_COLUMNS, MAP_ROWS},
                                     .strides = {MAP_PITCH * sizeof(float)},
                                     .box = {8, 8},
                                     .swizzle = swizzle};
    struct tw_value values[] = {{.kind = TW_VALUE_TENSOR_MAP, .tensor = &tensor},
                                memory_value(out),
                                number_value(TW_TYPE_i32, x),
                                number_value(TW_TYPE_i32, y)};
    const struct tw_launch box = {.module = module,
                                  .block = {1, 1, 1},
                                  .grid = {1, 1, 1},
                                  .value_count = 4,
                                  .values = values};
    values[0].memory = tw_memory_part(&in, second ? matrix : 0, matrix);
    fill_with(stage, &out, 0xff);
    launch(stage, &box);
    read_back(stage, &out, got);
    for (int i = 0; i < 64; i++) {
        const int row = y + i / 8, column = x + i % 8;
        const bool inside = column >= 0 && column < MAP_COLUMNS && row >= 0 && row < MAP_ROWS;
        const float expected =
            inside ? numbers[second * MAP_ROWS * MAP_PITCH + row * MAP_PITCH + column] : 0;
        /* Of rows of 32 bytes, the two halves change places in every second group of four (CUDA
         * programming guide, swizzle modes). */
        const int at = swizzle == 0 ? i : i ^ (i / 32 * 4);
        assert_true(got[at] == expected);
    }
    values[0].memory = tw_memory_part(&in, 4, matrix);
    assert_status(stage->backend->launch(stage->device, &box, &error), TW_INVALID);
    assert_non_null(strstr(error.message, "not aligned to 16 bytes"));
    stage->backend->release(stage->device, &in);
    stage->backend->release(stage->device, &out);
    stage->backend->unload(stage->device, module);
}

static void tensor_map_inside(void **state) {
    copy_box(*state, 0, 0, 8, 1);
    copy_box(*state, 1, 0, 4, 0);
}

/* What is outside reads as zero. */
static void tensor_map_edges(void **state) {
    copy_box(*state, 0, 0, 16, 4);
    copy_box(*state, 1, 0, 20, 8);
}

static void tensor_map_swizzled(void **state) {
    copy_box(*state, 0, 32, 8, 1);
}

enum { IMAGE_C = 4, IMAGE_W = 5, IMAGE_H = 4, IMAGES = 2, PIXELS = 8, STEP_W = 2 };
enum { RESULT_W = 3, RESULT_H = IMAGE_H }; /* of a 3x3 filter with padding */

/* Pixels of images under one place of a 3x3 filter, in im2col mode: from the result `first` on,
 * over the ends of rows and of images. */
static void gather(const struct stage *stage, int first, int r, int s) {
    static const char body[] =
        "struct tensor_map { tw_u64 words[16] __attribute__((aligned(64))); };\n"
        "extern \"C\" __global__ void gather(const __grid_constant__ tensor_map map, float *out,\n"
        "                                  int w, int h, int n, int right, int down) {\n"
        "    __shared__ __align__(1024) float tile[4 * 8];\n"
        "    __shared__ tw_u64 ready;\n"
        "    unsigned to = (unsigned)__cvta_generic_to_shared(tile);\n"
        "    unsigned bar = (unsigned)__cvta_generic_to_shared(&ready), done = 0;\n"
        "    asm volatile(\"mbarrier.init.shared::cta.b64 [%0], 1;\" :: \"r\"(bar) : \"memory\");\n"
        "    asm volatile(\"fence.proxy.async.shared::cta;\" ::: \"memory\");\n"
        "    asm volatile(\"mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 128;\" :: \"r\"(bar)"
        " : \"memory\");\n"
        "    asm volatile(\"cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::"
        "complete_tx::bytes [%0], [%1, {%3, %4, %5, %6}], [%2], {%7, %8};\" :: \"r\"(to), "
        "\"l\"((tw_u64)&map),"
        " \"r\"(bar), \"r\"(0), \"r\"(w), \"r\"(h), \"r\"(n), \"h\"((tw_u16)right), "
        "\"h\"((tw_u16)down)"
        " : \"memory\");\n"
        "    while (!done)\n"
        "        asm volatile(\"{.reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0;"
        " selp.u32 %0, 1, 0, p;}\" : \"=r\"(done) : \"r\"(bar) : \"memory\");\n"
        "    for (int i = 0; i < 32; i++)\n        out[i] = tile[i];\n"
        "}\n";
    if (!stage->info.has_tensor_maps)
        skip();
    float images[IMAGES][IMAGE_H][IMAGE_W][IMAGE_C], got[PIXELS][IMAGE_C];
    for (size_t i = 0; i < sizeof images / sizeof(float); i++)
        ((float *)images)[i] = (float)(i + 1);
    struct tw_module *module = load_body(stage, body, "gather", one, 0);
    struct tw_memory in = allocate(stage, sizeof images), out = allocate(stage, sizeof got);
    struct tw_error error;
    must(stage->backend->write(stage->device, &in, images, &error), error);
    const struct tw_tensor tensor = {
        .type = TW_TENSOR_f32,
        .rank = 4,
        .dims = {IMAGE_C, IMAGE_W, IMAGE_H, IMAGES},
        .strides = {sizeof images[0][0][0], sizeof images[0][0], sizeof images[0]},
        .box = {IMAGE_C, PIXELS},
        .im2col = 1,
        .lower = {-1, -1},
        .upper = {-1, -1},
        .steps = {STEP_W, 1}};
    const int left = first % RESULT_W * STEP_W - 1, top = first / RESULT_W % RESULT_H - 1;
    const struct tw_value values[] = {
        {.kind = TW_VALUE_TENSOR_MAP, .tensor = &tensor, .memory = in},
        memory_value(out),
        number_value(TW_TYPE_i32, left),
        number_value(TW_TYPE_i32, top),
        number_value(TW_TYPE_i32, first / RESULT_W / RESULT_H),
        number_value(TW_TYPE_i32, s),
        number_value(TW_TYPE_i32, r)};
    const struct tw_launch pixels = {.module = module,
                                     .block = {1, 1, 1},
                                     .grid = {1, 1, 1},
                                     .value_count = 7,
                                     .values = values};
    fill_with(stage, &out, 0xff);
    launch(stage, &pixels);
    read_back(stage, &out, got);
    for (int i = 0; i < PIXELS * IMAGE_C; i++) {
        const int pixel = first + i / IMAGE_C, n = pixel / RESULT_W / RESULT_H;
        const int h = pixel / RESULT_W % RESULT_H - 1 + r, w = pixel % RESULT_W * STEP_W - 1 + s;
        const bool inside = n < IMAGES && h >= 0 && h < IMAGE_H && w >= 0 && w < IMAGE_W;
        const float expected = inside ? images[n][h][w][i % IMAGE_C] : 0;
        assert_true(got[i / IMAGE_C][i % IMAGE_C] == expected);
    }
    stage->backend->release(stage->device, &in);
    stage->backend->release(stage->device, &out);
    stage->backend->unload(stage->device, module);
}

static void pixels_of_images(void **state) {
    gather(*state, 0, 0, 0);
    gather(*state, 7, 2, 1);
    gather(*state, 2 * RESULT_W * RESULT_H - 3, 1, 2); /* behind the last image all is zero */
}

enum { EARLY_COUNT = 4096, EARLY_LAUNCHES = 24 };

/* A chain of launches that may begin early, each of which writes what the next but one overwrites
 * and the next reads: as slow as its block's number, so that blocks of neighbours overlap. */
static void early_launches(void **state) {
    const struct stage *stage = *state;
    const struct tw_backend *backend = stage->backend;
    static const char body[] =
        "TW_KERNEL(next)(TW_GLOBAL const int *from, TW_GLOBAL int *to, int spins) {\n"
        "#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900\n"
        "    asm volatile(\"griddepcontrol.wait;\\ngriddepcontrol.launch_dependents;\""
        " ::: \"memory\");\n"
        "#endif\n"
        "    int i = blockIdx.x * TW_BLOCK_X + threadIdx.x;\n"
        "    int other = (i * 5 + 64) % 4096, sum = from[other];\n"
        "    for (int s = 0; s < spins * (int)(blockIdx.x % 7); s++)\n"
        "        sum ^= (sum << 1 & s) & 0;\n"
        "    to[i] = sum + i;\n"
        "}\n";
    static const uint32_t block[3] = {64, 1, 1};
    struct tw_module *module = load_body(stage, body, "next", block, 0);
    struct tw_memory memory[2] = {allocate(stage, EARLY_COUNT * 4),
                                  allocate(stage, EARLY_COUNT * 4)};
    struct tw_value values[EARLY_LAUNCHES][3];
    struct tw_launch launches[EARLY_LAUNCHES];
    static int32_t expected[2][EARLY_COUNT], got[EARLY_COUNT];
    struct tw_graph *graph = NULL;
    struct tw_error error;
    for (int l = 0; l < EARLY_LAUNCHES; l++) {
        values[l][0] = memory_value(memory[l % 2]);
        values[l][1] = memory_value(memory[1 - l % 2]);
        values[l][2] = number_value(TW_TYPE_i32, 200);
        launches[l] = (struct tw_launch){.module = module,
                                         .block = {64, 1, 1},
                                         .grid = {EARLY_COUNT / 64, 1, 1},
                                         .value_count = 3,
                                         .values = values[l],
                                         .early = true};
        for (int i = 0; i < EARLY_COUNT; i++)
            expected[1 - l % 2][i] = expected[l % 2][(i * 5 + 64) % EARLY_COUNT] + i;
    }
    for (int in_graph = 0; in_graph < 2; in_graph++) {
        for (int i = 0; i < 2; i++)
            fill_with(stage, &memory[i], 0);
        if (!in_graph) {
            for (int l = 0; l < EARLY_LAUNCHES; l++)
                launch(stage, &launches[l]);
        } else if (backend->graph_create != NULL) {
            must(backend->graph_create(stage->device, launches, EARLY_LAUNCHES, &graph, &error),
                 error);
            must(backend->graph_queue(stage->device, graph, &error), error);
        } else {
            break;
        }
        read_back(stage, &memory[EARLY_LAUNCHES % 2], got);
        assert_memory_equal(got, expected[EARLY_LAUNCHES % 2], sizeof got);
    }
    if (graph != NULL)
        backend->graph_destroy(stage->device, graph);
    for (int i = 0; i < 2; i++)
        backend->release(stage->device, &memory[i]);
    backend->unload(stage->device, module);
}

int main(int count, char **arguments) {
    struct CMUnitTest tests[] = {
        STAGE_TEST(clusters),         STAGE_TEST(tensor_map_inside),
        STAGE_TEST(tensor_map_edges), STAGE_TEST(tensor_map_swizzled),
        STAGE_TEST(pixels_of_images), STAGE_TEST(early_launches),
    };
    return run_on_backends(count, arguments, tests, sizeof tests / sizeof *tests);
}

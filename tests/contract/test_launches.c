/* What every backend promises of compiling, loading and launching. With an argument, only the
 * backend of that name is tested; with a second, only the tests of that pattern. */
#include "tests/support/stages.h"
#include "tuner/inspect/occupancy.h"

static const uint32_t one[3] = {1, 1, 1};

static void passes_every_type(void **state) {
    const struct stage *stage = *state;
    static const char body[] =
        "TW_KERNEL(scalars)(TW_GLOBAL double *out, tw_u8 a, tw_u16 b, TW_GLOBAL const int *in,\n"
        "                   tw_u32 c, tw_u64 d, int e, tw_index f, float g, double h,\n"
        "                   TW_GLOBAL tw_u64 *exact) {\n"
        "    out[0] = a;\n    out[1] = b;\n    out[2] = c;\n    out[3] = (double)d;\n"
        "    out[4] = e;\n    out[5] = (double)f;\n    out[6] = g;\n    out[7] = h;\n"
        "    out[8] = in[1];\n    exact[0] = d;\n"
        "}\n";
    struct tw_module *module = load_body(stage, body, "scalars", one, 0);
    struct tw_memory out = allocate(stage, 9 * 8), in = allocate(stage, 8),
                     exact = allocate(stage, 8);
    struct tw_error error;
    for (int round = 1; round <= 2; round++) { /* the second must not see the first's values */
        const int32_t numbers[2] = {1, 40 + round};
        const double expected[9] = {200.0 + round, 60000.0 + round, 4000000000.0 + round,
                                    9e15 + round,  -7.0 * round,    -1e12 * round,
                                    0.5 * round,   0.1 * round,     40.0 + round};
        must(stage->backend->write(stage->device, &in, numbers, &error), error);
        const struct tw_value values[] = {
            memory_value(out),
            number_value(TW_TYPE_u8, expected[0]),
            number_value(TW_TYPE_u16, expected[1]),
            memory_value(in),
            number_value(TW_TYPE_u32, expected[2]),
            number_value(TW_TYPE_u64, expected[3]),
            number_value(TW_TYPE_i32, expected[4]),
            number_value(TW_TYPE_i64, expected[5]),
            number_value(TW_TYPE_f32, expected[6]),
            number_value(TW_TYPE_f64, expected[7]),
            memory_value(exact),
        };
        double got[9];
        uint64_t whole;
        launch(stage, &(struct tw_launch){.module = module,
                                          .block = {1, 1, 1},
                                          .grid = {1, 1, 1},
                                          .shared = 0,
                                          .value_count = 11,
                                          .values = values});
        read_back(stage, &out, got);
        read_back(stage, &exact, &whole);
        for (int i = 0; i < 9; i++)
            assert_true(got[i] == expected[i]);
        assert_true(whole == (uint64_t)expected[3]);
    }
    stage->backend->release(stage->device, &out);
    stage->backend->release(stage->device, &in);
    stage->backend->release(stage->device, &exact);
    stage->backend->unload(stage->device, module);
}

/* Every work-item runs once and knows its place in all three directions. */
static void three_dimensions(void **state) {
    const struct stage *stage = *state;
    static const char body[] =
        "TW_KERNEL(places)(TW_GLOBAL int *out) {\n"
        "    int x = (int)(blockIdx.x * blockDim.x + threadIdx.x);\n"
        "    int y = (int)(blockIdx.y * blockDim.y + threadIdx.y);\n"
        "    int z = (int)(blockIdx.z * blockDim.z + threadIdx.z);\n"
        "    int width = (int)(gridDim.x * blockDim.x), height = (int)(gridDim.y * blockDim.y);\n"
        "    out[(z * height + y) * width + x] += x + 1000 * y + 100000 * z;\n"
        "}\n";
    enum { X = 20, Y = 12, Z = 6 };
    static const uint32_t block[3] = {4, 3, 2};
    struct tw_module *module = load_body(stage, body, "places", block, 0);
    struct tw_memory out = allocate(stage, X * Y * Z * 4);
    const struct tw_value value = memory_value(out);
    int32_t got[X * Y * Z];
    fill_with(stage, &out, 0);
    launch(stage, &(struct tw_launch){.module = module,
                                      .block = {4, 3, 2},
                                      .grid = {5, 4, 3},
                                      .shared = 0,
                                      .value_count = 1,
                                      .values = &value});
    read_back(stage, &out, got);
    for (int i = 0; i < X * Y * Z; i++)
        assert_int_equal(got[i], i % X + 1000 * (i / X % Y) + 100000 * (i / X / Y));
    stage->backend->release(stage->device, &out);
    stage->backend->unload(stage->device, module);
}

/* Shared memory of a size that CUDA gives only when it is asked for. */
static void shared_memory(void **state) {
    const struct stage *stage = *state;
    static const uint32_t block[3] = {64, 1, 1};
    const uint32_t bytes = 64 << 10;
    static const char body[] = "TW_KERNEL(turn)(TW_GLOBAL int *out) {\n"
                               "    TW_SHARED(int, shared, 16384);\n"
                               "    int thread = (int)threadIdx.x;\n"
                               "    for (int i = thread; i < 16384; i += 64)\n"
                               "        shared[i] = i + (int)blockIdx.x;\n"
                               "    __syncthreads();\n"
                               "    for (int i = thread; i < 16384; i += 64)\n"
                               "        out[blockIdx.x * 16384 + i] = shared[16383 - i];\n"
                               "}\n";
    if (stage->info.max_shared < bytes)
        skip();
    struct tw_module *module = load_body(stage, body, "turn", block, bytes);
    struct tw_memory out = allocate(stage, 3 * bytes);
    const struct tw_value value = memory_value(out);
    int32_t *got = malloc(3 * bytes);
    launch(stage, &(struct tw_launch){.module = module,
                                      .block = {64, 1, 1},
                                      .grid = {3, 1, 1},
                                      .shared = bytes,
                                      .value_count = 1,
                                      .values = &value});
    read_back(stage, &out, got);
    for (int i = 0; i < 3 * 16384; i++)
        assert_int_equal(got[i], 16383 - i % 16384 + i / 16384);
    free(got);
    stage->backend->release(stage->device, &out);
    stage->backend->unload(stage->device, module);
}

static const char add_body[] =
    "TW_KERNEL(add)(TW_GLOBAL int *out, TW_GLOBAL const int *in, int n) {\n"
    "    int i = (int)(blockIdx.x * 64 + threadIdx.x);\n"
    "    out[i] = out[i] * 3 + in[i] + n;\n"
    "}\n";
static const uint32_t add_block[3] = {64, 1, 1};
enum { COUNT = 1024, BYTES = COUNT * 4 };

/* A launch that is started has been queued like others, and its answer is there when it is done. */
static void started(void **state) {
    const struct stage *stage = *state;
    struct tw_error error;
    struct tw_module *module = load_body(stage, add_body, "add", add_block, 0);
    struct tw_memory out = allocate(stage, BYTES), in = allocate(stage, BYTES);
    const struct tw_value values[] = {memory_value(out), memory_value(in),
                                      number_value(TW_TYPE_i32, 5)};
    const struct tw_launch add = {.module = module,
                                  .block = {64, 1, 1},
                                  .grid = {COUNT / 64, 1, 1},
                                  .value_count = 3,
                                  .values = values};
    int32_t got[COUNT];
    fill_with(stage, &out, 0);
    fill_with(stage, &in, 0);
    must(stage->backend->start(stage->device, &add, &error), error);
    launch(stage, &add);
    must(stage->backend->start(stage->device, &add, &error), error);
    must(stage->backend->synchronize(stage->device, &error), error);
    read_back(stage, &out, got);
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(got[i], (5 * 3 + 5) * 3 + 5);
    stage->backend->release(stage->device, &out);
    stage->backend->release(stage->device, &in);
    stage->backend->unload(stage->device, module);
}

/* Launches, fills and copies happen in the order queued; parts of one allocation are several
 * arguments. */
static void in_order(void **state) {
    const struct stage *stage = *state;
    struct tw_error error;
    struct tw_module *module = load_body(stage, add_body, "add", add_block, 0);
    struct tw_memory whole = allocate(stage, 4 * BYTES);
    struct tw_memory a = tw_memory_part(&whole, BYTES, BYTES);
    struct tw_memory b = tw_memory_part(&whole, 2 * BYTES, BYTES);
    int32_t got[COUNT], expected_a = 0, expected_b = 0;
    fill_with(stage, &whole, 0);
    for (int round = 1; round <= 5; round++) {
        const struct tw_value forth[] = {memory_value(a), memory_value(b),
                                         number_value(TW_TYPE_i32, round)};
        const struct tw_value back[] = {memory_value(b), memory_value(a),
                                        number_value(TW_TYPE_i32, -2)};
        launch(stage, &(struct tw_launch){.module = module,
                                          .block = {64, 1, 1},
                                          .grid = {COUNT / 64, 1, 1},
                                          .shared = 0,
                                          .value_count = 3,
                                          .values = forth});
        expected_a = expected_a * 3 + expected_b + round;
        launch(stage, &(struct tw_launch){.module = module,
                                          .block = {64, 1, 1},
                                          .grid = {COUNT / 64, 1, 1},
                                          .shared = 0,
                                          .value_count = 3,
                                          .values = back});
        expected_b = expected_b * 3 + expected_a - 2;
        if (round == 3) {
            fill_with(stage, &a, 0);
            expected_a = 0;
        }
        if (round == 4) {
            must(stage->backend->copy(stage->device, &a, &b, &error), error);
            expected_a = expected_b;
        }
    }
    must(stage->backend->synchronize(stage->device, &error), error);
    read_back(stage, &a, got);
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(got[i], expected_a);
    read_back(stage, &b, got);
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(got[i], expected_b);
    for (int edge = 0; edge < 4; edge += 3) { /* neither side of the parts was written */
        struct tw_memory beside = tw_memory_part(&whole, (uint64_t)edge * BYTES, BYTES);
        read_back(stage, &beside, got);
        for (int i = 0; i < COUNT; i++)
            assert_int_equal(got[i], 0);
    }
    stage->backend->release(stage->device, &whole);
    stage->backend->unload(stage->device, module);
}

static void times(void **state) {
    const struct stage *stage = *state;
    struct tw_error error;
    struct tw_module *module = load_body(stage, add_body, "add", add_block, 0);
    struct tw_memory a = allocate(stage, BYTES), b = allocate(stage, BYTES);
    struct tw_value values[3][3];
    struct tw_launch launches[3];
    int32_t got[COUNT], expected = 0;
    double seconds = -1;
    fill_with(stage, &a, 0);
    fill_with(stage, &b, 0);
    for (int i = 0; i < 3; i++) {
        values[i][0] = memory_value(a);
        values[i][1] = memory_value(b);
        values[i][2] = number_value(TW_TYPE_i32, i + 5);
        launches[i] = (struct tw_launch){.module = module,
                                         .block = {64, 1, 1},
                                         .grid = {COUNT / 64, 1, 1},
                                         .shared = 0,
                                         .value_count = 3,
                                         .values = values[i]};
        expected = expected * 3 + i + 5;
    }
    must(stage->backend->time(stage->device, launches, 3, &seconds, &error), error);
    assert_true(seconds > 0 && seconds < 10);
    read_back(stage, &a, got);
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(got[i], expected);

    seconds = -1;
    must(stage->backend->time_copy(stage->device, &b, &a, &seconds, &error), error);
    assert_true(seconds > 0 && seconds < 10);
    read_back(stage, &b, got);
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(got[i], expected);
    stage->backend->release(stage->device, &a);
    stage->backend->release(stage->device, &b);
    stage->backend->unload(stage->device, module);
}

/* A graph's launches run in order, as often as it is queued, with what they passed when it was
 * made; one that cannot be made leaves the device as it was. */
static void graphs(void **state) {
    const struct stage *stage = *state;
    const struct tw_backend *backend = stage->backend;
    enum { LAUNCHES = 3, TIMES = 4 };
    struct tw_error error;
    struct tw_module *module = load_body(stage, add_body, "add", add_block, 0);
    struct tw_memory a = allocate(stage, BYTES), b = allocate(stage, BYTES);
    struct tw_value values[LAUNCHES][3];
    struct tw_launch launches[LAUNCHES];
    struct tw_graph *graph = NULL, *none = NULL;
    int32_t got[COUNT], expected = 0;
    double seconds = -1;
    if (backend->graph_create == NULL) {
        assert_true(backend->graph_destroy == NULL && backend->graph_queue == NULL &&
                    backend->graph_time == NULL);
        backend->release(stage->device, &a);
        backend->release(stage->device, &b);
        backend->unload(stage->device, module);
        return;
    }
    fill_with(stage, &a, 0);
    fill_with(stage, &b, 0);
    for (int i = 0; i < LAUNCHES; i++) {
        values[i][0] = memory_value(a);
        values[i][1] = memory_value(b);
        values[i][2] = number_value(TW_TYPE_i32, i + 1);
        launches[i] = (struct tw_launch){.module = module,
                                         .block = {64, 1, 1},
                                         .grid = {COUNT / 64, 1, 1},
                                         .value_count = 3,
                                         .values = values[i]};
    }
    tw_status status = backend->graph_create(stage->device, launches, LAUNCHES, &graph, &error);
    if (status == TW_UNAVAILABLE) {
        print_message("%s\n", error.message);
    } else {
        must(status, error);
        read_back(stage, &a, got); /* nothing has run yet */
        assert_int_equal(got[0], 0);
        values[0][2] = number_value(TW_TYPE_i32, 1000); /* it has a copy */
        for (int t = 0; t < TIMES - 1; t++)
            must(backend->graph_queue(stage->device, graph, &error), error);
        must(backend->graph_time(stage->device, graph, &seconds, &error), error);
        assert_true(seconds > 0 && seconds < 10);
        for (int t = 0; t < TIMES; t++)
            for (int i = 0; i < LAUNCHES; i++)
                expected = expected * 3 + i + 1;
        read_back(stage, &a, got);
        for (int i = 0; i < COUNT; i++)
            assert_int_equal(got[i], expected);
        backend->graph_destroy(stage->device, graph);
        backend->graph_destroy(stage->device, NULL);
    }
    /* More threads than any block may have: refused when it is made or, at the latest, queued. */
    launches[1].block[0] = 1 << 20;
    status = backend->graph_create(stage->device, launches, LAUNCHES, &none, &error);
    if (status == TW_OK)
        status = backend->graph_queue(stage->device, none, &error);
    assert_int_not_equal(status, TW_OK);
    backend->graph_destroy(stage->device, none);
    fill_with(stage, &a, 0);
    launch(stage, &launches[2]);
    read_back(stage, &a, got);
    assert_int_equal(got[0], LAUNCHES);
    backend->release(stage->device, &a);
    backend->release(stage->device, &b);
    backend->unload(stage->device, module);
}

/* Two opened at once do not mix up their queues and modules. */
static void two_at_once(void **state) {
    const struct stage *stage = *state;
    struct stage other = *stage;
    struct tw_error error;
    must(stage->backend->open(&other.device, stage->info.index, &error), error);
    const struct stage *both[2] = {stage, &other};
    struct tw_module *modules[2];
    struct tw_memory a[2], b[2];
    for (int i = 0; i < 2; i++) {
        modules[i] = load_body(both[i], add_body, "add", add_block, 0);
        a[i] = allocate(both[i], BYTES);
        b[i] = allocate(both[i], BYTES);
        fill_with(both[i], &a[i], 0);
        fill_with(both[i], &b[i], 0);
    }
    for (int round = 0; round < 4; round++) {
        for (int i = 0; i < 2; i++) {
            const struct tw_value values[] = {memory_value(a[i]), memory_value(b[i]),
                                              number_value(TW_TYPE_i32, i + 1)};
            launch(both[i], &(struct tw_launch){.module = modules[i],
                                                .block = {64, 1, 1},
                                                .grid = {COUNT / 64, 1, 1},
                                                .shared = 0,
                                                .value_count = 3,
                                                .values = values});
        }
    }
    for (int i = 1; i >= 0; i--) {
        int32_t got[COUNT];
        read_back(both[i], &a[i], got);
        for (int j = 0; j < COUNT; j++)
            assert_int_equal(got[j], 40 * (i + 1)); /* 1 + 3 + 9 + 27 */
        stage->backend->release(both[i]->device, &a[i]);
        stage->backend->release(both[i]->device, &b[i]);
        stage->backend->unload(both[i]->device, modules[i]);
    }
    stage->backend->close(other.device);
}

/* ---- What does not work must fail in good order ---- */

static void compile_errors_name_the_line(void **state) {
    const struct stage *stage = *state;
    static const char body[] = "TW_KERNEL(broken)(TW_GLOBAL int *out) {\n"
                               "    int unused = 1;\n"
                               "    out[0] = undeclared_name;\n"
                               "}\n";
    struct tw_binary binary;
    struct tw_error error;
    assert_status(compile_body(stage, body, "broken", one, &binary, &error), TW_COMPILE);
    assert_non_null(binary.log.data);
    assert_says(binary.log.data, "undeclared_name");
    assert_null(binary.bytes);
    tw_binary_explain(&binary, &error);
    assert_status(error.status, TW_COMPILE);
    assert_says(error.message, "undeclared_name");
    const char *place = strstr(error.message, "planted.cu");
    if (place == NULL || strspn(place + 10, ":(") != 1 || atoi(place + 11) != 3) {
        fail_msg("not at planted.cu, line 3: %s", error.message);
    }
    tw_binary_free(&binary);

    assert_status(compile_body(stage, "#error \"too small\"\n", "broken", one, &binary, &error),
                  TW_COMPILE);
    tw_binary_explain(&binary, &error);
    assert_says(error.message, "too small");
    tw_binary_free(&binary);
    tw_binary_free(&binary);
}

static const char nothing_body[] = "TW_KERNEL(nothing)(TW_GLOBAL int *out) { out[0] = 1; }\n";

static void assert_still_works(const struct stage *stage) {
    struct tw_memory out = allocate(stage, 4);
    struct tw_module *module = load_body(stage, nothing_body, "nothing", one, 0);
    const struct tw_value value = memory_value(out);
    int32_t got = 0;
    launch(stage, &(struct tw_launch){.module = module,
                                      .block = {1, 1, 1},
                                      .grid = {1, 1, 1},
                                      .shared = 0,
                                      .value_count = 1,
                                      .values = &value});
    read_back(stage, &out, &got);
    assert_int_equal(got, 1);
    stage->backend->unload(stage->device, module);
    stage->backend->release(stage->device, &out);
}

static void unknown_functions(void **state) {
    const struct stage *stage = *state;
    static const char *const names[] = {"somethin", "nothing2", "", "NOTHING"};
    struct tw_binary binary;
    struct tw_error error;
    must(compile_body(stage, nothing_body, "nothing", one, &binary, &error), error);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct tw_module *module = (struct tw_module *)-1;
        assert_status(stage->backend->load(stage->device, binary.bytes, binary.size, names[i], 0,
                                           &module, &error),
                      TW_LAUNCH);
        assert_null(module);
        assert_true(error.message[0] != '\0');
    }
    stage->backend->unload(stage->device, NULL);
    tw_binary_free(&binary);
    assert_still_works(stage);
}

static void assert_no_binary(const struct stage *stage, const unsigned char *bytes, size_t size,
                             const char *what) {
    struct tw_module *module = (struct tw_module *)-1;
    struct tw_error error = {0};
    /* Of its very size, so that a sanitizer sees who reads on. */
    unsigned char *copy = malloc(size > 0 ? size : 1);
    memcpy(copy, bytes, size);
    tw_status status =
        stage->backend->load(stage->device, copy, size, "nothing", 0, &module, &error);
    if (status == TW_OK || module != NULL || error.message[0] == '\0') {
        fail_msg("%s loads: %s", what, tw_status_text(status));
    }
    free(copy);
}

static void garbage_is_no_binary(void **state) {
    const struct stage *stage = *state;
    unsigned char bytes[5000];
    uint32_t x = 1;
    for (size_t i = 0; i < sizeof bytes; i++) {
        x = x * 1664525 + 1013904223;
        bytes[i] = (unsigned char)(x >> 24);
    }
    assert_no_binary(stage, bytes, sizeof bytes, "noise");
    assert_no_binary(stage, bytes, 1, "a byte");
    assert_no_binary(stage, bytes, 0, "nothing at all");
    memset(bytes, 0, sizeof bytes);
    assert_no_binary(stage, bytes, sizeof bytes, "zeros");
    assert_still_works(stage);
}

/* Somewhere between compiling and launching, the device must say no. */
static void too_much_shared_memory(void **state) {
    const struct stage *stage = *state;
    char body[300];
    static const uint32_t block[3] = {32, 1, 1};
    uint32_t bytes = (uint32_t)stage->info.max_shared + 4096;
    snprintf(body, sizeof body,
             "TW_KERNEL(greedy)(TW_GLOBAL int *out) {\n"
             "    TW_SHARED(int, shared, %u);\n"
             "    for (int i = (int)threadIdx.x; i < %u; i += 32)\n"
             "        shared[i] = i;\n"
             "    __syncthreads();\n"
             "    out[threadIdx.x] = shared[%u - 1 - threadIdx.x];\n"
             "}\n",
             bytes / 4, bytes / 4, bytes / 4);
    struct tw_binary binary;
    struct tw_module *module = NULL;
    struct tw_error error = {0};
    struct tw_memory out = allocate(stage, 128);
    const struct tw_value value = memory_value(out);
    tw_status status = compile_body(stage, body, "greedy", block, &binary, &error);
    if (status == TW_OK)
        status = stage->backend->load(stage->device, binary.bytes, binary.size, "greedy", bytes,
                                      &module, &error);
    if (status == TW_OK)
        status = stage->backend->launch(stage->device,
                                        &(struct tw_launch){.module = module,
                                                            .block = {32, 1, 1},
                                                            .grid = {1, 1, 1},
                                                            .shared = bytes,
                                                            .value_count = 1,
                                                            .values = &value},
                                        &error);
    if (status == TW_OK)
        status = stage->backend->synchronize(stage->device, &error);
    assert_status(status, TW_RESOURCE);
    assert_true(error.message[0] != '\0');
    stage->backend->unload(stage->device, module);
    stage->backend->release(stage->device, &out);
    tw_binary_free(&binary);
    assert_still_works(stage);
}

/* What a kernel takes; on a GPU the driver agrees with what follows from that. */
static void resources(void **state) {
    const struct stage *stage = *state;
    static const uint32_t block[3] = {64, 1, 1};
    enum { BYTES_SHARED = 4096 };
    static const char body[] = "TW_KERNEL(turn)(TW_GLOBAL int *out) {\n"
                               "    TW_SHARED(int, shared, 1024);\n"
                               "    shared[threadIdx.x] = out[threadIdx.x];\n"
                               "    __syncthreads();\n"
                               "    out[threadIdx.x] = shared[63 - threadIdx.x];\n"
                               "}\n";
    struct tw_module *module = load_body(stage, body, "turn", block, BYTES_SHARED);
    struct tw_kernel_resources r = {0};
    struct tw_error error;
    must(stage->backend->resources(stage->device, module, 64, BYTES_SHARED, &r, &error), error);
    assert_in_range(r.max_threads, 64, stage->info.max_threads);
    assert_in_range(r.local_bytes, 0, 1 << 16);
    if (strcmp(stage->info.backend, "cuda") != 0) {
        assert_int_equal(r.static_shared, BYTES_SHARED);
        assert_int_equal(r.registers, 0);
        assert_int_equal(r.active_blocks, -1);
    } else {
        static const uint32_t shared[] = {BYTES_SHARED, 20000, 40000};
        assert_int_equal(r.static_shared, 0);
        assert_in_range(r.registers, 1, 255);
        for (int i = 0; i < 3; i++) {
            const struct tw_geometry geometry = {
                .block = {64, 1, 1}, .grid = {1, 1, 1}, .shared = shared[i], .min_blocks = 1};
            struct occupancy told, worked_out;
            must(stage->backend->resources(stage->device, module, 64, shared[i], &r, &error),
                 error);
            occupancy_of(&stage->info, &geometry, &r, &told);
            assert_true(told.is_told);
            r.active_blocks = -1;
            occupancy_of(&stage->info, &geometry, &r, &worked_out);
            assert_int_equal(worked_out.blocks, told.blocks);
        }
    }
    stage->backend->unload(stage->device, module);
}

int main(int count, char **arguments) {
    struct CMUnitTest tests[] = {
        STAGE_TEST(passes_every_type),
        STAGE_TEST(three_dimensions),
        STAGE_TEST(shared_memory),
        STAGE_TEST(started),
        STAGE_TEST(in_order),
        STAGE_TEST(times),
        STAGE_TEST(graphs),
        STAGE_TEST(two_at_once),
        STAGE_TEST(compile_errors_name_the_line),
        STAGE_TEST(unknown_functions),
        STAGE_TEST(garbage_is_no_binary),
        STAGE_TEST(too_much_shared_memory),
        STAGE_TEST(resources),
    };
    return run_on_backends(count, arguments, tests, sizeof tests / sizeof *tests);
}

/* What every backend promises. With an argument, only the backend of that name is tested. */
#include "tests/support/kernels.h"

static const uint32_t one[3] = {1, 1, 1};

/* ---- Devices ---- */

static void describes_sane_limits(void **state) {
    const struct stage *stage = *state;
    struct tw_device_info info;
    struct tw_error error;
    char id[40];
    int count = 0;
    must(stage->backend->count(&count, &error), error);
    assert_true(count >= 1);
    for (int i = 0; i < count; i++) {
        must(stage->backend->describe(i, &info, &error), error);
        snprintf(id, sizeof id, "%s:%d", stage->backend->name, i);
        assert_string_equal(info.id, id);
        assert_string_equal(info.backend, stage->backend->name);
        assert_int_equal(info.index, i);
        assert_true(info.name[0] != '\0' && info.driver[0] != '\0' && info.compiler[0] != '\0');
        assert_in_range(info.compute_units, 1, 100000);
        assert_in_range(info.warp, 1, 128);
        assert_in_range(info.max_threads, 64, 1 << 20);
        for (int d = 0; d < 3; d++) {
            assert_in_range(info.max_block[d], 1, INT32_MAX);
            assert_in_range(info.max_grid[d], 65535, INT32_MAX);
        }
        assert_in_range(info.max_shared, 16 << 10, INT32_MAX);
        assert_in_range(info.cache_bytes, 0, (int64_t)1 << 40);
        assert_in_range(info.memory_bytes, 64 << 20, (int64_t)1 << 50);
    }
    memset(&info, 0, sizeof info);
    assert_int_not_equal(stage->backend->describe(count, &info, &error), TW_OK);
    assert_int_not_equal(stage->backend->describe(-1, &info, &error), TW_OK);
}

static void opens_and_closes(void **state) {
    const struct stage *stage = *state;
    struct tw_device *device = (struct tw_device *)-1;
    struct tw_error error;
    for (int i = 0; i < 3; i++) {
        must(stage->backend->open(&device, stage->info.index, &error), error);
        assert_non_null(device);
        stage->backend->close(device);
    }
    stage->backend->close(NULL);
    assert_int_not_equal(stage->backend->open(&device, 4096, &error), TW_OK);
    assert_null(device);
    assert_int_not_equal(stage->backend->open(&device, -1, &error), TW_OK);
    assert_null(device);
}

static void tells_of_memory_and_conditions(void **state) {
    const struct stage *stage = *state;
    uint64_t available = 0, total = 0;
    struct tw_error error;
    must(stage->backend->memory(stage->device, &available, &total, &error), error);
    assert_true(total > 0 && available > 0 && available <= total);
    struct tw_text text = {0};
    stage->backend->conditions(stage->device, &text);
    cJSON *json = cJSON_Parse(text.data);
    assert_true(cJSON_IsObject(json));
    cJSON_Delete(json);
    tw_text_free(&text);
}

/* ---- Memory ---- */

enum { BIG = 3 * 256 + 77 };

static void fills_writes_reads_copies(void **state) {
    const struct stage *stage = *state;
    struct tw_error error;
    static const uint64_t sizes[] = {1, 3, 16, 255, 256, 257, 4096, 1048579};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        size_t size = (size_t)sizes[s];
        unsigned char *there = malloc(size), *back = malloc(size);
        struct tw_memory a = allocate(stage, size), b = allocate(stage, size);
        for (size_t i = 0; i < size; i++)
            there[i] = (unsigned char)(i * 31 + i / 256);
        must(stage->backend->write(stage->device, &a, there, &error), error);
        fill_with(stage, &b, 0xC3);
        read_back(stage, &b, back);
        for (size_t i = 0; i < size; i++)
            assert_int_equal(back[i], 0xC3);
        must(stage->backend->copy(stage->device, &b, &a, &error), error);
        fill_with(stage, &a, 0); /* in order: after the copy */
        read_back(stage, &b, back);
        assert_memory_equal(back, there, size);
        stage->backend->release(stage->device, &a);
        stage->backend->release(stage->device, &b);
        assert_true(a.address == 0 && a.bytes == 0);
        stage->backend->release(stage->device, &a); /* nothing any more */
        free(there);
        free(back);
    }
}

/* A part is that part and no byte more, wherever it lies. */
static void parts(void **state) {
    const struct stage *stage = *state;
    struct tw_error error;
    static const uint64_t places[][2] = {{0, 256}, {256, 256}, {256, 1},  {512, 333},      {0, 7},
                                         {16, 32}, {5, 48},    {33, 100}, {300, BIG - 300}};
    struct tw_memory whole = allocate(stage, BIG), other = allocate(stage, BIG);
    for (size_t p = 0; p < sizeof places / sizeof *places; p++) {
        uint64_t offset = places[p][0], bytes = places[p][1];
        unsigned char expected[BIG], back[BIG], pattern[BIG];
        struct tw_memory part = tw_memory_part(&whole, offset, bytes);
        struct tw_memory elsewhere = tw_memory_part(&other, BIG - bytes, bytes);
        assert_int_equal(part.bytes, bytes);
        memset(expected, 0x11, BIG);
        fill_with(stage, &whole, 0x11);
        fill_with(stage, &part, 0x22);
        memset(expected + offset, 0x22, bytes);
        read_back(stage, &whole, back);
        assert_memory_equal(back, expected, BIG);

        for (uint64_t i = 0; i < bytes; i++)
            pattern[i] = (unsigned char)(i + 3);
        must(stage->backend->write(stage->device, &part, pattern, &error), error);
        memcpy(expected + offset, pattern, bytes);
        read_back(stage, &whole, back);
        assert_memory_equal(back, expected, BIG);
        memset(back, 0, BIG);
        read_back(stage, &part, back);
        assert_memory_equal(back, pattern, bytes);

        fill_with(stage, &other, 0x33);
        must(stage->backend->copy(stage->device, &elsewhere, &part, &error), error);
        memset(expected, 0x33, BIG);
        memcpy(expected + BIG - bytes, pattern, bytes);
        read_back(stage, &other, back);
        assert_memory_equal(back, expected, BIG);
    }
    struct tw_memory outer = tw_memory_part(&whole, 256, 512);
    struct tw_memory inner = tw_memory_part(&outer, 256, 10);
    assert_int_equal(inner.offset, 512); /* parts of parts add up */
    stage->backend->release(stage->device, &whole);
    stage->backend->release(stage->device, &other);
}

static void too_large_allocations(void **state) {
    const struct stage *stage = *state;
    struct tw_error error;
    uint64_t available, total;
    must(stage->backend->memory(stage->device, &available, &total, &error), error);
    const uint64_t sizes[] = {total * 4, (uint64_t)1 << 46, UINT64_MAX / 2, UINT64_MAX};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct tw_memory memory = {.address = 1, .offset = 2, .bytes = 3};
        assert_refuses(stage->backend->allocate(stage->device, sizes[i], &memory, &error),
                       TW_NO_MEMORY, error, " MB");
        assert_true(memory.address == 0 && memory.bytes == 0);
    }
    struct tw_memory memory = allocate(stage, 1 << 20); /* and then goes on */
    stage->backend->release(stage->device, &memory);
}

static void memory_is_aligned(void **state) {
    const struct stage *stage = *state;
    static const char body[] =
        "TW_KERNEL(where)(TW_GLOBAL char *a, TW_GLOBAL char *b, TW_GLOBAL tw_u64 *out) {\n"
        "    out[0] = (tw_u64)a % 128;\n"
        "    out[1] = (tw_u64)b % 128;\n"
        "    out[2] = (tw_u64)(b - a);\n"
        "}\n";
    struct tw_module *module = load_body(stage, body, "where", one, 0);
    struct tw_memory out = allocate(stage, 24);
    for (uint64_t size = 1; size < 5000; size += 617) {
        struct tw_memory memory = allocate(stage, size + 512);
        const struct tw_value values[] = {memory_value(memory),
                                          memory_value(tw_memory_part(&memory, 512, size)),
                                          memory_value(out)};
        launch(stage, &(struct tw_launch){module, {1, 1, 1}, {1, 1, 1}, 0, 3, values});
        uint64_t places[3];
        read_back(stage, &out, places);
        assert_int_equal(places[0], 0);
        assert_int_equal(places[1], 0);
        assert_int_equal(places[2], 512);
        stage->backend->release(stage->device, &memory);
    }
    stage->backend->release(stage->device, &out);
    stage->backend->unload(stage->device, module);
}

/* ---- Launches ---- */

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
        launch(stage, &(struct tw_launch){module, {1, 1, 1}, {1, 1, 1}, 0, 11, values});
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
    launch(stage, &(struct tw_launch){module, {4, 3, 2}, {5, 4, 3}, 0, 1, &value});
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
    launch(stage, &(struct tw_launch){module, {64, 1, 1}, {3, 1, 1}, bytes, 1, &value});
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
        launch(stage, &(struct tw_launch){module, {64, 1, 1}, {COUNT / 64, 1, 1}, 0, 3, forth});
        expected_a = expected_a * 3 + expected_b + round;
        launch(stage, &(struct tw_launch){module, {64, 1, 1}, {COUNT / 64, 1, 1}, 0, 3, back});
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
        launches[i] = (struct tw_launch){module, {64, 1, 1}, {COUNT / 64, 1, 1}, 0, 3, values[i]};
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
            launch(both[i],
                   &(struct tw_launch){modules[i], {64, 1, 1}, {COUNT / 64, 1, 1}, 0, 3, values});
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
    launch(stage, &(struct tw_launch){module, {1, 1, 1}, {1, 1, 1}, 0, 1, &value});
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
        status = stage->backend->launch(
            stage->device, &(struct tw_launch){module, {32, 1, 1}, {1, 1, 1}, bytes, 1, &value},
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

/* ---- */

static int open_stage(void **state) {
    const struct tw_backend *backend = *state;
    struct stage *stage = calloc(1, sizeof *stage);
    struct tw_error error;
    if (stage == NULL)
        return -1;
    stage->backend = backend;
    must(backend->describe(0, &stage->info, &error), error);
    must(backend->open(&stage->device, 0, &error), error);
    *state = stage;
    return 0;
}

static int close_stage(void **state) {
    struct stage *stage = *state;
    stage->backend->close(stage->device);
    free(stage);
    return 0;
}

static int test_backend(const struct tw_backend *backend) {
    void *state = (void *)backend;
#define STAGE_TEST(function)                                                                       \
    cmocka_unit_test_prestate_setup_teardown(function, open_stage, close_stage, state)
    const struct CMUnitTest tests[] = {
        STAGE_TEST(describes_sane_limits),
        STAGE_TEST(opens_and_closes),
        STAGE_TEST(tells_of_memory_and_conditions),
        STAGE_TEST(fills_writes_reads_copies),
        STAGE_TEST(parts),
        STAGE_TEST(too_large_allocations),
        STAGE_TEST(memory_is_aligned),
        STAGE_TEST(passes_every_type),
        STAGE_TEST(three_dimensions),
        STAGE_TEST(shared_memory),
        STAGE_TEST(in_order),
        STAGE_TEST(times),
        STAGE_TEST(two_at_once),
        STAGE_TEST(compile_errors_name_the_line),
        STAGE_TEST(unknown_functions),
        STAGE_TEST(garbage_is_no_binary),
        STAGE_TEST(too_much_shared_memory),
    };
    return cmocka_run_group_tests_name(backend->name, tests, NULL, NULL);
}

int main(int count, char **arguments) {
    int failed = 0;
    for (int i = 0; tw_backends()[i] != NULL; i++) {
        const struct tw_backend *backend = tw_backends()[i];
        struct tw_device_info info;
        if (count > 1 && strcmp(arguments[1], backend->name) != 0)
            continue;
        if (first_device(backend->name, &info))
            failed += test_backend(backend);
        else
            print_message("[  SKIPPED ] %s\n", backend->name);
    }
    return failed;
}

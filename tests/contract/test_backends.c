/* What every backend promises of devices and memory. With an argument, only the backend of that
 * name is tested. */
#include "tests/support/stages.h"

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
    if (stage->backend->health == NULL)
        return;
    struct tw_device_health health;
    memset(&health, 0x55, sizeof health);
    stage->backend->health(stage->device, &health);
    if (health.unknown[0] != '\0') {
        print_message("%s\n", health.unknown);
        assert_true(health.clock_mhz == -1 && health.persistence == -1 && health.mode == -1);
        return;
    }
    assert_true(health.clock_mhz > 0 && health.clock_max_mhz >= health.clock_mhz);
    assert_in_range(health.persistence + 1, 0, 2);
    assert_in_range(health.mode + 1, 0, 3);
    assert_in_range(health.other_processes + 1, 0, 10000);
    assert_in_range(strlen(health.slowed_by), 0, sizeof health.slowed_by - 1);
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
        launch(stage, &(struct tw_launch){.module = module,
                                          .block = {1, 1, 1},
                                          .grid = {1, 1, 1},
                                          .shared = 0,
                                          .value_count = 3,
                                          .values = values});
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

/* A binary to keep and one that is loaded here and thrown away do the same. On PoCL the latter is
 * the source: machine code for any work-group size would be made in vain. */
static void kept_and_passing(void **state) {
    const struct stage *stage = *state;
    static const char body[] = "TW_KERNEL(answer)(TW_GLOBAL int *out, int n) {\n"
                               "    out[0] = 6 * n; /* the answer */\n"
                               "}\n";
    bool is_pocl = strstr(stage->info.architecture, "PoCL") != NULL;
    for (int passing = 0; passing < 2; passing++) {
        struct tw_binary binary;
        struct tw_module *module;
        struct tw_error error;
        int32_t got = 0;
        must(compile_for(stage, body, "answer", one, passing, &binary, &error), error);
        bool is_source =
            memmem(binary.bytes, binary.size, "/* the answer */", strlen("/* the answer */"));
        assert_int_equal(is_source, passing && is_pocl);
        must(stage->backend->load(stage->device, binary.bytes, binary.size, "answer", 0, &module,
                                  &error),
             error);
        tw_binary_free(&binary);
        struct tw_memory out = allocate(stage, sizeof got);
        const struct tw_value values[] = {memory_value(out), number_value(TW_TYPE_i32, 7)};
        launch(stage, &(struct tw_launch){.module = module,
                                          .block = {1, 1, 1},
                                          .grid = {1, 1, 1},
                                          .value_count = 2,
                                          .values = values});
        read_back(stage, &out, &got);
        assert_int_equal(got, 42);
        stage->backend->release(stage->device, &out);
        stage->backend->unload(stage->device, module);
    }
}

int main(int count, char **arguments) {
    struct CMUnitTest tests[] = {
        STAGE_TEST(describes_sane_limits),
        STAGE_TEST(opens_and_closes),
        STAGE_TEST(tells_of_memory_and_conditions),
        STAGE_TEST(fills_writes_reads_copies),
        STAGE_TEST(parts),
        STAGE_TEST(too_large_allocations),
        STAGE_TEST(memory_is_aligned),
        STAGE_TEST(kept_and_passing),
    };
    return run_on_backends(count, arguments, tests, sizeof tests / sizeof *tests);
}

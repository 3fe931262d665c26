/* Block, grid and shared memory of a launch. */
#include "runtime/variant/geometry.h"

#include "tests/support/scale.h"

/* The geometry of the example's launch, on a 1000x500 problem with BLOCK_X 64, after one change. */
static tw_status geometry_with(const char *from, const char *to,
                               const struct tw_device_info *device, struct tw_geometry *geometry,
                               struct tw_error *error) {
    char *text = replaced(scale_text, from, to);
    struct tw_description *d = read_description(text, NULL);
    struct tw_problem problem = parse_problem(d, "1000x500");
    struct tw_configuration c = {0};
    int64_t values[TW_MAX_SYMBOLS];
    memcpy(c.values, d->implementations[0].presets[0].values, sizeof c.values);
    bind_problem(&problem, device, values);
    must(tw_configuration_bind(d, &c, values, error), *error);
    tw_status status =
        tw_geometry_of(&d->implementations[0].launches[0], values, device, geometry, error);
    tw_status fits = tw_implementation_fits(&d->implementations[0], values, device, NULL);
    assert_status(fits, status);
    tw_description_free(d);
    free(text);
    return status;
}

#define BLOCK "\"block\": [\"BLOCK_X\"]"
#define GRID "\"grid\": [\"ceil_div(N, BLOCK_X)\", \"M\"]"

static void sizes(void **state) {
    (void)state;
    struct tw_geometry g;
    struct tw_error error;
    must(geometry_with("", "", &paper_gpu, &g, &error), error);
    assert_int_equal(g.block[0], 64);
    assert_int_equal(g.block[1], 1);
    assert_int_equal(g.block[2], 1);
    assert_int_equal(g.grid[0], 8);
    assert_int_equal(g.grid[1], 1000);
    assert_int_equal(g.grid[2], 1);
    assert_int_equal(g.shared, 0);
    assert_int_equal(g.min_blocks, 1);
    must(geometry_with("\"shared\": \"0\", \"min_blocks\": \"1\"",
                       "\"shared\": \"4*BLOCK_X\", \"min_blocks\": \"BLOCK_X/32\"", &paper_gpu, &g,
                       &error),
         error);
    assert_int_equal(g.shared, 256);
    assert_int_equal(g.min_blocks, 2);
    assert_false(g.early);
    must(geometry_with("\"min_blocks\": \"1\"", "\"min_blocks\": \"1\", \"early\": \"BLOCK_X/32\"",
                       &paper_gpu, &g, &error),
         error);
    assert_true(g.early);
    must(geometry_with("\"shared\": \"0\", \"min_blocks\": \"1\",", "", &paper_gpu, &g, &error),
         error);
    assert_int_equal(g.shared, 0);
    assert_int_equal(g.min_blocks, 1);
    must(geometry_with(BLOCK, "\"block\": [\"2\", \"3\", \"4\"]", &paper_gpu, &g, &error), error);
    assert_int_equal(g.block[1], 3);
    assert_int_equal(g.block[2], 4);
}

/* The very limit is fine, one more is not. */
static void limits(void **state) {
    (void)state;
    static const struct {
        const char *from, *fits, *exceeds, *says;
    } cases[] = {
        {BLOCK, "\"block\": [\"1024\"]", "\"block\": [\"1025\"]",
         "block x is 1025; the device allows 1024"},
        {BLOCK, "\"block\": [\"1\", \"1024\"]", "\"block\": [\"1\", \"1025\"]", "block y is 1025"},
        {BLOCK, "\"block\": [\"1\", \"1\", \"64\"]", "\"block\": [\"1\", \"1\", \"65\"]",
         "block z is 65; the device allows 64"},
        {BLOCK, "\"block\": [\"32\", \"32\"]", "\"block\": [\"32\", \"33\"]",
         "a block has 1056 threads; the device allows 1024"},
        {BLOCK, "\"block\": [\"4\", \"4\", \"64\"]", "\"block\": [\"1024\", \"1024\", \"64\"]",
         "threads; the device allows 1024"},
        {GRID, "\"grid\": [\"2147483647\"]", "\"grid\": [\"2147483648\"]", "grid x is 2147483648"},
        {GRID, "\"grid\": [\"1\", \"65535\"]", "\"grid\": [\"1\", \"65536\"]",
         "grid y is 65536; the device allows 65535"},
        {GRID, "\"grid\": [\"1\", \"1\", \"65535\"]", "\"grid\": [\"1\", \"1\", \"65536\"]",
         "grid z is 65536"},
        {"\"shared\": \"0\"", "\"shared\": \"MAX_SHARED\"", "\"shared\": \"MAX_SHARED + 1\"",
         "shared memory is 232449; the device allows 232448"},
        {"\"shared\": \"0\"", "\"shared\": \"0\"", "\"shared\": \"4294967296\"",
         "shared memory is 4294967296"},
        {"\"min_blocks\": \"1\"", "\"min_blocks\": \"32\"", "\"min_blocks\": \"65\"",
         "min_blocks is 65"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tw_geometry g;
        struct tw_error error;
        must(geometry_with(cases[i].from, cases[i].fits, &paper_gpu, &g, &error), error);
        assert_refuses(geometry_with(cases[i].from, cases[i].exceeds, &paper_gpu, &g, &error),
                       TW_RESOURCE, error, cases[i].says);
    }
}

static void no_sizes(void **state) {
    (void)state;
    static const struct {
        const char *from, *to, *says;
    } cases[] = {
        {BLOCK, "\"block\": [\"BLOCK_X - 64\"]", "block x, \"BLOCK_X - 64\", is 0"},
        {BLOCK, "\"block\": [\"64\", \"0 - 1\"]", "block y, \"0 - 1\", is -1"},
        {GRID, "\"grid\": [\"N / 501\"]", "grid x, \"N / 501\", is 0"},
        {GRID, "\"grid\": [\"1\", \"M / (N - 500)\"]",
         "grid y, \"M / (N - 500)\", divides by zero"},
        {GRID, "\"grid\": [\"9223372036854775807 + M\"]", "overflows 64 bits"},
        {"\"shared\": \"0\"", "\"shared\": \"0 - 1\"", "shared memory, \"0 - 1\", is -1"},
        {"\"min_blocks\": \"1\"", "\"min_blocks\": \"0\"", "min_blocks, \"0\", is 0"},
        {"\"min_blocks\": \"1\"", "\"min_blocks\": \"1\", \"early\": \"0 - 1\"",
         "early, \"0 - 1\", is -1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tw_geometry g;
        struct tw_error error;
        assert_refuses(geometry_with(cases[i].from, cases[i].to, &paper_gpu, &g, &error),
                       TW_INVALID, error, cases[i].says);
    }
}

static void requirements(void **state) {
    (void)state;
    static const char all[] = "\"backends\": [\"cuda\", \"opencl\"], \"min_arch\": 0";
    static const struct {
        const char *requirements;
        bool on_cuda, on_opencl;
        const char *says;
    } cases[] = {
        {"\"backends\": [\"cuda\", \"opencl\"]", true, true, NULL},
        {"\"backends\": [\"cuda\"]", true, false, "direct does not run on opencl"},
        {"\"backends\": [\"opencl\"]", false, true, "direct does not run on cuda"},
        {"\"backends\": []", false, false, "direct does not run on "},
        {"\"min_arch\": 90", true, true, NULL},
        {"\"min_arch\": 100", false, true, "direct needs sm_100; the device is sm_90"},
    };
    struct tw_device_info opencl = paper_gpu;
    strcpy(opencl.backend, "opencl");
    opencl.arch = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = replaced(scale_text, all, cases[i].requirements);
        struct tw_description *d = read_description(text, NULL);
        struct tw_problem problem = parse_problem(d, "10x10");
        struct tw_configuration c = {.values = {64, 0, 1}};
        int64_t values[TW_MAX_SYMBOLS];
        struct tw_error error = {0};
        bind_problem(&problem, &paper_gpu, values);
        must(tw_configuration_bind(d, &c, values, &error), error);
        assert_status(tw_implementation_fits(d->implementations, values, &opencl, &error),
                      cases[i].on_opencl ? TW_OK : TW_RESOURCE);
        assert_status(tw_implementation_fits(d->implementations, values, &paper_gpu, &error),
                      cases[i].on_cuda ? TW_OK : TW_RESOURCE);
        if (cases[i].says != NULL)
            assert_says(error.message, cases[i].says);
        tw_description_free(d);
        free(text);
    }
}

/* Every launch counts, not only the first. */
static void all_launches(void **state) {
    (void)state;
    static const char second[] =
        "\"launches\": [ { \"templates\": [\"scale/direct.cu\"], \"function\": \"before\", "
        "\"block\": [\"1\"], \"grid\": [\"1\"], \"pass\": [\"B\"] },";
    char *two = replaced(scale_text, "\"launches\": [", second);
    for (int i = 0; i < 2; i++) {
        char *text = replaced(two, "\"shared\": \"0\"",
                              i == 0 ? "\"shared\": \"8\"" : "\"shared\": \"MAX_SHARED*2\"");
        struct tw_description *d = read_description(text, NULL);
        struct tw_problem problem = parse_problem(d, "10x10");
        struct tw_configuration c = {.values = {64, 0, 1}};
        int64_t values[TW_MAX_SYMBOLS];
        struct tw_error error;
        bind_problem(&problem, &paper_gpu, values);
        must(tw_configuration_bind(d, &c, values, &error), error);
        assert_status(tw_implementation_fits(d->implementations, values, &paper_gpu, &error),
                      i == 0 ? TW_OK : TW_RESOURCE);
        tw_description_free(d);
        free(text);
    }
    free(two);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes),        cmocka_unit_test(limits),       cmocka_unit_test(no_sizes),
        cmocka_unit_test(requirements), cmocka_unit_test(all_launches),
    };
    return cmocka_run_group_tests_name("geometry", tests, NULL, NULL);
}

/* Tensor maps, clusters and what else a launch on Hopper has: read, worked out, refused. */
#include "runtime/variant/tensor_map.h"

#include "runtime/variant/geometry.h"
#include "tests/support/problems.h"
#include "tests/support/scale.h"

#define SHARED "\"shared\": \"0\", \"min_blocks\": \"1\","
#define MAPS(map) SHARED " \"tensor_maps\": { \"MAP\": { " map " } },"
#define GOOD                                                                                       \
    "\"buffer\": \"A\", \"dims\": [\"N\", \"M\"], \"strides\": [\"lda\"], "                        \
    "\"box\": [\"32\", \"BLOCK_X\"], \"swizzle\": \"128\""

/* The maps of the example's launch on a 1000x500 problem with BLOCK_X 64. */
static tw_status maps_with(const char *map, struct tw_tensor *tensor, struct tw_error *error) {
    char *text = replaced(scale_text, SHARED, map);
    struct tw_description *d = read_description(text, NULL);
    struct tw_problem problem = parse_problem(d, "1000x500");
    struct tw_configuration c = {0};
    int64_t values[TW_MAX_SYMBOLS];
    memcpy(c.values, d->implementations[0].presets[0].values, sizeof c.values);
    bind_problem(&problem, &paper_gpu, values);
    must(tw_configuration_bind(d, &c, values, error), *error);
    struct tw_tensor tensors[TW_MAX_TENSOR_MAPS];
    const struct tw_launch_description *launch = &d->implementations[0].launches[0];
    assert_int_equal(launch->tensor_map_count, 1);
    tw_status status = tw_tensor_maps_of(&problem, launch, values, tensors, error);
    *tensor = tensors[0];
    tw_description_free(d);
    free(text);
    return status;
}

static void worked_out(void **state) {
    (void)state;
    struct tw_tensor tensor;
    struct tw_error error;
    must(maps_with(MAPS(GOOD), &tensor, &error), error);
    assert_int_equal(tensor.type, TW_TENSOR_f32);
    assert_int_equal(tensor.rank, 2);
    assert_int_equal(tensor.dims[0], 500);
    assert_int_equal(tensor.dims[1], 1000);
    assert_int_equal(tensor.strides[0], 2000);
    assert_int_equal(tensor.box[0], 32);
    assert_int_equal(tensor.box[1], 64);
    assert_int_equal(tensor.swizzle, 128);
    assert_int_equal(tensor.offset, 0);
    must(maps_with(MAPS("\"buffer\": \"A\", \"type\": \"tf32\", \"dims\": [\"M*N\"], "
                        "\"strides\": [], \"box\": [\"256\"], \"offset\": \"64\""),
                   &tensor, &error),
         error);
    assert_int_equal(tensor.type, TW_TENSOR_tf32);
    assert_int_equal(tensor.rank, 1);
    assert_int_equal(tensor.swizzle, 0);
    assert_int_equal(tensor.offset, 64);
}

/* One layer is no dimension, several are one more. */
static void of_layers(void **state) {
    (void)state;
    struct tw_tensor tensor;
    struct tw_error error;
    must(maps_with(MAPS(GOOD ", \"layers\": \"M/1000\", \"layer_stride\": \"M*lda\""), &tensor,
                   &error),
         error);
    assert_int_equal(tensor.rank, 2);
    must(maps_with(MAPS(GOOD ", \"layers\": \"M/200\", \"layer_stride\": \"200*lda\""), &tensor,
                   &error),
         error);
    assert_int_equal(tensor.rank, 3);
    assert_int_equal(tensor.dims[2], 5);
    assert_int_equal(tensor.strides[1], 400000);
    assert_int_equal(tensor.box[2], 1);
    assert_refuses(
        maps_with(MAPS(GOOD ", \"layers\": \"2\", \"layer_stride\": \"lda + 1\""), &tensor, &error),
        TW_RESOURCE, error, "a stride, \"lda + 1\", is 2004 bytes, no multiple of 16");
}

#define IMAGES                                                                                     \
    "\"buffer\": \"A\", \"dims\": [\"8\", \"M/10\", \"5\", \"N/20\"], "                            \
    "\"strides\": [\"8\", \"M\", \"8*M\"], \"box\": [\"8\", \"BLOCK_X*16\"]"
#define WINDOW(lower, steps)                                                                       \
    ", \"im2col\": { \"lower\": " lower ", \"upper\": [\"1 - 2*3\", \"-1\"], "                     \
    "\"steps\": " steps " }"

/* In im2col mode a box is channels and pixels, which lie in a window of every image. */
static void of_windows(void **state) {
    (void)state;
    struct tw_tensor tensor;
    struct tw_error error;
    must(maps_with(MAPS(IMAGES WINDOW("[\"0 - 1\", \"-2\"]", "[\"2\", \"BLOCK_X/64\"]")), &tensor,
                   &error),
         error);
    assert_int_equal(tensor.im2col, 1);
    assert_int_equal(tensor.rank, 4);
    assert_int_equal(tensor.dims[1], 100);
    assert_int_equal(tensor.box[1], 1024);
    assert_int_equal(tensor.lower[0], -1);
    assert_int_equal(tensor.lower[1], -2);
    assert_int_equal(tensor.upper[0], -5);
    assert_int_equal(tensor.upper[1], -1);
    assert_int_equal(tensor.steps[0], 2);
    assert_int_equal(tensor.steps[1], 1);
    assert_refuses(
        maps_with(MAPS(IMAGES WINDOW("[\"0 - 129\", \"-2\"]", "[\"2\", \"1\"]")), &tensor, &error),
        TW_RESOURCE, error, "a window's lower corner, \"0 - 129\", is -129; it may be -128 to 127");
    assert_refuses(
        maps_with(MAPS(IMAGES WINDOW("[\"-1\", \"-2\"]", "[\"9\", \"1\"]")), &tensor, &error),
        TW_RESOURCE, error, "a window's step, \"9\", is 9; it may be 1 to 8");
    must(maps_with(MAPS(GOOD), &tensor, &error), error);
    assert_int_equal(tensor.im2col, 0);
}

/* What the copy engine cannot do screens a configuration out, with the reason. */
static void impossible(void **state) {
    (void)state;
    static const struct {
        const char *map, *reason;
    } cases[] = {
        {"\"dims\": [\"N\", \"M\"], \"strides\": [\"N + 1\"], \"box\": [\"32\", \"8\"]",
         "is 2004 bytes, no multiple of 16"},
        {"\"dims\": [\"N\", \"M\"], \"strides\": [\"lda\"], \"box\": [\"32\", \"257\"]",
         "a box, \"257\", is 257; it may be 1 to 256"},
        {"\"dims\": [\"N\"], \"strides\": [], \"box\": [\"64\"], \"swizzle\": \"128\"",
         "more than the swizzle's 128"},
        {"\"dims\": [\"N\"], \"strides\": [], \"box\": [\"3\"]",
         "have 12 bytes, no multiple of 16"},
        {"\"dims\": [\"N\"], \"strides\": [], \"box\": [\"4\"], \"swizzle\": \"16\"",
         "the swizzle is 16; there are 0, 32, 64 and 128"},
        {"\"dims\": [\"N/(M - 1000)\"], \"strides\": [], \"box\": [\"4\"]", "a dimension"},
        {"\"dims\": [\"N - 500\"], \"strides\": [], \"box\": [\"4\"]", "is 0; it may be 1 to"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tw_tensor tensor;
        struct tw_error error = {0};
        char map[400];
        snprintf(map, sizeof map, MAPS("\"buffer\": \"A\", %s"), cases[i].map);
        assert_true(maps_with(map, &tensor, &error) != TW_OK);
        if (strstr(error.message, cases[i].reason) == NULL)
            fail_msg("expected \"%s\" in \"%s\"", cases[i].reason, error.message);
    }
}

static void refused_when_read(void **state) {
    (void)state;
    static const struct {
        const char *map, *reason;
    } cases[] = {
        {"\"buffer\": \"lda\", \"dims\": [\"N\"], \"strides\": [], \"box\": [\"4\"]",
         "\"lda\" is no buffer"},
        {"\"buffer\": \"workspace\", \"dims\": [\"N\"], \"strides\": [], \"box\": [\"4\"]",
         "a tensor map of the workspace needs a type"},
        {"\"buffer\": \"A\", \"type\": \"f8\", \"dims\": [\"N\"], \"strides\": [], \"box\": "
         "[\"4\"]",
         "\"f8\" is no type of a tensor's elements"},
        {"\"buffer\": \"A\", \"dims\": [\"N\", \"M\"], \"strides\": [], \"box\": [\"4\", \"4\"]",
         "needs a stride for every dimension but the first"},
        {"\"buffer\": \"A\", \"dims\": [\"N\"], \"strides\": [], \"box\": [\"4\", \"4\"]",
         "needs a size for every dimension"},
        {IMAGES WINDOW("[\"1\"]", "[\"1\", \"1\"]"),
         "needs a number for every dimension but the first and the last"},
        {IMAGES ", \"im2col\": { \"lower\": [\"1\", \"1\"], \"upper\": [\"1\", \"1\"] }", "steps"},
        {GOOD ", \"im2col\": { \"lower\": [], \"upper\": [], \"steps\": [] }",
         "needs at least three dimensions"},
        {"\"buffer\": \"A\", \"dims\": [\"N\", \"1\", \"M\"], \"strides\": [\"N\", \"N\"], "
         "\"box\": [\"4\", \"4\", \"4\"], \"im2col\": { \"lower\": [\"0\"], \"upper\": [\"0\"], "
         "\"steps\": [\"1\"] }",
         "needs channels and pixels in im2col mode"},
        {"\"buffer\": \"A\", \"dims\": [], \"strides\": [], \"box\": []",
         "needs at least one dimension"},
        {"\"buffer\": \"A\", \"dims\": [\"N\"], \"strides\": [], \"box\": [\"4\"], \"boxes\": 1",
         "boxes"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tw_description *d = NULL;
        struct tw_error error = {0};
        char map[400];
        snprintf(map, sizeof map, MAPS("%s"), cases[i].map);
        char *text = replaced(scale_text, SHARED, map);
        assert_status(tw_description_read(&d, text, "scale.json", NULL, &error),
                      TW_BAD_DESCRIPTION);
        if (strstr(error.message, cases[i].reason) == NULL)
            fail_msg("expected \"%s\" in \"%s\"", cases[i].reason, error.message);
        free(text);
    }
}

/* Whether the example with a change runs on a device. */
static tw_status fits_with(const char *to, const struct tw_device_info *device,
                           struct tw_error *error) {
    char *text = replaced(scale_text, SHARED, to);
    struct tw_description *d = read_description(text, NULL);
    struct tw_problem problem = parse_problem(d, "1000x512");
    struct tw_configuration c = {0};
    int64_t values[TW_MAX_SYMBOLS];
    memcpy(c.values, d->implementations[0].presets[0].values, sizeof c.values);
    bind_problem(&problem, device, values);
    must(tw_configuration_bind(d, &c, values, error), *error);
    tw_status status = tw_implementation_fits(&d->implementations[0], values, device, error);
    tw_description_free(d);
    free(text);
    return status;
}

static void clusters(void **state) {
    (void)state;
    struct tw_device_info hopper = paper_gpu;
    struct tw_error error;
    struct tw_device_info ampere = paper_gpu;
    ampere.max_cluster = 1;
    must(fits_with(SHARED " \"cluster\": [\"8\"],", &hopper, &error), error);
    must(fits_with(SHARED " \"cluster\": [\"2\", \"4\"],", &hopper, &error), error);
    assert_status(fits_with(SHARED " \"cluster\": [\"4\", \"4\"],", &hopper, &error), TW_RESOURCE);
    assert_non_null(strstr(error.message, "a cluster has 16 blocks; the device allows 8"));
    assert_status(fits_with(SHARED " \"cluster\": [\"16\"],", &hopper, &error), TW_RESOURCE);
    assert_status(fits_with(SHARED " \"cluster\": [\"3\"],", &hopper, &error), TW_RESOURCE);
    assert_non_null(strstr(error.message, "the grid's 8 blocks are no whole clusters of 3"));
    assert_status(fits_with(SHARED " \"cluster\": [\"2\"],", &ampere, &error), TW_RESOURCE);
    must(fits_with(SHARED " \"cluster\": [\"1\"],", &ampere, &error), error);
}

static void tensor_maps_need_a_copy_engine(void **state) {
    (void)state;
    struct tw_device_info hopper = paper_gpu;
    struct tw_error error;
    hopper.has_tensor_maps = false;
    assert_status(fits_with(MAPS(GOOD), &hopper, &error), TW_RESOURCE);
    assert_non_null(strstr(error.message, "needs tensor maps"));
    hopper.has_tensor_maps = true;
    must(fits_with(MAPS(GOOD), &hopper, &error), error);
}

/* The copy engine writes 16 bytes of a row at a time: where a row of C does not end with them, what
 * follows it would be overwritten, and gemm stores otherwise. */
static void rows_end_with_what_the_copy_engine_writes(void **state) {
    (void)state;
    static const struct {
        const char *shape;
        int64_t ldc;
        bool allowed;
    } products[] = {{"64x256x64", 256, true},
                    {"64x256x64", 264, true},
                    {"64x257x64", 264, false},
                    {"64x8x64", 16, true},
                    {"1x1x64", 8, false}};
    struct tw_description *d;
    struct tw_configuration c;
    struct tw_error error;
    int64_t slots[TW_DEVICE_SLOTS], values[TW_MAX_SYMBOLS];
    must(tw_description_builtin(&d, "gemm", &error), error);
    must(tw_configuration_parse(
             &c, d, tw_description_implementation(d, "wgmma"),
             "{\"BM\":64,\"BN\":64,\"CONSUMERS\":1,\"SCHEDULE\":\"cooperative\",\"STAGES\":8,"
             "\"CLUSTER_M\":1,\"CLUSTER_N\":1,\"SPLIT\":1,\"SWAP\":0,\"STORE\":\"tma\","
             "\"STORE_BUFFERS\":1,\"GROUP\":1}",
             &error),
         error);
    tw_device_values(&paper_gpu, slots);
    for (size_t i = 0; i < sizeof products / sizeof *products; i++) {
        struct tw_problem problem = parse_problem(d, products[i].shape);
        int64_t strides[TW_MAX_ARGUMENTS] = {0};
        must(tw_problem_set(&problem, "dtype", "bf16", &error), error);
        must(tw_problem_set(&problem, "trans", "nt", &error), error);
        for (int j = 0; j < d->argument_count; j++)
            if (strcmp(d->arguments[j].name, "ldc") == 0)
                strides[j] = products[i].ldc;
        must(tw_problem_bind(&problem, slots, strides, values, &error), error);
        assert_status(is_allowed(d, &c, values, &paper_gpu, &error),
                      products[i].allowed ? TW_OK : TW_INVALID);
    }
    tw_description_free(d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(worked_out),
        cmocka_unit_test(of_layers),
        cmocka_unit_test(of_windows),
        cmocka_unit_test(impossible),
        cmocka_unit_test(refused_when_read),
        cmocka_unit_test(clusters),
        cmocka_unit_test(tensor_maps_need_a_copy_engine),
        cmocka_unit_test(rows_end_with_what_the_copy_engine_writes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Occupancy and what limits it, waves, the roofline. */
#include "tests/support/scale.h"
#include "tuner/inspect/occupancy.h"
#include "tuner/inspect/paper_device.h"
#include "tuner/inspect/roofline.h"

static struct occupancy occupied(const char *architecture, uint32_t threads, uint32_t grid,
                                 int64_t registers, uint32_t shared, int64_t told) {
    struct tw_device_info device;
    struct tw_error error;
    must(paper_device(architecture, &device, &error), error);
    const struct tw_geometry geometry = {
        .block = {threads, 1, 1}, .grid = {grid, 1, 1}, .shared = shared};
    const struct tw_kernel_resources resources = {.registers = registers, .active_blocks = told};
    struct occupancy o;
    occupancy_of(&device, &geometry, &resources, &o);
    return o;
}

static void assert_occupied(struct occupancy o, int64_t blocks, int64_t warps, bool registers,
                            bool shared, bool threads, bool are_blocks) {
    assert_true(o.known);
    assert_int_equal(o.blocks, blocks);
    assert_int_equal(o.warps, warps);
    assert_int_equal(o.limits[OCCUPANCY_REGISTERS], registers);
    assert_int_equal(o.limits[OCCUPANCY_SHARED], shared);
    assert_int_equal(o.limits[OCCUPANCY_THREADS], threads);
    assert_int_equal(o.limits[OCCUPANCY_BLOCKS], are_blocks);
}

static void limits(void **state) {
    (void)state;
    assert_occupied(occupied("sm_90", 256, 1, 128, 0, -1), 2, 16, true, false, false, false);
    assert_occupied(occupied("sm_90", 256, 1, 32, 0, -1), 8, 64, true, false, true, false);
    assert_occupied(occupied("sm_90", 256, 1, 16, 0, -1), 8, 64, false, false, true, false);
    assert_occupied(occupied("sm_90", 32, 1, 16, 0, -1), 32, 32, false, false, false, true);
    /* 228 KB, a kilobyte of which goes to the system with each block. */
    assert_occupied(occupied("sm_90", 128, 1, 32, 75 * 1024, -1), 3, 12, false, true, false, false);
    assert_occupied(occupied("sm_90", 128, 1, 32, 75 * 1024 + 1, -1), 2, 8, false, true, false,
                    false);
    /* 65 registers are 72 for each of a warp; a quarter's 16384 have room for 7 warps. */
    assert_occupied(occupied("sm_90", 128, 1, 65, 0, -1), 7, 28, true, false, false, false);
    assert_occupied(occupied("sm_75", 256, 1, 32, 0, -1), 4, 32, false, false, true, false);
    /* Threads are taken by whole warps. */
    assert_occupied(occupied("sm_86", 33, 1, 16, 0, -1), 16, 32, false, false, false, true);
}

static void the_driver_knows_better(void **state) {
    (void)state;
    struct occupancy o = occupied("sm_90", 256, 1, 128, 0, 2);
    assert_true(o.is_told);
    assert_occupied(o, 2, 16, true, false, false, false);
    assert_occupied(occupied("sm_90", 256, 1, 128, 0, 1), 1, 8, false, false, false, false);
}

static void waves(void **state) {
    (void)state;
    struct occupancy o = occupied("sm_90", 256, 132 * 2 * 3, 128, 0, -1);
    assert_float_equal(o.waves, 3, 1e-12);
    assert_float_equal(o.last_wave, 1, 1e-12);
    o = occupied("sm_90", 256, 132 * 2 * 3 + 66, 128, 0, -1);
    assert_float_equal(o.waves, 3.25, 1e-12);
    assert_float_equal(o.last_wave, 0.25, 1e-12);
    o = occupied("sm_90", 256, 66, 128, 0, -1);
    assert_float_equal(o.waves, 0.25, 1e-12);
    assert_float_equal(o.last_wave, 0.25, 1e-12);
}

static void unknown_architectures(void **state) {
    (void)state;
    struct tw_device_info device;
    struct tw_error error;
    assert_refuses(paper_device("sm_9", &device, &error), TW_INVALID, error, "sm_90, sm_100");
    assert_refuses(paper_device("sm_90 ", &device, &error), TW_INVALID, error, "--arch sm_90 :");
}

/* A device that tells all: 64 flops a byte are where its two bounds meet. */
static struct roofline roofline_in(const char *dtype, double flops, double bytes,
                                   int64_t bandwidth) {
    struct tw_device_info device = paper_gpu;
    struct tw_error error;
    char *text = replaced(scale_text, "", "");
    struct tw_description *d = read_description(text, NULL);
    struct tw_problem problem = parse_problem(d, "8x100");
    must(tw_problem_set(&problem, "dtype", dtype, &error), error);
    device.compute_units = 100;
    device.clock_khz = 1000000;
    device.bandwidth = bandwidth;
    struct roofline r;
    roofline_of(&device, &problem, &(struct tw_work){.flops = flops, .bytes = bytes}, &r);
    tw_description_free(d);
    free(text);
    return r;
}

static struct roofline roofline(double flops, double bytes, int64_t bandwidth) {
    return roofline_in("f32", flops, bytes, bandwidth);
}

static void rooflines(void **state) {
    (void)state;
    struct roofline r = roofline(25.6e12, 100e9, 400000000000);
    assert_float_equal(r.peak, 25.6e12, 1);
    assert_float_equal(r.intensity, 256, 1e-9);
    assert_int_equal(r.bound, ROOFLINE_ARITHMETIC);
    assert_float_equal(r.bound_us, 1e6, 1e-3);
    r = roofline(2.56e12, 100e9, 400000000000);
    assert_int_equal(r.bound, ROOFLINE_MEMORY);
    assert_float_equal(r.bound_us, 0.25e6, 1e-3);
    r = roofline(0, 100e9, 400000000000);
    assert_float_equal(r.intensity, 0, 0);
    assert_int_equal(r.bound, ROOFLINE_MEMORY);
    assert_float_equal(r.bound_us, 0.25e6, 1e-3);
    /* Tensor cores of sm_90 multiply doubles twice as fast as what else there is. */
    assert_int_equal(roofline_in("f64", 1, 1, 1).lanes, 128);
    r = roofline(2.56e12, 100e9, 0);
    assert_int_equal(r.bound, ROOFLINE_UNKNOWN);
    assert_float_equal(r.intensity, 25.6, 1e-9);
}

static void issue(void **state) {
    (void)state;
    assert_int_equal(roofline_lanes(90, TW_TYPE_f32), 128);
    assert_int_equal(roofline_lanes(90, TW_TYPE_f64), 64);
    assert_int_equal(roofline_lanes(90, TW_TYPE_u8), 0);
    assert_int_equal(roofline_lanes(999, TW_TYPE_f32), 0);
    assert_float_equal(roofline_issue_bound(0.75, 128), 0.75, 1e-12);
    assert_float_equal(roofline_issue_bound(0.25, 64), 0.5, 1e-12);
    assert_float_equal(roofline_issue_bound(0.75, 64), 1, 1e-12);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limits),    cmocka_unit_test(the_driver_knows_better),
        cmocka_unit_test(waves),     cmocka_unit_test(unknown_architectures),
        cmocka_unit_test(rooflines), cmocka_unit_test(issue)};
    return cmocka_run_group_tests_name("occupancy", tests, NULL, NULL);
}

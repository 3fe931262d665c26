/* Products on tensor cores: their shapes and rates, and how far they can keep the cores busy. */
#include "tests/support/listing.h"
#include "tuner/inspect/inspect.h"
#include "tuner/inspect/loops.h"

static struct sass ended(const char *code) {
    char *whole = malloc(strlen(code) + sizeof "\nEXIT");
    assert_non_null(whole);
    sprintf(whole, "%s\nEXIT", code);
    struct sass sass = sass_of(whole);
    free(whole);
    return sass;
}

/* The shapes as ptxas 13.0 and 12.8 print them. */
static void shapes(void **state) {
    (void)state;
    static const struct {
        const char *code;
        long multiply_adds;
    } products[] = {
        {"HGMMA.64x256x16.F32.BF16 R24, gdesc[UR24].tnspB, R24, UP0", 64 * 256 * 16 / 4},
        {"HGMMA.64x8x8.F32.TF32 R28, gdesc[UR8], R28, gsb0", 64 * 8 * 8 / 4},
        {"QGMMA.64x8x32.F32.E4M3.E4M3 R28, gdesc[UR8], R28, gsb0", 64 * 8 * 32 / 4},
        {"IGMMA.64x8x32.S8.S8 R24, gdesc[UR8], R24, gsb0", 64 * 8 * 32 / 4},
        {"HMMA.16816.F32.BF16 R4, R12.reuse, R22, R4", 16 * 8 * 16},
        {"HMMA.1688.F32.TF32 R8, R16, R4, R8", 16 * 8 * 8},
        {"HMMA.1684.F32.TF32 R8, R16, R4, R8", 16 * 8 * 4},
        {"HMMA.884.F32.F32.STEP0 R8, R2.reuse.ROW, R4.reuse.COL, R8", 8 * 8 * 4},
        {"IMMA.16832.S8.S8 R20, R16.ROW, R4.COL, R20", 16 * 8 * 32},
        {"IMMA.8816.S8.S8 R20, R16.ROW, R4.COL, R20", 8 * 8 * 16},
        {"DMMA.884 R8, R2, R4, R8", 8 * 8 * 4},
        {"DMMA.8x8x4 R72, R32, R8, R48", 8 * 8 * 4},
        {"DMMA.16x8x16 R72, R32, R8, R72", 16 * 8 * 16},
        /* Others than dense ones, without a shape, and none at all. */
        {"HMMA.SP.16832.F32 R8, R4, R12, R8, R2, 0x0", 0},
        {"UTCHMMA gdesc[UR4], gdesc[UR6], tmem[UR8], tmem[UR10], idesc[UR11], UPT", 0},
        {"HFMA2 R1, R2, R3, R4", 0},
        {"HGMMA.99999999999x8x16.F32 R1, R2, R3, R1", 0},
        {"HMMA.16 R1, R2, R3, R1", 0},
        {"HMMA.168 R1, R2, R3, R1", 0},
    };
    for (size_t i = 0; i < sizeof products / sizeof *products; i++) {
        struct sass sass = ended(products[i].code);
        assert_int_equal(tensor_multiply_adds(&sass.instructions[0]), products[i].multiply_adds);
        sass_free(&sass);
    }
}

static void rates(void **state) {
    (void)state;
    assert_int_equal(tensor_lanes(90, TW_TYPE_bf16), 2048);
    assert_int_equal(tensor_lanes(90, TW_TYPE_f64), 128);
    assert_int_equal(tensor_lanes(90, TW_TYPE_e5m2), 4096);
    assert_int_equal(tensor_lanes(80, TW_TYPE_i8), 2048);
    assert_int_equal(tensor_lanes(75, TW_TYPE_bf16), 0);
    assert_int_equal(tensor_lanes(90, TW_TYPE_f32), 0);
    assert_int_equal(tensor_lanes(999, TW_TYPE_f16), 0);
}

static struct tensor_work work_of(const char *code, int arch) {
    struct tensor_work work;
    struct sass sass = ended(code);
    tensor_take(&sass, NULL, arch, &work);
    sass_free(&sass);
    return work;
}

static void cycles(void **state) {
    (void)state;
    /* 64 x 8 x K with operands of 32 bytes a row take an SM four cycles in every type. */
    static const char *const alike[] = {"HGMMA.64x8x16.F32 R28, gdesc[UR8].tnspB, R28, gsb0",
                                        "HGMMA.64x8x8.F32.TF32 R28, gdesc[UR8], R28, gsb0",
                                        "QGMMA.64x8x32.F32.E5M2.E4M3 R28, gdesc[UR8], R28, gsb0",
                                        "IGMMA.64x8x32.S8.S8 R24, gdesc[UR8], R24, gsb0"};
    for (size_t i = 0; i < sizeof alike / sizeof *alike; i++) {
        struct tensor_work work = work_of(alike[i], 90);
        assert_float_equal(work.cycles, 4, 1e-12);
        /* 72 rows of 32 bytes, 128 bytes a cycle. */
        assert_float_equal(work.operand_cycles, 18, 1e-12);
    }
    /* A from registers. */
    struct tensor_work work =
        work_of("HGMMA.64x256x16.F32.BF16 R28, R24, gdesc[UR8], R28, gsb0", 90);
    assert_float_equal(work.cycles, 128, 1e-12);
    assert_float_equal(work.operand_cycles, 64, 1e-12);

    work = work_of("HMMA.16816.F32.BF16 R4, R12, R22, R4\n"
                   "HMMA.16816.F32.BF16 R8, R12, R18, R8\n"
                   "DMMA.16x8x16 R72, R32, R8, R72",
                   90);
    assert_float_equal(work.cycles, 2 * 4 + 64, 1e-12);
    assert_float_equal(work.operand_cycles, 0, 0);
    assert_string_equal(work.opcode, "DMMA");
    work = work_of("HMMA.16816.F32 R4, R12, R22, R4", 80);
    assert_float_equal(work.cycles, 8, 1e-12);

    /* One whose time is not known, and nothing is said of all. */
    work =
        work_of("HMMA.16816.F32 R4, R12, R22, R4\nIMMA.16864.S4.S4 R20, R16.ROW, R4.COL, R20", 80);
    assert_float_equal(work.cycles, 0, 0);
    assert_string_equal(work.opcode, "HMMA");
    work = work_of("FFMA R1, R2, R3, R1", 90);
    assert_string_equal(work.opcode, "");
}

/* A product's loop over K with what is around it, cut down from what ptxas made: a loop of the
 * epilogue has more instructions of arithmetic, and far fewer multiply-adds. */
static const char kernel[] = "UTMALDG.2D [UR16], [UR6], desc[UR22]\n"
                             "UTMALDG.2D [UR24], [UR10], desc[UR22]\n"
                             ".L_x_8:\n"
                             "SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [UR16+0x38000], R13\n"
                             "@!P0 BRA `(.L_x_6)\n"
                             ".L_x_73:\n"
                             "WARPGROUP.ARRIVE\n"
                             "HGMMA.64x16x16.F32.BF16 R24, gdesc[UR24].tnspB, R24, UP0\n"
                             "R2UR UR25, R13\n"
                             "NOP\n"
                             "HGMMA.64x16x16.F32.BF16 R24, gdesc[UR24].tnspB, R24, gsb0\n"
                             "LOP3.LUT P0, RZ, R0, 0x7f, RZ, 0xc0, !PT\n"
                             "WARPGROUP.DEPBAR.LE gsb0, 0x1\n"
                             "@!P0 SYNCS.ARRIVE.TRANS64.A1T0 RZ, [UR5+0x38020], RZ\n"
                             "UIADD3 UR7, UR7, 0x1, URZ\n"
                             "@!P0 BRA `(.L_x_8)\n"
                             ".L_x_9:\n"
                             "FFMA R1, R2, R3, R1\n"
                             "FFMA R1, R2, R3, R1\n"
                             "FFMA R1, R2, R3, R1\n"
                             "@P1 BRA `(.L_x_9)\n"
                             "UTMASTG.2D [UR20], [UR6]\n"
                             "EXIT\n"
                             ".L_x_6:\n"
                             "SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [UR16+0x38000], R13\n"
                             "@!P0 BRA `(.L_x_6)\n"
                             "BRA `(.L_x_73)";

/* Inspected as the code of a launch on sm_90. */
static struct inspect_bounds bounds_of(const char *code, struct inspected_launch *launch) {
    struct inspection in = {.device = {.arch = 90}};
    struct sass sass = sass_of(code);
    struct sass_loop loop;
    struct tw_error error;
    must(sass_find_loop(&sass, &loop, &error), error);
    *launch = (struct inspected_launch){.has_code = true, .has_loop = loop.found};
    counts_take(&sass, NULL, &launch->kernel.counts);
    counts_take(&sass, loop.own, &launch->loop.counts);
    tensor_take(&sass, loop.own, 90, &launch->loop.tensor);
    sass_loop_free(&loop);
    sass_free(&sass);
    return inspect_bounds_of(&in, launch);
}

static void the_loop_of_the_products(void **state) {
    (void)state;
    struct inspected_launch launch;
    struct inspect_bounds bounds = bounds_of(kernel, &launch);
    assert_true(launch.has_loop);
    assert_int_equal(launch.loop.counts.kinds[SASS_TENSOR], 2);
    assert_int_equal(launch.loop.counts.kinds[SASS_FFMA], 0);
    /* All but the padding, and the wait's way back in. */
    assert_int_equal(launch.loop.counts.instructions, 12);
    assert_string_equal(bounds.opcode, "HGMMA");
    assert_float_equal(launch.loop.tensor.cycles, 16, 1e-12);
    assert_float_equal(bounds.issue, 1, 0);
    assert_float_equal(bounds.operands, 16.0 / 40, 1e-12);
    assert_float_equal(bounds.alone, 0, 0);
    assert_float_equal(bounds.reads, 0, 0);
}

/* Without products in flight over the wait, the rest of the loop is time without them. */
static void waits_that_empty_the_cores(void **state) {
    (void)state;
    struct inspected_launch launch;
    char *code = replaced(kernel, "gsb0, 0x1", "gsb0, 0x0");
    struct inspect_bounds bounds = bounds_of(code, &launch);
    /* After the wait 3, before the first product 3. */
    assert_int_equal(launch.loop.tensor.exposed, 6);
    assert_float_equal(bounds.alone, 16.0 / 22, 1e-12);
    free(code);
}

static void more_to_issue_than_to_multiply(void **state) {
    (void)state;
    struct inspected_launch launch;
    struct inspect_bounds bounds = bounds_of(".L_x_0:\n"
                                             "HMMA.16816.F32 R4, R12, R22, R4\n"
                                             "LDSM.16.M88.4 R12, [R1]\n"
                                             "LDSM.16.M88.4 R16, [R1]\n"
                                             "LOP3.LUT R1, R1, 0x7f, RZ, 0xc0, !PT\n"
                                             "@P0 BRA `(.L_x_0)\n"
                                             "EXIT",
                                             &launch);
    assert_string_equal(bounds.opcode, "HMMA");
    assert_float_equal(bounds.issue, 4.0 / 5, 1e-12);
    assert_float_equal(bounds.operands, 0, 0);
}

static void opcodes_are_told_apart(void **state) {
    (void)state;
    struct inspected_launch launch;
    bounds_of(kernel, &launch);
    const struct code_counts *all = &launch.kernel.counts, *loop = &launch.loop.counts;
    assert_int_equal(all->opcode_count, 3);
    assert_int_equal(all->kinds[SASS_BULK_COPY], 3);
    assert_int_equal(counts_of_opcode(all, "UTMALDG.2D"), 2);
    assert_int_equal(counts_of_opcode(all, "UTMASTG.2D"), 1);
    assert_int_equal(counts_of_opcode(loop, "HGMMA.64x16x16.F32.BF16"), 2);
    assert_int_equal(counts_of_opcode(loop, "UTMALDG.2D"), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(shapes),
                                       cmocka_unit_test(rates),
                                       cmocka_unit_test(cycles),
                                       cmocka_unit_test(the_loop_of_the_products),
                                       cmocka_unit_test(waits_that_empty_the_cores),
                                       cmocka_unit_test(more_to_issue_than_to_multiply),
                                       cmocka_unit_test(opcodes_are_told_apart)};
    return cmocka_run_group_tests_name("sass tensor", tests, NULL, NULL);
}

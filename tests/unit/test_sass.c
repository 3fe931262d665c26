/* Machine code read from listings, and what it is made of. */
#include "tests/support/listing.h"
#include "tuner/inspect/counts.h"

static void instructions(void **state) {
    (void)state;
    struct sass sass = sass_of("LDC R1, c[0x0][0x28]\n"
                               "@!P0 BRA `(.L_x_1)\n"
                               ".L_x_0:\n"
                               "FFMA R4, R2.reuse, -R6, R4\n"
                               "FFMA R5, |R2|, c[0x0][0x160], RZ\n"
                               "ISETP.GE.AND P1, PT, R7.reuse, R8, PT\n"
                               "@!PT LDS RZ, [RZ]\n"
                               "BRA.U !UP0, `(.L_x_0)\n"
                               ".L_x_1:\n"
                               "STG.E desc[UR6][R2.64+0xe00], R7\n"
                               "@P2 EXIT\n"
                               "EXIT\n"
                               "NOP");
    const struct sass_instruction *in = sass.instructions;
    assert_int_equal(sass.count, 11);
    assert_int_equal(in[2].address, 0x20);
    assert_string_equal(in[0].opcode, "LDC");
    assert_int_equal(in[0].kind, SASS_MOVE);

    assert_int_equal(in[1].kind, SASS_BRANCH);
    assert_true(in[1].conditional);
    assert_int_equal(in[1].target, 7);
    assert_int_equal(in[6].target, 2);
    assert_true(in[6].conditional);
    assert_string_equal(in[6].opcode, "BRA.U");

    assert_int_equal(in[2].kind, SASS_FFMA);
    assert_int_equal(in[2].source_count, 3);
    assert_int_equal(in[2].sources[0].number, 2);
    assert_true(in[2].sources[0].reuse);
    assert_int_equal(in[2].sources[1].number, 6);
    assert_false(in[2].sources[1].reuse);
    assert_int_equal(in[2].sources[2].number, 4);
    assert_int_equal(in[2].target, SASS_NO_TARGET);
    /* A constant and RZ take their slots, and are no registers. */
    assert_int_equal(in[3].source_count, 3);
    assert_int_equal(in[3].sources[0].number, 2);
    assert_int_equal(in[3].sources[1].number, SASS_NO_REGISTER);
    assert_int_equal(in[3].sources[2].number, SASS_NO_REGISTER);
    /* What it writes is a predicate: all its registers are sources. */
    assert_int_equal(in[4].source_count, 2);
    assert_int_equal(in[4].sources[0].number, 7);
    assert_true(in[4].sources[0].reuse);

    assert_true(in[5].never);
    assert_false(in[5].conditional);
    assert_int_equal(in[8].kind, SASS_EXIT);
    assert_true(in[8].conditional);
    assert_false(in[9].conditional);
    assert_int_equal(in[10].kind, SASS_PADDING);
    sass_free(&sass);
}

/* As cuobjdump prints: addresses for labels, and the bits beside the words. */
static const char cuobjdump_text[] =
    "\n\tcode for sm_90a\n\t\tFunction : other\n"
    "        /*0000*/                   EXIT ;    /* 0x000000000000794d */\n"
    "\t\tFunction : f\n\t.headerflags\t@\"EF_CUDA_SM90\"\n"
    "        /*0000*/                   MOV R1, c[0x0][0x28] ;  /* 0x00000a00ff017b82 */\n"
    "                                                           /* 0x000fe20000000800 */\n"
    "        /*0010*/              @!P0 BRA 0x0 ;               /* 0x00000000001c0947 */\n"
    "                                                           /* 0x000fea0003800000 */\n"
    "        /*0020*/                   EXIT ;                  /* 0x000000000000794d */\n"
    "                                                           /* 0x000fea0003800000 */\n"
    "\t\tFunction : third\n"
    "        /*0000*/                   NOP;                    /* 0x0000000000007918 */\n";

static void other_functions_are_left_out(void **state) {
    (void)state;
    struct sass sass;
    struct tw_error error;
    must(sass_read(&sass, cuobjdump_text, "f", &error), error);
    assert_int_equal(sass.count, 3);
    assert_int_equal(sass.instructions[1].target, 0);
    sass_free(&sass);
}

static void refuse(const char *listing, const char *part) {
    struct sass sass;
    struct tw_error error;
    assert_refuses(sass_read(&sass, listing, "f", &error), TW_INVALID, error, part);
    sass_free(&sass);
}

static void refuse_code(const char *code, const char *from, const char *to, const char *part) {
    char *listing = listing_of(code), *changed = replaced(listing, from, to);
    refuse(changed, part);
    free(changed);
    free(listing);
}

static void what_is_no_listing(void **state) {
    (void)state;
    static const char code[] = "MOV R1, R2\n.L_x_0:\nFFMA R1, R2, R3, R1\n@P0 BRA `(.L_x_0)\nEXIT";
    refuse("", "no code of the function f");
    refuse("nvdisasm: NVIDIA (R) CUDA disassembler\n", "no code of the function f");
    refuse_code(code, ".text.f:", ".text.g:", "no code of the function f");
    refuse_code(code, "/*0030*/                   EXIT ;", "", "cut off: f never exits");
    refuse_code(code, "EXIT ;", "EX", "line 12 of the listing is cut off");
    refuse_code(code, ".L_x_0:", ".L_x_7:", "line 11 of the listing branches to .L_x_0, which is");
    refuse_code(code, "/*0010*/", "/*0008*/", "line 10 of the listing: the instruction is at 0x8");
    refuse_code(code, "MOV R1, R2", "{ MOV R1, R2", "line 8 of the listing: no instruction");
    refuse_code(code, "`(.L_x_0)", "0x4000", "branches to 0x4000");
}

static void counts(void **state) {
    (void)state;
    struct sass sass = sass_of("LDG.E.128.CONSTANT R4, desc[UR6][R2.64]\n"
                               "LDG.E.EF R8, desc[UR6][R2.64]\n"
                               "LDG.E.U8 R9, desc[UR6][R2.64]\n"
                               "LDGSTS.E.BYPASS.128 [R30], desc[UR6][R28.64]\n"
                               "LDS.64 R10, [R1]\n"
                               "@!PT LDS RZ, [RZ]\n"
                               "STS.128 [R1], R4\n"
                               "STL [R1+0x8], R4\n"
                               "HFMA2.MMA R36, -RZ, RZ, 0, 0\n"
                               "HFMA2.MMA R36, R1, R2, R3\n"
                               "IMAD.MOV.U32 R1, RZ, RZ, R2\n"
                               "IMAD.WIDE.U32 R2, R9, 0x4, R2\n"
                               "UIADD3 UR4, UR4, 0x1, URZ\n"
                               "DFMA R2, R4, R6, R2\n"
                               "FADD R1, R2, R3\n"
                               "BAR.SYNC.DEFER_BLOCKING 0x0\n"
                               "UTMALDG.2D [UR4], [UR6]\n"
                               "LDSM.16.M88.4 R4, [R1]\n"
                               "HMMA.16816.F32 R4, R8, R12, R4\n"
                               "VOTE.ANY R3, PT, P0\n"
                               "EXIT\n"
                               ".L_x_1:\n"
                               "BRA `(.L_x_1)\n"
                               "NOP");
    struct code_counts c;
    counts_take(&sass, NULL, &c);
    assert_int_equal(c.instructions, 21); /* neither the trap nor the padding */
    assert_int_equal(c.kinds[SASS_GLOBAL_LOAD], 3);
    assert_int_equal(c.widths[SASS_GLOBAL_LOAD][0], 1); /* 8 bits */
    assert_int_equal(c.widths[SASS_GLOBAL_LOAD][2], 1); /* 32 */
    assert_int_equal(c.widths[SASS_GLOBAL_LOAD][4], 1); /* 128 */
    for (int h = 0; h < COUNTS_HINTS; h++) {
        bool is_hint =
            strcmp(counts_hints[h], "EF") == 0 || strcmp(counts_hints[h], "CONSTANT") == 0;
        assert_int_equal(c.hints[SASS_GLOBAL_LOAD][h], is_hint);
    }
    assert_int_equal(c.kinds[SASS_ASYNC_COPY], 1);
    assert_int_equal(c.widths[SASS_ASYNC_COPY][4], 1);
    assert_int_equal(c.kinds[SASS_SHARED_LOAD], 2);
    assert_int_equal(c.widths[SASS_SHARED_LOAD][2], 0);
    assert_int_equal(c.widths[SASS_SHARED_LOAD][3], 1);
    assert_int_equal(c.widths[SASS_SHARED_LOAD][4], 1);
    assert_int_equal(c.widths[SASS_SHARED_STORE][4], 1);
    assert_int_equal(c.kinds[SASS_TENSOR], 1);
    assert_int_equal(c.kinds[SASS_LOCAL_STORE], 1);
    assert_int_equal(c.kinds[SASS_MOVE], 2);
    assert_int_equal(c.kinds[SASS_INTEGER], 2);
    assert_int_equal(c.kinds[SASS_DFMA], 1);
    assert_int_equal(c.kinds[SASS_FFMA], 0);
    assert_int_equal(c.kinds[SASS_FLOAT], 2);
    assert_int_equal(c.kinds[SASS_BARRIER], 1);
    assert_int_equal(c.kinds[SASS_BULK_COPY], 1);
    assert_int_equal(c.kinds[SASS_OTHER], 2); /* the load that never is, and the vote */
    bool chosen[23] = {[0] = true, [5] = true};
    counts_take(&sass, chosen, &c);
    assert_int_equal(c.instructions, 2);
    assert_int_equal(c.kinds[SASS_GLOBAL_LOAD], 1);
    sass_free(&sass);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(instructions), cmocka_unit_test(other_functions_are_left_out),
        cmocka_unit_test(what_is_no_listing), cmocka_unit_test(counts)};
    return cmocka_run_group_tests_name("sass", tests, NULL, NULL);
}

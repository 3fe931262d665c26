/* Which loop counts, and what is in it. */
#include "tests/support/listing.h"
#include "tuner/inspect/loops.h"

/* The loop's own instructions as digits: "0110". */
static struct sass_loop loop_of(const char *code, char own[64]) {
    struct sass sass = sass_of(code);
    struct sass_loop loop;
    struct tw_error error;
    must(sass_find_loop(&sass, &loop, &error), error);
    for (size_t i = 0; i < sass.count; i++)
        own[i] = loop.own[i] ? '1' : '0';
    own[sass.count] = '\0';
    sass_free(&sass);
    return loop;
}

static void the_one_with_the_arithmetic(void **state) {
    (void)state;
    char own[64];
    struct sass_loop loop = loop_of("MOV R1, R2\n"
                                    ".L_0:\n"
                                    "LDG.E R3, [R2]\n"
                                    "LDG.E R3, [R2]\n"
                                    "@P0 BRA `(.L_0)\n"
                                    ".L_1:\n"
                                    "FFMA R1, R2, R3, R1\n"
                                    "@P0 BRA `(.L_1)\n"
                                    "EXIT",
                                    own);
    assert_true(loop.found);
    assert_string_equal(own, "0000110");
    assert_int_equal(loop.head, 4);
    assert_int_equal(loop.tail, 5);
    assert_int_equal(loop.nested, 0);
    sass_loop_free(&loop);
}

/* A multiply-add that never happens, guarded by @!PT, is none. */
static void arithmetic_that_never_happens(void **state) {
    (void)state;
    char own[64];
    struct sass_loop loop = loop_of(".L_0:\n"
                                    "@!PT FFMA R1, R2, R3, R1\n"
                                    "@!PT FFMA R1, R2, R3, R1\n"
                                    "@P0 BRA `(.L_0)\n"
                                    ".L_1:\n"
                                    "FFMA R1, R2, R3, R1\n"
                                    "@P0 BRA `(.L_1)\n"
                                    "EXIT",
                                    own);
    assert_true(loop.found);
    assert_string_equal(own, "000110");
    sass_loop_free(&loop);
}

static void without_arithmetic_the_one_with_the_accesses(void **state) {
    (void)state;
    char own[64];
    struct sass_loop loop = loop_of(".L_0:\n"
                                    "LDS R3, [R2]\n"
                                    "@P0 BRA `(.L_0)\n"
                                    ".L_1:\n"
                                    "LDGSTS.E [R1], [R2.64]\n"
                                    "@P0 BRA `(.L_1)\n"
                                    "EXIT",
                                    own);
    assert_true(loop.found);
    assert_string_equal(own, "00110");
    sass_loop_free(&loop);
}

/* As sm_80 has it. A call of a function is none, and goes on behind it. */
static void calls_that_are_jumps(void **state) {
    (void)state;
    char own[64];
    struct sass_loop loop = loop_of(".L_x_0:\n"
                                    "FFMA R1, R2, R3, R1\n"
                                    "@!P0 CALL.REL.NOINC `(.L_x_1)\n"
                                    "BRA `(.L_x_0)\n"
                                    ".L_x_1:\n"
                                    "FFMA R1, R2, R3, R1\n"
                                    "FFMA R1, R2, R3, R1\n"
                                    "CALL.REL.NOINC `($__internal_0_$__cuda_sm20_div_s64)\n"
                                    "@P0 BRA `(.L_x_1)\n"
                                    "EXIT",
                                    own);
    assert_true(loop.found);
    assert_string_equal(own, "00011110");
    sass_loop_free(&loop);
}

/* The outer loop computes; the inner one only loads, and is not its own. */
static void a_loop_around_another(void **state) {
    (void)state;
    char own[64];
    struct sass_loop loop = loop_of(".L_0:\n"
                                    "FFMA R1, R2, R3, R1\n"
                                    ".L_1:\n"
                                    "LDG.E R3, [R2]\n"
                                    "@P0 BRA `(.L_1)\n"
                                    "FFMA R1, R2, R3, R1\n"
                                    "@P1 BRA `(.L_0)\n"
                                    "FFMA R1, R2, R3, R1\n"
                                    "EXIT",
                                    own);
    assert_string_equal(own, "1001100");
    assert_int_equal(loop.nested, 1);
    sass_loop_free(&loop);
}

static void two_branches_to_one_head(void **state) {
    (void)state;
    char own[64];
    struct sass_loop loop = loop_of(".L_0:\n"
                                    "FFMA R1, R2, R3, R1\n"
                                    "@P0 BRA `(.L_0)\n"
                                    "FFMA R1, R2, R3, R1\n"
                                    "@P1 BRA `(.L_0)\n"
                                    "EXIT",
                                    own);
    assert_string_equal(own, "11110");
    assert_int_equal(loop.nested, 0);
    sass_loop_free(&loop);
}

/* A block behind the end belongs to the loop that it comes from; its way back makes no loop. */
static void a_block_behind_the_end(void **state) {
    (void)state;
    char own[64];
    struct sass_loop loop = loop_of(".L_0:\n"
                                    "FFMA R1, R2, R3, R1\n"
                                    "@P0 BRA `(.L_slow)\n"
                                    ".L_back:\n"
                                    "@P1 BRA `(.L_0)\n"
                                    "FFMA R1, R2, R3, R1\n"
                                    "FFMA R1, R2, R3, R1\n"
                                    "EXIT\n"
                                    ".L_slow:\n"
                                    "MUFU.RCP R1, R2\n"
                                    "BRA `(.L_back)\n"
                                    ".L_trap:\n"
                                    "BRA `(.L_trap)",
                                    own);
    assert_true(loop.found);
    assert_string_equal(own, "111000110");
    assert_int_equal(loop.tail, 7);
    sass_loop_free(&loop);
}

static void no_loop_is_all_of_it(void **state) {
    (void)state;
    char own[64];
    struct sass_loop loop = loop_of("FFMA R1, R2, R3, R1\n"
                                    "@P0 BRA `(.L_0)\n"
                                    "FFMA R1, R2, R3, R1\n"
                                    ".L_0:\n"
                                    "EXIT\n"
                                    ".L_1:\n"
                                    "BRA `(.L_1)",
                                    own);
    assert_false(loop.found);
    assert_string_equal(own, "11111");
    sass_loop_free(&loop);
}

/* Guarded by @!PT, a branch is none. */
static void a_branch_that_never_is(void **state) {
    (void)state;
    char own[64];
    struct sass_loop loop = loop_of(".L_0:\nFFMA R1, R2, R3, R1\n@!PT BRA `(.L_0)\nEXIT", own);
    assert_false(loop.found);
    sass_loop_free(&loop);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_one_with_the_arithmetic),
        cmocka_unit_test(calls_that_are_jumps),
        cmocka_unit_test(arithmetic_that_never_happens),
        cmocka_unit_test(without_arithmetic_the_one_with_the_accesses),
        cmocka_unit_test(a_loop_around_another),
        cmocka_unit_test(two_branches_to_one_head),
        cmocka_unit_test(a_block_behind_the_end),
        cmocka_unit_test(no_loop_is_all_of_it),
        cmocka_unit_test(a_branch_that_never_is)};
    return cmocka_run_group_tests_name("sass loops", tests, NULL, NULL);
}

/* Register reads of multiply-adds: banks, double names, and what was kept. */
#include "tests/support/listing.h"
#include "tuner/inspect/registers.h"

static struct register_reads reads_of(const char *code) {
    struct sass sass = sass_of(code);
    struct register_reads reads;
    registers_count(&sass, NULL, &reads);
    sass_free(&sass);
    return reads;
}

static void banks(void **state) {
    (void)state;
    struct register_reads r = reads_of("FFMA R1, R2, R4, R6\n" /* three even: 3 cycles */
                                       "FFMA R1, R2, R4, R5\n" /* two and one: 2 */
                                       "FFMA R1, R2, R2, R5\n" /* one is named twice: 1 */
                                       "FFMA R1, R2, R4, RZ\n" /* 2 */
                                       "FFMA R1, R2, c[0x0][0x160], R5\n" /* 1 */
                                       "FFMA R1, RZ, 2, RZ\n"             /* none: 1 */
                                       "FADD R1, R2, R4\n"                /* not looked at */
                                       "EXIT");
    assert_int_equal(r.multiply_adds, 6);
    assert_int_equal(r.conflicts, 1);
    assert_int_equal(r.by_cycles[1], 3);
    assert_int_equal(r.by_cycles[2], 2);
    assert_int_equal(r.by_cycles[3], 1);
    assert_float_equal(r.cycles, 10.0 / 6, 1e-12);
    /* 3 + 2 + 1 + 2 + 1 reads of even ones, 3 of odd ones. */
    assert_float_equal(r.shared_cycles, 9.0 / 6, 1e-12);
    assert_int_equal(r.reuse_flags, 0);
}

static void reuse(void **state) {
    (void)state;
    struct register_reads r =
        reads_of("FFMA R1, R2.reuse, R4, R6.reuse\n" /* reads three */
                 "FFMA R3, R2, R8, R10\n"            /* kept R2; R6 of no use: 2 cycles */
                 "FFMA R5, R2, R8, R10\n"            /* not flagged again: 3 */
                 "IADD3 R7, R8.reuse, R9, RZ\n"
                 "FFMA R5, R8, R2, R10\n"        /* kept by another kind: 2 */
                 "FFMA R5, R12.reuse, R2, R11\n" /* 2 */
                 "FFMA R5, R2, R12, R14\n"       /* in another slot: 3 */
                 "EXIT");
    assert_int_equal(r.multiply_adds, 6);
    assert_int_equal(r.reuse_flags, 3);
    assert_int_equal(r.reused, 2);
    assert_int_equal(r.conflicts, 3);
    assert_int_equal(r.by_cycles[2], 3);
}

/* Guarded by @!PT a multiply-add is issued and does nothing: counts_take does not count it either.
 */
static void one_that_never_happens(void **state) {
    (void)state;
    struct register_reads r = reads_of("@!PT FFMA R1, R2, R4, R6\nFFMA R1, R2, R4, R5\nEXIT");
    assert_int_equal(r.multiply_adds, 1);
    assert_int_equal(r.conflicts, 0);
}

/* What stands before the first chosen one was another's. */
static void only_the_chosen(void **state) {
    (void)state;
    struct sass sass = sass_of("FFMA R1, R2.reuse, R4, R6\nFFMA R3, R2, R4, R6\nEXIT");
    const bool second[] = {false, true, false};
    struct register_reads r;
    registers_count(&sass, second, &r);
    assert_int_equal(r.multiply_adds, 1);
    assert_int_equal(r.conflicts, 1);
    registers_count(&sass, NULL, &r);
    assert_int_equal(r.conflicts, 1);
    assert_int_equal(r.reused, 1);
    sass_free(&sass);
}

static void bounds(void **state) {
    (void)state;
    struct register_reads r = {.multiply_adds = 4, .by_cycles = {0, 1, 2, 1}, .shared_cycles = 1.5};
    assert_float_equal(registers_bound(&r, 128), 4.0 / 8, 1e-12);
    /* With 64 lanes each takes two cycles to compute, and only the third read is too many. */
    assert_float_equal(registers_bound(&r, 64), 8.0 / 9, 1e-12);
    assert_float_equal(registers_shared_bound(&r, 128), 1 / 1.5, 1e-12);
    assert_float_equal(registers_shared_bound(&r, 64), 1, 1e-12);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(banks), cmocka_unit_test(reuse),
                                       cmocka_unit_test(one_that_never_happens),
                                       cmocka_unit_test(only_the_chosen), cmocka_unit_test(bounds)};
    return cmocka_run_group_tests_name("sass registers", tests, NULL, NULL);
}

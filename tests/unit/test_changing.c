/* Which dimensions differ from those of earlier requests that were equal but for them. */
#include "runtime/library/changing.h"
#include "tests/support/scale.h"

static struct tw_changing changing = {.lock = PTHREAD_MUTEX_INITIALIZER};

static unsigned ask(const struct tw_description *d, const char *shape, const char *dtype) {
    struct tw_problem problem = parse_problem(d, shape);
    struct tw_error error;
    must(tw_problem_set(&problem, "dtype", dtype, &error), error);
    return tw_changing_note(&changing, &problem).dimensions;
}

static void one_dimension_at_a_time(void **state) {
    (void)state;
    struct tw_description *d = read_description(scale_text, ".");
    assert_int_equal(ask(d, "8x100", "f32"), 0);
    assert_int_equal(ask(d, "8x100", "f32"), 0);
    assert_int_equal(ask(d, "16x100", "f64"), 0); /* another type */
    assert_int_equal(ask(d, "16x200", "f32"), 0); /* two dimensions differ */
    assert_int_equal(ask(d, "16x100", "f32"), 3); /* from 8x100 and from 16x200 */
    assert_int_equal(ask(d, "24x100", "f32"), 1);
    assert_int_equal(ask(d, "16x300", "f32"), 2);
    tw_description_free(d);
}

static struct tw_changed changed_by(const struct tw_description *d, const char *shape) {
    struct tw_problem problem = parse_problem(d, shape);
    return tw_changing_note(&changing, &problem);
}

static void settled_together(void **state) {
    (void)state;
    struct tw_description *d = read_description(scale_text, ".");
    struct tw_problem problem = parse_problem(d, "8x500");
    const struct tw_problem other = parse_problem(d, "9x500");
    assert_true(tw_changing_others(&problem, 0) == tw_changing_others(&other, 0));
    assert_true(tw_changing_others(&problem, 1) != tw_changing_others(&other, 1));
    assert_true(tw_changing_others(&problem, 0) != tw_changing_others(&problem, 1));
    changed_by(d, "7x500");
    assert_false(changed_by(d, "8x500").settled);
    tw_changing_settle(&changing, &problem, 0);
    assert_true(changed_by(d, "9x500").settled && changed_by(d, "9x500").dimensions == 1);
    assert_true(changed_by(d, "8x500").settled);
    assert_false(changed_by(d, "8x501").settled);
    tw_description_free(d);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_dimension_at_a_time),
                                       cmocka_unit_test(settled_together)};
    return cmocka_run_group_tests_name("changing", tests, NULL, NULL);
}

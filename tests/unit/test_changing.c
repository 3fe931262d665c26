/* Which dimensions differ from those of earlier requests that were equal but for them. */
#include "runtime/library/changing.h"
#include "tests/support/scale.h"

static struct tw_changing changing = {.lock = PTHREAD_MUTEX_INITIALIZER};

static unsigned ask(const struct tw_description *d, const char *shape, const char *dtype) {
    struct tw_problem problem = parse_problem(d, shape);
    struct tw_error error;
    must(tw_problem_set(&problem, "dtype", dtype, &error), error);
    return tw_changing_note(&changing, &problem);
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

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_dimension_at_a_time)};
    return cmocka_run_group_tests_name("changing", tests, NULL, NULL);
}

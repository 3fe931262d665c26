/* Where the wall time of a run goes: whatever happens, the parts add up to it. */
#include <math.h>

#include "tests/support/support.h"
#include "tuner/session/wall.h"

static void assert_near(double got, double expected) {
    if (fabs(got - expected) > 1e-9)
        fail_msg("%g is not %g", got, expected);
}

static void assert_adds_up(const struct wall_parts *p) {
    assert_near(p->compiling + p->waiting + p->verifying + p->measuring + p->playoff + p->rest,
                p->total);
    assert_true(p->compiling >= 0 && p->waiting >= 0 && p->verifying >= 0 && p->measuring >= 0 &&
                p->playoff >= 0 && p->rest >= 0);
    assert_true(p->busy >= 0 && p->busy <= 1);
}

static void one_device(void **state) {
    (void)state;
    struct wall wall;
    wall_begin(&wall, 100);
    wall_enter(&wall, 101, WALL_STARTING, 0);
    wall_enter(&wall, 104, WALL_COMPILING, 0);
    wall_enter(&wall, 106, WALL_RUNNING, 1);
    wall_tell(&wall, 1, 2.5);
    wall_enter(&wall, 110, WALL_REST, 0);
    wall_enter(&wall, 110.5, WALL_PLAYOFF, 0);
    wall_enter(&wall, 111, WALL_PLAYOFF, 1);
    struct wall_parts p = wall_parts(&wall, 113);
    assert_adds_up(&p);
    assert_near(p.total, 13);
    assert_near(p.rest, 1.5);
    assert_near(p.compiling, 2);
    assert_near(p.verifying, 1);
    assert_near(p.measuring, 2.5);
    assert_near(p.playoff, 2.5);
    assert_near(p.waiting, 3 + 0.5); /* until it was ready, and what the trial took besides */
    assert_near(p.starting, 3);
    assert_near(p.busy, 6.0 / 13);
    /* Asking changes nothing. */
    p = wall_parts(&wall, 114);
    assert_adds_up(&p);
    assert_near(p.playoff, 3.5);
}

/* Two devices had trials at once: what they tell is more than the wall has. */
static void two_devices(void **state) {
    (void)state;
    struct wall wall;
    wall_begin(&wall, 0);
    wall_enter(&wall, 0, WALL_RUNNING, 0.5);
    wall_enter(&wall, 2, WALL_RUNNING, 1);
    wall_tell(&wall, 3, 1);
    wall_tell(&wall, 3, 1);
    struct wall_parts p = wall_parts(&wall, 6);
    assert_adds_up(&p);
    assert_near(p.verifying, 4.5);
    assert_near(p.measuring, 1.5);
    assert_near(p.waiting, 0);
    assert_near(p.busy, 5.0 / 6);
}

/* A trial that hung until its limit: nobody told of it. */
static void a_hang_is_waited_for(void **state) {
    (void)state;
    struct wall wall;
    wall_begin(&wall, 0);
    wall_enter(&wall, 1, WALL_RUNNING, 1);
    wall_enter(&wall, 31, WALL_STARTING, 0);
    struct wall_parts p = wall_parts(&wall, 32);
    assert_adds_up(&p);
    assert_near(p.waiting, 31);
    assert_near(p.starting, 1);
    wall_begin(&wall, 5);
    p = wall_parts(&wall, 5);
    assert_adds_up(&p);
    assert_near(p.total, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_device),
        cmocka_unit_test(two_devices),
        cmocka_unit_test(a_hang_is_waited_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* What follows from what was seen of a machine: planted diagnoses, and what the host tells. */
#include <math.h>

#include "runtime/base/clock.h"
#include "tests/support/support.h"
#include "tuner/doctor/doctor.h"

/* A machine without a flaw, but for a tenth of a percent of noise. */
static struct diagnosis quiet(bool is_cpu) {
    struct diagnosis d = {
        .device = {.is_cpu = is_cpu},
        .same = {31, 1, {0.9995, 1.001, 0.97}},
        .has_health = !is_cpu,
        .health = {.has_slowed_by = true, .persistence = 1, .mode = TW_MODE_EXCLUSIVE},
        .host = {.cores = 16, .load = 0.5, .other_cores = 0.2, .quota_cores = -1}};
    return d;
}

static void assert_verdict(struct diagnosis *d, bool trusted, const char *says) {
    struct tw_text text = {0};
    doctor_judge(d);
    doctor_verdict(d, &text);
    assert_int_equal(d->trusted, trusted);
    if (strstr(tw_text_or(&text, ""), says) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", tw_text_or(&text, ""), says);
    assert_null(strchr(text.data, '\n'));
    tw_text_free(&text);
}

static void a_quiet_machine(void **state) {
    (void)state;
    for (int is_cpu = 0; is_cpu < 2; is_cpu++) {
        struct diagnosis d = quiet(is_cpu);
        assert_verdict(&d, true, "can be trusted: a binary differs from itself by 0.1% at most");
        assert_int_equal(d.finding_count, 0);
        assert_true(fabs(d.noise - 0.001) < 1e-12);
    }
}

static void noise_alone(void **state) {
    (void)state;
    struct diagnosis d = quiet(false);
    d.same.interval = (struct statistics_interval){0.96, 1.001, 0.97};
    assert_verdict(&d, false, "do not trust differences under 4%: it is not known what disturbs");
    /* What is known of, though not serious, may be it. */
    d.health.persistence = 0;
    assert_verdict(&d, false, "under 4%: persistence mode is off");
}

static void others_on_the_device(void **state) {
    (void)state;
    struct diagnosis d = quiet(false);
    d.health.other_processes = 2;
    d.health.persistence = 0;
    d.health.mode = TW_MODE_SHARED;
    assert_verdict(
        &d, false,
        "do not trust results, though a binary differs from itself by only 0.1%: 2 other "
        "processes compute on the device; end them");
    assert_int_equal(d.finding_count, 3);
    assert_true(d.findings[0].serious && !d.findings[1].serious && !d.findings[2].serious);
}

static void throttled(void **state) {
    (void)state;
    struct diagnosis d = quiet(false);
    strcpy(d.health.slowed_by, "power cap");
    assert_verdict(&d, true, "can be trusted"); /* many a kernel works under it for good */
    assert_int_equal(d.finding_count, 1);
    strcpy(d.health.slowed_by, "power cap, temperature (hardware)");
    assert_verdict(&d, false, "the device is slowed down: power cap, temperature (hardware)");
}

/* A busy host is a CPU device's own trouble, and for a GPU a note. */
static void a_busy_host(void **state) {
    (void)state;
    struct diagnosis d = quiet(true);
    d.host.other_cores = 9.5;
    assert_verdict(&d, false, "other processes keep 9.5 of 16 cores busy; end them, or wait");
    d = quiet(false);
    d.host.other_cores = 9.5;
    assert_verdict(&d, true, "can be trusted");
    assert_int_equal(d.finding_count, 1);
    d = quiet(true);
    d.host.quota_cores = 2;
    strcpy(d.host.governor, "powersave");
    assert_verdict(&d, false, "only 2.0 of 16 cores may be used");
    assert_int_equal(d.finding_count, 2);
}

static void what_is_not_known_is_no_finding(void **state) {
    (void)state;
    struct diagnosis d = quiet(false);
    d.health = (struct tw_device_health){
        .unknown = "no library", .persistence = -1, .mode = -1, .other_processes = -1};
    d.host.load = d.host.other_cores = -1;
    assert_verdict(&d, true, "can be trusted");
    assert_int_equal(d.finding_count, 0);
}

/* What the host tells while this process works: its own work is not others'. */
static void the_host(void **state) {
    (void)state;
    struct host_mark mark;
    struct host_load load;
    host_begin(&mark);
    double until = tw_clock_now() + 0.2;
    while (tw_clock_now() < until)
        ;
    host_end(&mark, &load);
    assert_in_range(load.cores, 1, 100000);
    assert_true(load.other_cores == -1 ||
                (load.other_cores >= 0 && load.other_cores <= 2 * load.cores + 1));
    assert_true(load.quota_cores == -1 || load.quota_cores > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_quiet_machine),
        cmocka_unit_test(noise_alone),
        cmocka_unit_test(others_on_the_device),
        cmocka_unit_test(throttled),
        cmocka_unit_test(a_busy_host),
        cmocka_unit_test(what_is_not_known_is_no_finding),
        cmocka_unit_test(the_host),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

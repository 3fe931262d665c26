/* Variants measured in turns in this process: who is entered, and that each round times them all.
 */
#include "runtime/description/builtin.h"
#include "tests/support/device.h"
#include "tuner/measure/interleaved.h"
#include "tuner/measure/workload_create.h"
#include "tuner/space/given.h"

struct bench {
    struct tw_description *description;
    struct testbed testbed;
    struct workload workload;
    struct interleaved *interleaved;
};

static struct tw_device_info device;

static int open_bench(void **state) {
    struct bench *bench = calloc(1, sizeof *bench);
    struct tw_problem problem;
    struct tw_error error;
    if (!first_device("opencl", &device)) {
        free(bench);
        *state = NULL;
        return 0;
    }
    must(tw_description_builtin(&bench->description, "transpose", &error), error);
    must(tw_problem_parse(&problem, bench->description, "65x33", &error), error);
    must(testbed_open(&bench->testbed, &device, &problem, NULL, &error), error);
    must(workload_create(&bench->workload, &bench->testbed, CACHE_WARM, 1, &error), error);
    must(interleaved_create(&bench->interleaved, &bench->testbed, &bench->workload, &error), error);
    *state = bench;
    return 0;
}

static int close_bench(void **state) {
    struct bench *bench = *state;
    if (bench == NULL)
        return 0;
    interleaved_free(bench->interleaved);
    workload_free(&bench->workload);
    testbed_close(&bench->testbed);
    tw_description_free(bench->description);
    free(bench);
    return 0;
}

static void enters_and_times(void **state) {
    struct bench *bench = *state;
    struct tw_configuration configuration;
    struct accuracy accuracy = {.max_rel_error = 1};
    struct tw_error error;
    int entry = -1, again = -1;
    if (bench == NULL)
        skip();
    must(given_preset(bench->description, "default", &configuration, &error), error);
    must(interleaved_enter(bench->interleaved, &configuration, &entry, &accuracy, &error), error);
    assert_int_equal(entry, 0);
    assert_true(accuracy.max_rel_error == 0); /* it moves what it reads */
    must(interleaved_enter_again(bench->interleaved, entry, &again, &error), error);
    assert_int_equal(again, 1);
    for (int round = 0; round < 3; round++) {
        double times_us[3] = {-1, -1, -1};
        must(interleaved_round(bench->interleaved, times_us, &error), error);
        assert_true(times_us[0] > 0 && times_us[1] > 0);
        assert_true(times_us[2] == -1);
    }
}

/* Who cannot be entered leaves the others as they were. */
static void refusals_change_nothing(void **state) {
    struct bench *bench = *state;
    struct tw_configuration configuration, broken;
    struct tw_error error;
    int entry = -1, refused = -1;
    double times_us[2] = {-1, -1};
    if (bench == NULL)
        skip();
    must(given_preset(bench->description, "default", &configuration, &error), error);
    must(interleaved_enter(bench->interleaved, &configuration, &entry, NULL, &error), error);
    broken = configuration;
    for (int i = 0; i < TW_MAX_PARAMETERS; i++)
        broken.values[i] = 1 << 20;
    assert_int_not_equal(interleaved_enter(bench->interleaved, &broken, &refused, NULL, &error),
                         TW_OK);
    assert_int_equal(refused, -1);
    must(interleaved_round(bench->interleaved, times_us, &error), error);
    assert_true(times_us[0] > 0 && times_us[1] == -1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(enters_and_times, open_bench, close_bench),
        cmocka_unit_test_setup_teardown(refusals_change_nothing, open_bench, close_bench),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Tests that run on every backend: a cmocka test is given a struct stage. */
#ifndef TESTS_SUPPORT_STAGES_H
#define TESTS_SUPPORT_STAGES_H

#include "tests/support/kernels.h"

SUPPORT int open_stage(void **state) {
    const struct tw_backend *backend = *state;
    struct stage *stage = calloc(1, sizeof *stage);
    struct tw_error error;
    if (stage == NULL)
        return -1;
    stage->backend = backend;
    must(backend->describe(0, &stage->info, &error), error);
    must(backend->open(&stage->device, 0, &error), error);
    *state = stage;
    return 0;
}

SUPPORT int close_stage(void **state) {
    struct stage *stage = *state;
    stage->backend->close(stage->device);
    free(stage);
    return 0;
}

#define STAGE_TEST(function) cmocka_unit_test_setup_teardown(function, open_stage, close_stage)

/* Runs the tests on each backend, or only on the one that the program's argument names, and only
 * those whose names match its second. */
SUPPORT int run_on_backends(int count, char **arguments, struct CMUnitTest *tests,
                            size_t test_count) {
    int failed = 0;
    if (count > 2)
        cmocka_set_test_filter(arguments[2]);
    for (int i = 0; tw_backends()[i] != NULL; i++) {
        const struct tw_backend *backend = tw_backends()[i];
        struct tw_device_info info;
        if (count > 1 && strcmp(arguments[1], backend->name) != 0)
            continue;
        if (!first_device(backend->name, &info)) {
            print_message("[  SKIPPED ] %s\n", backend->name);
            continue;
        }
        for (size_t t = 0; t < test_count; t++)
            tests[t].initial_state = (void *)backend;
        failed += _cmocka_run_group_tests(backend->name, tests, test_count, NULL, NULL);
    }
    return failed;
}

#endif

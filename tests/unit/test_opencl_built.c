/* Programs that wait for the device that they were built for: each goes to whoever loads its bytes
 * in its context, and to nobody else, and none stays when the device is closed. */
#include "runtime/backend/opencl/built.h"

#include "tests/support/support.h"

enum { PROGRAMS = 16 };

static int releases[PROGRAMS], retains;

/* Handles are numbers here, which nobody follows. */
static cl_program program(int number) {
    return (cl_program)(uintptr_t)(number + 1);
}

static cl_context context(int number) {
    return (cl_context)(uintptr_t)(number + 1);
}

static cl_int release(cl_program which) {
    releases[(uintptr_t)which - 1]++;
    return CL_SUCCESS;
}

static cl_int retain(cl_context which) {
    (void)which;
    retains++;
    return CL_SUCCESS;
}

static const struct tw_opencl cl = {.program_release = release, .context_retain = retain};

static int total_releases(void) {
    int total = 0;
    for (int i = 0; i < PROGRAMS; i++)
        total += releases[i];
    return total;
}

static int start(void **state) {
    (void)state;
    memset(releases, 0, sizeof releases);
    retains = 0;
    return 0;
}

static void only_open_devices_have_contexts(void **state) {
    (void)state;
    assert_null(tw_opencl_built_context(&cl, 3));
    tw_opencl_built_open(3, context(1));
    tw_opencl_built_open(3, context(2)); /* opened again: the first serves */
    assert_ptr_equal(tw_opencl_built_context(&cl, 3), context(1));
    assert_int_equal(retains, 1);
    assert_null(tw_opencl_built_context(&cl, 4));
    tw_opencl_built_close(&cl, context(2));
    assert_ptr_equal(tw_opencl_built_context(&cl, 3), context(1));
    tw_opencl_built_close(&cl, context(1));
    assert_null(tw_opencl_built_context(&cl, 3));
    assert_int_equal(total_releases(), 0);
}

static void each_is_taken_once(void **state) {
    (void)state;
    tw_opencl_built_open(0, context(0));
    tw_opencl_built_open(1, context(1));
    tw_opencl_built_keep(&cl, context(0), "one", 3, program(0));
    tw_opencl_built_keep(&cl, context(0), "two", 3, program(1));
    tw_opencl_built_keep(&cl, context(1), "one", 3, program(2));
    assert_null(tw_opencl_built_take(context(0), "six", 3));
    assert_null(tw_opencl_built_take(context(0), "on", 2));
    assert_ptr_equal(tw_opencl_built_take(context(1), "one", 3), program(2));
    assert_null(tw_opencl_built_take(context(1), "one", 3));
    assert_ptr_equal(tw_opencl_built_take(context(0), "one", 3), program(0));
    assert_ptr_equal(tw_opencl_built_take(context(0), "two", 3), program(1));
    tw_opencl_built_close(&cl, context(0));
    tw_opencl_built_close(&cl, context(1));
    assert_int_equal(total_releases(), 0);
}

static void none_outlives_its_device(void **state) {
    (void)state;
    tw_opencl_built_open(0, context(0));
    tw_opencl_built_open(1, context(1));
    tw_opencl_built_keep(&cl, context(0), "one", 3, program(0));
    tw_opencl_built_keep(&cl, context(1), "one", 3, program(1));
    tw_opencl_built_close(&cl, context(0));
    assert_int_equal(releases[0], 1);
    assert_null(tw_opencl_built_take(context(0), "one", 3));
    /* It was being compiled for when it was closed. */
    tw_opencl_built_keep(&cl, context(0), "two", 3, program(2));
    assert_int_equal(releases[2], 1);
    assert_null(tw_opencl_built_take(context(0), "two", 3));
    assert_ptr_equal(tw_opencl_built_take(context(1), "one", 3), program(1));
    tw_opencl_built_close(&cl, context(1));
    assert_int_equal(total_releases(), 2);
}

static void the_oldest_goes(void **state) {
    (void)state;
    char bytes[PROGRAMS];
    tw_opencl_built_open(0, context(0));
    for (int i = 0; i < PROGRAMS; i++) {
        bytes[i] = (char)i;
        tw_opencl_built_keep(&cl, context(0), &bytes[i], 1, program(i));
    }
    const int gone = total_releases();
    assert_in_range(gone, 1, PROGRAMS - 4); /* a variant's kernels fit */
    for (int i = 0; i < PROGRAMS; i++) {
        assert_int_equal(releases[i], i < gone);
        assert_ptr_equal(tw_opencl_built_take(context(0), &bytes[i], 1),
                         i < gone ? NULL : program(i));
    }
    tw_opencl_built_close(&cl, context(0));
    assert_int_equal(total_releases(), gone);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(only_open_devices_have_contexts, start),
        cmocka_unit_test_setup(each_is_taken_once, start),
        cmocka_unit_test_setup(none_outlives_its_device, start),
        cmocka_unit_test_setup(the_oldest_goes, start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

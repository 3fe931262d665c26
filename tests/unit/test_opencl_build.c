/* Building for an OpenCL driver: what fails without a word is tried once more, what a compiler
 * refuses is not. */
#include "runtime/backend/opencl/compile.h"

#include "tests/support/support.h"

/* What a driver on paper says to each try. */
static struct {
    cl_int results[3];
    const char *log;
    int tries;
} driver;

static cl_int build(cl_program program, cl_uint count, const cl_device_id *devices,
                    const char *options, void(CL_CALLBACK *notify)(cl_program, void *),
                    void *context) {
    (void)program, (void)count, (void)devices, (void)options, (void)notify, (void)context;
    assert_true(driver.tries < 3);
    return driver.results[driver.tries++];
}

static cl_int build_info(cl_program program, cl_device_id device, cl_program_build_info what,
                         size_t size, void *value, size_t *needed) {
    (void)program, (void)device;
    assert_int_equal(what, CL_PROGRAM_BUILD_LOG);
    if (needed != NULL)
        *needed = strlen(driver.log) + 1;
    if (value != NULL)
        memcpy(value, driver.log, size);
    return CL_SUCCESS;
}

static const struct tw_opencl cl = {.program_build = build, .program_build_info = build_info};

static tw_status built(cl_int first, cl_int second, const char *log, struct tw_error *error) {
    struct tw_text text = {0};
    driver.results[0] = first;
    driver.results[1] = second;
    driver.results[2] = CL_SUCCESS;
    driver.log = log;
    driver.tries = 0;
    tw_status status = tw_opencl_build(&cl, NULL, NULL, &text, error);
    assert_string_equal(text.length > 0 ? text.data : "", log);
    tw_text_free(&text);
    return status;
}

static void what_fails_without_a_word(void **state) {
    (void)state;
    struct tw_error error;
    must(built(CL_BUILD_PROGRAM_FAILURE, CL_SUCCESS, "", &error), error);
    assert_int_equal(driver.tries, 2);
    assert_refuses(built(CL_BUILD_PROGRAM_FAILURE, CL_BUILD_PROGRAM_FAILURE, "", &error),
                   TW_COMPILE, error, "clBuildProgram: OpenCL error -11");
    assert_int_equal(driver.tries, 2);
}

static void what_a_compiler_says(void **state) {
    (void)state;
    struct tw_error error;
    must(built(CL_SUCCESS, CL_BUILD_PROGRAM_FAILURE, "1 warning", &error), error);
    assert_int_equal(driver.tries, 1);
    must(built(CL_SUCCESS, CL_BUILD_PROGRAM_FAILURE, "", &error), error);
    assert_int_equal(driver.tries, 1);
    assert_refuses(built(CL_BUILD_PROGRAM_FAILURE, CL_SUCCESS, "1 error", &error), TW_COMPILE,
                   error, "clBuildProgram");
    assert_int_equal(driver.tries, 1);
}

static void other_failures(void **state) {
    (void)state;
    struct tw_error error;
    assert_refuses(built(CL_OUT_OF_HOST_MEMORY, CL_SUCCESS, "", &error), TW_NO_MEMORY, error,
                   "clBuildProgram");
    assert_int_equal(driver.tries, 1);
    assert_refuses(built(CL_INVALID_BINARY, CL_SUCCESS, "", &error), TW_COMPILE, error,
                   "clBuildProgram");
    assert_int_equal(driver.tries, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_fails_without_a_word),
        cmocka_unit_test(what_a_compiler_says),
        cmocka_unit_test(other_failures),
    };
    return cmocka_run_group_tests_name("opencl_build", tests, NULL, NULL);
}

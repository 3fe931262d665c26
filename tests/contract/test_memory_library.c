/* libtilewise on a CPU: allocations of its own fail in turn, those of the driver do not. A call
 * fails in one line or does all it should, and what failed succeeds once there is memory.
 *
 * A run opens a device and compiles, so that only a sample of the allocations fails. */
#include "runtime/tilewise.h"
#include "tests/support/memory.h"
#include "tests/support/library.h"

enum { M = 3, N = 5, SAMPLE = 60 };

static const char *const descriptions[] = {KERNELS "/double.json", NULL};

static tw_options describing(void) {
    tw_options options = bare_options();
    options.descriptions = descriptions;
    return options;
}

static tw_status open_and_close(void *context, struct tw_text *seen, struct tw_error *error) {
    const char *const databases[] = {context, NULL};
    tw_options options = describing();
    options.databases = databases;
    tw_library *library;
    tw_status status = tw_open(&library, &options, error);
    if (status == TW_OK)
        memory_see(seen, "%s %s", tw_device_id(library), tw_device_name(library));
    else
        assert_null(library);
    tw_close(library);
    return status;
}

static void opening(void **state) {
    (void)state;
    memory_fails_at_most(
        &(struct memory_scenario){"opening", open_and_close, NULL, "/nowhere/at/all.db"}, true,
        SAMPLE);
}

/* ---- Calls ---- */

/* A library with three buffers of M x N floats, made and freed while nothing fails. */
struct caller {
    tw_library *library;
    void *buffers[3];
};

static void arrive(struct caller *caller) {
    const tw_options options = describing();
    float numbers[M * N];
    for (int i = 0; i < M * N; i++)
        numbers[i] = (float)(i + 1);
    memory_pause();
    caller->library = open_with(&options);
    for (int i = 0; i < 3; i++)
        caller->buffers[i] = buffer_with(caller->library, numbers, sizeof numbers);
    memory_resume();
}

static void leave(struct caller *caller) {
    memory_pause();
    for (int i = 0; i < 3; i++)
        tw_release(caller->library, caller->buffers[i]);
    tw_close(caller->library);
    memory_resume();
}

static void see_result(const struct caller *caller, struct tw_text *seen) {
    float numbers[M * N];
    memory_pause();
    read_buffer(caller->library, caller->buffers[2], numbers, sizeof numbers);
    memory_resume();
    for (int i = 0; i < M * N; i++)
        memory_see(seen, " %g", (double)numbers[i]);
}

typedef tw_status call(const struct caller *caller, struct tw_text *seen, struct tw_error *error);

static tw_status double_rows(const struct caller *caller, struct tw_text *seen,
                             struct tw_error *error) {
    const tw_request request = {.kernel = "double", .dimensions = {M, N}};
    const tw_binding bindings[] = {{.name = "A", .buffer = caller->buffers[0]},
                                   {.name = "B", .buffer = caller->buffers[2]}};
    const tw_plan *plan;
    tw_status status = tw_plan_create(&plan, caller->library, &request, error);
    if (status == TW_OK)
        status = tw_launch(plan, NULL, bindings, 2, error);
    if (status == TW_OK)
        memory_see(seen, "%s", tw_plan_explain(plan)->configuration);
    return status;
}

static tw_status multiply(const struct caller *caller, struct tw_text *seen,
                          struct tw_error *error) {
    (void)seen;
    return tw_gemm(caller->library, NULL, TW_F32, TW_NN, M, M, M, 1, caller->buffers[0], N,
                   caller->buffers[1], N, 0, caller->buffers[2], N, error);
}

static tw_status make_call(void *context, struct tw_text *seen, struct tw_error *error) {
    call *const *const one = context;
    struct caller caller;
    arrive(&caller);
    tw_status status = (*one)(&caller, seen, error);
    if (status == TW_OK) {
        see_result(&caller, seen);
    } else {
        struct tw_error again;
        memory_pause();
        if ((*one)(&caller, seen, &again) != TW_OK)
            fail_msg("the same again: %s", again.message);
        memory_resume();
    }
    leave(&caller);
    return status;
}

static void plans(void **state) {
    static call *const one = double_rows;
    (void)state;
    memory_fails_at_most(
        &(struct memory_scenario){"plan and launch", make_call, NULL, (void *)&one}, true, SAMPLE);
}

static void products(void **state) {
    static call *const one = multiply;
    (void)state;
    memory_fails_at_most(&(struct memory_scenario){"tw_gemm", make_call, NULL, (void *)&one}, true,
                         SAMPLE);
}

/* In this thread, whose allocations fail. */
static tw_status prepare_range(const struct caller *caller, struct tw_text *seen,
                               struct tw_error *error) {
    const tw_request request = {.kernel = "double", .dimensions = {0, N}};
    const tw_range range = {sizeof range, &request, 0, 1, M, 0};
    tw_status status = tw_prepare_ranges(caller->library, &range, 1, 1, error);
    return status == TW_OK ? double_rows(caller, seen, error) : status;
}

static void ranges(void **state) {
    static call *const one = prepare_range;
    (void)state;
    memory_fails_at_most(
        &(struct memory_scenario){"tw_prepare_ranges", make_call, NULL, (void *)&one}, true,
        SAMPLE);
}

int main(int count, char **arguments) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(opening),
        cmocka_unit_test(plans),
        cmocka_unit_test(products),
        cmocka_unit_test(ranges),
    };
    /* Before the library uses SQLite. */
    if (memory_start(NULL) != 0)
        return 1;
    if (!backend_is_here(count, arguments))
        return 0;
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* libtilewise: what tw_options.log_shapes and TILEWISE_LOG_SHAPES leave in a file.
 *
 *     test_library_log BACKEND */
#include "tests/support/library.h"

enum { M = 6, N = 5 };

struct logged {
    char path[1024];
    char text[16384];
};

static void read_log(struct logged *logged) {
    FILE *file = fopen(logged->path, "r");
    assert_non_null(file);
    logged->text[fread(logged->text, 1, sizeof logged->text - 1, file)] = '\0';
    fclose(file);
}

/* The sum of the counts of the lines with these words, -1 where there is none. */
static long long sum_of(struct logged *logged, const char *one, const char *other) {
    long long sum = -1;
    read_log(logged);
    char *rest = logged->text;
    for (char *line; (line = strsep(&rest, "\n")) != NULL;)
        if (strstr(line, one) != NULL && strstr(line, other) != NULL)
            sum = (sum < 0 ? 0 : sum) + atoll(strstr(line, ",\"count\":") + 9);
    return sum;
}

static void copy_some(tw_library *library, int64_t rows, int times) {
    static const float numbers[M * N];
    tw_error error;
    void *from = buffer_with(library, numbers, sizeof numbers);
    void *to = buffer_with(library, numbers, sizeof numbers);
    for (int i = 0; i < times; i++)
        must(tw_copy(library, NULL, 4, rows, N, from, 0, to, 0, &error), error);
    must(tw_wait(library, NULL, &error), error);
    tw_release(library, from);
    tw_release(library, to);
}

static tw_options logging(const struct logged *logged) {
    tw_options options = bare_options();
    options.size = sizeof options;
    options.log_shapes = logged->path;
    return options;
}

static void launches_are_counted(void **state) {
    const struct scratch *scratch = *state;
    struct logged logged;
    snprintf(logged.path, sizeof logged.path, "%s/shapes", scratch->path);
    const tw_options options = logging(&logged);
    const tw_request request = {.kernel = "transpose", .dimensions = {M, N}};
    tw_library *library = open_with(&options);
    copy_some(library, M, 4);
    copy_some(library, M - 1, 2);
    make_plan(library, &request); /* asked for, and never launched */
    tw_close(library);
    assert_int_equal(sum_of(&logged, "\"kernel\":\"copy\",\"shape\":\"6x5\"", "\"default\""), 4);
    assert_int_equal(sum_of(&logged, "\"kernel\":\"copy\",\"shape\":\"5x5\"", "\"default\""), 2);
    /* By a rule for CPUs, on one. */
    assert_int_equal(sum_of(&logged, "\"kernel\":\"transpose\"", "\"shape\":\"6x5\""), 0);
}

/* Nothing is drawn up twice, and counts outlive the plans that are dropped. */
static void plans_that_come_again(void **state) {
    const struct scratch *scratch = *state;
    struct logged logged;
    snprintf(logged.path, sizeof logged.path, "%s/shapes", scratch->path);
    tw_options options = logging(&logged);
    options.plan_limit = 1;
    tw_library *library = open_with(&options);
    for (int i = 0; i < 4; i++)
        copy_some(library, M - i % 2, 1);
    tw_close(library);
    assert_int_equal(sum_of(&logged, "\"6x5\"", "\"default\""), 2);
    assert_int_equal(sum_of(&logged, "\"5x5\"", "\"default\""), 2);
}

static void what_gets_no_plan(void **state) {
    const struct scratch *scratch = *state;
    struct logged logged;
    tw_error error;
    snprintf(logged.path, sizeof logged.path, "%s/shapes", scratch->path);
    tw_options options = logging(&logged);
    options.on_miss = TW_MISS_FAIL;
    const tw_request request = {.kernel = "copy", .dimensions = {M, N}, .strides = {8}},
                     unknown = {.kernel = "copie", .dimensions = {M, N}};
    const tw_plan *plan;
    tw_library *library = open_with(&options);
    for (int i = 0; i < 3; i++)
        assert_status(tw_plan_create(&plan, library, &request, &error), TW_NOT_FOUND);
    assert_status(tw_plan_create(&plan, library, &unknown, &error), TW_NOT_FOUND);
    tw_close(library);
    assert_int_equal(sum_of(&logged, "\"strides\":{\"lda\":8}", "\"rule\":\"none\""), 3);
    assert_does_not_say(logged.text, "copie");
}

static void the_environment_names_a_file(void **state) {
    const struct scratch *scratch = *state;
    struct logged logged;
    tw_error error;
    tw_library *library;
    tw_options options = bare_options(); /* as a program that knows of no log */
    snprintf(logged.path, sizeof logged.path, "%s/shapes", scratch->path);
    setenv("TILEWISE_LOG_SHAPES", logged.path, 1);
    library = open_with(&options);
    copy_some(library, M, 1);
    tw_close(library);
    assert_int_equal(sum_of(&logged, "\"6x5\"", "\"default\""), 1);
    /* Where the program says none, there is none. */
    options = logging(&logged);
    options.log_shapes = "";
    library = open_with(&options);
    copy_some(library, M, 1);
    tw_close(library);
    assert_int_equal(sum_of(&logged, "\"6x5\"", "\"default\""), 1);
    setenv("TILEWISE_LOG_SHAPES", "/nowhere/at/all", 1);
    options = bare_options();
    assert_refuses(tw_open(&library, &options, &error), TW_IO, error,
                   "TILEWISE_LOG_SHAPES: cannot write the log of shapes /nowhere/at/all: ");
    assert_null(library);
    unsetenv("TILEWISE_LOG_SHAPES");
}

int main(int count, char **arguments) {
    const struct CMUnitTest tests[] = {
        SCRATCH_TEST(launches_are_counted),
        SCRATCH_TEST(plans_that_come_again),
        SCRATCH_TEST(what_gets_no_plan),
        SCRATCH_TEST(the_environment_names_a_file),
    };
    if (!backend_is_here(count, arguments))
        return 0;
    return cmocka_run_group_tests(tests, NULL, NULL);
}

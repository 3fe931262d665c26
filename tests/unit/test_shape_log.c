/* The log of the shapes that an application asks for: what is counted, by several processes, some
 * of which die, and what the file was before. */
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#include "runtime/base/file.h"
#include "runtime/base/text.h"
#include "runtime/library/shape_log.h"
#include "tests/support/support.h"

static const struct tw_device_info device = {.id = "cuda:0",
                                             .backend = "cuda",
                                             .name = "NVIDIA \"Q\" 1",
                                             .architecture = "sm_90",
                                             .compute_units = 4};

struct place {
    struct tw_description *description;
    char path[1024];
};

static void begin(struct place *place, void **state) {
    const struct scratch *scratch = *state;
    tw_error error;
    must(tw_description_builtin(&place->description, "gemm", &error), error);
    snprintf(place->path, sizeof place->path, "%s/shapes.log", scratch->path);
}

static struct tw_shape_log *open_log(const struct place *place) {
    struct tw_shape_log *log;
    tw_error error;
    must(tw_shape_log_open(&log, place->path, &device, "cold", &error), error);
    return log;
}

static struct tw_asked *ask(struct tw_shape_log *log, const struct place *place, const char *shape,
                            const char *rule) {
    static const int64_t none[TW_MAX_ARGUMENTS];
    struct tw_problem problem;
    tw_error error;
    must(tw_problem_parse(&problem, place->description, shape, &error), error);
    const struct tw_asked_shape asked = {
        .problem = &problem, .strides = none, .rule = rule, .expected_us = 12.5};
    struct tw_asked *entry = tw_shape_log_entry(log, &asked);
    assert_non_null(entry);
    return entry;
}

static void count(struct tw_asked *asked, int times) {
    for (int i = 0; i < times; i++)
        tw_asked_count(asked);
}

static void read_log(const struct place *place, struct tw_text *text) {
    tw_error error;
    tw_text_free(text);
    must(tw_file_read(text, place->path, &error), error);
}

/* The sum of the counts of lines with all of these words; -1: there is none. */
static long long sum_of(const struct place *place, const char *shape, const char *rule) {
    struct tw_text text = {0};
    char *rest;
    long long sum = -1;
    read_log(place, &text);
    rest = text.data;
    for (char *line; (line = strsep(&rest, "\n")) != NULL;) {
        const char *counted = strstr(line, ",\"count\":");
        if (counted == NULL || strstr(line, shape) == NULL || strstr(line, rule) == NULL)
            continue;
        sum = (sum < 0 ? 0 : sum) + atoll(counted + 9);
    }
    tw_text_free(&text);
    return sum;
}

static void shapes_are_counted(void **state) {
    struct place place;
    struct tw_text text = {0};
    begin(&place, state);
    struct tw_shape_log *log = open_log(&place);
    struct tw_asked *asked = ask(log, &place, "64x32x16", "predicted");
    assert_ptr_equal(ask(log, &place, "64x32x16", "predicted"), asked);
    assert_ptr_not_equal(ask(log, &place, "64x32x16", "exact"), asked);
    count(asked, 7);
    count(ask(log, &place, "8x8x8", "none"), 1);
    count(NULL, 1);
    tw_shape_log_close(log);
    assert_int_equal(sum_of(&place, "\"64x32x16\"", "predicted"), 7);
    assert_int_equal(sum_of(&place, "\"64x32x16\"", "exact"), 0);
    assert_int_equal(sum_of(&place, "\"8x8x8\"", "none"), 1);
    read_log(&place, &text);
    assert_says(text.data, "{\"tilewise_shapes\":1,\"kernel\":\"gemm\",\"shape\":");
    assert_says(text.data,
                ",\"attributes\":\"dtype=f32,trans=nn\",\"device\":\"NVIDIA \\\"Q\\\" 1\",");
    assert_says(text.data,
                ",\"cache\":\"cold\",\"rule\":\"exact\",\"expected_us\":12.5,\"count\":0,");
    tw_text_free(&text);
    /* Once more: it goes on adding. */
    log = open_log(&place);
    count(ask(log, &place, "64x32x16", "predicted"), 5);
    tw_shape_log_close(log);
    assert_int_equal(sum_of(&place, "\"64x32x16\"", "predicted"), 12);
    tw_description_free(place.description);
}

static void strides_and_alignment_are_told(void **state) {
    struct place place;
    struct tw_text text = {0};
    tw_error error;
    begin(&place, state);
    struct tw_shape_log *log = open_log(&place);
    int64_t strides[TW_MAX_ARGUMENTS] = {0};
    struct tw_problem problem;
    must(tw_problem_parse(&problem, place.description, "8x8x8", &error), error);
    problem.alignment = 4;
    for (int i = 0; i < place.description->argument_count; i++)
        if (strcmp(place.description->arguments[i].name, "ldb") == 0)
            strides[i] = 24;
    const struct tw_asked_shape asked = {
        .problem = &problem, .strides = strides, .rule = "default"};
    count(tw_shape_log_entry(log, &asked), 2);
    tw_shape_log_close(log);
    read_log(&place, &text);
    assert_says(text.data, ",\"strides\":{\"ldb\":24},\"alignment\":4,");
    assert_says(text.data, "\"rule\":\"default\",\"count\":");
    tw_text_free(&text);
    tw_description_free(place.description);
}

/* ---- Processes ---- */

static void wait_until_known(const struct place *place, const char *shape) {
    for (int i = 0; i < 6000 && sum_of(place, shape, "") < 0; i++)
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    assert_true(sum_of(place, shape, "") >= 0);
}

/* What an application does that is killed: its shapes are in the file soon. */
static void shapes_survive_a_crash(void **state) {
    struct place place;
    begin(&place, state);
    tw_shape_log_close(open_log(&place)); /* the file is there */
    pid_t child = fork();
    if (child == 0) {
        struct tw_shape_log *log = open_log(&place);
        count(ask(log, &place, "64x32x16", "predicted"), 3);
        pause();
        _exit(0);
    }
    wait_until_known(&place, "\"64x32x16\"");
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, NULL, 0), child);
    tw_description_free(place.description);
}

/* A program that ends without closing its library has counted all the same. */
static void what_is_open_at_exit_is_written(void **state) {
    struct place place;
    int outcome;
    begin(&place, state);
    fflush(NULL); /* or the child would print it too */
    pid_t child = fork();
    if (child == 0) {
        struct tw_shape_log *first = open_log(&place), *second = open_log(&place);
        struct tw_asked *asked = ask(first, &place, "64x32x16", "exact");
        wait_until_known(&place, "\"64x32x16\"");
        count(asked, 3);
        tw_shape_log_close(second);
        exit(0);
    }
    assert_int_equal(waitpid(child, &outcome, 0), child);
    assert_int_equal(outcome, 0);
    assert_int_equal(sum_of(&place, "\"64x32x16\"", "exact"), 3);
    tw_description_free(place.description);
}

enum { PROCESSES = 4, SHAPES = 20, LAUNCHES = 1000 };

static void several_processes_share_a_file(void **state) {
    struct place place;
    pid_t children[PROCESSES];
    begin(&place, state);
    for (int i = 0; i < PROCESSES; i++) {
        children[i] = fork();
        if (children[i] != 0)
            continue;
        struct tw_shape_log *log = open_log(&place);
        for (int k = 0; k < SHAPES; k++) {
            char shape[32];
            snprintf(shape, sizeof shape, "%dx7x7", k + 1);
            count(ask(log, &place, shape, "nearest"), LAUNCHES);
        }
        tw_shape_log_close(log);
        _exit(0);
    }
    for (int i = 0; i < PROCESSES; i++) {
        int outcome;
        assert_int_equal(waitpid(children[i], &outcome, 0), children[i]);
        assert_int_equal(outcome, 0);
    }
    for (int k = 0; k < SHAPES; k++) {
        char shape[32];
        snprintf(shape, sizeof shape, "\"%dx7x7\"", k + 1);
        assert_int_equal(sum_of(&place, shape, "nearest"), PROCESSES * LAUNCHES);
    }
    tw_description_free(place.description);
}

/* A child that was forked has no thread to wait for, and its parent's counts are not its own. */
static void a_forked_child_closes_it(void **state) {
    struct place place;
    int outcome;
    begin(&place, state);
    struct tw_shape_log *log = open_log(&place);
    count(ask(log, &place, "64x32x16", "exact"), 3);
    pid_t child = fork();
    if (child == 0) {
        tw_shape_log_close(log);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &outcome, 0), child);
    assert_int_equal(outcome, 0);
    tw_shape_log_close(log);
    assert_int_equal(sum_of(&place, "\"64x32x16\"", "exact"), 3);
    tw_description_free(place.description);
}

enum { FORKS = 100 };

struct shared {
    struct tw_shape_log *log;
    const struct place *place;
    atomic_bool over;
};

static void *ask_for_many(void *argument) {
    struct shared *shared = argument;
    for (int i = 0; !shared->over; i = (i + 1) % SHAPES) {
        char shape[32];
        snprintf(shape, sizeof shape, "%dx5x5", i + 1);
        ask(shared->log, shared->place, shape, "exact");
    }
    return NULL;
}

/* Whatever threads of the parent are at when it forks, a child is not kept waiting by them. */
static void a_child_forked_at_any_time_asks(void **state) {
    struct place place;
    pthread_t threads[PROCESSES];
#ifdef __SANITIZE_ADDRESS__
    skip(); /* its allocator, unlike the C library's, stays locked in a child for whoever held it */
#endif
    begin(&place, state);
    struct shared shared = {.log = open_log(&place), .place = &place};
    for (int i = 0; i < PROCESSES; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, ask_for_many, &shared), 0);
    for (int i = 0; i < FORKS; i++) {
        int outcome;
        fflush(NULL);
        pid_t child = fork();
        if (child == 0) {
            alarm(60); /* ends a child that hangs */
            ask(shared.log, &place, "64x32x16", "exact");
            tw_shape_log_close(shared.log);
            _exit(0);
        }
        assert_int_equal(waitpid(child, &outcome, 0), child);
        assert_int_equal(outcome, 0);
    }
    shared.over = true;
    for (int i = 0; i < PROCESSES; i++)
        pthread_join(threads[i], NULL);
    tw_shape_log_close(shared.log);
    tw_description_free(place.description);
}

/* ---- Threads ---- */

static void *count_many(void *asked) {
    count(asked, LAUNCHES);
    return NULL;
}

static void threads_count_together(void **state) {
    struct place place;
    pthread_t threads[PROCESSES];
    begin(&place, state);
    struct tw_shape_log *log = open_log(&place);
    struct tw_asked *asked = ask(log, &place, "64x32x16", "exact");
    for (int i = 0; i < PROCESSES; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, count_many, asked), 0);
    for (int i = 0; i < PROCESSES; i++)
        pthread_join(threads[i], NULL);
    tw_shape_log_close(log);
    assert_int_equal(sum_of(&place, "\"64x32x16\"", "exact"), PROCESSES * LAUNCHES);
    tw_description_free(place.description);
}

/* ---- The file ---- */

static void half_a_line_is_ended(void **state) {
    struct place place;
    struct tw_text text = {0};
    char path[1024];
    begin(&place, state);
    scratch_write(*state, "shapes.log", "{\"tilewise_shapes\":1,\"ker", path);
    struct tw_shape_log *log = open_log(&place);
    count(ask(log, &place, "64x32x16", "exact"), 3);
    tw_shape_log_close(log);
    read_log(&place, &text);
    assert_says(text.data, "\"ker\n{\"tilewise_shapes\":1,\"kernel\":\"gemm\"");
    assert_int_equal(text.data[text.length - 1], '\n');
    tw_text_free(&text);
    tw_description_free(place.description);
}

static void other_files_are_left_alone(void **state) {
    const struct scratch *scratch = *state;
    static const char *const others[] = {"SQLite format 3", "{", "{\"tilewise\":1}", "64x32x16\n"};
    struct tw_shape_log *log;
    tw_error error;
    char path[1024], nowhere[1200];
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        struct tw_text text = {0};
        scratch_write(scratch, "other", others[i], path);
        if (i == 1) { /* what may yet become one is none to be afraid for */
            must(tw_shape_log_open(&log, path, &device, "cold", &error), error);
            tw_shape_log_close(log);
            continue;
        }
        assert_refuses(tw_shape_log_open(&log, path, &device, "cold", &error), TW_INVALID, error,
                       "other is no log of shapes");
        assert_null(log);
        must(tw_file_read(&text, path, &error), error);
        assert_string_equal(text.data, others[i]);
        tw_text_free(&text);
    }
    snprintf(nowhere, sizeof nowhere, "%s/none/shapes.log", scratch->path);
    assert_refuses(tw_shape_log_open(&log, nowhere, &device, "cold", &error), TW_IO, error,
                   "cannot write the log of shapes");
    assert_refuses(tw_shape_log_open(&log, scratch->path, &device, "cold", &error), TW_IO, error,
                   scratch->path);
    assert_refuses(tw_shape_log_open(&log, "/dev/null", &device, "cold", &error), TW_INVALID, error,
                   "/dev/null is no log of shapes");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        SCRATCH_TEST(shapes_are_counted),       SCRATCH_TEST(strides_and_alignment_are_told),
        SCRATCH_TEST(shapes_survive_a_crash),   SCRATCH_TEST(several_processes_share_a_file),
        SCRATCH_TEST(a_forked_child_closes_it), SCRATCH_TEST(a_child_forked_at_any_time_asks),
        SCRATCH_TEST(threads_count_together),   SCRATCH_TEST(what_is_open_at_exit_is_written),
        SCRATCH_TEST(half_a_line_is_ended),     SCRATCH_TEST(other_files_are_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

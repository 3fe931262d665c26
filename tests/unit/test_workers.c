/* Worker processes and the pool of compilers, with workers that do nothing but die as planned.
 * Limits are of two kinds: those that are to pass, which are short, and LONG ones that are not. */
#include "runtime/base/clock.h"
#include "tests/support/fake_workers.h"
#include "tests/support/scale.h"
#include "tuner/workers/compile_pool.h"
#include "tuner/workers/device_link.h"

/* Seconds: what takes longer does not come, however busy the machine is. */
static const double LONG = 300;
enum { LONG_MS = 300000 };

struct house {
    struct scratch *scratch;
    struct tw_description *description;
    struct tw_problem problem;
    struct tw_error error;
};

static int set_up(void **state) {
    struct house *house = calloc(1, sizeof *house);
    void *scratch;
    if (house == NULL || scratch_make(&scratch) != 0)
        return -1;
    house->scratch = scratch;
    house->description = read_description(scale_text, house->scratch->path);
    house->problem = parse_problem(house->description, "8x100");
    setenv(fake_home, house->scratch->path, 1);
    plan_faults(house->scratch->path, "");
    *state = house;
    return 0;
}

static int tear_down(void **state) {
    struct house *house = *state;
    void *scratch = house->scratch;
    tw_description_free(house->description);
    free(house);
    return scratch_remove(&scratch);
}

static void plan(const struct house *house, const char *text) {
    plan_faults(house->scratch->path, text);
}

/* ---- Processes ---- */

static bool ends_within(pid_t pid, double seconds) {
    double deadline = tw_clock_now() + seconds;
    while (tw_clock_now() < deadline) {
        if (waitpid(pid, NULL, WNOHANG) == pid)
            return true;
        usleep(1000);
    }
    return false;
}

/* What a worker is in the midst of does not keep it when its coordinator is gone. */
static void a_hang_up_ends_a_busy_worker(void **state) {
    struct house *house = *state;
    struct worker worker;
    struct message assignment = message_new("assignment");
    plan(house, "ready hang 1 device");
    must(worker_start(&worker, "device-worker", &house->error), house->error);
    must(message_send(worker.fd, &assignment, &house->error), house->error);
    assert_false(ends_within(worker.pid, 0.3));
    close(worker.fd);
    assert_true(ends_within(worker.pid, LONG));
    message_free(&assignment);
}

static void how_a_worker_ended(void **state) {
    struct house *house = *state;
    struct worker worker;
    struct worker_end end;
    struct message assignment = message_new("assignment");
    plan(house, "ready 11 1 device");
    must(worker_start(&worker, "device-worker", &house->error), house->error);
    must(message_send(worker.fd, &assignment, &house->error), house->error);
    struct pollfd fd = {.fd = worker.fd, .events = POLLIN};
    assert_int_equal(poll(&fd, 1, LONG_MS), 1);
    worker_stop(&worker, &end);
    assert_int_equal(end.signal, SIGSEGV);
    assert_string_equal(end.words, "killed by signal 11 (Segmentation fault)");
    assert_int_equal(worker.pid, 0);
    message_free(&assignment);

    /* No such worker. */
    must(worker_start(&worker, "no-worker", &house->error), house->error);
    fd.fd = worker.fd;
    assert_int_equal(poll(&fd, 1, LONG_MS), 1);
    worker_stop(&worker, &end);
    assert_int_equal(end.signal, 0);
    assert_string_equal(end.words, "ended with exit status 7");
    /* Stopping what is stopped is nothing. */
    worker_stop(&worker, &end);
    assert_string_equal(end.words, "");
}

static void blame(void **state) {
    (void)state;
    const struct worker_end killed = {.signal = SIGKILL}, crashed = {.signal = SIGSEGV}, left = {0},
                            lacking = {.no_memory = true};
    assert_true(3 * worker_blame(&killed) < WORKER_VERDICT);
    assert_true(4 * worker_blame(&killed) >= WORKER_VERDICT);
    assert_true(worker_blame(&crashed) < WORKER_VERDICT);
    assert_true(2 * worker_blame(&crashed) >= WORKER_VERDICT);
    assert_int_equal(worker_blame(&left), worker_blame(&crashed));
    assert_int_equal(worker_blame(&lacking), worker_blame(&killed));
}

/* ---- The pool ---- */

static struct tw_configuration variant(const struct house *house, int block) {
    struct tw_configuration configuration;
    struct tw_error error;
    char text[100];
    snprintf(text, sizeof text, "{\"BLOCK_X\":%d,\"ORDER\":\"rows\",\"GROUP\":1}", block);
    must(tw_configuration_parse(&configuration, house->description, 0, text, &error), error);
    return configuration;
}

static struct compile_pool *pool_of(struct house *house, int workers, double limit_s) {
    struct compile_pool *pool;
    must(compile_pool_create(&pool, &paper_gpu, workers, limit_s, &house->error), house->error);
    assert_int_equal(compile_pool_size(pool), workers);
    return pool;
}

static void submit(struct house *house, struct compile_pool *pool, int block) {
    struct tw_configuration configuration = variant(house, block);
    struct tw_executable *executable;
    struct tw_text source = {0};
    int64_t values[TW_MAX_SYMBOLS];
    bind_problem(&house->problem, &paper_gpu, values);
    must(tw_configuration_bind(house->description, &configuration, values, &house->error),
         house->error);
    must(tw_executable_create(&executable, &house->problem, &configuration, values, &paper_gpu,
                              &house->error),
         house->error);
    tw_text_print(&source, "a source");
    must(compile_pool_submit(pool, (uint64_t)block, executable, &source, NULL, &house->error),
         house->error);
    tw_text_free(&source);
    tw_executable_free(executable);
}

static void take_one(struct house *house, struct compile_pool *pool, struct compiled *compiled) {
    double deadline = tw_clock_now() + LONG;
    bool is = false;
    while (!is) {
        assert_true(tw_clock_now() < deadline);
        must(compile_pool_take(pool, compiled, &is, &house->error), house->error);
        struct pollfd fds[8];
        if (!is)
            poll(fds, (nfds_t)compile_pool_fds(pool, fds), 10);
    }
}

/* Takes `count` variants; statuses[i] becomes what came of number ids[i]. */
static void take(struct house *house, struct compile_pool *pool, int count, const int *ids,
                 enum tw_db_trial_status *statuses, char message[TW_ERROR_SIZE]) {
    for (int taken = 0; taken < count; taken++) {
        struct compiled compiled;
        take_one(house, pool, &compiled);
        for (int i = 0; i < count; i++)
            if (ids[i] == (int)compiled.id)
                statuses[i] = compiled.status;
        if (compiled.status != TW_DB_TRIAL_OK)
            strcpy(message, compiled.message);
        compiled_free(&compiled);
    }
    assert_int_equal(compile_pool_busy(pool), 0);
    assert_false(compile_pool_full(pool));
}

static const int all[] = {32, 64, 128};

/* The one over which a worker died is compiled when the others are through. */
static void tried_again_alone(void **state) {
    struct house *house = *state;
    enum tw_db_trial_status statuses[3];
    char message[TW_ERROR_SIZE] = "", path[1024], text[2000] = "";
    plan(house, "compile 9 1 \"BLOCK_X\":64");
    struct compile_pool *pool = pool_of(house, 3, LONG);
    for (int i = 0; i < 3; i++)
        submit(house, pool, all[i]);
    assert_true(compile_pool_full(pool));
    take(house, pool, 3, all, statuses, message);
    for (int i = 0; i < 3; i++)
        assert_int_equal(statuses[i], TW_DB_TRIAL_OK);
    compile_pool_free(pool);
    snprintf(path, sizeof path, "%s/log", house->scratch->path);
    FILE *log = fopen(path, "r");
    assert_non_null(log);
    text[fread(text, 1, sizeof text - 1, log)] = '\0';
    fclose(log);
    /* The last two lines are its own. */
    const char *last = "begin {\"BLOCK_X\":64,\"GROUP\":1,\"ORDER\":\"rows\"}\n"
                       "end {\"BLOCK_X\":64,\"GROUP\":1,\"ORDER\":\"rows\"}\n";
    assert_true(strlen(text) > strlen(last));
    assert_string_equal(text + strlen(text) - strlen(last), last);
}

/* Each of two pools gets its own variants back from the workers that they share, and neither waits
 * for good when the other was quicker to take the last of them. */
static void two_pools_on_the_same_workers(void **state) {
    struct house *house = *state;
    enum tw_db_trial_status statuses[3];
    char message[TW_ERROR_SIZE] = "";
    struct compile_pool *one = pool_of(house, 2, LONG), *other;
    must(compile_pool_share(one, &other, &house->error), house->error);
    assert_int_equal(compile_pool_size(other), 2);
    plan(house, "compile await 2");
    submit(house, one, 32);
    submit(house, other, 32);
    assert_int_equal(compile_pool_busy(one), 1);
    assert_true(compile_pool_full(one) && compile_pool_full(other));
    /* As one that saw a free worker a moment ago does. */
    submit(house, other, 64);
    assert_int_equal(compile_pool_busy(other), 2);
    char path[1024];
    scratch_write(house->scratch, "go", "", path);
    take(house, one, 1, all, statuses, message);
    take(house, other, 2, all, statuses, message);
    assert_int_equal(statuses[0], TW_DB_TRIAL_OK);
    assert_int_equal(statuses[1], TW_DB_TRIAL_OK);
    /* What the first had under way when it left is in nobody's way. */
    plan(house, "compile 9 1");
    submit(house, one, 64);
    submit(house, other, 128);
    compile_pool_free(one);
    take(house, other, 1, &all[2], statuses, message);
    assert_int_equal(statuses[0], TW_DB_TRIAL_OK);
    for (int i = 0; i < 3; i++) {
        submit(house, other, all[i]);
        take(house, other, 1, &all[i], statuses, message);
        assert_int_equal(statuses[0], TW_DB_TRIAL_OK);
    }
    compile_pool_free(other);
}

/* The pool whose variant is ready is the first to see a free worker, and leaves it to one that was
 * turned away with less than its portion, unless that wants nothing any more. */
static void workers_are_left_to_pools_with_less(void **state) {
    struct house *house = *state;
    struct compiled compiled;
    struct compile_pool *one = pool_of(house, 2, LONG), *other;
    must(compile_pool_share(one, &other, &house->error), house->error);
    assert_int_equal(compile_pool_portion(one), 2);
    submit(house, one, 32);
    submit(house, one, 64);
    assert_true(compile_pool_full(other));
    assert_int_equal(compile_pool_portion(one), 1);
    take_one(house, one, &compiled);
    compiled_free(&compiled);
    assert_int_equal(compile_pool_busy(one), 1);
    assert_true(compile_pool_full(one));
    assert_false(compile_pool_full(other));
    assert_false(compile_pool_full(one));
    submit(house, other, 128);
    assert_true(compile_pool_full(one));
    take_one(house, one, &compiled);
    compiled_free(&compiled);
    /* Both have their portion, or may come to it. */
    assert_false(compile_pool_full(one));
    submit(house, one, 32);
    assert_true(compile_pool_full(other));
    take_one(house, other, &compiled);
    compiled_free(&compiled);
    assert_true(compile_pool_full(one));
    compile_pool_rest(other);
    assert_false(compile_pool_full(one));
    submit(house, other, 64);
    take_one(house, one, &compiled);
    compiled_free(&compiled);
    compile_pool_free(other);
    assert_int_equal(compile_pool_portion(one), 2);
    compile_pool_free(one);
}

/* The first of three fails so, and the others are built. */
static void assert_first_fails(struct house *house, const char *faults,
                               enum tw_db_trial_status status, const char *why) {
    enum tw_db_trial_status statuses[3];
    char message[TW_ERROR_SIZE] = "";
    plan(house, faults);
    struct compile_pool *pool = pool_of(house, 3, LONG);
    for (int i = 0; i < 3; i++)
        submit(house, pool, all[i]);
    take(house, pool, 3, all, statuses, message);
    assert_int_equal(statuses[0], status);
    assert_int_equal(statuses[1], TW_DB_TRIAL_OK);
    assert_int_equal(statuses[2], TW_DB_TRIAL_OK);
    assert_string_equal(message, why);
    compile_pool_free(pool);
}

static void verdicts(void **state) {
    assert_first_fails(*state,
                       "compile 9 4 \"BLOCK_X\":32\ncompile 11 1 \"BLOCK_X\":64\n"
                       "compile 9 1 \"BLOCK_X\":64",
                       TW_DB_TRIAL_CRASH, "the compiler was killed by signal 9 (Killed), 4 times");
}

/* Whose process lacks memory says nothing of the variant, until four did. */
static void compilers_without_memory(void **state) {
    assert_first_fails(*state, "compile memory 4 \"BLOCK_X\":32\ncompile memory 3 \"BLOCK_X\":64",
                       TW_DB_TRIAL_RESOURCE, "the compiler was ended for lack of memory, 4 times");
}

static void a_compiler_that_hangs(void **state) {
    struct house *house = *state;
    enum tw_db_trial_status status[1];
    char message[TW_ERROR_SIZE] = "";
    plan(house, "compile hang 1");
    /* A limit that is to pass once, and is not for the next, whose worker has to start. */
    struct compile_pool *pool = pool_of(house, 1, 5);
    submit(house, pool, 64);
    take(house, pool, 1, all + 1, status, message);
    assert_int_equal(status[0], TW_DB_TRIAL_COMPILE_TIMEOUT);
    assert_says(message, "did not finish within 5 s");
    submit(house, pool, 64);
    take(house, pool, 1, all + 1, status, message);
    assert_int_equal(status[0], TW_DB_TRIAL_OK);
    compile_pool_free(pool);
}

/* An answer that is there is taken, though its time had passed when somebody looked. */
static void a_compiler_that_is_looked_at_late(void **state) {
    struct house *house = *state;
    enum tw_db_trial_status status[1];
    char message[TW_ERROR_SIZE] = "";
    struct compile_pool *pool = pool_of(house, 1, 0.1);
    struct pollfd fds[8];
    submit(house, pool, 64);
    assert_int_equal(compile_pool_fds(pool, fds), 1);
    assert_int_equal(poll(fds, 1, LONG_MS), 1);
    usleep(200000);
    take(house, pool, 1, all + 1, status, message);
    assert_int_equal(status[0], TW_DB_TRIAL_OK);
    compile_pool_free(pool);
}

/* ---- The link ---- */

static struct device_link *link_of(struct house *house, double load_limit_s) {
    struct device_link *link;
    must(device_link_create(&link, &house->problem, &paper_gpu, "cold", 1, false, load_limit_s,
                            &house->error),
         house->error);
    return link;
}

/* The next thing that happens. */
static enum device_event next(struct house *house, struct device_link *link, tw_status *fatal) {
    double deadline = tw_clock_now() + LONG;
    enum device_event event = DEVICE_NOTHING;
    *fatal = TW_OK;
    while (event == DEVICE_NOTHING && *fatal == TW_OK) {
        struct message answer;
        struct pollfd fd = {.fd = device_link_fd(link), .events = POLLIN};
        assert_true(tw_clock_now() < deadline);
        poll(&fd, 1, 10);
        event = device_link_take(link, &answer, fatal, &house->error);
        message_free(&answer);
    }
    return event;
}

static void request(struct house *house, struct device_link *link, double limit_s) {
    const struct device_request call = {.asked = DEVICE_CALL};
    must(device_link_send(link, &call, limit_s, &house->error), house->error);
    assert_int_equal(device_link_state(link), DEVICE_BUSY);
}

static void a_link_over_workers_that_die(void **state) {
    struct house *house = *state;
    tw_status fatal;
    plan(house, "ready 9 2 device\ncall 9 1\ncall 11 1\ncall lost 1");
    struct device_link *link = link_of(house, LONG);
    assert_int_equal(next(house, link, &fatal), DEVICE_READY);
    assert_int_equal(device_link_replaced(link), 2);
    const struct {
        enum device_event event;
        int blame;
    } expected[] = {{DEVICE_CRASH, 1}, {DEVICE_CRASH, 2}, {DEVICE_ANSWER, 2}};
    for (int i = 0; i < 3; i++) {
        request(house, link, LONG);
        assert_int_equal(next(house, link, &fatal), expected[i].event);
        assert_int_equal(device_link_blame(link), expected[i].blame);
        assert_int_equal(device_link_state(link), DEVICE_STARTING);
        assert_int_equal(next(house, link, &fatal), DEVICE_READY);
    }
    request(house, link, LONG);
    assert_int_equal(next(house, link, &fatal), DEVICE_ANSWER);
    assert_int_equal(device_link_state(link), DEVICE_IDLE);
    assert_int_equal(device_link_replaced(link), 5);
    device_link_free(link);
}

static void a_link_to_one_that_hangs(void **state) {
    struct house *house = *state;
    tw_status fatal;
    plan(house, "call hang 1");
    struct device_link *link = link_of(house, LONG);
    assert_int_equal(next(house, link, &fatal), DEVICE_READY);
    request(house, link, 0.3);
    assert_int_equal(next(house, link, &fatal), DEVICE_TIMEOUT);
    assert_says(house->error.message, "it hung");
    assert_int_equal(next(house, link, &fatal), DEVICE_READY);
    device_link_free(link);
}

static void a_link_that_is_looked_at_late(void **state) {
    struct house *house = *state;
    tw_status fatal;
    struct device_link *link = link_of(house, LONG);
    assert_int_equal(next(house, link, &fatal), DEVICE_READY);
    request(house, link, 0.1);
    struct pollfd fd = {.fd = device_link_fd(link), .events = POLLIN};
    assert_int_equal(poll(&fd, 1, LONG_MS), 1);
    usleep(200000);
    assert_int_equal(next(house, link, &fatal), DEVICE_ANSWER);
    device_link_free(link);
}

/* What a driver takes for a first launch has a limit of its own. */
static void a_link_to_one_that_loads(void **state) {
    struct house *house = *state;
    tw_status fatal;
    /* It loads for longer than its own limit. */
    plan(house, "call load4 1");
    struct device_link *link = link_of(house, LONG);
    assert_int_equal(next(house, link, &fatal), DEVICE_READY);
    request(house, link, 3);
    assert_int_equal(next(house, link, &fatal), DEVICE_ANSWER);
    device_link_free(link);
    plan(house, "call load300 1");
    link = link_of(house, 0.3);
    assert_int_equal(next(house, link, &fatal), DEVICE_READY);
    request(house, link, LONG);
    assert_int_equal(next(house, link, &fatal), DEVICE_LOAD_TIMEOUT);
    assert_int_equal(next(house, link, &fatal), DEVICE_READY);
    /* And the next request begins as any other. */
    request(house, link, LONG);
    assert_int_equal(next(house, link, &fatal), DEVICE_ANSWER);
    device_link_free(link);
}

static void a_link_without_hope(void **state) {
    struct house *house = *state;
    tw_status fatal;
    plan(house, "ready 6 99 device");
    struct device_link *link = link_of(house, LONG);
    next(house, link, &fatal);
    assert_status(fatal, TW_DEVICE);
    assert_says(house->error.message, "killed by signal 6 (Aborted) while it prepared, 3 times");
    device_link_free(link);
}

int main(int count, char **words) {
    fake_worker(count, words);
    if (count > 1)
        return 7;
#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(a_hang_up_ends_a_busy_worker),
        TEST(how_a_worker_ended),
        TEST(blame),
        TEST(tried_again_alone),
        TEST(two_pools_on_the_same_workers),
        TEST(workers_are_left_to_pools_with_less),
        TEST(verdicts),
        TEST(compilers_without_memory),
        TEST(a_compiler_that_hangs),
        TEST(a_compiler_that_is_looked_at_late),
        TEST(a_link_over_workers_that_die),
        TEST(a_link_to_one_that_hangs),
        TEST(a_link_that_is_looked_at_late),
        TEST(a_link_to_one_that_loads),
        TEST(a_link_without_hope),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

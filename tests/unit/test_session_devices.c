/* Sessions on several devices: all of them try variants, one of them plays, and what one of them
 * loses is tried on another. */
#include "tests/unit/test_session_support.h"

enum { DEVICES = 3 };
static struct tw_device_info others[DEVICES - 1];
static char notices[4][400];
static int notice_count;

static void let_go(const struct house *house) {
    char path[1024];
    scratch_write(house->scratch, "go", "", path);
}

static void take_notice(void *context, const char *line) {
    assert_true(notice_count < 4);
    snprintf(notices[notice_count++], sizeof notices[0], "%s", line);
    let_go(context);
}

static void use_all(struct house *house, const char *plan) {
    plan_faults(house->scratch->path, plan);
    for (int i = 0; i < DEVICES - 1; i++) {
        others[i] = paper_gpu;
        others[i].index = i + 1;
        snprintf(others[i].id, sizeof others[i].id, "cuda:%d", i + 1);
    }
    notice_count = 0;
    house->options.others = others;
    house->options.other_count = DEVICES - 1;
    house->options.notice = take_notice;
    house->options.notice_context = house;
}

static tw_status run_on_all(struct house *house, const char *plan) {
    use_all(house, plan);
    return run(house, plan);
}

/* What the workers were asked: how often such a request came on such a device. */
static int asked(const struct house *house, const char *kind, const char *where) {
    char path[1024], line[600];
    int count = 0;
    snprintf(path, sizeof path, "%s/log", house->scratch->path);
    FILE *log = fopen(path, "r");
    while (log != NULL && fgets(line, sizeof line, log) != NULL)
        count += strncmp(line, kind, strlen(kind)) == 0 && line[strlen(kind)] == ' ' &&
                 strstr(line, where) != NULL;
    if (log != NULL)
        fclose(log);
    return count;
}

/* Every trial is told of where it was measured. */
static void assert_accounted(const struct house *house) {
    const struct session_result *r = &house->result;
    int64_t trials = 0;
    int replaced = 0;
    assert_int_equal(r->device_count, DEVICES);
    for (int i = 0; i < DEVICES; i++) {
        char id[24];
        snprintf(id, sizeof id, "cuda:%d", i);
        assert_string_equal(r->devices[i].id, id);
        trials += r->devices[i].trials;
        replaced += r->devices[i].replaced;
    }
    assert_int_equal(trials, r->trials_now);
    assert_int_equal(replaced, r->replaced);
}

/* The first trial of each waits for those of the others. */
static void watch(void *context, const struct session_progress *progress) {
    const struct house *house = context;
    assert_int_equal(progress->devices, DEVICES);
    if (asked(house, "trial", "cuda:0") > 0 && asked(house, "trial", "cuda:1") > 0 &&
        asked(house, "trial", "cuda:2") > 0)
        let_go(house);
}

/* So that each is ready when the playoff begins. */
static tw_status run_when_all_are_there(struct house *house, const char *plan) {
    char whole[600];
    snprintf(whole, sizeof whole, "%s\ntrial await 12", plan);
    use_all(house, whole);
    return session_run(&house->options, &house->problem, &paper_gpu, house->db, house->path, watch,
                       house, &house->result, &house->error);
}

static void all_take_part(void **state) {
    struct house *house = *state;
    must(run_when_all_are_there(house, ""), house->error);
    assert_complete(house, 0);
    assert_accounted(house);
    for (int i = 0; i < DEVICES; i++) {
        char where[32];
        snprintf(where, sizeof where, "device cuda:%d", i);
        assert_int_equal(asked(house, "trial", where), house->result.devices[i].trials);
        assert_true(house->result.devices[i].trials > 0);
    }
    /* The playoff is on one of them, and so is the check of other calls. */
    assert_true(asked(house, "round", "device cuda:0") > 0);
    assert_int_equal(asked(house, "round", ""), asked(house, "round", "device cuda:0"));
    assert_int_equal(asked(house, "finalist", ""), asked(house, "finalist", "device cuda:0"));
    assert_int_equal(asked(house, "verify", ""), asked(house, "verify", "device cuda:0"));
    assert_true(house->result.devices[0].played);
    assert_false(house->result.devices[1].played || house->result.devices[2].played);
    assert_int_equal(notice_count, 0);
}

static void one_that_never_starts(void **state) {
    struct house *house = *state;
    must(run_on_all(house, "ready 11 99 device cuda:1\ntrial await 12"), house->error);
    assert_complete(house, 0);
    assert_accounted(house);
    assert_true(house->result.devices[1].lost);
    assert_false(house->result.devices[0].lost || house->result.devices[2].lost);
    assert_int_equal(house->result.devices[1].trials, 0);
    assert_int_equal(notice_count, 1);
    assert_says(notices[0], "cuda:1 is given up, and the run goes on with the other devices: ");
    assert_says(notices[0], "killed by signal 11");
    assert_says(house->result.devices[1].why, "killed by signal 11");
}

/* Its first trial takes its worker, and there is no other: another device tries the same. */
static void one_that_is_taken_in_the_middle(void **state) {
    struct house *house = *state;
    must(run_on_all(house, "trial 9 1 device cuda:2\nready 0 1 device cuda:2\n"
                           "ready 11 99 device cuda:2\ntrial await 12"),
         house->error);
    assert_complete(house, 0);
    assert_accounted(house);
    assert_true(house->result.devices[2].lost);
    assert_int_equal(notice_count, 1);
}

static void the_one_that_plays(void **state) {
    struct house *house = *state;
    must(run_when_all_are_there(house, "round 9 1 device cuda:0\nready 0 1 device cuda:0\n"
                                       "ready 11 99 device cuda:0"),
         house->error);
    assert_complete(house, 0);
    assert_true(house->result.devices[0].lost);
    /* It is played anew: what counts was all measured in one place. */
    assert_true(asked(house, "round", "device cuda:1") >= 6 * house->result.tie_count);
    assert_int_equal(asked(house, "round", "device cuda:0"), 1);
    assert_true(house->result.devices[1].played && !house->result.devices[0].played);
    assert_int_equal(asked(house, "round", "device cuda:2"), 0);
    assert_int_equal(notice_count, 1);
}

/* A variant does not become a crash because the device that played had one. */
static void the_one_that_verifies_other_calls(void **state) {
    struct house *house = *state;
    must(run_when_all_are_there(house, "verify 11 1 device cuda:0\nready 0 1 device cuda:0\n"
                                       "ready 11 99 device cuda:0"),
         house->error);
    assert_complete(house, 0);
    assert_true(house->result.devices[0].lost);
    assert_true(asked(house, "verify", "device cuda:1") > 0);
    assert_true(house->result.devices[0].played && !house->result.devices[1].played);
    assert_string_equal(house->result.unverified, "");
}

static void none_is_left(void **state) {
    struct house *house = *state;
    assert_refuses(run_on_all(house, "ready 11 99 device"), TW_DEVICE, house->error,
                   ", the last device: the device worker was killed by signal 11");
    assert_int_equal(notice_count, DEVICES - 1);
    for (int i = 0; i < DEVICES; i++)
        assert_true(house->result.devices[i].lost);
    /* The same command goes on, wherever there is a device. */
    house->options.other_count = 0;
    must(run(house, ""), house->error);
    assert_true(house->result.resumed);
    assert_complete(house, 0);
}

/* What crashes on one device and on another is a crash of its own. */
static void a_variant_that_crashes(void **state) {
    struct house *house = *state;
    must(run_on_all(house, "trial 11 99 \"BLOCK_X\":128,\"GROUP\":1,\"ORDER\":\"rows\""),
         house->error);
    assert_complete(house, 1);
    assert_accounted(house);
    assert_int_equal(house->result.replaced, 2);
    assert_int_equal(notice_count, 0);
}

int main(int count, char **words) {
    fake_worker(count, words);
    const struct CMUnitTest tests[] = {
        TEST(all_take_part),
        TEST(one_that_never_starts),
        TEST(one_that_is_taken_in_the_middle),
        TEST(the_one_that_plays),
        TEST(the_one_that_verifies_other_calls),
        TEST(none_is_left),
        TEST(a_variant_that_crashes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The table at the end of a run: how the best compares with presets, and what is said of noise. */
#include <fcntl.h>

#include "tests/support/scale.h"
#include "tuner/report/report.h"

struct house {
    struct scratch *scratch;
    struct tw_description *description;
    struct tw_problem problem;
    struct session_result result;
    char text[4000];
};

static void preset(struct house *house, const char *name, int block, double time_us,
                   bool in_playoff) {
    struct session_preset *preset = &house->result.presets[house->result.preset_count++];
    char text[100];
    struct tw_error error;
    snprintf(preset->name, sizeof preset->name, "%s", name);
    snprintf(text, sizeof text, "{\"BLOCK_X\":%d,\"ORDER\":\"rows\",\"GROUP\":1}", block);
    must(tw_configuration_parse(&preset->configuration, house->description, 0, text, &error),
         error);
    preset->tried = preset->fits = true;
    preset->in_playoff = in_playoff;
    preset->trial.configuration = preset->configuration;
    preset->trial.time_us = time_us;
}

static int set_up(void **state) {
    struct house *house = calloc(1, sizeof *house);
    void *scratch;
    if (house == NULL || scratch_make(&scratch) != 0)
        return -1;
    house->scratch = scratch;
    house->description = read_description(scale_text, house->scratch->path);
    house->problem = parse_problem(house->description, "8x100");
    struct session_result *r = &house->result;
    preset(house, "default", 64, 100, true);
    r->has_best = true;
    r->best = r->presets[0].trial;
    r->best.time_us = r->ci_low_us = r->ci_high_us = 100;
    r->rate_unit = "GB/s";
    r->rate = 1;
    r->rounds = 60;
    r->tie_count = 3;
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

/* What report_table prints. */
static const char *table(struct house *house) {
    char path[600];
    snprintf(path, sizeof path, "%s/out", house->scratch->path);
    fflush(stdout);
    int kept = dup(STDOUT_FILENO), file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    dup2(file, STDOUT_FILENO);
    report_table(&house->problem, &paper_gpu, &house->result, "x.db", false);
    fflush(stdout);
    dup2(kept, STDOUT_FILENO);
    ssize_t length = pread(file, house->text, sizeof house->text - 1, 0);
    house->text[length > 0 ? length : 0] = '\0';
    close(file);
    close(kept);
    return house->text;
}

static void presets_beside_the_best(void **state) {
    struct house *house = *state;
    preset(house, "behind", 32, 150, true);
    preset(house, "ahead", 128, 50, true);
    preset(house, "same", 32, 100.4, true);
    preset(house, "far", 32, 5000, false);
    const char *text = table(house);
    assert_says(text, "default            100 us     this one\n");
    assert_says(text, "behind             150 us     1.50x faster\n");
    assert_says(text, "ahead              50 us      2.00x slower\n");
    assert_says(text, "same               100.4 us   as fast\n");
    assert_says(text, "far                5 ms       50.00x faster, by the search\n");
    /* Of a run that was stopped everything is of the search. */
    house->result.rounds = 0;
    assert_does_not_say(table(house), "by the search");
}

static void noise(void **state) {
    struct house *house = *state;
    house->result.spread = 0.341;
    assert_says(table(house), "too noisy       to tell them apart: the best one's times are spread "
                              "by 34% (between quartiles)\n");
    house->result.decided = true;
    assert_does_not_say(table(house), "noisy");
    house->result.decided = false;
    house->result.spread = 0.02;
    assert_does_not_say(table(house), "noisy");
    assert_says(table(house), "tied with       2 others, as far as 60 rounds can tell");
}

static void runs_beside(void **state) {
    struct house *house = *state;
    assert_does_not_say(table(house), "beside");
    house->result.other_runs = 1;
    assert_says(table(house), "beside          1 other run of this problem: they shared");
}

static void several_devices(void **state) {
    struct house *house = *state;
    struct session_result *r = &house->result;
    r->device_count = 1;
    r->devices[0] = (struct session_device_result){.id = "cuda:0", .trials = 7, .played = true};
    assert_does_not_say(table(house), "7 trials");
    r->device_count = 3;
    r->devices[1] = (struct session_device_result){.id = "cuda:1", .trials = 1, .replaced = 2};
    r->devices[2] = (struct session_device_result){
        .id = "cuda:12", .lost = true, .why = "the worker was\nkilled"};
    const char *text = table(house);
    assert_says(text, " on 3 of Paper GPU\n");
    assert_says(text, "  cuda:0          7 trials, and the playoff\n");
    assert_says(text, "  cuda:1          1 trial, worker replaced 2 times\n");
    assert_says(text, "  cuda:12         0 trials, then given up: the worker was?killed\n");
}

int main(void) {
#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(presets_beside_the_best),
        TEST(noise),
        TEST(runs_beside),
        TEST(several_devices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

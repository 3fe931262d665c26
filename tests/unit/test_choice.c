/* Which configurations a model chooses from: for each kind of problem few that leave little to be
 * gained, and none that it would choose wrongly. */
#include "tests/support/scale.h"
#include "tuner/model/mispredicted.h"

static struct sampled_problem problems[] = {{.key = "M=1,N=1", .best_us = 10},
                                            {.key = "M=2,N=1;step=3", .best_us = 10},
                                            {.key = "M=1,N=1;dtype=f64", .best_us = 10}};
/* The second is best of the first problem by less than it is worth, the third is nowhere good, and
 * the fourth is good in f64 alone, where the first was not measured. */
static struct sample samples[] = {
    {.problem = 0, .configuration = 0, .time_us = 10.1},
    {.problem = 1, .configuration = 0, .time_us = 10},
    {.problem = 0, .configuration = 1, .time_us = 10},
    {.problem = 0, .configuration = 2, .time_us = 15},
    {.problem = 1, .configuration = 2, .time_us = 15},
    {.problem = 2, .configuration = 2, .time_us = 40},
    {.problem = 2, .configuration = 3, .time_us = 10},
    {.problem = 1, .configuration = 3, .time_us = 30},
};
static struct sampled_configuration configurations[4];
static struct model_samples all = {.count = 8,
                                   .problem_count = 3,
                                   .configuration_count = 4,
                                   .all = samples,
                                   .problems = problems,
                                   .configurations = configurations};

static void few_for_each_kind(void **state) {
    (void)state;
    struct model_choice choice;
    struct tw_error error;
    char *with_number =
        replaced(scale_text, "\"attributes\": {",
                 "\"attributes\": { \"step\": { \"least\": 1, \"most\": 9, \"default\": 1 },");
    struct tw_description *d = read_description(with_number, NULL);
    all.description = d;
    for (int i = 0; i < all.problem_count; i++)
        must(tw_problem_read(&problems[i].problem, d, problems[i].key, &error), error);
    must(model_choose(&choice, &all, NULL, &error), error);
    assert_int_equal(choice.kind_count, 2);
    assert_string_equal(choice.kinds[0].attributes, "");
    assert_string_equal(choice.kinds[1].attributes, ";dtype=f64");
    /* A number makes no kind, but there is a range of it, unless it is always the default. */
    assert_int_equal(choice.kinds[0].range_count, 1);
    assert_string_equal(choice.kinds[0].ranges[0].name, "step");
    assert_true(choice.kinds[0].ranges[0].least == 1 && choice.kinds[0].ranges[0].most == 3);
    assert_int_equal(choice.kinds[1].range_count, 0);
    assert_true(choice.of_problem[1] == 0 && choice.of_problem[2] == 1);
    for (int c = 0; c < 4; c++) {
        assert_int_equal(model_chooses(&choice, 0, c), c == 0);
        assert_int_equal(model_chooses(&choice, 1, c), c == 3);
    }
    assert_false(model_chooses(&choice, -1, 0));
    model_choice_free(&choice);
    /* What was wrong on a problem is not chosen for its kind, however fast it was. */
    static struct sampled_mistake mistake = {.problem = 0, .configuration = 3};
    all.mistakes = &mistake;
    for (all.mistake_count = 1; mistake.problem < 3; mistake.problem += 2) {
        must(model_choose(&choice, &all, NULL, &error), error);
        assert_int_equal(model_chooses(&choice, 0, 0), 1);
        assert_int_equal(model_chooses(&choice, 1, 3), mistake.problem == 0);
        model_choice_free(&choice);
    }
    all.mistake_count = 0;
    /* What is good for one kind is chosen for another where it was not far from the best. */
    samples[7].time_us = 14;
    must(model_choose(&choice, &all, NULL, &error), error);
    assert_true(model_chooses(&choice, 0, 3));
    model_choice_free(&choice);
    /* But not by times that an earlier model only says. */
    problems[1].only_teaches = true;
    must(model_choose(&choice, &all, NULL, &error), error);
    assert_false(model_chooses(&choice, 0, 3));
    model_choice_free(&choice);
    problems[1].only_teaches = false;
    samples[7].time_us = 30;
    /* What an earlier model chose stays, in its kinds' places, and saves what is as good. */
    static const struct tw_model onto = {
        .kind_count = 2,
        .kinds = {{.attributes = ";dtype=f64"},
                  /* Of an attribute that the description has no more, which is left out. */
                  {.attributes = "", .range_count = 1, .ranges = {{"gone", 1, 2}}}}};
    all.onto = &onto;
    configurations[1].before = 1 << 1;
    must(model_choose(&choice, &all, NULL, &error), error);
    assert_int_equal(choice.kind_count, 2);
    for (int i = 0; i < choice.kinds[1].range_count; i++)
        assert_string_not_equal(choice.kinds[1].ranges[i].name, "gone");
    assert_true(choice.of_problem[1] == 1 && choice.of_problem[2] == 0);
    for (int c = 0; c < 4; c++) {
        assert_int_equal(model_chooses(&choice, 1, c), c <= 1);
        assert_int_equal(model_chooses(&choice, 0, c), c == 3);
    }
    configurations[1].before = 0;
    all.onto = NULL;
    model_choice_free(&choice);
    tw_description_free(d);
    free(with_number);
}

/* Words that the description calls alike make kinds that share what is chosen, but for mistakes. */
static void alike_kinds_share(void **state) {
    (void)state;
    struct model_choice choice;
    struct tw_error error;
    char *alike = replaced(scale_text, "[\"f32\", \"f64\"]",
                           "[\"f32\", \"f64\"], \"alike\": [\"f32\", \"f64\"]");
    struct tw_description *d = read_description(alike, NULL);
    static const char *const keys[] = {"M=1,N=1", "M=2,N=1", "M=1,N=1;dtype=f64"};
    static struct sampled_mistake mistake = {.problem = 2, .configuration = 0};
    all.description = d;
    for (int i = 0; i < all.problem_count; i++)
        must(tw_problem_read(&problems[i].problem, d, keys[i], &error), error);
    all.mistakes = &mistake;
    for (all.mistake_count = 0; all.mistake_count < 2; all.mistake_count++) {
        must(model_choose(&choice, &all, NULL, &error), error);
        assert_int_equal(choice.kind_count, 2);
        assert_true(model_chooses(&choice, 0, 0) && model_chooses(&choice, 0, 3));
        assert_true(model_chooses(&choice, 1, 3));
        assert_int_equal(model_chooses(&choice, 1, 0), all.mistake_count == 0);
        assert_false(model_chooses(&choice, 0, 2) || model_chooses(&choice, 1, 2));
        model_choice_free(&choice);
    }
    all.mistake_count = 0;
    /* But nothing with one that is left to an earlier model. */
    static const struct tw_model onto = {
        .kind_count = 2, .kinds = {{.attributes = ""}, {.attributes = ";dtype=f64"}}};
    must(tw_problem_read(&problems[2].problem, d, "M=3,N=1", &error), error);
    configurations[2].before = 1 << 1;
    all.onto = &onto;
    all.kept = 1 << 1;
    for (int anew = 0; anew < 2; anew++) {
        all.anew = anew == 1;
        must(model_choose(&choice, &all, NULL, &error), error);
        assert_true(model_chooses(&choice, 0, 0) && model_chooses(&choice, 1, 2));
        assert_int_equal(model_chooses(&choice, 1, 0), !all.anew);
        model_choice_free(&choice);
    }
    configurations[2].before = 0;
    all.onto = NULL;
    all.kept = 0;
    all.anew = false;
    tw_description_free(d);
    free(alike);
}

/* Two problems of the first kind and one of the second, three configurations on each: the first is
 * predicted to be the fastest of all, the second next. */
enum { PROBLEMS = 3, TRIED = 3 };

static int left_out(const double (*times)[TRIED], bool chosen[2 * TRIED], int anchor) {
    static const double predicted[PROBLEMS * TRIED] = {1, 2, 3, 1, 2, 3, 1, 2, 3};
    static struct sample tried[PROBLEMS * TRIED];
    static struct sampled_problem of[PROBLEMS];
    int of_problem[PROBLEMS] = {0, 0, 1}, count = -1;
    const struct model_samples few = {.count = PROBLEMS * TRIED,
                                      .problem_count = PROBLEMS,
                                      .configuration_count = TRIED,
                                      .all = tried,
                                      .problems = of};
    struct model_choice choice = {
        .kind_count = 2, .configuration_count = TRIED, .of_problem = of_problem, .chosen = chosen};
    struct tw_error error;
    for (int i = 0; i < few.count; i++)
        tried[i] = (struct sample){.problem = i / TRIED,
                                   .configuration = i % TRIED,
                                   .time_us = times[i / TRIED][i % TRIED]};
    for (int p = 0; p < PROBLEMS; p++)
        of[p].only_teaches = p == anchor;
    for (int i = 0; i < 2 * TRIED; i++)
        chosen[i] = true;
    must(model_leave_out_mispredicted(&few, predicted, &choice, &count, &error), error);
    return count;
}

static void what_is_chosen_wrongly_goes(void **state) {
    (void)state;
    bool chosen[2 * TRIED];
    /* Slower than the next in its place on both problems of the first kind. Of the second there is
     * one problem, which may be chance. */
    static const double slower[PROBLEMS][TRIED] = {{12, 10, 10}, {11, 10, 10}, {20, 10, 10}};
    assert_int_equal(left_out(slower, chosen, -1), 1);
    assert_true(!chosen[0] && chosen[1] && chosen[2]);
    assert_true(chosen[TRIED] && chosen[TRIED + 1] && chosen[TRIED + 2]);
    /* What an earlier model only says does not count. */
    assert_int_equal(left_out(slower, chosen, 1), 0);
    assert_true(chosen[0]);
    /* Slower on one, and faster by more on the other. */
    static const double both[PROBLEMS][TRIED] = {{12, 10, 10}, {8, 10, 10}, {10, 10, 10}};
    assert_int_equal(left_out(both, chosen, -1), 0);
    assert_true(chosen[0]);
    /* By too little to say. */
    static const double little[PROBLEMS][TRIED] = {{10.4, 10, 10}, {10.4, 10, 10}, {10, 10, 10}};
    assert_int_equal(left_out(little, chosen, -1), 0);
    assert_true(chosen[0]);
    /* What comes in its place is looked at in turn; the last has nothing in its own. */
    static const double worse[PROBLEMS][TRIED] = {{30, 20, 10}, {30, 20, 10}, {10, 10, 10}};
    assert_int_equal(left_out(worse, chosen, -1), 2);
    assert_true(!chosen[0] && !chosen[1] && chosen[2]);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(few_for_each_kind),
                                       cmocka_unit_test(alike_kinds_share),
                                       cmocka_unit_test(what_is_chosen_wrongly_goes)};
    return cmocka_run_group_tests_name("choice", tests, NULL, NULL);
}

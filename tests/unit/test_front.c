/* Time against error: which results no other is better than in everything. */
#include <string.h>

#include "tests/support/support.h"
#include "tuner/report/front.h"

static struct front_entry *add(struct front *front, const char *word, double time_us, double max,
                               double rms) {
    struct front_entry *entry = front_add(front, word);
    entry->time_us = time_us;
    entry->has_error = true;
    entry->max = max;
    entry->rms = rms;
    return entry;
}

static bool is_on(const struct front *front, const char *word) {
    for (int i = 0; i < front->count; i++)
        if (strcmp(front->entries[i].word, word) == 0)
            return front->entries[i].on_front;
    fail_msg("no %s", word);
    return false;
}

static void what_is_worse_in_everything_is_not_on_it(void **state) {
    (void)state;
    struct front front = {0};
    add(&front, "default", 100, 1e-6, 1e-7);
    add(&front, "slow", 110, 1e-6, 1e-7);
    add(&front, "fast", 10, 1e-3, 1e-4);
    add(&front, "odd", 50, 1e-5, 2e-4);
    add(&front, "equal", 10, 1e-3, 1e-4);
    front_find(&front);
    assert_string_equal(front.entries[0].word, "equal"); /* of equal times, by name */
    assert_string_equal(front.entries[4].word, "slow");
    assert_true(is_on(&front, "f32")); /* which default goes by */
    assert_true(is_on(&front, "fast") && is_on(&front, "equal") && is_on(&front, "odd"));
    assert_false(is_on(&front, "slow"));
}

static void errors_on_hard_inputs_count_where_both_have_them(void **state) {
    (void)state;
    struct front front = {0};
    struct front_entry *one = add(&front, "one", 10, 1e-6, 1e-7);
    struct front_entry *two = add(&front, "two", 20, 1e-6, 1e-7);
    one->has_hard = two->has_hard = true;
    one->hard_max = one->hard_rms = 1e-3;
    two->hard_max = two->hard_rms = 1e-6;
    front_find(&front);
    assert_true(is_on(&front, "one") && is_on(&front, "two"));
    front.entries[1].has_hard = false;
    front_find(&front);
    assert_false(is_on(&front, "two"));
}

static void there_is_an_end(void **state) {
    (void)state;
    struct front front = {0};
    for (int i = 0; i < FRONT_MOST; i++)
        assert_non_null(front_add(&front, "a word that is longer than any that there is room for"));
    assert_null(front_add(&front, "one more"));
    cJSON *json = front_json(&front);
    assert_int_equal(cJSON_GetArraySize(json), FRONT_MOST);
    cJSON_Delete(json);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_worse_in_everything_is_not_on_it),
        cmocka_unit_test(errors_on_hard_inputs_count_where_both_have_them),
        cmocka_unit_test(there_is_an_end),
    };
    return cmocka_run_group_tests_name("front", tests, NULL, NULL);
}

/* The text builder and the search for the nearest word. */
#include "runtime/base/text.h"

#include "tests/support/support.h"

static void starts_empty(void **state) {
    (void)state;
    struct tw_text text = {0};
    tw_text_clear(&text);
    tw_text_add(&text, "", 0);
    assert_string_equal(text.data, "");
    assert_int_equal(text.length, 0);
    tw_text_free(&text);
    assert_null(text.data);
    assert_int_equal(text.capacity, 0);
    tw_text_free(&text);
}

static void adds_and_prints(void **state) {
    (void)state;
    struct tw_text text = {0};
    tw_text_add(&text, "abcdef", 3);
    tw_text_print(&text, "-%d-%s", 42, "x");
    assert_string_equal(text.data, "abc-42-x");
    assert_int_equal(text.length, 8);
    tw_text_print(&text, "%s", "");
    assert_int_equal(text.length, 8);
    tw_text_clear(&text);
    assert_string_equal(text.data, "");
    assert_int_equal(text.length, 0);
    tw_text_print(&text, "again");
    assert_string_equal(text.data, "again");
    assert_false(text.failed);
    tw_text_free(&text);
}

/* Bytes are kept as they are, zeros among them, and the end is always marked. */
static void keeps_bytes(void **state) {
    (void)state;
    struct tw_text text = {0};
    tw_text_add(&text, "a\0b", 3);
    assert_int_equal(text.length, 3);
    assert_memory_equal(text.data, "a\0b", 4);
    tw_text_add(&text, "c", 1);
    assert_memory_equal(text.data, "a\0bc", 5);
    tw_text_free(&text);
}

/* Every length up to some KiB, so that each way of just filling the memory occurs. */
static void grows(void **state) {
    (void)state;
    struct tw_text one = {0}, printed = {0};
    for (int i = 0; i < 5000; i++) {
        char letter = (char)('a' + i % 26);
        tw_text_add(&one, &letter, 1);
        assert_int_equal(one.length, i + 1);
        assert_int_equal(one.data[i], letter);
        assert_int_equal(one.data[i + 1], '\0');
        assert_true(one.capacity > one.length);
    }
    for (int i = 0; i < 5000; i += 7) {
        struct tw_text exact = {0};
        tw_text_print(&exact, "%.*s", i, one.data);
        assert_int_equal(exact.length, i);
        assert_int_equal(strlen(exact.data), i);
        tw_text_free(&exact);
    }
    tw_text_print(&printed, "%s%s", one.data, one.data);
    assert_int_equal(printed.length, 10000);
    assert_memory_equal(printed.data, one.data, 5000);
    assert_string_equal(printed.data + 5000, one.data);
    tw_text_free(&printed);
    tw_text_free(&one);
}

/* Once something was lost, what follows is not tacked on to a text with a hole. */
static void remembers_failure(void **state) {
    (void)state;
    struct tw_text text = {0};
    tw_text_add(&text, "before", 6);
    text.failed = true;
    tw_text_add(&text, "after", 5);
    tw_text_print(&text, "after");
    assert_true(text.failed);
    assert_string_equal(text.data, "before");
    tw_text_free(&text);
    assert_false(text.failed);
}

static const char *nearest(const char *word) {
    static const char *const words[] = {"BLOCK_X", "BLOCK_Y", "STAGING", "BM", "M", "UNROLL"};
    const char *found = tw_nearest(word, words, sizeof words / sizeof *words);
    return found != NULL ? found : "nothing";
}

static void suggests_the_nearest(void **state) {
    (void)state;
    assert_string_equal(nearest("BLOCK_X"), "BLOCK_X");
    assert_string_equal(nearest("BLOCKX"), "BLOCK_X");   /* a letter left out */
    assert_string_equal(nearest("BLOOCK_Y"), "BLOCK_Y"); /* one too many */
    assert_string_equal(nearest("UNROL"), "UNROLL");
    assert_string_equal(nearest("STAGIGN"), "STAGING"); /* two swapped, */
    assert_string_equal(nearest("MB"), "BM");           /* of a short word too */
    assert_string_equal(nearest("BLOCK_Z"), "BLOCK_X"); /* two as near: the first */
}

static void suggests_nothing_far(void **state) {
    (void)state;
    assert_string_equal(nearest("completely"), "nothing");
    assert_string_equal(nearest("registers_per_thread"), "nothing");
    assert_string_equal(nearest("STRIDE"), "nothing"); /* more than a third is another */
    assert_string_equal(nearest("BN"), "BM");
    assert_string_equal(nearest("GA"), "nothing");
    assert_null(tw_nearest("anything", NULL, 0));
}

/* With no letter in common, a word is not near at all, however short. */
static void suggests_nothing_unlike(void **state) {
    (void)state;
    assert_string_equal(nearest("qz"), "nothing");
    assert_string_equal(nearest("q"), "nothing");
    assert_string_equal(nearest(""), "nothing");
}

static void suggests_nothing_for_very_long_words(void **state) {
    (void)state;
    char word[400];
    for (size_t length = 40; length < sizeof word; length += 29) {
        memset(word, 'q', length);
        word[length] = '\0';
        assert_string_equal(nearest(word), "nothing");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(starts_empty),
        cmocka_unit_test(adds_and_prints),
        cmocka_unit_test(keeps_bytes),
        cmocka_unit_test(grows),
        cmocka_unit_test(remembers_failure),
        cmocka_unit_test(suggests_the_nearest),
        cmocka_unit_test(suggests_nothing_far),
        cmocka_unit_test(suggests_nothing_unlike),
        cmocka_unit_test(suggests_nothing_for_very_long_words),
    };
    return cmocka_run_group_tests_name("text", tests, NULL, NULL);
}

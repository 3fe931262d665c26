/* Texts kept once: equal ones are one pointer, others are not. */
#include "runtime/base/words.h"

#include "tests/support/support.h"

static void equal_texts_are_one(void **state) {
    (void)state;
    enum { COUNT = 2000 };
    struct tw_words *words = tw_words_create();
    const char *first[COUNT];
    char text[32];
    assert_non_null(words);
    assert_null(tw_words_find(words, ""));
    for (int i = 0; i < COUNT; i++) {
        snprintf(text, sizeof text, "word %d", i);
        assert_null(tw_words_find(words, text));
        first[i] = tw_words_share(words, text);
        assert_ptr_not_equal(first[i], text);
    }
    for (int i = 0; i < COUNT; i++) {
        snprintf(text, sizeof text, "word %d", i);
        assert_string_equal(first[i], text);
        assert_ptr_equal(tw_words_share(words, text), first[i]);
        assert_ptr_equal(tw_words_find(words, text), first[i]);
    }
    assert_string_equal(tw_words_share(words, ""), "");
    tw_words_free(words);
    tw_words_free(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(equal_texts_are_one)};
    return cmocka_run_group_tests_name("words", tests, NULL, NULL);
}

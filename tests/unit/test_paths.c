/* Where files are when nobody says otherwise. */
#include "runtime/library/paths.h"

#include "tests/support/support.h"

static void assert_place(void (*place)(struct tw_text *path), const char *expected) {
    struct tw_text path = {0};
    place(&path);
    if (expected == NULL)
        assert_null(path.data);
    else
        assert_string_equal(path.data, expected);
    tw_text_free(&path);
}

static void the_users_places(void **state) {
    (void)state;
    setenv("HOME", "/home/somebody", 1);
    unsetenv("XDG_DATA_HOME");
    unsetenv("XDG_CACHE_HOME");
    assert_place(tw_path_user_database, "/home/somebody/.local/share/tilewise/tilewise.db");
    assert_place(tw_path_binaries, "/home/somebody/.cache/tilewise");
    setenv("XDG_DATA_HOME", "/data", 1);
    setenv("XDG_CACHE_HOME", "/cache", 1);
    assert_place(tw_path_user_database, "/data/tilewise/tilewise.db");
    assert_place(tw_path_binaries, "/cache/tilewise");
    /* The specification has relative ones ignored. */
    setenv("XDG_DATA_HOME", "data", 1);
    setenv("XDG_CACHE_HOME", "", 1);
    assert_place(tw_path_user_database, "/home/somebody/.local/share/tilewise/tilewise.db");
    assert_place(tw_path_binaries, "/home/somebody/.cache/tilewise");
    unsetenv("HOME");
    assert_place(tw_path_user_database, NULL);
    assert_place(tw_path_binaries, NULL);
}

/* In a build the program is beside this test's folder, as it is beside lib/ when installed. */
static void the_program_beside(void **state) {
    (void)state;
    struct tw_text path = {0};
    tw_path_tune(&path);
    assert_true(strcmp(path.data, "tune") == 0 || access(path.data, X_OK) == 0);
    tw_text_free(&path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_users_places),
        cmocka_unit_test(the_program_beside),
    };
    return cmocka_run_group_tests_name("places", tests, NULL, NULL);
}

/* Structs that callers pass in, of this version, an older and a newer one. */
#include <stddef.h>

#include "runtime/library/sized.h"
#include "tests/support/support.h"

struct today {
    size_t size;
    int first, second, later;
};

struct tomorrow {
    struct today today;
    const char *more;
};

static const struct tw_sized kind = {"tw_today", sizeof(struct today),
                                     offsetof(struct today, later)};

static void older_ones_lack_fields(void **state) {
    (void)state;
    struct today out, given = {.first = 1, .second = 2, .later = 3};
    tw_error error;
    must(tw_sized_read(&kind, &out, &given, &error), error); /* a size of 0: as it was at first */
    assert_true(out.first == 1 && out.second == 2 && out.later == 0);
    assert_int_equal(out.size, sizeof out);
    given.size = offsetof(struct today, later);
    must(tw_sized_read(&kind, &out, &given, &error), error);
    assert_true(out.second == 2 && out.later == 0);
    given.size = sizeof given;
    must(tw_sized_read(&kind, &out, &given, &error), error);
    assert_true(out.second == 2 && out.later == 3);
}

static void newer_ones_may_have_more(void **state) {
    (void)state;
    struct today out;
    struct tomorrow given = {.today = {.size = sizeof given, .later = 3}};
    tw_error error;
    must(tw_sized_read(&kind, &out, &given, &error), error);
    assert_true(out.later == 3);
    given.more = "set";
    assert_refuses(tw_sized_read(&kind, &out, &given, &error), TW_INVALID, error,
                   "tw_today has a field set that libtilewise");
}

static void sizes_that_are_none(void **state) {
    (void)state;
    struct today out, given = {0};
    tw_error error;
    const size_t wrong[] = {1, offsetof(struct today, later) - 1, (size_t)(uintptr_t)&error};
    for (int i = 0; i < 3; i++) {
        given.size = wrong[i];
        assert_refuses(tw_sized_read(&kind, &out, &given, &error), TW_INVALID, error,
                       "set it to sizeof(tw_today)");
    }
}

static void the_version_is_the_header_s(void **state) {
    (void)state;
    char text[32];
    snprintf(text, sizeof text, "%d.%d.%d", TW_VERSION_MAJOR, TW_VERSION_MINOR, TW_VERSION_PATCH);
    assert_string_equal(tw_version(), text);
    assert_int_equal(tw_version_number(), TW_VERSION_NUMBER);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(older_ones_lack_fields),
        cmocka_unit_test(newer_ones_may_have_more),
        cmocka_unit_test(sizes_that_are_none),
        cmocka_unit_test(the_version_is_the_header_s),
    };
    return cmocka_run_group_tests_name("sized", tests, NULL, NULL);
}

/* The small kernel of tests with other text in the place of some of its own: what it expands to,
 * and where mistakes are said to be. */
#ifndef TESTS_SUPPORT_COMPOSE_H
#define TESTS_SUPPORT_COMPOSE_H

#include <cjson/cJSON.h>

#include "tests/support/scale.h"

/* The flat form of the example with `from` replaced by `to`. */
SUPPORT cJSON *expanded(const char *from, const char *to, const char *directory) {
    char *text = replaced(scale_text, from, to);
    struct tw_description *d = read_description(text, directory);
    cJSON *json = cJSON_Parse(d->text);
    tw_description_free(d);
    free(text);
    assert_non_null(json);
    return json;
}

SUPPORT const cJSON *implementation_of(const cJSON *json, int index) {
    return cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(json, "implementations"), index);
}

SUPPORT void assert_section(const cJSON *json, const char *key, const char *expected) {
    char *text = cJSON_PrintUnformatted(cJSON_GetObjectItemCaseSensitive(json, key));
    assert_non_null(text);
    assert_string_equal(text, expected);
    cJSON_free(text);
}

/* Read with `from` replaced by `to`, the example is refused with all of `says` in one line. */
SUPPORT void assert_mistake(const char *from, const char *to, const char *directory,
                            const char *where, const char *what) {
    char *text = replaced(scale_text, from, to);
    struct tw_description *d = (struct tw_description *)-1;
    struct tw_error error = {0};
    assert_refuses(tw_description_read(&d, text, "scale.json", directory, &error),
                   TW_BAD_DESCRIPTION, error, where);
    assert_says(error.message, what);
    assert_null(strchr(error.message, '\n'));
    assert_null(d);
    free(text);
}

#endif

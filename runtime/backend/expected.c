#include "runtime/backend/expected.h"

#include <string.h>

#include "runtime/base/text.h"

static tw_status refuse_count(const struct tw_expected *expected, int count, const char *function,
                              struct tw_error *error) {
    struct tw_text names = {0};
    for (int i = 0; i < expected->count; i++)
        tw_text_print(&names, "%s%s", i > 0 ? ", " : "", expected->parameters[i].name);
    tw_status status = tw_fail(error, TW_BAD_DESCRIPTION,
                               "the kernel %s has %d parameter%s, and \"pass\" gives it %d: %s",
                               function, count, count == 1 ? "" : "s", expected->count,
                               names.data != NULL ? names.data : "nothing");
    tw_text_free(&names);
    return status;
}

tw_status tw_expected_refuse(const struct tw_expected *expected, int index, const char *function,
                             struct tw_error *error) {
    const struct tw_expected_parameter *given = &expected->parameters[index];
    if (given->bytes == 0)
        return tw_fail(error, TW_BAD_DESCRIPTION,
                       "parameter %d of the kernel %s does not take what \"pass\" gives it, the "
                       "buffer %s",
                       index + 1, function, given->name);
    return tw_fail(error, TW_BAD_DESCRIPTION,
                   "parameter %d of the kernel %s does not take what \"pass\" gives it, %s, %s of "
                   "%u bytes",
                   index + 1, function, given->name,
                   given->floating ? "a floating-point number" : "a value", given->bytes);
}

tw_status tw_expected_check(const struct tw_expected *expected, const struct tw_taken *taken,
                            uint32_t pointer, const char *function, struct tw_error *error) {
    if (taken->count != expected->count)
        return refuse_count(expected, taken->count, function, error);
    for (int i = 0; i < expected->count; i++) {
        const struct tw_expected_parameter *given = &expected->parameters[i];
        uint32_t bytes = given->bytes != 0 ? given->bytes : pointer;
        bool same_size = taken->parameters[i].bytes == 0 || taken->parameters[i].bytes == bytes;
        bool same_kind =
            !taken->parameters[i].is_number || taken->parameters[i].floating == given->floating;
        if (!same_size || !same_kind)
            return tw_expected_refuse(expected, i, function, error);
    }
    return TW_OK;
}

tw_status tw_expected_missing(const char *function, const char *kernels, char separator,
                              struct tw_error *error) {
    enum { MOST = 32, NAME = 64 };
    char names[MOST][NAME];
    const char *list[MOST];
    struct tw_text known = {0};
    size_t count = 0;
    for (const char *at = kernels; *at != '\0' && count < MOST;) {
        size_t length = strcspn(at, (const char[]){separator, '\0'});
        if (length > 0 && length < NAME) {
            memcpy(names[count], at, length);
            names[count][length] = '\0';
            list[count] = names[count];
            tw_text_print(&known, "%s%s", count > 0 ? ", " : "", names[count]);
            count++;
        }
        at += length + (at[length] == separator);
    }
    const char *nearest = tw_nearest(function, list, count);
    tw_status status =
        nearest != NULL
            ? tw_fail(
                  error, TW_BAD_DESCRIPTION,
                  "the templates have no kernel \"%s\", the launch's \"function\"; did you mean "
                  "%s?",
                  function, nearest)
            : tw_fail(
                  error, TW_BAD_DESCRIPTION,
                  "the templates have no kernel \"%s\", the launch's \"function\"; they have %s",
                  function, known.data != NULL ? known.data : "none");
    tw_text_free(&known);
    return status;
}

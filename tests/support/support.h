/* What tests share: cmocka with the headers it needs, a directory of one's own, words in messages.
 */
#ifndef TESTS_SUPPORT_SUPPORT_H
#define TESTS_SUPPORT_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <ftw.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/tilewise.h"

#define SUPPORT __attribute__((unused)) static

/* `call` must succeed; its error goes to `error`, a struct tw_error. */
#define must(call, error)                                                                          \
    do {                                                                                           \
        tw_status must_status = (call);                                                            \
        if (must_status != TW_OK) {                                                                \
            fail_msg("%s: %s: %s", #call, tw_status_text(must_status), (error).message);           \
        }                                                                                          \
    } while (0)

#define assert_status(call, expected)                                                              \
    assert_string_equal(tw_status_text(call), tw_status_text(expected))

#define assert_says(text, part)                                                                    \
    do {                                                                                           \
        const char *says_text = (text), *says_part = (part);                                       \
        if (strstr(says_text, says_part) == NULL) {                                                \
            fail_msg("no \"%s\" in: %s", says_part, says_text);                                    \
        }                                                                                          \
    } while (0)

#define assert_does_not_say(text, part)                                                            \
    do {                                                                                           \
        const char *says_text = (text), *says_part = (part);                                       \
        if (strstr(says_text, says_part) != NULL) {                                                \
            fail_msg("\"%s\" is in: %s", says_part, says_text);                                    \
        }                                                                                          \
    } while (0)

/* `call` must fail like this, and say so in one line with these words: `error` was its argument. */
#define assert_refuses(call, expected, error, part)                                                \
    do {                                                                                           \
        assert_status(call, expected);                                                             \
        assert_int_equal((error).status, expected);                                                \
        assert_says((error).message, part);                                                        \
        assert_null(strchr((error).message, '\n'));                                                \
    } while (0)

/* ---- A directory of one's own, as a cmocka state ---- */

struct scratch {
    char path[512];
};

SUPPORT int scratch_make(void **state) {
    struct scratch *scratch = calloc(1, sizeof *scratch);
    const char *parent = getenv("TMPDIR");
    if (scratch == NULL)
        return -1;
    snprintf(scratch->path, sizeof scratch->path, "%s/tw_test_XXXXXX",
             parent != NULL ? parent : "/tmp");
    if (mkdtemp(scratch->path) == NULL) {
        free(scratch);
        return -1;
    }
    *state = scratch;
    return 0;
}

SUPPORT int scratch_remove_entry(const char *path, const struct stat *info, int type,
                                 struct FTW *where) {
    (void)info;
    (void)type;
    (void)where;
    return remove(path);
}

SUPPORT int scratch_remove(void **state) {
    struct scratch *scratch = *state;
    int result = nftw(scratch->path, scratch_remove_entry, 8, FTW_DEPTH | FTW_PHYS);
    free(scratch);
    return result;
}

#define SCRATCH_TEST(function)                                                                     \
    cmocka_unit_test_setup_teardown(function, scratch_make, scratch_remove)

/* Writes a file in the directory, making the folder it names ("scale/direct.cu"); tells its path.
 */
SUPPORT void scratch_write(const struct scratch *scratch, const char *name, const char *text,
                           char path[1024]) {
    snprintf(path, 1024, "%s/%s", scratch->path, name);
    char *slash = strrchr(path, '/');
    *slash = '\0';
    mkdir(path, 0700);
    *slash = '/';
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

/* ---- Text ---- */

/* `text` with the first `from` replaced; it must be there. The caller frees it. */
SUPPORT char *replaced(const char *text, const char *from, const char *to) {
    const char *at = strstr(text, from);
    if (at == NULL) {
        fail_msg("the test looks for \"%s\", which is not in the text", from);
    }
    char *out = malloc(strlen(text) + strlen(to) + 1);
    assert_non_null(out);
    memcpy(out, text, (size_t)(at - text));
    strcpy(out + (at - text), to);
    strcat(out, at + strlen(from));
    return out;
}

#endif

/* A growing string. Zero-initialise it; free with tw_text_free. Running out of memory is remembered
 * in `failed`, so that a builder checks once, at the end. */
#ifndef TW_BASE_TEXT_H
#define TW_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

struct tw_text {
    char *data; /* NUL-terminated once anything was added; NULL before */
    size_t length;
    size_t capacity;
    bool failed;
};

void tw_text_add(struct tw_text *text, const char *bytes, size_t length);
void tw_text_print(struct tw_text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* For messages: the text, `empty` for one to which nothing was added, and "..." when it failed. */
const char *tw_text_or(const struct tw_text *text, const char *empty);
void tw_text_clear(struct tw_text *text);
void tw_text_free(struct tw_text *text);

/* The candidate nearest to `word` by edit distance, or NULL when none is near enough to suggest. */
const char *tw_nearest(const char *word, const char *const *candidates, size_t count);

#endif

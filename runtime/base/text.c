#include "runtime/base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool reserve(struct tw_text *text, size_t extra) {
    if (text->failed)
        return false;
    size_t needed = text->length + extra + 1;
    if (needed <= text->capacity)
        return true;
    size_t capacity = text->capacity != 0 ? text->capacity : 256;
    while (capacity < needed)
        capacity *= 2;
    char *data = realloc(text->data, capacity);
    if (data == NULL) {
        text->failed = true;
        return false;
    }
    text->data = data;
    text->capacity = capacity;
    return true;
}

void tw_text_add(struct tw_text *text, const char *bytes, size_t length) {
    if (!reserve(text, length))
        return;
    if (length != 0)
        memcpy(text->data + text->length, bytes, length);
    text->length += length;
    text->data[text->length] = '\0';
}

void tw_text_print(struct tw_text *text, const char *format, ...) {
    va_list arguments;
    /* Mostly it fits. */
    const size_t room = text->failed ? 0 : text->capacity - text->length;
    va_start(arguments, format);
    int length = vsnprintf(room > 0 ? text->data + text->length : NULL, room, format, arguments);
    va_end(arguments);
    if (length < 0 || !reserve(text, (size_t)length)) {
        if (room > 0)
            text->data[text->length] = '\0';
        text->failed = true;
        return;
    }
    if ((size_t)length >= room) {
        va_start(arguments, format);
        vsnprintf(text->data + text->length, (size_t)length + 1, format, arguments);
        va_end(arguments);
    }
    text->length += (size_t)length;
}

const char *tw_text_or(const struct tw_text *text, const char *empty) {
    return text->failed ? "..." : text->data != NULL ? text->data : empty;
}

void tw_text_clear(struct tw_text *text) {
    text->length = 0;
    if (text->data != NULL)
        text->data[0] = '\0';
}

void tw_text_free(struct tw_text *text) {
    free(text->data);
    *text = (struct tw_text){0};
}

enum { LONGEST_WORD = 64 };

static size_t least(size_t a, size_t b) {
    return a < b ? a : b;
}

/* Levenshtein's distance, in which neighbours that changed places count once. A row of three at a
 * time. */
static size_t edit_distance(const char *a, const char *b) {
    size_t length_a = strlen(a), length_b = strlen(b);
    if (length_a > LONGEST_WORD || length_b > LONGEST_WORD)
        return LONGEST_WORD;
    size_t rows[3][LONGEST_WORD + 1];
    for (size_t j = 0; j <= length_b; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= length_a; i++) {
        size_t *row = rows[i % 3], *above = rows[(i + 2) % 3], *over = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= length_b; j++) {
            row[j] = least(above[j - 1] + (a[i - 1] != b[j - 1]), 1 + least(above[j], row[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = least(row[j], over[j - 2] + 1);
        }
    }
    return rows[length_a % 3][length_b];
}

const char *tw_nearest(const char *word, const char *const *candidates, size_t count) {
    const char *nearest = NULL;
    /* A third of the letters: with more, words that have nothing in common are found. */
    size_t length = strlen(word), limit = length < 3 ? 1 : (length + 1) / 3;
    if (length > LONGEST_WORD)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        size_t distance = edit_distance(word, candidates[i]), other = strlen(candidates[i]);
        /* A distance as large as the longer word means that nothing is alike. */
        bool alike = distance == 0 || distance < (length > other ? length : other);
        if (distance <= limit && alike) {
            nearest = candidates[i];
            limit = distance > 0 ? distance - 1 : 0;
            if (distance == 0)
                break;
        }
    }
    return nearest;
}

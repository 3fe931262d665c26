/* Spoiling text at random, for the tests of what reads text from anyone. */
#ifndef TW_TEST_SPOIL_H
#define TW_TEST_SPOIL_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static uint64_t next_random(uint64_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* Spoils a text in one of the ways that text gets spoilt. */
static size_t mutate(char *text, size_t length, uint64_t *random) {
    static const char *const tokens[] = {"{",
                                         "}",
                                         "[",
                                         "]",
                                         "\"",
                                         ",",
                                         ":",
                                         "null",
                                         "1e9",
                                         "-1",
                                         "0",
                                         "\\",
                                         "\\u0000",
                                         "true",
                                         "1e999",
                                         "\xff",
                                         "{\"a\":1}",
                                         "[[[[",
                                         "9007199254740993"};
    size_t at = next_random(random) % length;
    const char *token = tokens[next_random(random) % (sizeof tokens / sizeof *tokens)];
    size_t size = strlen(token), count = next_random(random) % 40;
    switch (next_random(random) % 6) {
    case 0: /* a bit */
        text[at] ^= (char)(1 << next_random(random) % 8);
        return length;
    case 1: /* the end is lost */
        return at;
    case 2: /* a piece is lost */
        count = at + count < length ? count : length - at;
        memmove(text + at, text + at + count, length - at - count);
        return length - count;
    case 3: /* something comes in */
        memmove(text + at + size, text + at, length - at);
        memcpy(text + at, token, size);
        return length + size;
    case 4: /* something takes another's place */
        size = size < length - at ? size : length - at;
        memcpy(text + at, token, size);
        return length;
    default: /* a digit */
        while (at < length && (text[at] < '0' || text[at] > '9'))
            at++;
        if (at < length)
            text[at] = (char)('0' + next_random(random) % 10);
        return length;
    }
}

/* A copy, spoilt in one to three places; the caller frees. */
static char *spoilt(const char *sound, size_t *length, uint64_t *random) {
    char *room = malloc(*length + 200);
    memcpy(room, sound, *length);
    for (int i = (int)(next_random(random) % 3); i >= 0 && *length > 0; i--)
        *length = mutate(room, *length, random);
    /* In memory of exactly its size, so that a sanitizer sees every step beyond. */
    char *text = malloc(*length + 1);
    memcpy(text, room, *length);
    text[*length] = '\0';
    free(room);
    return text;
}

#endif

#include "runtime/base/printable.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 1000 };

/* The length of the character at `at`: 0 when there is none that may be printed. */
static size_t character(const unsigned char *at) {
    if (at[0] < 0x80)
        return at[0] >= ' ' && at[0] != 0x7f;
    size_t length = at[0] >= 0xf0 ? 4 : at[0] >= 0xe0 ? 3 : 2;
    if (at[0] < 0xc2 || at[0] > 0xf4)
        return 0;
    for (size_t i = 1; i < length; i++)
        if ((at[i] & 0xc0) != 0x80)
            return 0;
    /* Overlong forms, surrogates and what is beyond Unicode; then the controls above ASCII, and
     * those that turn the direction of writing around. */
    bool wrong = (at[0] == 0xe0 && at[1] < 0xa0) || (at[0] == 0xed && at[1] > 0x9f) ||
                 (at[0] == 0xf0 && at[1] < 0x90) || (at[0] == 0xf4 && at[1] > 0x8f);
    bool control = at[0] == 0xc2 && at[1] < 0xa0;
    bool turning =
        at[0] == 0xe2 &&
        ((at[1] == 0x80 && ((at[2] >= 0xa8 && at[2] <= 0xae) || at[2] == 0x8e || at[2] == 0x8f)) ||
         (at[1] == 0x81 && at[2] >= 0xa6 && at[2] <= 0xa9));
    return wrong || control || turning ? 0 : length;
}

bool tw_is_printable(const char *text) {
    const unsigned char *at = (const unsigned char *)text;
    size_t length = 1;
    if (strnlen(text, LONGEST + 1) > LONGEST)
        return false;
    while (length > 0 && *at != '\0') {
        length = *at >= ' ' && *at < 0x7f ? 1 : character(at); /* which is what most are */
        at += length;
    }
    return *at == '\0';
}

const char *tw_printable_copy(const char *text, char *out, size_t size) {
    const unsigned char *at = (const unsigned char *)text;
    size_t used = 0, room = size - sizeof "...";
    while (*at != '\0') {
        size_t length = character(at);
        if (used + (length > 0 ? length : 1) > room) {
            strcpy(out + used, "...");
            return out;
        }
        if (length > 0)
            memcpy(out + used, at, length);
        else
            out[used] = '?';
        used += length > 0 ? length : 1;
        at += length > 0 ? length : 1;
    }
    out[used] = '\0';
    return out;
}

void tw_printable_line(FILE *file, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    /* Without memory for a longer one, it is cut. */
    char short_text[1024], short_line[sizeof short_text];
    size_t size = (size_t)(length > 0 ? length : 0) + sizeof "...";
    char *text = size > sizeof short_text ? malloc(size) : NULL;
    char *line = text != NULL ? malloc(size) : NULL;
    size = line != NULL ? size : sizeof short_text;
    va_start(arguments, format);
    vsnprintf(line != NULL ? text : short_text, size, format, arguments);
    va_end(arguments);
    fprintf(file, "%s\n",
            line != NULL ? tw_printable_copy(text, line, size)
                         : tw_printable_copy(short_text, short_line, sizeof short_line));
    free(text);
    free(line);
}

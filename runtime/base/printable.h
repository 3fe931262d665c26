/* Text that may have come from anyone: whether it is fit to be kept, and how to print it. */
#ifndef TW_BASE_PRINTABLE_H
#define TW_BASE_PRINTABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Whether it is UTF-8 without control characters, and no longer than a name may be (1000 bytes). */
bool tw_is_printable(const char *text);

/* Copies text into `out`, on one line: "?" in place of control characters and of what is not UTF-8,
 * "..." in place of what does not fit. Returns `out`. `size` is at least 8. */
const char *tw_printable_copy(const char *text, char *out, size_t size);

/* Prints a line, of any length, in which what must not be printed is "?", and ends it. */
void tw_printable_line(FILE *file, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif

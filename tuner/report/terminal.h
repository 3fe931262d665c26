/* Output for people: colour and columns where it goes to a terminal, plain lines elsewhere. */
#ifndef TUNER_REPORT_TERMINAL_H
#define TUNER_REPORT_TERMINAL_H

#include <stdbool.h>
#include <stdio.h>

struct terminal {
    FILE *file;
    bool colour;
    int columns; /* 0: no terminal, and lines may be as long as they are */
};

enum ink { INK_STRONG, INK_QUIET, INK_GOOD, INK_BAD };

/* What a stream is. There is no colour with NO_COLOR in the environment (https://no-color.org), or
 * where TERM is "dumb" or absent. */
struct terminal terminal_of(FILE *file);

/* Prints text in a colour, in columns of at least `width`; it may come from anywhere, and is made
 * fit to be printed. */
void terminal_print(const struct terminal *terminal, enum ink ink, int width, const char *text);

/* Prints text that comes after `used` columns of a line. On a terminal, what does not fit goes on
 * below, `indent` columns in, broken at spaces and after commas. */
void terminal_wrap(const struct terminal *terminal, int used, int indent, const char *text);
/* The same on one line: on a terminal what does not fit is "...". */
void terminal_cut(const struct terminal *terminal, int used, const char *text);

#endif

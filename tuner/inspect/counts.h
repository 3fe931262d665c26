/* What a kernel's code is made of: static counts, of instructions and not of how often they run. */
#ifndef TUNER_INSPECT_COUNTS_H
#define TUNER_INSPECT_COUNTS_H

#include "tuner/inspect/sass.h"

/* What one access moves for a thread. */
enum { COUNTS_WIDTHS = 6 };
extern const int counts_widths[COUNTS_WIDTHS]; /* bits: 8, 16, 32, 64, 128, 256 */

/* How global memory is accessed, besides its width: modifiers of the instruction. */
enum { COUNTS_HINTS = 9 };
extern const char *const counts_hints[COUNTS_HINTS];

struct code_counts {
    int instructions; /* without the padding at the end */
    int kinds[SASS_KINDS];
    int widths[SASS_KINDS][COUNTS_WIDTHS]; /* of the kinds that access memory */
    int hints[SASS_KINDS][COUNTS_HINTS];   /* of accesses to global memory */
};

/* Whether a kind has widths. */
bool counts_is_memory(enum sass_kind kind);

/* Counts the instructions chosen, or all with NULL. */
void counts_take(const struct sass *sass, const bool *chosen, struct code_counts *counts);

#endif

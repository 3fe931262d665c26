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

/* Instructions of one opcode with its modifiers: "HGMMA.64x256x16.F32.BF16", "UTMALDG.2D". */
struct counted_opcode {
    enum sass_kind kind;
    char opcode[SASS_OPCODE_SIZE];
    int count;
};

enum { COUNTS_OPCODES = 16 };

struct code_counts {
    int instructions; /* without the padding at the end */
    int kinds[SASS_KINDS];
    int widths[SASS_KINDS][COUNTS_WIDTHS]; /* of the kinds that access memory */
    int hints[SASS_KINDS][COUNTS_HINTS];   /* of accesses to global memory */
    int opcode_count; /* of tensor cores' products and of bulk copies, the first that there are */
    struct counted_opcode opcodes[COUNTS_OPCODES];
};

/* Whether a kind has widths. */
bool counts_is_memory(enum sass_kind kind);

/* How many there are of this opcode. */
int counts_of_opcode(const struct code_counts *counts, const char *opcode);

/* Counts the instructions chosen, or all with NULL. */
void counts_take(const struct sass *sass, const bool *chosen, struct code_counts *counts);

#endif

#include "tuner/inspect/counts.h"

#include <string.h>

const int counts_widths[COUNTS_WIDTHS] = {8, 16, 32, 64, 128, 256};

/* Evict first, last, unchanged; last use; not allocated in L1; through the read-only path; past L1;
 * so many bytes fetched into L2. */
const char *const counts_hints[COUNTS_HINTS] = {"EF",       "EL",     "EU",      "LU",     "NA",
                                                "CONSTANT", "BYPASS", "LTC128B", "LTC256B"};

bool counts_is_memory(enum sass_kind kind) {
    return kind >= SASS_SHARED_LOAD && kind <= SASS_ASYNC_COPY;
}

static void count_access(const struct sass_instruction *in, struct code_counts *counts) {
    int bits = sass_width(in->opcode);
    for (int w = 0; w < COUNTS_WIDTHS; w++)
        counts->widths[in->kind][w] += counts_widths[w] == bits;
    for (int h = 0; h < COUNTS_HINTS; h++)
        counts->hints[in->kind][h] += sass_has_modifier(in->opcode, counts_hints[h]);
}

static void count_opcode(const struct sass_instruction *in, struct code_counts *counts) {
    int i = 0;
    while (i < counts->opcode_count && strcmp(counts->opcodes[i].opcode, in->opcode) != 0)
        i++;
    if (i == COUNTS_OPCODES)
        return;
    struct counted_opcode *counted = &counts->opcodes[i];
    if (i == counts->opcode_count) {
        counts->opcode_count++;
        counted->kind = in->kind;
        memcpy(counted->opcode, in->opcode, sizeof counted->opcode);
    }
    counted->count++;
}

int counts_of_opcode(const struct code_counts *counts, const char *opcode) {
    for (int i = 0; i < counts->opcode_count; i++)
        if (strcmp(counts->opcodes[i].opcode, opcode) == 0)
            return counts->opcodes[i].count;
    return 0;
}

void counts_take(const struct sass *sass, const bool *chosen, struct code_counts *counts) {
    *counts = (struct code_counts){0};
    for (size_t i = 0; i < sass->count; i++) {
        const struct sass_instruction *in = &sass->instructions[i];
        bool is_trap = in->kind == SASS_BRANCH && in->target == (int)i;
        if ((chosen != NULL && !chosen[i]) || in->kind == SASS_PADDING || is_trap)
            continue;
        counts->instructions++;
        /* An access that never happens only takes its turn. */
        counts->kinds[in->never ? SASS_OTHER : in->kind]++;
        if (counts_is_memory(in->kind) && !in->never)
            count_access(in, counts);
        if ((in->kind == SASS_TENSOR || in->kind == SASS_BULK_COPY) && !in->never)
            count_opcode(in, counts);
    }
}

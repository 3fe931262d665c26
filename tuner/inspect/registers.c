/* The model, for sm_70 and later: each quarter of an SM has a register file of two banks, register
 * number modulo 2, with one port that reads 32 bits for every lane in a cycle, and a source that
 * was flagged .reuse by the instruction before, in the same operand slot, is not read again. Jia,
 * Maggioni, Staiger and Scarpazza, "Dissecting the NVIDIA Volta GPU Architecture via
 * Microbenchmarking" (2018), have the two banks, the caches of the operand slots, and the conflict
 * of three sources in one bank; Huerta, Abaie Shoushtary, Cruz and Gonzalez, "Analyzing Modern
 * NVIDIA GPU Cores" (2025), the single port of a bank. What other warps read meanwhile is not
 * known, nor whether one of them takes over between a flag and its use. */
#include "tuner/inspect/registers.h"

enum { BANKS = 2, QUARTERS = 4, WARP = 32 };

static bool was_kept(const struct sass_instruction *before, int slot, int number) {
    return before != NULL && slot < before->source_count && before->sources[slot].reuse &&
           before->sources[slot].number == number;
}

/* The registers that must be read, each once; returns how many. */
static int to_read(const struct sass_instruction *in, const struct sass_instruction *before,
                   int numbers[REGISTERS_SOURCES], int *reused) {
    int count = 0;
    for (int slot = 0; slot < in->source_count && slot < REGISTERS_SOURCES; slot++) {
        int number = in->sources[slot].number;
        bool is_double = false;
        if (number == SASS_NO_REGISTER)
            continue;
        if (was_kept(before, slot, number)) {
            ++*reused;
            continue;
        }
        for (int i = 0; i < count; i++)
            is_double = is_double || numbers[i] == number;
        if (!is_double)
            numbers[count++] = number;
    }
    return count;
}

static void count_one(const struct sass_instruction *in, const struct sass_instruction *before,
                      struct register_reads *reads, int totals[BANKS]) {
    int numbers[REGISTERS_SOURCES], banks[BANKS] = {0};
    int count = to_read(in, before, numbers, &reads->reused);
    for (int r = 0; r < count; r++)
        banks[numbers[r] % BANKS]++;
    for (int b = 0; b < BANKS; b++)
        totals[b] += banks[b];
    int busier = banks[0] > banks[1] ? banks[0] : banks[1];
    reads->by_cycles[busier > 1 ? busier : 1]++;
    reads->multiply_adds++;
    for (int slot = 0; slot < in->source_count; slot++)
        reads->reuse_flags += in->sources[slot].reuse;
}

void registers_count(const struct sass *sass, const bool *chosen, struct register_reads *reads) {
    int totals[BANKS] = {0};
    *reads = (struct register_reads){0};
    for (size_t i = 0; i < sass->count; i++) {
        const struct sass_instruction *in = &sass->instructions[i];
        bool follows = i > 0 && (chosen == NULL || chosen[i - 1]);
        if ((chosen == NULL || chosen[i]) && in->kind == SASS_FFMA && !in->never)
            count_one(in, follows ? in - 1 : NULL, reads, totals);
    }
    if (reads->multiply_adds == 0)
        return;
    reads->conflicts = reads->by_cycles[REGISTERS_SOURCES];
    for (int c = 1; c <= REGISTERS_SOURCES; c++)
        reads->cycles += (double)c * reads->by_cycles[c] / reads->multiply_adds;
    reads->shared_cycles =
        (double)(totals[0] > totals[1] ? totals[0] : totals[1]) / reads->multiply_adds;
    if (reads->shared_cycles < 1)
        reads->shared_cycles = 1;
}

/* Cycles that a quarter computes on one multiply-add of a warp: 1 with 128 lanes, 2 with 64. */
static double computing(int lanes) {
    return (double)WARP * QUARTERS / lanes;
}

double registers_bound(const struct register_reads *reads, int lanes) {
    double least = computing(lanes), cycles = 0;
    for (int c = 1; c <= REGISTERS_SOURCES; c++)
        cycles += (c > least ? c : least) * reads->by_cycles[c];
    return cycles > 0 ? least * reads->multiply_adds / cycles : 1;
}

double registers_shared_bound(const struct register_reads *reads, int lanes) {
    double least = computing(lanes);
    return reads->shared_cycles > least ? least / reads->shared_cycles : 1;
}

/* How the register file's ports limit a kernel's multiply-adds: an estimate from its code. */
#ifndef TUNER_INSPECT_REGISTERS_H
#define TUNER_INSPECT_REGISTERS_H

#include "tuner/inspect/sass.h"

enum { REGISTERS_SOURCES = 3 };

struct register_reads {
    int multiply_adds;                    /* FFMA; of these: */
    int by_cycles[REGISTERS_SOURCES + 1]; /* whose reads take so many cycles, from 1 on */
    int conflicts;   /* whose three sources must be read and lie in one bank: the slowest */
    int reuse_flags; /* sources that are kept for the next instruction */
    int reused;      /* sources that were kept, and need no port */
    double cycles;   /* mean cycles that a multiply-add's reads take */
    double
        shared_cycles; /* the same if neighbours fill each other's gaps: the busier bank's reads */
};

/* Looks at the instructions chosen, or all with NULL. */
void registers_count(const struct sass *sass, const bool *chosen, struct register_reads *reads);

/* The most that multiply-adds can reach of their peak rate when each has to read its registers, on
 * a compute unit that does `lanes` of them a cycle; and if neighbours fill each other's gaps. */
double registers_bound(const struct register_reads *reads, int lanes);
double registers_shared_bound(const struct register_reads *reads, int lanes);

#endif

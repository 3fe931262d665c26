/* Matrix products on tensor cores: how long their instructions keep them busy.
 *
 * A quarter of an SM has a tensor core, and its warps' products follow one another there. HMMA and
 * its kin are a warp's; HGMMA and its kin are four warps', one on each quarter, and go on while the
 * warps issue other instructions. */
#ifndef TUNER_INSPECT_TENSOR_H
#define TUNER_INSPECT_TENSOR_H

#include "runtime/description/types.h"
#include "tuner/inspect/sass.h"

/* Multiply-adds that an SM's tensor cores finish in a cycle, dense, of operands of this type; 0
 * when that is not known, or when they have no such type. Of f32 that is 0 too: its products are
 * of TF32. */
int tensor_lanes(int arch, enum tw_type type);

/* Multiply-adds that a warp has done with an instruction, its share of four warps' ones; 0 for what
 * is no product of matrices, or does not say its shape. */
long tensor_multiply_adds(const struct sass_instruction *instruction);

/* What a warp issues, in cycles of its quarter of the SM. */
struct tensor_work {
    char opcode[SASS_OPCODE_SIZE]; /* "HGMMA": which does most; "" without products */
    double cycles;                 /* that the tensor core is busy; 0: not known of all products */
    /* That four warps' products take to read from shared memory at 128 bytes a cycle and SM; 0:
     * none does. */
    double operand_cycles;
    /* Instructions from each wait that leaves no product in flight to the next product: none of the
     * warp's products runs meanwhile. */
    int exposed;
};

/* Of the instructions chosen, a loop, or of all with NULL. */
void tensor_take(const struct sass *sass, const bool *chosen, int arch, struct tensor_work *work);

#endif

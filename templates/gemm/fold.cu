/* The rounding error of a sum grows with its length, so a long one is taken in pieces: after every
 * FOLD_STEPS steps of BK a thread adds its sums to totals in shared memory, which only it touches, and
 * starts from zero (blocked summation: Higham, Accuracy and Stability of Numerical Algorithms, 4.2). */

#if FOLD_STEPS > 0
#define SHARED_FOLDED (THREADS * TM * TN)

/* In groups, kept apart by volatile accesses: left to itself NVIDIA's compiler loads all totals before it
 * adds the first, and has no registers for them. One by one in a group: vectors would tie the sums to
 * registers in a row (see store.cu). */
#define FOLD_GROUP SMALLER(TM *TN, 8)

TW_DEVICE void clear_folded(TW_LOCAL real *folded)
{
    TW_UNROLL
    for (int e = 0; e < TM * TN; e++)
        folded[e * THREADS] = 0;
}

TW_DEVICE void fold(real *sum, TW_LOCAL volatile real *folded)
{
    TW_UNROLL
    for (int e = 0; e < TM * TN; e += FOLD_GROUP) {
        real total[FOLD_GROUP];
        TW_UNROLL
        for (int i = 0; i < FOLD_GROUP; i++)
            total[i] = folded[(e + i) * THREADS];
        TW_UNROLL
        for (int i = 0; i < FOLD_GROUP; i++) {
            folded[(e + i) * THREADS] = total[i] + sum[e + i];
            sum[e + i] = 0;
        }
    }
}

TW_DEVICE void take_folded(real *sum, TW_LOCAL const real *folded)
{
    TW_UNROLL
    for (int e = 0; e < TM * TN; e++)
        sum[e] = folded[e * THREADS];
}

/* Around the loop over K, which then ends with a piece. A loop in a loop, because a test inside made
 * the compiler keep the sums in memory. */
#define BEGIN_FOLDING()                                                                          \
    TW_LOCAL real *folded = shared + SHARED_TILES + tid;                                         \
    clear_folded(folded);                                                                        \
    TW_UNROLL_BY(1)                                                                              \
    while (left > -LEAD * BK) {                                                                  \
        const int piece_end = left - FOLD_STEPS * BK
#define PIECE_END (piece_end > -LEAD * BK ? piece_end : -LEAD * BK)
#define END_FOLDING()                                                                            \
        fold(sum, folded);                                                                       \
    }                                                                                            \
    take_folded(sum, folded)
#else
#define SHARED_FOLDED 0
#define BEGIN_FOLDING()
#define PIECE_END (-LEAD * BK)
#define END_FOLDING()
#endif

#define SHARED_REALS (SHARED_TILES + SHARED_FOLDED)

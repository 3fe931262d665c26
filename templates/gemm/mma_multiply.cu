/* The pipeline over K that gemm/dmma.cu and gemm/mma.cu are the instructions of: tiles come by cp.async over a ring of
 * stages, and warps multiply fragments that they read from there. COPY_STAGE brings a step of both operands. */

/* Multiplies all of K that is left. With two sets of fragments, the next is read while one is multiplied, over the
 * end of a stage too. */
TW_DEVICE void multiply_all(real sums[TALL][ACROSS][2][4], struct operand *rows, struct operand *columns,
                            int k_left)
{
    const tw_u32 base = shared_address(tw_shared_bytes);
    const struct lanes lanes = lanes_of((int)threadIdx.x / 32);
    const int steps = k_left / BK + (k_left % BK != 0);
    struct fragments fragments[FRAGMENTS];
    int reading = 0, filling = STAGES - 1;
    TW_UNROLL_BY(1)
    for (int stage = 0; stage < STAGES - 1; stage++) {
        COPY_STAGE(base + stage * STAGE_BYTES, rows, columns, k_left);
        k_left -= BK;
    }
#if FRAGMENTS == 2
    COPIES_WAIT(STAGES - 2);
    __syncthreads();
    read_fragments(&fragments[0], base, lanes, 0);
#endif
    TW_UNROLL_BY(1)
    for (int step = 0; step < steps; step++) {
#if FRAGMENTS == 1
        COPIES_WAIT(STAGES - 2);
        __syncthreads();
#endif
        COPY_STAGE(base + filling * STAGE_BYTES, rows, columns, k_left);
        k_left -= BK;
        filling = filling + 1 == STAGES ? 0 : filling + 1;
        TW_UNROLL
        for (int part = 0; part < PARTS_K; part++) {
#if FRAGMENTS == 2
            if (part == PARTS_K - 1) {
                COPIES_WAIT(STAGES - 2);
                __syncthreads();
                reading = reading + 1 == STAGES ? 0 : reading + 1;
            }
            read_fragments(&fragments[(part + 1) % 2], base + reading * STAGE_BYTES, lanes, (part + 1) % PARTS_K);
            multiply_fragments(sums, &fragments[part % 2]);
#else
            read_fragments(&fragments[0], base + reading * STAGE_BYTES, lanes, part);
            multiply_fragments(sums, &fragments[0]);
#endif
        }
#if FRAGMENTS == 1
        reading = reading + 1 == STAGES ? 0 : reading + 1;
#endif
    }
}

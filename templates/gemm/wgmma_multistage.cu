/* C = alpha*op(A)*op(B) + beta*C on Hopper's tensor cores without a warpgroup that only loads: a block has one tile, and
 * all its warpgroups keep STAGES - 2 stages of copies on the way while they multiply, by cp.async or, BY_ENGINE, by
 * the copy engine, which one thread asks. */

#if BY_ENGINE
#define MAPS const __grid_constant__ tensor_map map_a, const __grid_constant__ tensor_map map_b,
#else
#define MAPS
#endif

TW_KERNEL(gemm_wgmma_multistage)
(MAPS TW_GLOBAL const ELEMENT *TW_RESTRICT A, TW_GLOBAL const ELEMENT *TW_RESTRICT B,
 TW_GLOBAL result_type *TW_RESTRICT C, int M, int N, int K, int lda, int ldb, int ldc, SCALAR alpha, SCALAR beta,
 int group)
{
    const tw_u32 base = shared_address(tw_shared_bytes);
    const int row = (int)threadIdx.x / WARPGROUP * (BM / CONSUMERS);
    const struct share share = share_of(M, N, K);
    const struct place place = place_of(share.first, M, N, group);
    sum_type sum[TALL][BN / 2];
#if BY_ENGINE
    if (threadIdx.x == 0) {
        fetch_map(&map_a);
        fetch_map(&map_b);
        for (int stage = 0; stage < STAGES; stage++)
            barrier_init(FULL(stage), 1);
        barriers_initialised();
    }
    __syncthreads();
#endif
    for (int step = 2 - STAGES; step < share.steps; step++) {
        const int next = step + STAGES - 2, into = next % STAGES, k = next * STEP;
        if (step >= 0) {
#if BY_ENGINE
            barrier_wait(FULL(step % STAGES), (tw_u32)(step / STAGES) & 1);
#else
            COPIES_WAIT(STAGES - 3);
            wrote_for_copy(); /* and for the tensor cores, which read as the copy engine does */
#endif
            /* Everybody is done with the stage of two steps ago, which is filled next. */
            __syncthreads();
            /* First, so that the tensor cores are busy while copies are asked for. */
            multiply_stage(base, sum, row, step % STAGES, step == 0);
        }
#if BY_ENGINE
        if (threadIdx.x == 0 && next < share.steps) {
            barrier_expect(FULL(into), ROWS_BYTES + COLUMNS_BYTES);
            load_rows(ROWS_AT(into), &map_a, FULL(into), place.row, k, share);
            load_columns(COLUMNS_AT(into), &map_b, FULL(into), place.column, k, share);
        }
#else
        if (next < share.steps) {
            copy_operand(ROWS_AT(into), A + OFFSET_A((tw_index)place.row, k), lda, M - place.row, K - k, ROWS_ACROSS_K,
                         BM, WIDTH_A);
            copy_operand(COLUMNS_AT(into), B + OFFSET_B(k, (tw_index)place.column), ldb, N - place.column, K - k,
                         COLUMNS_ACROSS_K, BN, WIDTH_B);
        }
        COPIES_COMMIT();
#endif
        if (step >= 0)
            WGMMA_WAIT(1);
    }
    finish_sums(sum);
    store_direct(C, sum, place.row + row + (int)threadIdx.x / 32 % 4 * 16, place.column, M, N, ldc, alpha, beta);
}

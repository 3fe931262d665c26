/* What a multiplying warpgroup does: tile after tile, multiplied and stored. */

#if STORE == STORE_tma
#define STORE_SUMS(alpha, beta)                                                                                \
    store_tile(map_c, C, sum, buffers, place.row + row + warp * 16, place.column, rows, columns, ldc, alpha,   \
               beta, &turn LAYER_GIVEN)
#elif SWAP
#define STORE_SUMS(alpha, beta)                                                                                \
    store_turned(C, sum, place.row + row + warp * 16, place.column, rows, columns, ldc, alpha, beta)
#else
#define STORE_SUMS(alpha, beta)                                                                                \
    store_direct(C, sum, place.row + row + warp * 16, place.column, rows, columns, ldc, alpha, beta)
#endif

#if EPILOGUE || BATCHED || GROUPED || PLANES
TW_DEVICE void consume(const tensor_map *map_c, TW_GLOBAL result_type *first_c, tw_u32 base, int all_rows,
                       int all_columns, int ldc, SCALAR alpha, SCALAR beta, int group,
                       struct share share EPILOGUE_PARAMETERS LAYER_STRIDES)
#else
TW_DEVICE void consume(const tensor_map *map_c, TW_GLOBAL result_type *C, tw_u32 base, int rows, int columns,
                       int ldc, SCALAR alpha, SCALAR beta, int group, struct share share)
#endif
{
#if DEVICE_SCALARS
    TAKE_ALPHA();
    TAKE_BETA();
#endif
    const int consumer = (int)threadIdx.x / WARPGROUP - 1;
    const int warp = (int)threadIdx.x / 32 % 4;
    const int row = PINGPONG ? 0 : consumer * (BM / CONSUMERS);
    const int step = PINGPONG ? CONSUMERS * share.step : share.step;
    const int first = PINGPONG ? share.first + consumer * share.step : share.first;
    struct ring ring = {0, 0};
    tw_u32 turn_phase = 0;
#if STORE == STORE_tma
    const tw_u32 buffers = STORE_AT + (consumer * 4 + warp) * STORE_BUFFERS * CHUNK_BYTES;
    int turn = 0;
#endif
    if (PINGPONG)
        ring_skip(&ring, consumer * share.steps);
#if GROUPED
    struct cursor cursor = {0, 0, 0};
#elif EPILOGUE || BATCHED || PLANES
    const int rows = all_rows, columns = all_columns;
#endif
    for (int tile = first; tile < share.tiles; tile += step) {
#if GROUPED
        struct place place = place_of(tile, SWAP ? all_columns : all_rows, SWAP ? all_rows : all_columns, group,
                                      ends, &cursor);
        const int rows = SWAP ? all_rows : place.end, columns = SWAP ? place.end : all_columns;
#else
        struct place place = place_of(tile, rows, columns, group);
#endif
        sum_type sum[TALL][BN / 2];
        place.row += share.rank_m * BM;
        place.column += share.rank_n * BN;
#if EPILOGUE || BATCHED || GROUPED || PLANES
#if BATCHED
        TW_GLOBAL result_type *C = first_c + (tw_index)place.layer * stride_c;
#else
        TW_GLOBAL result_type *C = first_c;
#endif
#if EPILOGUE
        struct finish finish = {EPILOGUE_GIVEN, beta, SWAP ? columns : rows, SWAP ? rows : columns};
#if BATCHED
        finish.epilogue.E += E_OF_LAYER(place.layer);
#elif GROUPED && HAS_BIASES
        finish.epilogue.biases += (tw_index)place.layer * finish.N;
#endif
#endif
#endif
#if EPILOGUE && WHOLE_PAIRS && HAS_BIASES
        take_biases(&finish, place.column);
#endif
        if (PINGPONG && tile != share.first) {
            barrier_wait(TURN(consumer), turn_phase);
            turn_phase ^= 1;
        }
#if BLOCK_SCALED
        const struct block_scales scales = {a_scales,
                                            b_scales,
                                            place.row + row + warp * 16 + (int)threadIdx.x % 32 / 4,
                                            place.column,
                                            rows,
                                            columns,
                                            share.all_k,
                                            share.step_first};
        const int last = multiply_tile(base, sum, row, share.steps, &ring, scales);
#else
        const int last = multiply_tile(base, sum, row, share.steps, &ring);
#endif
        if (PINGPONG)
            barrier_arrive(TURN((consumer + 1) % CONSUMERS));
        finish_sums(sum);
        release_stage(EMPTY(last));
#if PLANES && BATCHED
        mend_sums(sum, place.row + row + warp * 16, place.column, rows, columns, share,
                  A + (tw_index)place.layer * stride_a, B + (tw_index)place.layer * stride_b, lda, ldb);
#elif PLANES
        mend_sums(sum, place.row + row + warp * 16, place.column, rows, columns, share, A, B, lda, ldb);
#endif
        if (PINGPONG)
            ring_skip(&ring, (CONSUMERS - 1) * share.steps);
#if SYMMETRIC
        store_both(C, sum, place.row + row + warp * 16, place.column, rows, ldc);
#elif STAGED
        asm volatile("bar.sync 1, %0;" ::"n"(WARPGROUP * CONSUMERS) : "memory");
        put_tile((sum_type *)tw_shared_bytes, sum, row + warp * 16);
        if (SPLIT > 1)
            cluster_sync();
        else
            asm volatile("bar.sync 1, %0;" ::"n"(WARPGROUP * CONSUMERS) : "memory");
#if EPILOGUE
        store_staged(C, base, place, rows, columns, ldc, alpha, BETA_OF_C, share.part, finish);
#else
        store_staged(C, base, place, rows, columns, ldc, alpha, beta, share.part);
#endif
#elif WHOLE_RESULTS && !EPILOGUE
        /* Whole numbers are scaled in double, which takes ten times the instructions of storing them as they are. */
        if (alpha == 1 && beta == 0)
            STORE_SUMS(1, 0);
        else
            STORE_SUMS(alpha, beta);
#elif STORE == STORE_tma
#if EPILOGUE || BATCHED || GROUPED
        store_tile(map_c, C, sum, buffers, place.row + row + warp * 16, place.column, rows, columns, ldc, alpha,
                   BETA_OF_C, &turn FINISH_GIVEN LAYER_GIVEN);
#else
        store_tile(map_c, C, sum, buffers, place.row + row + warp * 16, place.column, rows, columns, ldc, alpha,
                   beta, &turn);
#endif
#elif SWAP && EPILOGUE
        store_turned(C, sum, place.row + row + warp * 16, place.column, rows, columns, ldc, alpha, beta, finish);
#elif SWAP
        store_turned(C, sum, place.row + row + warp * 16, place.column, rows, columns, ldc, alpha, beta);
#else
#if EPILOGUE
        store_direct(C, sum, place.row + row + warp * 16, place.column, rows, columns, ldc, alpha, BETA_OF_C,
                     finish);
#else
        store_direct(C, sum, place.row + row + warp * 16, place.column, rows, columns, ldc, alpha, beta);
#endif
#endif
    }
#if STORE == STORE_tma
    if (threadIdx.x % 32 == 0)
        STORES_DONE();
#endif
}

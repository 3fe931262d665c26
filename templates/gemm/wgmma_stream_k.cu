/* The first launch of stream-K: see wgmma_stream.cu, and wgmma.cu for how blocks load and multiply. */

TW_DEVICE void produce_pieces(const tensor_map *map_rows, const tensor_map *map_columns, tw_u32 base, int rows,
                              int columns, int group, struct share share, struct stream stream)
{
    struct ring ring = {0, 1}; /* stages begin empty: the phase before the first is over */
    struct piece piece;
    while (next_piece(&stream, &piece)) {
        const struct place place = place_of(piece.tile, rows, columns, group);
        for (int step = 0; step < piece.steps; step++) {
            const int k = (piece.first + step) * STEP;
            barrier_wait(EMPTY(ring.stage), ring.phase);
            barrier_expect(FULL(ring.stage), ROWS_BYTES + COLUMNS_BYTES);
            load_rows(ROWS_AT(ring.stage), map_rows, FULL(ring.stage), place.row, k, share);
            load_columns(COLUMNS_AT(ring.stage), map_columns, FULL(ring.stage), place.column, k, share);
            ring_next(&ring);
        }
    }
}

TW_DEVICE void consume_pieces(const tensor_map *map_c, TW_GLOBAL result_type *C, TW_GLOBAL sum_type *workspace,
                              tw_u32 base, int rows, int columns, int ldc, SCALAR alpha, SCALAR beta, int group,
                              struct stream stream)
{
    const int thread = (int)threadIdx.x - WARPGROUP, consumer = thread / WARPGROUP;
    const int warp = thread / 32 % 4, row = consumer * (BM / CONSUMERS);
    struct ring ring = {0, 0};
    struct piece piece;
#if STORE == STORE_tma
    const tw_u32 buffers = STORE_AT + (consumer * 4 + warp) * STORE_BUFFERS * CHUNK_BYTES;
    int turn = 0;
#endif
    while (next_piece(&stream, &piece)) {
        const struct place place = place_of(piece.tile, rows, columns, group);
        sum_type sum[TALL][BN / 2];
        const int last = multiply_tile(base, sum, row, piece.steps, &ring);
        finish_sums(sum);
        release_stage(EMPTY(last));
        if (piece.slot >= 0) {
            TW_GLOBAL sum_type *to = SLOT_AT(workspace, piece.slot, thread);
            TW_UNROLL
            for (int t = 0; t < TALL; t++)
                TW_UNROLL
                for (int j = 0; j < BN / 2; j++)
                    to[(t * (BN / 2) + j) * SUMMING] = sum[t][j];
            continue;
        }
#if STORE == STORE_tma
        store_tile(map_c, C, sum, buffers, place.row + row + warp * 16, place.column, rows, columns, ldc, alpha, beta,
                   &turn);
#else
        store_direct(C, sum, place.row + row + warp * 16, place.column, rows, columns, ldc, alpha, beta);
#endif
    }
#if STORE == STORE_tma
    if (threadIdx.x % 32 == 0)
        STORES_DONE();
#endif
}

TW_KERNEL(gemm_wgmma_stream_k)
(const __grid_constant__ tensor_map map_a, const __grid_constant__ tensor_map map_b,
 const __grid_constant__ tensor_map map_c, TW_GLOBAL result_type *TW_RESTRICT C,
 TW_GLOBAL sum_type *TW_RESTRICT workspace, int M, int N, int K, int ldc, SCALAR alpha, SCALAR beta, int group, int parts)
{
    const tw_u32 base = shared_address(tw_shared_bytes);
    if (threadIdx.x == 0) {
        fetch_map(&map_a);
        fetch_map(&map_b);
        init_barriers(base);
    }
    __syncthreads();
#if EARLY
    asm volatile("griddepcontrol.wait;\ngriddepcontrol.launch_dependents;" ::: "memory");
#endif
    const struct stream stream = stream_of((int)blockIdx.x, M, N, K, parts);
    if (threadIdx.x < WARPGROUP) {
        MOVE_REGISTERS("dec", PRODUCER_REGISTERS);
        if (threadIdx.x == 0)
            produce_pieces(&map_a, &map_b, base, M, N, group, share_of(M, N, K), stream);
    } else {
        MOVE_REGISTERS("inc", CONSUMER_REGISTERS);
        consume_pieces(&map_c, C, workspace, base, M, N, ldc, alpha, beta, group, stream);
    }
}

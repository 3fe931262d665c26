/* C = alpha*op(A)*op(B) + beta*C on Hopper's tensor cores. One warpgroup's thread loads, the others multiply:
 * together on one tile (cooperative), or on tiles of their own in turn, so that one stores while the other
 * multiplies (pingpong). Loads run ahead over a ring of stages. The outline is NVIDIA's, as CUTLASS has it
 * (warp-specialised persistent kernels). */

/* Waits for the last group, and keeps the compiler from using the sums before. */
TW_DEVICE void finish_sums(sum_type sum[TALL][BN / 2])
{
    WGMMA_WAIT(0);
    TW_UNROLL
    for (int t = 0; t < TALL; t++)
        TW_UNROLL
        for (int j = 0; j < BN / 2; j++)
            asm volatile("" : WGMMA_IN_OUT(sum[t][j])::"memory");
}

#if !ROWS_IN_REGISTERS
/* Queues the products of a stage. `add`: to what the sums hold. */
TW_DEVICE void multiply_stage(tw_u32 base, sum_type sum[TALL][BN / 2], int row, int stage, int first)
{
    WGMMA_BEGIN();
    TW_UNROLL
    for (int k = 0; k < STEP_INSTRUCTIONS; k++) {
        TW_UNROLL
        for (int t = 0; t < TALL; t++) {
            const tw_u32 rows_at = ROWS_AT(stage) + (row + t * 64) * 128;
            tw_u32 add = !first || k > 0;
#if ROWS_ACROSS_K
            tw_u64 rows = operand_across_k(rows_at + k * 2048);
#else
            tw_u64 rows = operand_along_k(rows_at + k * 32);
#endif
#if COLUMNS_ACROSS_K
            tw_u64 columns = operand_across_k(COLUMNS_AT(stage) + k * 2048);
#else
            tw_u64 columns = operand_along_k(COLUMNS_AT(stage) + k * 32);
#endif
            WGMMA(sum[t], rows, columns, add);
        }
    }
    WGMMA_COMMIT();
}

/* Multiplies a tile's steps of K; all but the last group of instructions is done then. Returns the last stage,
 * which is not yet released. */
#if !PROMOTED
TW_DEVICE int multiply_tile(tw_u32 base, sum_type sum[TALL][BN / 2], int row, int steps, struct ring *ring)
{
    int last = 0;
    for (int step = 0; step < steps; step++) {
        barrier_wait(FULL(ring->stage), ring->phase);
        multiply_stage(base, sum, row, ring->stage, step == 0);
        /* The stage before this one has been read once only this group is under way. */
        if (step > 0) {
            WGMMA_WAIT(1);
            release_stage(EMPTY(last));
        }
        last = ring->stage;
        ring_next(ring);
    }
    return last;
}
#else
/* The tensor cores add 8-bit floats with some 14 bits below the largest term, so their sums are emptied into
 * others, which round as f32 does, every PROMOTED stages. */
#if BLOCK_SCALED
/* With scales by blocks they are multiplied on the way, for a stage is a block of K: in row m of C by A's, in column n
 * by that of B's block of 128. */
struct block_scales {
    TW_GLOBAL const float *a_scales, *b_scales;
    int m, n, M, N, K; /* m: the thread's first row; n: the tile's first column */
    int first;         /* the step of K that the block begins with */
};

TW_DEVICE int multiply_tile(tw_u32 base, sum_type total[TALL][BN / 2], int row, int steps, struct ring *ring,
                            struct block_scales scales)
#else
TW_DEVICE int multiply_tile(tw_u32 base, sum_type total[TALL][BN / 2], int row, int steps, struct ring *ring)
#endif
{
    int last = 0;
#if BLOCK_SCALED
    const int blocks = BLOCKS_OF_K(scales.K);
#endif
    TW_UNROLL
    for (int t = 0; t < TALL; t++)
        TW_UNROLL
        for (int j = 0; j < BN / 2; j++)
            total[t][j] = 0;
    for (int step = 0; step < steps;) {
        sum_type sum[TALL][BN / 2];
        const int end = steps - step < PROMOTED ? steps : step + PROMOTED;
#if BLOCK_SCALED
        float by_row[TALL][2], by_block[BN / 128 + 2];
        TW_UNROLL
        for (int i = 0; i < TALL * 2; i++)
            by_row[i / 2][i % 2] =
                scales.a_scales[(tw_index)min(scales.m + i / 2 * 64 + i % 2 * 8, scales.M - 1) * blocks +
                                scales.first + step];
        TW_UNROLL
        for (int i = 0; i < BN / 128 + 2; i++)
            by_block[i] = scales.b_scales[(tw_index)(min(scales.n + i * 128, scales.N - 1) / 128) * blocks +
                                          scales.first + step];
#endif
        for (const int first = step; step < end; step++) {
            barrier_wait(FULL(ring->stage), ring->phase);
            multiply_stage(base, sum, row, ring->stage, step == first);
            if (step > first) {
                WGMMA_WAIT(1);
                release_stage(EMPTY(last));
            }
            last = ring->stage;
            ring_next(ring);
        }
        finish_sums(sum);
        if (step < steps)
            release_stage(EMPTY(last));
#if BLOCK_SCALED
        TW_UNROLL
        for (int j = 0; j < BN / 8; j++) {
            float by_column = by_block[j / 16];
            if (scales.n % 128 + j % 16 * 8 >= 128)
                by_column = by_block[j / 16 + 1];
            TW_UNROLL
            for (int t = 0; t < TALL; t++)
                TW_UNROLL
                for (int e = 0; e < 4; e++)
                    total[t][j * 4 + e] =
                        fmaf(sum[t][j * 4 + e], by_row[t][e / 2] * by_column, total[t][j * 4 + e]);
        }
#else
        TW_UNROLL
        for (int t = 0; t < TALL; t++)
            TW_UNROLL
            for (int j = 0; j < BN / 2; j++)
                total[t][j] += sum[t][j];
#endif
    }
    return last;
}
#endif
#endif

#if EPILOGUE || BATCHED || GROUPED
TW_DEVICE void consume(const tensor_map *map_c, TW_GLOBAL result_type *first_c, tw_u32 base, int all_rows,
                       int all_columns, int ldc, SCALAR alpha, SCALAR beta, int group,
                       struct share share EPILOGUE_PARAMETERS LAYER_STRIDES)
#else
TW_DEVICE void consume(const tensor_map *map_c, TW_GLOBAL result_type *C, tw_u32 base, int rows, int columns,
                       int ldc, SCALAR alpha, SCALAR beta, int group, struct share share)
#endif
{
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
#elif EPILOGUE || BATCHED
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
#if EPILOGUE || BATCHED || GROUPED
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
        if (PINGPONG)
            ring_skip(&ring, (CONSUMERS - 1) * share.steps);
#if STAGED
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

TW_DEVICE void init_barriers(tw_u32 base)
{
    for (int stage = 0; stage < STAGES; stage++) {
        barrier_init(FULL(stage), 1);
        barrier_init(EMPTY(stage), SHARERS * (PINGPONG ? 1 : CONSUMERS));
    }
    for (int consumer = 0; consumer < CONSUMERS; consumer++)
        barrier_init(TURN(consumer), WARPGROUP);
    barriers_initialised();
}

/* With one consumer there are registers enough for both warpgroups. */
#if CONSUMERS > 1
#define MOVE_REGISTERS(how, count) asm volatile("setmaxnreg." how ".sync.aligned.u32 " TEXT(count) ";")
#else
#define MOVE_REGISTERS(how, count)
#endif

/* An operand that a launch before has copied has a map of the copy as well. */
#if COPY_A || COPY_B
#define COPIES const __grid_constant__ tensor_map copy_a, const __grid_constant__ tensor_map copy_b,
#define MAP_OF_A (COPY_A ? &copy_a : &map_a)
#define MAP_OF_B (COPY_B ? &copy_b : &map_b)
#else
#define COPIES
#define MAP_OF_A &map_a
#define MAP_OF_B &map_b
#endif

TW_KERNEL(gemm_wgmma)
(const __grid_constant__ tensor_map map_a, const __grid_constant__ tensor_map map_b,
 const __grid_constant__ tensor_map map_c, COPIES TW_GLOBAL result_type *TW_RESTRICT C, int M, int N, int K,
#if EPILOGUE || BATCHED || GROUPED
 int ldc, SCALAR alpha, SCALAR beta, int group EPILOGUE_PARAMETERS LAYER_STRIDES)
#else
 int ldc, SCALAR alpha, SCALAR beta, int group)
#endif
{
    const tw_u32 base = shared_address(tw_shared_bytes);
    const int rows = SWAP ? N : M, columns = SWAP ? M : N;
    const tensor_map *map_rows = SWAP ? MAP_OF_B : MAP_OF_A, *map_columns = SWAP ? MAP_OF_A : MAP_OF_B;
    if (threadIdx.x == 0) {
        fetch_map(map_rows);
        fetch_map(map_columns);
        init_barriers(base);
    }
    if (CLUSTER > 1)
        cluster_sync();
    else
        __syncthreads();
#if GROUPED
    const struct share share = share_of(M, N, K, ends);
#else
    const struct share share = share_of(rows, columns, K);
#endif

    if (threadIdx.x < WARPGROUP) {
        MOVE_REGISTERS("dec", PRODUCER_REGISTERS);
#if GROUPED
        if (threadIdx.x == 0)
            produce(map_rows, map_columns, base, rows, columns, group, share, ends);
#else
        if (threadIdx.x == 0)
            produce(map_rows, map_columns, base, rows, columns, group, share);
#endif
        if (SPLIT > 1) {
            __syncwarp();
            cluster_sync();
        }
    } else {
        MOVE_REGISTERS("inc", CONSUMER_REGISTERS);
#if EPILOGUE || BATCHED || GROUPED
        consume(&map_c, C, base, rows, columns, ldc, alpha, beta, group, share EPILOGUE_HANDED LAYER_STRIDES_GIVEN);
#else
        consume(&map_c, C, base, rows, columns, ldc, alpha, beta, group, share);
#endif
    }
    /* No block may end while others still read its shared memory or arrive at its barriers. */
    if (CLUSTER > 1) {
        __syncwarp();
        cluster_sync();
    }
}

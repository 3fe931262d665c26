/* Long sums of few results on Hopper's tensor cores, in one launch: clusters of blocks have a part of K of a tile each,
 * and leave what they sum up in the workspace as it lies in the registers. Whoever is still there when the last part of a
 * tile has come adds slices of it, the parts in the order of K, so that the sums are the same every time. No block waits
 * for one that may not have begun: after some patience it leaves what is left to the last. */

#define SUMMING (WARPGROUP * CONSUMERS)
/* Where a thread has four of its sums, one group of eight columns after the other at this distance. */
#define PART_OF(parts_of_tile, part, thread) \
    ((parts_of_tile) + (tw_index)(part) * (TALL * (BN / 8) * SUMMING) + (thread))
#define AT_ONCE (TALL > 1 ? 4 : 8)

TW_DEVICE void put_part(TW_GLOBAL float4 *to, sum_type sum[TALL][BN / 2])
{
    TW_UNROLL
    for (int t = 0; t < TALL; t++)
        TW_UNROLL
        for (int j = 0; j < BN / 8; j++) {
            const sum_type *four = &sum[t][j * 4];
            to[(t * (BN / 8) + j) * SUMMING] = make_float4(four[0], four[1], four[2], four[3]);
        }
}

/* Not from a cache of the multiprocessor's own, which knows nothing of others' stores. */
TW_DEVICE void get_four(sum_type *four, TW_GLOBAL const float4 *from)
{
    asm volatile("ld.global.cg.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(four[0]), "=f"(four[1]), "=f"(four[2]), "=f"(four[3])
                 : "l"(from)
                 : "memory");
}

TW_DEVICE void add_parts(sum_type sum[TALL][SLICE / 2], TW_GLOBAL const float4 *from, int parts, int slice)
{
    TW_UNROLL
    for (int t = 0; t < TALL; t++)
        TW_UNROLL
        for (int e = 0; e < SLICE / 2; e++)
            sum[t][e] = 0;
    for (int part = 0; part < parts; part += AT_ONCE) {
        sum_type more[AT_ONCE][TALL][SLICE / 2];
        TW_UNROLL
        for (int p = 0; p < AT_ONCE; p++)
            TW_UNROLL
            for (int t = 0; t < TALL; t++)
                TW_UNROLL
                for (int j = 0; j < SLICE / 8; j++) {
                    const int at = (t * (BN / 8) + slice * (SLICE / 8) + j) * SUMMING;
                    TW_UNROLL
                    for (int e = 0; e < 4; e++)
                        more[p][t][j * 4 + e] = 0;
                    if (part + p < parts)
                        get_four(&more[p][t][j * 4], PART_OF(from, part + p, at));
                }
        TW_UNROLL
        for (int p = 0; p < AT_ONCE; p++)
            TW_UNROLL
            for (int t = 0; t < TALL; t++)
                TW_UNROLL
                for (int e = 0; e < SLICE / 2; e++)
                    sum[t][e] += more[p][t][e];
    }
}

#if SWAP
/* What was summed up is the result's transpose. */
TW_DEVICE void store_slice(TW_GLOBAL result_type *C, sum_type sum[TALL][SLICE / 2], int row, int column, int rows,
                           int columns, int ldc, SCALAR alpha, SCALAR beta)
{
    const int lane = (int)threadIdx.x % 32;
    TW_UNROLL
    for (int t = 0; t < TALL; t++)
        TW_UNROLL
        for (int e = 0; e < SLICE / 2; e++) {
            const int m = row + t * 64 + lane / 4 + e / 2 % 2 * 8, n = column + e / 4 * 8 + lane % 4 * 2 + e % 2;
            TW_GLOBAL result_type *to = C + (tw_index)n * ldc + m;
            if (m < rows && n < columns)
                *to = word_of(sum[t][e], to, alpha, beta);
        }
}
#else
TW_DEVICE void store_slice(TW_GLOBAL result_type *C, sum_type sum[TALL][SLICE / 2], int row, int column, int rows,
                           int columns, int ldc, SCALAR alpha, SCALAR beta)
{
    const int lane = (int)threadIdx.x % 32, n = column + lane % 4 * 2;
    TW_UNROLL
    for (int t = 0; t < TALL; t++)
        TW_UNROLL
        for (int h = 0; h < 2; h++) {
            const int m = row + t * 64 + lane / 4 + h * 8;
            TW_GLOBAL result_type *to = C + (tw_index)m * ldc + n;
            if (m >= rows)
                continue;
            TW_UNROLL
            for (int j = 0; j < SLICE / 8; j++)
                store_neighbours(to + j * 8, &sum[t][j * 4 + h * 2], 2, columns - n - j * 8, alpha, beta);
        }
}
#endif

/* What lies before in the workspace, by 256 bytes. */
#if (COPY_A || COPY_B) && OPERAND_SIZE == 4
#define COPIED(M, N, K) (((tw_index)((COPY_A ? (M) : 0) + (COPY_B ? (N) : 0)) * PADDED + 63) / 64)
#elif COPY_A || COPY_B
#define COPIED(M, N, K) \
    (((tw_index)(TRANS_A ? (K) : (M)) * PADDED_A + (tw_index)(TRANS_B ? (N) : (K)) * PADDED_B + 127) / 128)
#else
#define COPIED(M, N, K) 0
#endif

#define CONSUMERS_MEET() asm volatile("bar.sync 1, %0;" ::"n"(SUMMING) : "memory")

TW_DEVICE void consume_part(TW_GLOBAL result_type *C, TW_GLOBAL tw_u32 *state, TW_GLOBAL float4 *parts_of_tile,
                            tw_u32 base, struct place place, int rows, int columns, int ldc, SCALAR alpha, SCALAR beta,
                            struct share share, int part, int parts)
{
    const int thread = (int)threadIdx.x - WARPGROUP, row = thread / WARPGROUP * (BM / CONSUMERS);
    struct ring ring = {0, 0};
    sum_type sum[TALL][BN / 2];
    int all = 0;
    const int last = multiply_tile(base, sum, row, share.steps, &ring);
    finish_sums(sum);
    release_stage(EMPTY(last));
    put_part(PART_OF(parts_of_tile, part, thread), sum);
    __threadfence();
    CONSUMERS_MEET();
    if (thread == 0) {
        all = all_have_come(state, parts);
        __threadfence();
    }
    for (;;) {
        /* By the stages, which nobody needs any more. */
        volatile int *taken = (volatile int *)tw_shared_bytes;
        if (thread == 0)
            *taken = all ? take_slice(state, parts) : -1;
        CONSUMERS_MEET();
        const int slice = *taken;
        CONSUMERS_MEET();
        if (slice < 0)
            return;
        sum_type added[TALL][SLICE / 2];
        add_parts(added, PART_OF(parts_of_tile, 0, thread), parts, slice);
        store_slice(C, added, place.row + row + thread / 32 % 4 * 16, place.column + slice * SLICE, rows, columns, ldc,
                    alpha, beta);
    }
}

#if SWAP
/* The transpose: B's and A's places are the other way round. */
TW_KERNEL(gemm_wgmma_parts)
(const __grid_constant__ tensor_map map_b, const __grid_constant__ tensor_map map_a, TW_GLOBAL result_type *TW_RESTRICT C,
 TW_GLOBAL float4 *workspace, TW_GLOBAL tw_u32 *states, int N, int M, int K, int ldc, SCALAR alpha, SCALAR beta, int group,
 int parts)
{
#else
TW_KERNEL(gemm_wgmma_parts)
(const __grid_constant__ tensor_map map_a, const __grid_constant__ tensor_map map_b,
#if COPY_A || COPY_B
 const __grid_constant__ tensor_map copy_a, const __grid_constant__ tensor_map copy_b,
#endif
 TW_GLOBAL result_type *TW_RESTRICT C, TW_GLOBAL float4 *workspace, TW_GLOBAL tw_u32 *states, int M, int N, int K,
 int ldc, SCALAR alpha, SCALAR beta, int group, int parts)
{
#endif
    const tw_u32 base = shared_address(tw_shared_bytes);
#if COPY_A || COPY_B
    const tensor_map *map_rows = COPY_A ? &copy_a : &map_a, *map_columns = COPY_B ? &copy_b : &map_b;
#else
    const tensor_map *map_rows = &map_a, *map_columns = &map_b;
#endif
    if (threadIdx.x == 0) {
        fetch_map(map_rows);
        fetch_map(map_columns);
        init_barriers(base);
    }
    if (CLUSTER > 1)
        cluster_sync();
    else
        __syncthreads();
#if EARLY
    asm volatile("griddepcontrol.wait;\ngriddepcontrol.launch_dependents;" ::: "memory");
#endif
    struct share share = share_of(M, N, K);
    const int part = share.first / share.tiles, steps = share.steps;
    share.first %= share.tiles;
    share.step = share.tiles;
    share.step_first = (int)((tw_index)steps * part / parts);
    share.steps = (int)((tw_index)steps * (part + 1) / parts) - share.step_first;
    if (threadIdx.x < WARPGROUP) {
        MOVE_REGISTERS("dec", PRODUCER_REGISTERS);
        if (threadIdx.x == 0)
            produce(map_rows, map_columns, base, M, N, group, share);
    } else {
        MOVE_REGISTERS("inc", CONSUMER_REGISTERS);
        /* Copies of operands to a multiple of 256 bytes, then parts, tile after tile. */
        const int tile = share.first * SHARERS + (int)blockIdx.x % SHARERS;
        TW_GLOBAL float4 *all_parts = workspace + COPIED(M, N, K) * 16;
        struct place place = place_of(share.first, M, N, group);
        place.row += share.rank_m * BM;
        place.column += share.rank_n * BN;
        consume_part(C, states + tile, all_parts + (tw_index)tile * parts * (TALL * (BN / 8) * SUMMING), base, place,
                     M, N, ldc, alpha, beta, share, part, parts);
    }
    if (CLUSTER > 1) {
        __syncwarp();
        cluster_sync();
    }
}

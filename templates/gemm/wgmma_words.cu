/* From a warpgroup's sums to results of four bytes: what wgmma_store.cu does for those of two. */

#if RESULT_SIZE == 4
TW_DEVICE result_type word_of(sum_type sum, TW_GLOBAL const result_type *C, SCALAR alpha, SCALAR beta)
{
    return RESULT_OF(sum, C, alpha, beta);
}

/* `count` neighbours in a row of C, of which `left` are inside. VEC_C says how many the strides allow in one
 * access. */
#if EPILOGUE && WHOLE_RESULTS
TW_DEVICE __attribute__((unused)) void store_neighbours(TW_GLOBAL int *C, const int *sum, const int count,
                                                        int left, SCALAR alpha, SCALAR beta, int m, int n,
                                                        struct finish finish)
{
    TW_UNROLL
    for (int e = 0; e < count; e++)
        if (e < left)
            C[e] = FINISHED(sum[e], alpha, C + e, m, n + e);
}
#elif EPILOGUE
#if INTEGER
TW_DEVICE __attribute__((unused)) void store_neighbours(TW_GLOBAL float *C, const int *sum, const int count,
#else
TW_DEVICE __attribute__((unused)) void store_neighbours(TW_GLOBAL float *C, const float *sum, const int count,
#endif
                                                        int left, float alpha, float beta, int m, int n,
                                                        struct finish finish)
{
    float x[4];
    TW_UNROLL
    for (int e = 0; e < count; e += 2) {
        TW_UNROLL
        for (int i = e; i < e + 2; i++) {
            x[i] = alpha * SCALED_SUM(sum[i], m, n + i);
            if (beta != 0 && i < left)
                x[i] = fmaf(beta, C[i], x[i]);
        }
        finish_pair(x + e, m, n + e, finish);
    }
    TW_UNROLL
    for (int e = 0; e < count; e += VEC_C < count ? VEC_C : count) {
        if (e >= left)
            return;
        if (VEC_C == 1)
            C[e] = x[e];
        else if (VEC_C == 2 || count == 2)
            *(float2 *)(C + e) = make_float2(x[e], x[e + 1]);
        else
            *(float4 *)(C + e) = make_float4(x[e], x[e + 1], x[e + 2], x[e + 3]);
    }
}
#else
TW_DEVICE __attribute__((unused)) void store_neighbours(TW_GLOBAL result_type *C, const sum_type *sum,
                                                        const int count, int left, SCALAR alpha,
                                                        SCALAR beta)
{
    TW_UNROLL
    for (int e = 0; e < count; e += VEC_C < count ? VEC_C : count) {
        if (e >= left)
            return;
        const result_type first = word_of(sum[e], C + e, alpha, beta);
        if (VEC_C == 1) {
            C[e] = first;
            continue;
        }
        const result_type second = word_of(sum[e + 1], C + e + 1, alpha, beta);
        if (VEC_C == 2 || count == 2) {
            *(uint2 *)(C + e) = make_uint2(WORD_BITS(first), WORD_BITS(second));
        } else {
            const result_type third = word_of(sum[e + 2], C + e + 2, alpha, beta);
            const result_type fourth = word_of(sum[e + 3], C + e + 3, alpha, beta);
            *(uint4 *)(C + e) =
                make_uint4(WORD_BITS(first), WORD_BITS(second), WORD_BITS(third), WORD_BITS(fourth));
        }
    }
}
#endif

#if STORE == STORE_tma
#if STORED_COLUMNS == 32
#define CHUNK 32 /* columns that one store of the copy engine writes, of 16 rows */
#else
#define CHUNK STORED_COLUMNS
#endif
#define CHUNK_BYTES (16 * CHUNK * 4)

/* Each warp by itself, through its own buffers in shared memory, in turn: `turn` goes on from tile to tile. */
TW_DEVICE void store_tile(const tensor_map *map_c, TW_GLOBAL const result_type *C,
                          const sum_type sum[TALL][BN / 2], tw_u32 buffers, int row, int column, int rows,
#if EPILOGUE || BATCHED
                          int columns, int ldc, SCALAR alpha, SCALAR beta, int *turn FINISH_TAKEN LAYER_TAKEN)
#else
                          int columns, int ldc, SCALAR alpha, SCALAR beta, int *turn)
#endif
{
    const int lane = (int)threadIdx.x % 32;
    TW_UNROLL
    for (int t = 0; t < TALL; t++) {
        TW_UNROLL
        for (int chunk = 0; chunk < BN / CHUNK; chunk++) {
            const tw_u32 buffer = buffers + *turn * CHUNK_BYTES;
#if STORE_BUFFERS > 2
            *turn = (*turn + 1) % STORE_BUFFERS;
#else
            *turn ^= STORE_BUFFERS - 1;
#endif
            if (lane == 0)
                STORES_READ(STORE_BUFFERS - 1);
            __syncwarp();
            TW_UNROLL
            for (int j = 0; j < CHUNK / 8; j++)
                TW_UNROLL
                for (int h = 0; h < 2; h++) {
                    const sum_type *d = &sum[t][(chunk * (CHUNK / 8) + j) * 4 + h * 2];
                    const int line = lane / 4 + h * 8;
                    const int m = row + t * 64 + line, n = column + chunk * CHUNK + j * 8 + lane % 4 * 2;
                    TW_GLOBAL const result_type *old = C + (tw_index)m * ldc + n;
                    /* What is outside is not written, and must not be read. */
                    const SCALAR read_1 = m < rows && n < columns ? beta : 0;
                    const SCALAR read_2 = m < rows && n + 1 < columns ? beta : 0;
#if EPILOGUE && WHOLE_RESULTS
                    const int there = m < rows && n < columns, both = there && n + 1 < columns;
                    const int left = there ? FINISHED(d[0], alpha, old, m, n) : 0;
                    const int right = both ? FINISHED(d[1], alpha, old + 1, m, n + 1) : 0;
#elif EPILOGUE
                    float left = alpha * SCALED_SUM(d[0], m, n), right = alpha * SCALED_SUM(d[1], m, n + 1);
                    if (read_1 != 0)
                        left = fmaf(read_1, old[0], left);
                    if (read_2 != 0)
                        right = fmaf(read_2, old[1], right);
                    float pair[2] = {left, right};
                    finish_pair(pair, m, n, finish);
                    left = pair[0];
                    right = pair[1];
#else
                    const result_type left = word_of(d[0], old, alpha, read_1);
                    const result_type right = word_of(d[1], old + 1, alpha, read_2);
#endif
#if STORED_COLUMNS == 32
                    const tw_u32 at =
                        buffer + line * 128 + ((j * 2 + lane % 4 / 2) ^ (line % 8)) * 16 + lane % 2 * 8;
#else
                    const tw_u32 at =
                        buffer + line * 64 + ((j * 2 + lane % 4 / 2) ^ (line / 2 % 4)) * 16 + lane % 2 * 8;
#endif
                    asm volatile("st.shared.v2.b32 [%0], {%1, %2};" ::"r"(at), "r"(WORD_BITS(left)),
                                 "r"(WORD_BITS(right))
                                 : "memory");
                }
            wrote_for_copy();
            __syncwarp();
#if BATCHED
            if (lane == 0)
                store_layer_box(map_c, buffer, column + chunk * CHUNK, row + t * 64, layer);
#else
            if (lane == 0)
                store_box(map_c, buffer, column + chunk * CHUNK, row + t * 64);
#endif
        }
    }
}
#endif

#if STORE == STORE_direct && SWAP
/* Straight from the registers of the transpose's tile: eight neighbours of a row of C by eight lanes. */
#if EPILOGUE
TW_DEVICE void store_turned(result_type *C, sum_type sum[TALL][BN / 2], int row, int column, int rows,
                            int columns, int ldc, SCALAR alpha, SCALAR beta, struct finish finish)
#else
TW_DEVICE void store_turned(result_type *C, sum_type sum[TALL][BN / 2], int row, int column, int rows,
                            int columns, int ldc, SCALAR alpha, SCALAR beta)
#endif
{
    const int lane = (int)threadIdx.x % 32;
    TW_UNROLL
    for (int t = 0; t < TALL; t++)
        TW_UNROLL
        for (int j = 0; j < BN / 8; j++)
            TW_UNROLL
            for (int e = 0; e < 4; e++) {
                const int n = row + t * 64 + lane / 4 + e / 2 * 8;
                const int m = column + j * 8 + lane % 4 * 2 + e % 2;
                TW_GLOBAL result_type *to = C + (tw_index)m * ldc + n;
#if EPILOGUE
                if (n < rows && m < columns)
                    *to = FINISHED(sum[t][j * 4 + e], alpha, to, m, n);
#else
                if (n < rows && m < columns)
                    *to = word_of(sum[t][j * 4 + e], to, alpha, beta);
#endif
            }
}
#endif
#endif

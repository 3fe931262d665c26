/* From a warpgroup's sums to C, whose elements have two bytes, or come by wgmma_words.cu. A thread has two neighbours in each of two rows of every eight columns (PTX
 * ISA, wgmma's accumulators): with its lane l, rows l/4 and l/4 + 8 of its warp's 16, columns l%4*2 and the
 * next. */

#if RESULT_SIZE == 2
#if RESULT_BF16
#define PACK "cvt.rn.bf16x2.f32"
#else
#define PACK "cvt.rn.f16x2.f32"
#endif

TW_DEVICE tw_u32 pack(float low, float high)
{
    tw_u32 both;
    asm(PACK " %0, %2, %1;" : "=r"(both) : "f"(low), "f"(high));
    return both;
}

TW_DEVICE float widen(tw_u16 bits)
{
#if RESULT_BF16
    return __uint_as_float((tw_u32)bits << 16);
#else
    float number;
    asm("cvt.f32.f16 %0, %1;" : "=f"(number) : "h"(bits));
    return number;
#endif
}

/* alpha times `count` sums, plus beta times C where C is read, to neighbours in a row of C of which `left` are
 * inside. VEC_C says how many the strides allow in one access. */
#if EPILOGUE
TW_DEVICE __attribute__((unused)) void store_neighbours(TW_GLOBAL tw_u16 *C, const sum_type *sum,
                                                        const int count, int left, float alpha, float beta,
                                                        int m, int n, struct finish finish)
{
    float x[4];
    TW_UNROLL
    for (int e = 0; e < count; e += 2) {
        TW_UNROLL
        for (int i = e; i < e + 2; i++) {
            x[i] = alpha * SCALED_SUM(sum[i], m, n + i);
            if (beta != 0 && i < left)
                x[i] = fmaf(beta, widen(C[i]), x[i]);
        }
        finish_pair(x + e, m, n + e, finish);
    }
    TW_UNROLL
    for (int e = 0; e < count; e += VEC_C < count ? VEC_C : count) {
        if (e >= left)
            return;
        if (VEC_C == 1)
            C[e] = (tw_u16)pack(x[e], x[e]);
        else if (VEC_C == 2 || count == 2)
            *(tw_u32 *)(C + e) = pack(x[e], x[e + 1]);
        else
            *(uint2 *)(C + e) = make_uint2(pack(x[e], x[e + 1]), pack(x[e + 2], x[e + 3]));
    }
}
#else
TW_DEVICE __attribute__((unused)) void store_neighbours(TW_GLOBAL tw_u16 *C, const float *sum,
                                                        const int count, int left, float alpha, float beta)
{
    TW_UNROLL
    for (int e = 0; e < count; e += VEC_C < count ? VEC_C : count) {
        if (e >= left)
            return;
        float low = alpha * sum[e], high = VEC_C > 1 ? alpha * sum[e + 1] : 0;
        if (beta != 0) {
            low = fmaf(beta, widen(C[e]), low);
            high = VEC_C > 1 ? fmaf(beta, widen(C[e + 1]), high) : 0;
        }
        if (VEC_C == 1) {
            C[e] = (tw_u16)pack(low, low);
        } else if (VEC_C == 2 || count == 2) {
            *(tw_u32 *)(C + e) = pack(low, high);
        } else {
            float third = alpha * sum[e + 2], fourth = alpha * sum[e + 3];
            if (beta != 0) {
                third = fmaf(beta, widen(C[e + 2]), third);
                fourth = fmaf(beta, widen(C[e + 3]), fourth);
            }
            *(uint2 *)(C + e) = make_uint2(pack(low, high), pack(third, fourth));
        }
    }
}
#endif

#if STORE == STORE_tma
#if STORED_COLUMNS == 64
#define CHUNK 64 /* columns that one store of the copy engine writes, of 16 rows */
#else
#define CHUNK STORED_COLUMNS
#endif
#define CHUNK_BYTES (16 * CHUNK * 2)

/* Where eight neighbours of a chunk's row lie: swizzled, as the copy engine wants them. */
TW_DEVICE tw_u32 chunk_at(tw_u32 buffer, int line, int eight)
{
#if STORED_COLUMNS == 64
    return buffer + line * 128 + ((eight ^ (line % 8)) * 16);
#else
    return buffer + line * (CHUNK * 2) + ((eight ^ (line / (64 / CHUNK) % (CHUNK / 8))) * 16);
#endif
}

/* What C held, to a chunk in shared memory. */
TW_DEVICE void read_chunk(tw_u32 buffer, TW_GLOBAL const tw_u16 *C, int row, int column, int rows, int columns,
                          int ldc)
{
    for (int i = (int)threadIdx.x % 32; i < 16 * 8; i += 32) {
#if STORED_COLUMNS < 64
        if (i % 8 >= CHUNK / 8)
            continue;
#endif
        const int m = row + i / 8, n = column + i % 8 * 8;
        TW_GLOBAL const tw_u16 *from = C + (tw_index)m * ldc + n;
        uint4 old = make_uint4(0, 0, 0, 0);
        if (m < rows && n + 8 <= columns) {
            old = *(TW_GLOBAL const uint4 *)from;
        } else if (m < rows) {
            tw_u32 pairs[4];
            TW_UNROLL
            for (int e = 0; e < 4; e++) {
                pairs[e] = n + 2 * e < columns ? from[2 * e] : 0;
                pairs[e] |= n + 2 * e + 1 < columns ? (tw_u32)from[2 * e + 1] << 16 : 0;
            }
            old = make_uint4(pairs[0], pairs[1], pairs[2], pairs[3]);
        }
        asm volatile("st.shared.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(chunk_at(buffer, i / 8, i % 8)),
                     "r"(old.x), "r"(old.y), "r"(old.z), "r"(old.w)
                     : "memory");
    }
    __syncwarp();
}

#if GROUPED
/* A chunk in shared memory to C, where its rows end before the chunk does. */
TW_DEVICE void write_chunk(tw_u32 buffer, TW_GLOBAL tw_u16 *C, int row, int column, int rows, int columns,
                           int ldc)
{
    for (int i = (int)threadIdx.x % 32; i < 16 * 8; i += 32) {
#if STORED_COLUMNS < 64
        if (i % 8 >= CHUNK / 8)
            continue;
#endif
        const int m = row + i / 8, n = column + i % 8 * 8;
        TW_GLOBAL tw_u16 *to = C + (tw_index)m * ldc + n;
        tw_u32 pairs[4];
        if (m >= rows)
            continue;
        asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(pairs[0]), "=r"(pairs[1]), "=r"(pairs[2]), "=r"(pairs[3])
                     : "r"(chunk_at(buffer, i / 8, i % 8))
                     : "memory");
        if (n + 8 <= columns) {
            *(TW_GLOBAL uint4 *)to = make_uint4(pairs[0], pairs[1], pairs[2], pairs[3]);
            continue;
        }
        TW_UNROLL
        for (int e = 0; e < 8; e++)
            if (n + e < columns)
                to[e] = (tw_u16)(pairs[e / 2] >> e % 2 * 16);
    }
}
#endif

/* Each warp by itself, through its own buffers in shared memory, in turn: `turn` goes on from tile to tile. */
#if GROUPED
TW_DEVICE void store_tile(const tensor_map *map_c, TW_GLOBAL tw_u16 *C, const float sum[TALL][BN / 2],
#elif INTEGER
TW_DEVICE void store_tile(const tensor_map *map_c, TW_GLOBAL const tw_u16 *C, const int sum[TALL][BN / 2],
#else
TW_DEVICE void store_tile(const tensor_map *map_c, TW_GLOBAL const tw_u16 *C, const float sum[TALL][BN / 2],
#endif
                          tw_u32 buffers, int row, int column, int rows, int columns, int ldc, float alpha,
#if EPILOGUE || BATCHED || GROUPED
                          float beta, int *turn FINISH_TAKEN LAYER_TAKEN)
#else
                          float beta, int *turn)
#endif
{
    const int lane = (int)threadIdx.x % 32;
#if EPILOGUE && WHOLE_PAIRS
    alpha *= FINISH_FACTOR;
#endif
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
            if (beta != 0)
                read_chunk(buffer, C, row + t * 64, column + chunk * CHUNK, rows, columns, ldc);
            TW_UNROLL
            for (int j = 0; j < CHUNK / 8; j += 2) {
#if INTEGER
                const int *d = &sum[t][(chunk * (CHUNK / 8) + j) * 4];
#else
                const float *d = &sum[t][(chunk * (CHUNK / 8) + j) * 4];
#endif
                const tw_u32 at = chunk_at(buffer, lane % 16, j + lane / 16);
                tw_u32 pairs[4];
                float x[8];
#if EPILOGUE && WHOLE_PAIRS
                TW_UNROLL
                for (int e = 0; e < 8; e++)
                    x[e] = fmaf(alpha,
                                SCALED_SUM(d[e], row + t * 64 + lane / 4 + e / 2 % 2 * 8,
                                           column + chunk * CHUNK + (j + e / 4) * 8 + lane % 4 * 2 + e % 2),
                                BIAS_OF(e, chunk * (CHUNK / 8) + j));
#elif EPILOGUE
                TW_UNROLL
                for (int e = 0; e < 8; e++)
                    x[e] = alpha * SCALED_SUM(d[e], row + t * 64 + lane / 4 + e / 2 % 2 * 8,
                                              column + chunk * CHUNK + (j + e / 4) * 8 + lane % 4 * 2 + e % 2);
#else
                TW_UNROLL
                for (int e = 0; e < 8; e++)
                    x[e] = alpha * d[e];
#endif
                if (beta != 0) {
                    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                                 : "=r"(pairs[0]), "=r"(pairs[1]), "=r"(pairs[2]), "=r"(pairs[3])
                                 : "r"(at)
                                 : "memory");
                    TW_UNROLL
                    for (int e = 0; e < 8; e++)
#if EPILOGUE && WHOLE_PAIRS
                        x[e] = fmaf(FINISH_FACTOR * beta, widen((tw_u16)(pairs[e / 2] >> e % 2 * 16)), x[e]);
#else
                        x[e] = fmaf(beta, widen((tw_u16)(pairs[e / 2] >> e % 2 * 16)), x[e]);
#endif
                }
#if EPILOGUE && WHOLE_PAIRS
                TW_UNROLL
                for (int e = 0; e < 8; e++)
                    x[e] = FINISHED_WHOLE(x[e]);
#elif EPILOGUE
                TW_UNROLL
                for (int e = 0; e < 8; e += 2)
                    finish_pair(x + e, row + t * 64 + lane / 4 + e / 2 % 2 * 8,
                                column + chunk * CHUNK + (j + e / 4) * 8 + lane % 4 * 2, finish);
#endif
                TW_UNROLL
                for (int e = 0; e < 4; e++)
                    pairs[e] = pack(x[2 * e], x[2 * e + 1]);
                asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(at),
                             "r"(pairs[0]), "r"(pairs[1]), "r"(pairs[2]), "r"(pairs[3])
                             : "memory");
            }
            wrote_for_copy();
            __syncwarp();
#if BATCHED
            if (lane == 0)
                store_layer_box(map_c, buffer, column + chunk * CHUNK, row + t * 64, layer);
#elif GROUPED
            if (row + t * 64 + 16 > rows)
                write_chunk(buffer, C, row + t * 64, column + chunk * CHUNK, rows, columns, ldc);
            else if (lane == 0)
                store_box(map_c, buffer, column + chunk * CHUNK, row + t * 64);
#else
            if (lane == 0)
                store_box(map_c, buffer, column + chunk * CHUNK, row + t * 64);
#endif
        }
    }
}
#endif
#endif

#if STORE == STORE_direct && !SWAP
/* Straight from the registers, for any stride. */
TW_DEVICE void store_direct(result_type *C, sum_type sum[TALL][BN / 2], int row, int column, int rows, int columns,
#if EPILOGUE
                            int ldc, SCALAR alpha, SCALAR beta FINISH_TAKEN)
#else
                            int ldc, SCALAR alpha, SCALAR beta)
#endif
{
    const int lane = (int)threadIdx.x % 32;
    TW_UNROLL
    for (int t = 0; t < TALL; t++) {
        TW_UNROLL
        for (int h = 0; h < 2; h++) {
            const int m = row + t * 64 + lane / 4 + h * 8;
            const int n = column + lane % 4 * 2;
            TW_GLOBAL result_type *to = C + (tw_index)m * ldc + n;
            if (m >= rows)
                continue;
            TW_UNROLL
            for (int j = 0; j < BN / 8; j++)
#if EPILOGUE
                store_neighbours(to + j * 8, &sum[t][j * 4 + h * 2], 2, columns - n - j * 8, alpha, beta, m,
                                 n + j * 8, finish);
#else
                store_neighbours(to + j * 8, &sum[t][j * 4 + h * 2], 2, columns - n - j * 8, alpha, beta);
#endif
        }
    }
}
#endif

#if STAGED
/* The whole tile in shared memory, which the stages no longer need: for few columns, whose transpose is C's
 * rows, and for parts of K, which the blocks of a cluster sum. */
#define PITCH (SWAP ? BM + 4 : BN + 8)

TW_DEVICE void put_tile(sum_type *whole, sum_type sum[TALL][BN / 2], int row)
{
    const int lane = (int)threadIdx.x % 32;
    TW_UNROLL
    for (int t = 0; t < TALL; t++)
        TW_UNROLL
        for (int j = 0; j < BN / 8; j++)
            TW_UNROLL
            for (int e = 0; e < 4; e++) {
                const int r = row + t * 64 + lane / 4 + e / 2 * 8;
                const int c = j * 8 + lane % 4 * 2 + e % 2;
                whole[SWAP ? c * PITCH + r : r * PITCH + c] = sum[t][j * 4 + e];
            }
}

/* Four neighbours of a block's tile. */
TW_DEVICE void get_part(sum_type *four, tw_u32 at, int block)
{
#if SPLIT > 1
    asm volatile("{.reg .b32 there;\n mapa.shared::cluster.u32 there, %4, %5;\n"
                 "ld.shared::cluster.v4.b32 {%0, %1, %2, %3}, [there];}"
                 : WGMMA_OUT(four[0]), WGMMA_OUT(four[1]), WGMMA_OUT(four[2]), WGMMA_OUT(four[3])
                 : "r"(at), "r"(block)
                 : "memory");
#else
    asm volatile("ld.shared.v4.b32 {%0, %1, %2, %3}, [%4];"
                 : WGMMA_OUT(four[0]), WGMMA_OUT(four[1]), WGMMA_OUT(four[2]), WGMMA_OUT(four[3])
                 : "r"(at)
                 : "memory");
#endif
}

/* Every block stores its share of C's rows, from the parts in their order: the same sums every time. */
TW_DEVICE void store_staged(result_type *C, tw_u32 base, struct place place, int rows, int columns, int ldc,
#if EPILOGUE
                            SCALAR alpha, SCALAR beta, int part FINISH_TAKEN)
#else
                            SCALAR alpha, SCALAR beta, int part)
#endif
{
    const int lines = SWAP ? BN : BM;
    const int vectors = (SWAP ? BM : BN) / 4;
    const int top = SWAP ? place.column : place.row;
    const int left = SWAP ? place.row : place.column;
    const int bottom = SWAP ? columns : rows;
    const int right = SWAP ? rows : columns;
    for (int v = (int)threadIdx.x - WARPGROUP; v < (lines + SPLIT - 1) / SPLIT * vectors;
         v += WARPGROUP * CONSUMERS) {
        const int line = v / vectors * SPLIT + part;
        const int at = v % vectors * 4;
        const int m = top + line, n = left + at;
        if (line >= lines || m >= bottom || n >= right)
            continue;
        sum_type sum[4] = {0, 0, 0, 0};
        TW_UNROLL
        for (int p = 0; p < SPLIT; p++) {
            sum_type more[4];
            get_part(more, base + (line * PITCH + at) * 4, p);
            TW_UNROLL
            for (int e = 0; e < 4; e++)
                sum[e] += more[e];
        }
#if EPILOGUE
        store_neighbours(C + (tw_index)m * ldc + n, sum, 4, right - n, alpha, beta, m, n, finish);
#else
        store_neighbours(C + (tw_index)m * ldc + n, sum, 4, right - n, alpha, beta);
#endif
    }
}
#endif

/* Tensor cores on images of few channels, fed from windows of the images themselves: what several results see is loaded
 * once, and a lane reads its terms from there. Blocks go from tile to tile with the same filters. */

struct __align__(VEC_C * (int)sizeof(ELEMENT)) neighbours {
    ELEMENT of[VEC_C];
};

/* Multiplies eight words of the terms, of which `last` are not all there. */
TW_DEVICE void multiply_step(real sums[TALL][ACROSS][2][4], const tw_u32 *window, const int *aways, tw_u32 lines, int step,
                             const int last)
{
    const int lane = (int)threadIdx.x % 32, first = (int)threadIdx.x / 32 * TALL;
    struct fragments fragments;
    int away[2];
    TW_UNROLL
    for (int half = 0; half < 2; half++)
        away[half] = aways[step * 8 + half * 4 + lane % 4];
    TW_UNROLL
    for (int c = 0; c < ACROSS; c++) {
        tw_u32 *to = fragments.columns[c];
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                     : "r"(lines + (c * 16 * FILTER_WORDS + step * 8) * 4)
                     : "memory");
    }
    TW_UNROLL
    for (int b = 0; b < TALL; b++) {
        const int y = (first + b) / (TILE_W / 16), x = (first + b) % (TILE_W / 16) * 16 + lane / 4;
        const tw_u32 *pixel = window + (y * STRIDE_H * WINDOW_W + x * STRIDE_W) * PIXEL_WORDS;
        TW_UNROLL
        for (int e = 0; e < 4; e++) {
            const tw_u32 word = pixel[away[e / 2] + e % 2 * 8 * STRIDE_W * PIXEL_WORDS];
            fragments.rows[b][e] = last && step * 8 + e / 2 * 4 + lane % 4 >= TERM_WORDS ? 0 : word;
        }
    }
    multiply_fragments(sums, &fragments);
}

TW_KERNEL(conv2d_mma_windows)
(TW_GLOBAL const ELEMENT *TW_RESTRICT input, TW_GLOBAL const ELEMENT *TW_RESTRICT filters,
 TW_GLOBAL ELEMENT *TW_RESTRICT output, int M, int N, int ld_f, int ld_out, real alpha, real beta EPILOGUE_PARAMETERS)
{
    tw_u32 *lines = (tw_u32 *)tw_shared_bytes, *window = lines + BN * FILTER_WORDS;
    int *aways = (int *)(window + WINDOW_WORDS);
    for (int i = (int)threadIdx.x; i < STEPS * 8; i += THREADS)
        aways[i] = i < TERM_WORDS ? term_away(i) : 0;
#if EARLY
    /* The launches before may still run, and the next may come as soon as all blocks are so far. */
    asm volatile("griddepcontrol.wait;\ngriddepcontrol.launch_dependents;" ::: "memory");
#endif
    DECLARE_EPILOGUE();
    const int lane = (int)threadIdx.x % 32, first = (int)threadIdx.x / 32 * TALL, n = (int)blockIdx.y * BN;
    /* Of the four 8x8 matrices of two bytes that are read together, two lie along K. */
    const tw_u32 line = shared_address(lines) + ((lane / 16 * 8 + lane % 8) * FILTER_WORDS + lane / 8 % 2 * 4) * 4;
    input += blockIdx.z * GROUP_CHANNELS;
#if MERGED > 1
    N *= MERGED;
    filters_keep(lines, filters + ((tw_index)blockIdx.z * N + n) * ld_f, N - n, ld_f, n, N);
#else
    filters_keep(lines, filters + ((tw_index)blockIdx.z * N + n) * ld_f, N - n, ld_f);
#endif
    const int tiles = M / (RESULT_H * RESULT_W) * (TILES_W * TILES_H);
#if AHEAD
    tw_u32 words[WINDOW_TURNS];
    window_load(words, input, tile_of((int)blockIdx.x));
#endif
    for (int i = (int)blockIdx.x; i < tiles; i += (int)gridDim.x) {
        const struct tile tile = tile_of(i);
        real sums[TALL][ACROSS][2][4];
        __syncthreads(); /* before a window is written over that others still read */
#if AHEAD
        window_keep(window, words);
        __syncthreads();
        if (i + (int)gridDim.x < tiles)
            window_load(words, input, tile_of(i + (int)gridDim.x));
#else
        window_bring(window, input, tile);
        __syncthreads();
#endif
        TW_UNROLL
        for (int e = 0; e < TALL * ACROSS * 8; e++)
            sums[e / 8 / ACROSS][e / 8 % ACROSS][e % 8 / 4][e % 4] = 0;
        TW_UNROLL_BY(4)
        for (int step = 0; step < TERM_WORDS / 8; step++)
            multiply_step(sums, window, aways, line, step, 0);
        if (TERM_WORDS % 8 != 0)
            multiply_step(sums, window, aways, line, STEPS - 1, 1);
        TW_UNROLL
        for (int b = 0; b < TALL * 2; b++) {
            const int at = first + b / 2, y = tile.top + at / (TILE_W / 16);
            const int x = tile.left + at % (TILE_W / 16) * 16 + ROW_OF(lane, b % 2);
            if (y >= RESULT_H || x >= RESULT_W)
                continue;
            const tw_index pixel = ((tw_index)tile.image * RESULT_H + y) * RESULT_W + x;
            TW_UNROLL
            for (int e = 0; e < BN / 4; e += VEC_C) {
                const int filter = n + e / RUN * (4 * RUN) + lane % 4 * RUN + e % RUN;
                if (N % BN != 0 && filter >= N)
                    continue;
                TW_GLOBAL ELEMENT *to = output + pixel * ld_out + (int)blockIdx.z * N + filter;
                struct neighbours some;
                TW_UNROLL
                for (int v = 0; v < VEC_C; v++) {
                    const int own = e + v;
                    some.of[v] = FINISHED(sums[b / 2][own / 4][own / 2 % 2][b % 2 * 2 + own % 2], to + v, pixel,
                                          (int)blockIdx.z * N + filter + v);
                }
                *(TW_GLOBAL struct neighbours *)to = some;
            }
        }
    }
}

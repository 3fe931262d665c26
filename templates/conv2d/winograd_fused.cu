/* Winograd's convolution in one launch behind the filters' transform: a block transforms the pixels of BN tiles on their
 * way to shared memory, BK channels at a time, multiplies them by BM filters at all points, and transforms its sums to
 * results. What images and results are at the points, four times as much as they are, is never in global memory. */

/* Points lie half a row of banks apart, as one half of a warp may read another point than the other. */
#define POINT_A (BK * BM + 16)
#define POINT_B (BK * BN + 16)
#define STAGE_REALS (POINTS * (POINT_A + POINT_B))
#define RESULT_ROW (BN + 4)
#define RESULT_REALS (POINTS * BM * RESULT_ROW)
#define COPIED_REALS (STAGING == STAGING_async ? POINTS * BK * BN : 0)
#define STAGES_REALS (2 * STAGE_REALS + COPIED_REALS)
#define FUSED_REALS (STAGES_REALS > RESULT_REALS ? STAGES_REALS : RESULT_REALS)

#define FILTER_BLOCKS (ALL_FILTERS / BM)
/* Channels of its one tile that a thread transforms in a step, and by how much they lie apart. */
#define OWN_CHANNELS (BN * BK / THREADS)
#define CHANNEL_STEP (THREADS / BN)
/* Filters at the points come four at a time; a thread brings those of one channel at OWN_POINTS points. */
#define QUARTERS (BM / 4)
#define POINT_STEP (THREADS / (QUARTERS * BK))
#define OWN_POINTS (POINTS / POINT_STEP)

/* Of points that begin with this thread's first, `from` there to `to`. */
TW_DEVICE void bring_filters(TW_LOCAL real *to, real *held, TW_GLOBAL const real *from)
{
    TW_UNROLL
    for (int i = 0; i < OWN_POINTS; i++) {
#if STAGING == STAGING_async
        copy_async(shared_address(to + i * POINT_STEP * POINT_A), from + FILTERS_AT(i * POINT_STEP), 16, 1);
#else
        load_global(held + i * 4, from + FILTERS_AT(i * POINT_STEP), 4);
#endif
    }
}

TW_DEVICE void keep_filters(TW_LOCAL real *to, const real *held)
{
#if STAGING == STAGING_registers
    TW_UNROLL
    for (int i = 0; i < OWN_POINTS; i++)
        store_shared(to + i * POINT_STEP * POINT_A, held + i * 4, 4);
#endif
}

/* `from`: the window's corner in the thread's first channel; `inside` has a bit for each of its pixels. Asynchronous
 * copies go to shared memory as they are, for this thread alone: registers are full of sums. */
TW_DEVICE void fetch_pixels(TW_LOCAL real *copied, real *held, TW_GLOBAL const ELEMENT *from, int inside, int first_c)
{
    TW_UNROLL
    for (int i = 0; i < OWN_CHANNELS; i++) {
        const int there = !EDGE_K || first_c + i * CHANNEL_STEP < ALL_CHANNELS ? inside : 0;
        TW_GLOBAL const ELEMENT *window = from + (tw_index)i * CHANNEL_STEP * IMAGE_H * LD_IN;
        TW_UNROLL
        for (int e = 0; e < POINTS; e++) {
            TW_GLOBAL const ELEMENT *pixel = window + e / ALPHA * LD_IN + e % ALPHA;
#if STAGING == STAGING_async
            copy_async(shared_address(copied + (i * POINTS + e) * THREADS), pixel, 4, there >> e & 1);
#else
            held[i * POINTS + e] = there >> e & 1 ? *pixel : 0;
#endif
        }
    }
}

TW_DEVICE void keep_pixels(TW_LOCAL real *to, TW_LOCAL const real *copied, const real *held)
{
    TW_UNROLL
    for (int i = 0; i < OWN_CHANNELS; i++) {
        real x[POINTS];
        TW_UNROLL
        for (int e = 0; e < POINTS; e++)
            x[e] = STAGING == STAGING_async ? copied[(i * POINTS + e) * THREADS] : held[i * POINTS + e];
        TW_UNROLL
        for (int e = 0; e < ALPHA; e++)
            transform_pixels(x + e * ALPHA, 1);
        TW_UNROLL
        for (int e = 0; e < ALPHA; e++)
            transform_pixels(x + e, ALPHA);
        TW_UNROLL
        for (int point = 0; point < POINTS; point++)
            to[point * POINT_B + i * CHANNEL_STEP * BN] = x[point];
    }
}

/* Where filters have a channel; those behind the last, of which pixels are zero, are the last. */
#define FILTER_ROW(c) ((tw_index)(EDGE_K && (c) >= ALL_CHANNELS ? ALL_CHANNELS - 1 : (c)) * ALL_FILTERS)

TW_DEVICE void multiply_step(real *sum, TW_LOCAL const real *at_a, TW_LOCAL const real *at_b)
{
    TW_UNROLL_BY(1)
    for (int k = 0; k < BK; k += UNROLL) {
        TW_UNROLL
        for (int u = 0; u < UNROLL * EACH; u++) {
            real a[TM], b[TN];
            read_fragments(a, b, at_a + u % EACH * POINT_A, at_b + u % EACH * POINT_B, u / EACH);
            multiply(sum + u % EACH * TM * TN, a, b);
        }
        at_a += UNROLL * BM;
        at_b += UNROLL * BN;
    }
}

/* What a step multiplies, on its way to a stage, and there for all threads. */
#define BRING_STEP(stage, c)                                                                     \
    DECLARE_HELD();                                                                              \
    bring_filters(to_filters + (stage), filters_held, filters + FILTER_ROW((c) + own_c));        \
    fetch_pixels(copied, pixels_held, pixels, inside, (c) + tid / BN)
#define KEEP_STEP(stage)                                                                         \
    AWAIT_COPIES();                                                                              \
    keep_pixels(to_pixels + (stage), copied, pixels_held);                                       \
    keep_filters(to_filters + (stage), filters_held);                                            \
    __syncthreads()

#if STAGING == STAGING_async
#define AWAIT_COPIES() asm volatile("cp.async.wait_all;" ::: "memory")
#define DECLARE_HELD() real *const filters_held = 0, *const pixels_held = 0
#else
#define AWAIT_COPIES()
#define DECLARE_HELD() real filters_held[OWN_POINTS * 4], pixels_held[OWN_CHANNELS * POINTS]
#endif

TW_KERNEL(conv2d_winograd_fused)
(TW_GLOBAL const ELEMENT *TW_RESTRICT input, TW_GLOBAL const real *TW_RESTRICT workspace,
 TW_GLOBAL ELEMENT *TW_RESTRICT output, int images, int filter_count, int ld_out, real alpha, real beta EPILOGUE_PARAMETERS)
{
    TW_SHARED(real, shared, FUSED_REALS);
    DECLARE_EPILOGUE();
    const int out_h = RESULT_H, out_w = RESULT_W, tid = (int)threadIdx.x;
    const int first_f = (int)blockIdx.x % FILTER_BLOCKS * BM;

    /* The tile whose pixels this thread brings, and whose results it makes. */
    const int tile = (int)blockIdx.x / FILTER_BLOCKS * BN + tid % BN;
    const int row = tile / TILES_W, image = row / TILES_H;
    const int p = row % TILES_H * SPAN, q = tile % TILES_W * SPAN;
    int inside = 0;
    TW_UNROLL
    for (int e = 0; e < POINTS; e++) {
        const int h = p - PAD_H + e / ALPHA, w = q - PAD_W + e % ALPHA;
        inside |= (image < images && h >= 0 && h < IMAGE_H && w >= 0 && w < IMAGE_W) << e;
    }
    TW_GLOBAL const ELEMENT *pixels = input + ((tw_index)image * ALL_CHANNELS + tid / BN) * IMAGE_H * LD_IN +
                                      (tw_index)(p - PAD_H) * LD_IN + (q - PAD_W);
    TW_LOCAL real *copied = shared + tid, *stages = shared + COPIED_REALS;
    TW_LOCAL real *to_pixels = stages + POINTS * POINT_A + tid;

    const int line = tid / QUARTERS, own_c = line % BK, own_f = tid % QUARTERS * 4;
    TW_GLOBAL const real *filters = workspace + FILTERS_AT(line / BK) + first_f + own_f;
    TW_LOCAL real *to_filters = stages + line / BK * POINT_A + own_c * BM + own_f;

    /* As gemm/register_tiled.cu deals lanes, at EACH points one after the other. */
    const int point = tid / SLICE_THREADS * EACH;
    const int lane = tid % (PATCH_M * PATCH_N);
    const int warp = tid % SLICE_THREADS / (PATCH_M * PATCH_N);
    const int lane_m = PATCH_M % 2 == 0 ? lane / (2 * PATCH_N) * 2 + lane % 2 : lane / PATCH_N;
    const int lane_n = PATCH_M % 2 == 0 ? lane / 2 % PATCH_N : lane % PATCH_N;
    const int m = FIRST_M(warp / PATCHES_N * PATCH_M + lane_m);
    const int n = FIRST_N(warp % PATCHES_N * PATCH_N + lane_n);

    real sum[EACH * TM * TN];
    TW_UNROLL
    for (int i = 0; i < EACH * TM * TN; i++)
        sum[i] = 0;
    BRING_STEP(0, 0);
    KEEP_STEP(0);

    TW_LOCAL const real *from_a = stages + point * POINT_A + m;
    TW_LOCAL const real *from_b = stages + POINTS * POINT_A + point * POINT_B + n;
    int stage = 0;
    TW_UNROLL_BY(1)
    for (int c = BK; c < ALL_CHANNELS; c += BK) {
        pixels += (tw_index)BK * IMAGE_H * LD_IN;
        BRING_STEP(STAGE_REALS - stage, c);
        multiply_step(sum, from_a + stage, from_b + stage);
        stage = STAGE_REALS - stage;
        KEEP_STEP(stage);
    }
    multiply_step(sum, from_a + stage, from_b + stage);
    __syncthreads();

    TW_UNROLL
    for (int i = 0; i < EACH * TM; i++) {
        TW_LOCAL real *to = shared + ((point + i / TM) * BM + m + PLACE_M(i % TM)) * RESULT_ROW + n;
        TW_UNROLL
        for (int j = 0; j < TN; j += PIECE_N)
            store_shared(to + PLACE_N(j), sum + i * TN + j, PIECE_N);
    }
    __syncthreads();
    if (image >= images)
        return;
    TW_UNROLL_BY(1)
    for (int of = tid / BN; of < BM; of += CHANNEL_STEP) {
        const int f = first_f + of;
        if (f >= filter_count)
            break;
        real result[POINTS];
        TW_UNROLL
        for (int e = 0; e < POINTS; e++)
            result[e] = shared[(e * BM + of) * RESULT_ROW + tid % BN];
        TW_UNROLL
        for (int e = 0; e < ALPHA; e++)
            transform_results(result + e * ALPHA, 1);
        TW_UNROLL
        for (int e = 0; e < SPAN; e++)
            transform_results(result + e, ALPHA);
        TW_UNROLL
        for (int e = 0; e < SPAN; e++) {
            if (p + e >= out_h)
                continue;
            TW_GLOBAL ELEMENT *at = output + OUTPUT_AT(image, f, p + e, q);
            real *results = result + e * ALPHA;
            TW_UNROLL
            for (int i = 0; i < SPAN; i += VEC_C) {
                if (q + i >= out_w)
                    continue;
                TW_UNROLL
                for (int v = i; v < i + VEC_C; v++)
                    results[v] = FINISHED(results[v], at + v, q + v, f);
                store_global(at + i, results + i, VEC_C);
            }
        }
    }
}

/* Every channel is a group of its own. A thread has ROWS x COLUMNS neighbouring results of EACH neighbouring filters, and
 * reads what these see of the image once: a row of it at a time, WIDTH neighbours in an access. */

#define TAPS (FILTER_R * FILTER_S)
#define SPAN_H ((ROWS - 1) * STRIDE_H + (FILTER_R - 1) * DILATION_H + 1)
#define RUNS_H ((RESULT_H + ROWS - 1) / ROWS)
#define RUNS_W ((RESULT_W + COLUMNS - 1) / COLUMNS)

/* The columns of a row that are read: all from the first to the last, or with a dilation those of every tap. */
#if DILATION_W == 1
#define LINE ((COLUMNS - 1) * STRIDE_W + FILTER_S)
#define LINE_AWAY(i) (i)
#define LINE_OF(column, s) ((column)*STRIDE_W + (s))
#else
#define LINE (COLUMNS * FILTER_S)
#define LINE_AWAY(i) ((i) / FILTER_S * STRIDE_W + (i) % FILTER_S * DILATION_W)
#define LINE_OF(column, s) ((column)*FILTER_S + (s))
#endif

/* Of several filters, and the weight of one at a tap. */
#if NHWC
#define EACH WIDTH
#define WEIGHT(r, s, e) NUMBER_OF(weight, e)
#else
#define EACH 1
#define WEIGHT(r, s, e) weights[(r)*FILTER_S + (s)]
#endif

/* Images, with a thread's first column and channel. */
struct place {
    int n, channel, top, left;
};

TW_DEVICE int is_inside(int h, int w)
{
    return h >= 0 && h < IMAGE_H && w >= 0 && w < IMAGE_W;
}

/* Row h of the image, zero where the padding is. Where neighbours in a row are read together, the columns before the first
 * that are read with it are as many as the padding asks for. */
TW_DEVICE void line_at(real line[LINE][EACH], TW_GLOBAL const ELEMENT *input, struct place place, int h, int ld_in)
{
    const int in_h = IMAGE_H, in_w = IMAGE_W, channels = ALL_CHANNELS;
#if !NHWC && WIDTH > 1 && DILATION_W == 1
    const int before = (WIDTH - PAD_W % WIDTH) % WIDTH;
    TW_UNROLL
    for (int first = -before; first < LINE; first += WIDTH) {
        word some[WORDS(WIDTH)];
        TW_UNROLL
        for (int e = 0; e < WORDS(WIDTH); e++)
            some[e] = 0;
        if (is_inside(h, place.left + first))
            take(some, input + INPUT_AT(place.n, place.channel, h, place.left + first), WIDTH);
        TW_UNROLL
        for (int e = 0; e < WIDTH; e++)
            if (first + e >= 0 && first + e < LINE)
                line[first + e][0] = NUMBER_OF(some, e);
    }
#else
    TW_UNROLL
    for (int i = 0; i < LINE; i++) {
        const int w = place.left + LINE_AWAY(i);
        word some[WORDS(EACH)];
        TW_UNROLL
        for (int e = 0; e < WORDS(EACH); e++)
            some[e] = 0;
        if (is_inside(h, w))
            take(some, input + INPUT_AT(place.n, place.channel, h, w), EACH);
        TW_UNROLL
        for (int e = 0; e < EACH; e++)
            line[i][e] = NUMBER_OF(some, e);
    }
#endif
    (void)in_w;
    (void)channels;
}

TW_KERNEL(conv2d_depthwise)
(TW_GLOBAL const ELEMENT *TW_RESTRICT input, TW_GLOBAL const ELEMENT *TW_RESTRICT filters,
 TW_GLOBAL ELEMENT *TW_RESTRICT output, int image_count, int ld_in, int ld_f, int ld_out, real alpha,
 real beta EPILOGUE_PARAMETERS)
{
#if NHWC
    /* The weights of the block's filters: a line of them for every tap, which ends with 16 bytes between banks. */
    TW_SHARED(ELEMENT, weights, TAPS * (TW_BLOCK_X * EACH + 16 / (int)sizeof(ELEMENT)));
    const int pitch = TW_BLOCK_X * EACH + 16 / (int)sizeof(ELEMENT);
#endif
#if EARLY
    /* The launches before may still run, and the next may come as soon as all blocks are so far. */
    asm volatile("griddepcontrol.wait;\ngriddepcontrol.launch_dependents;" ::: "memory");
#endif
    DECLARE_EPILOGUE();
    const int filter_count = ALL_FILTERS, out_h = RESULT_H, out_w = RESULT_W;
#if NHWC
    const int blocks_x = (filter_count + TW_BLOCK_X * EACH - 1) / (TW_BLOCK_X * EACH);
    const int first = (int)(blockIdx.x % blocks_x) * (TW_BLOCK_X * EACH);
    for (int i = (int)(threadIdx.y * TW_BLOCK_X + threadIdx.x); i < TW_BLOCK_X * EACH * TAPS; i += TW_BLOCK_X * TW_BLOCK_Y)
        weights[i % TAPS * pitch + i / TAPS] =
            first + i / TAPS < filter_count ? filters[(tw_index)(first + i / TAPS) * ld_f + i % TAPS] : (ELEMENT)0;
    __syncthreads();
    const int f = first + (int)threadIdx.x * EACH;
    const int run = (int)(blockIdx.x / blocks_x) * TW_BLOCK_Y + (int)threadIdx.y;
    const int n = run / (RUNS_H * RUNS_W);
    if (f >= filter_count || n >= image_count)
        return;
#else
    const int thread = (int)blockIdx.x * TW_BLOCK_X + (int)threadIdx.x;
    const int plane = thread / (RUNS_H * RUNS_W), run = thread % (RUNS_H * RUNS_W);
    const int n = plane / filter_count, f = plane % filter_count;
    if (n >= image_count)
        return;
    real weights[TAPS];
    TW_UNROLL
    for (int i = 0; i < TAPS; i++)
        weights[i] = LOADED(filters[(tw_index)f * ld_f + i]);
#endif
    const int p = run / RUNS_W % RUNS_H * ROWS, q = run % RUNS_W * COLUMNS;
    const struct place place = {n, f / (ALL_FILTERS / ALL_CHANNELS), p * STRIDE_H - PAD_H, q * STRIDE_W - PAD_W};

    real sum[ROWS * COLUMNS][EACH];
    TW_UNROLL
    for (int i = 0; i < ROWS * COLUMNS * EACH; i++)
        sum[i / EACH][i % EACH] = 0;
    TW_UNROLL
    for (int y = 0; y < SPAN_H; y++) {
        real line[LINE][EACH];
        line_at(line, input, place, place.top + y, ld_in);
        TW_UNROLL
        for (int row = 0; row < ROWS; row++) {
            TW_UNROLL
            for (int r = 0; r < FILTER_R; r++) {
                if (row * STRIDE_H + r * DILATION_H != y)
                    continue;
                TW_UNROLL
                for (int s = 0; s < FILTER_S; s++) {
#if NHWC
                    word weight[WORDS(EACH)];
                    take_weights(weight, weights + (r * FILTER_S + s) * pitch + (int)threadIdx.x * EACH, EACH);
#endif
                    TW_UNROLL
                    for (int i = 0; i < COLUMNS; i++)
                        TW_UNROLL
                        for (int e = 0; e < EACH; e++)
                            sum[row * COLUMNS + i][e] =
                                FMA(line[LINE_OF(i, s)][e], WEIGHT(r, s, e), sum[row * COLUMNS + i][e]);
                }
            }
        }
    }

    /* Neighbours of a result: filters, or the next columns. */
    TW_UNROLL
    for (int i = 0; i < ROWS * COLUMNS; i += NHWC ? 1 : STORED_WIDTH) {
        const int row = p + i / COLUMNS, column = q + i % COLUMNS;
        ELEMENT some[STORED_WIDTH];
        if (row >= out_h || column >= out_w)
            continue;
        TW_GLOBAL ELEMENT *at = output + OUTPUT_AT(n, f, row, column);
        TW_UNROLL
        for (int e = 0; e < STORED_WIDTH; e++)
            some[e] = FINISHED(sum[NHWC ? i : i + e][NHWC ? e : 0], at + e, column, f + (NHWC ? e : 0));
        put(at, some, STORED_WIDTH);
    }
}

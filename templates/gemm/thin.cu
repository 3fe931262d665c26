/* A product with a matrix so thin that a thread holds sums for all its columns, of types of one and two bytes and
 * strides of any kind. What it costs is reading the other operand, the long matrix, and that is read once, in words
 * as wide as its alignment allows although its lines may begin anywhere. LANES threads share what they sum and divide
 * K between them; at the end their sums are added by a tree, always in the same order. */

#if SPLIT
#define SPLIT_ARGUMENTS , TW_GLOBAL real *TW_RESTRICT workspace, int split_k
#else
#define SPLIT_ARGUMENTS
#endif

/* The words that a thread multiplies next. `whole`: all of them are, and nothing is asked between their loads, so that
 * all are under way at once. */
TW_DEVICE void load_lines(tw_u32 *words, TW_GLOBAL const ELEMENT *matrix, int long_stride, tw_index line, tw_index word,
                          int lines, int length, const int whole)
{
    TW_UNROLL
    for (int j = 0; j < LINES; j++) {
        const tw_index begin = word * PER_WORD - OFFSET_OF(j);
        TW_GLOBAL const ELEMENT *from = matrix + (line + j) * long_stride + begin;
        if (whole || (line + j < lines && begin >= 0 && begin + PER_WORD <= length))
            load_word(words + j * WORD_U32S, from);
        else
            load_part(words + j * WORD_U32S, from, -begin, line + j < lines ? length - begin : 0);
    }
}

/* An element is made a number once, and then multiplied by all columns': to hold the numbers of a word would take more
 * registers than there are. */
#if ALONG_K
TW_DEVICE void multiply(real *sum, const tw_u32 *words, TW_LOCAL const real *shared, int lane)
{
    /* From the first element of the word before on, of which a line's offset leaves none. */
    TW_UNROLL
    for (int i = SHIFT > 0 ? 1 : PER_WORD; i < 2 * PER_WORD; i++) {
        real numbers[COLUMNS];
        load_short(numbers, shared, lane * PER_WORD + i);
        TW_UNROLL
        for (int j = 0; j < LINES; j++) {
            const int e = i - PER_WORD + OFFSET_OF(j);
            if (e < 0 || e >= PER_WORD)
                continue;
            const real element = element_of(words + j * WORD_U32S, e);
            TW_UNROLL
            for (int c = 0; c < COLUMNS; c++)
                sum[j * COLUMNS + c] = FMA(element, numbers[c], sum[j * COLUMNS + c]);
        }
    }
}
#else
TW_DEVICE void multiply(real *sum, const tw_u32 *words, TW_LOCAL const real *shared, int lane)
{
    TW_UNROLL
    for (int j = 0; j < LINES; j++) {
        real numbers[COLUMNS];
        load_short(numbers, shared, lane * LINES + j);
        TW_UNROLL
        for (int e = 0; e < PER_WORD; e++) {
            const real element = element_of(words + j * WORD_U32S, e);
            TW_UNROLL
            for (int c = 0; c < COLUMNS; c++) {
                const int s = (e - OFFSET_OF(j) + HANDED) * COLUMNS + c;
                sum[s] = FMA(element, numbers[c], sum[s]);
            }
        }
    }
}

/* Adds to each thread's rows what the thread behind it has of them. */
TW_DEVICE void take_handed(real *sum, TW_LOCAL real *shared, int lane, int group)
{
    __syncthreads();
    if (lane == 0) {
        TW_UNROLL
        for (int s = 0; s < HANDED * COLUMNS; s++)
            shared[s * GROUPS + group] = sum[s];
    }
    __syncthreads();
    if (lane == 0 && group + 1 < GROUPS) {
        TW_UNROLL
        for (int s = 0; s < HANDED * COLUMNS; s++)
            sum[s + (HANDED + 1) * COLUMNS] += shared[s * GROUPS + group + 1];
    }
}
#endif

TW_KERNEL(gemm_thin)
(TW_GLOBAL const ELEMENT *TW_RESTRICT A, TW_GLOBAL const ELEMENT *TW_RESTRICT B, TW_GLOBAL RESULT *TW_RESTRICT C, int M,
 int N, int K, int lda, int ldb, int ldc, SCALAR alpha, SCALAR beta SPLIT_ARGUMENTS EPILOGUE_PARAMETERS)
{
    TW_SHARED(real, shared, SHARED_REALS > SHARED_HANDED ? SHARED_REALS : SHARED_HANDED);
#if DEVICE_SCALARS && !SPLIT
    TAKE_ALPHA();
    TAKE_BETA();
#endif
    const int tid = (int)threadIdx.x;
    const int lane = LANE(tid);
    const int group = GROUP(tid);
    const int rows = LONG_B ? N : M;
    const int blocks = rows / BLOCK_ROWS + (rows % BLOCK_ROWS != 0);
    const tw_index block_row = (tw_index)((int)blockIdx.x % blocks) * BLOCK_ROWS;
    const int long_stride = LONG_B ? ldb : lda;
    const int short_stride = LONG_B ? lda : ldb;
    TW_GLOBAL const ELEMENT *matrix = LONG_B ? B : A;
    TW_GLOBAL const ELEMENT *vectors = LONG_B ? A : B;
    /* Elements of K, or words of it, the last of which begins behind the last element for some lines. */
    const int steps = (int)(((tw_index)K + (ALONG_K && SHIFT > 0 ? PER_WORD - 1 : 0) + STEP - 1) / STEP);
#if SPLIT
    const int part = (int)blockIdx.x / blocks;
    const int first = (int)((tw_index)steps * part / split_k);
    const int last = (int)((tw_index)steps * (part + 1) / split_k);
#else
    const int first = 0, last = steps;
#endif

    real sum[ROWS * COLUMNS];
    TW_UNROLL
    for (int s = 0; s < ROWS * COLUMNS; s++)
        sum[s] = 0;
    TW_UNROLL_BY(1)
    for (int step = first; step < last; step++) {
        tw_u32 words[LINES * WORD_U32S];
#if ALONG_K
        const tw_index line = block_row + group * LINES;
        const tw_index word = (tw_index)step * LANES + lane;
        const int lines = rows, length = K;
        const int whole = line + LINES <= rows && (SHIFT == 0 || word > 0) && (word + 1) * PER_WORD <= K;
        const int short_first = step * STEP - PER_WORD;
#else
        const tw_index line = (tw_index)step * STEP + lane * LINES;
        const tw_index word = block_row / PER_WORD + group;
        const int lines = K, length = rows;
        /* Before a line's first element lies the line before: there is one, for the first has no offset. */
        const int whole = line + LINES <= K && (word + 1) * PER_WORD <= rows;
        const int short_first = step * STEP;
#endif
        if (whole)
            load_lines(words, matrix, long_stride, line, word, lines, length, 1);
        else
            load_lines(words, matrix, long_stride, line, word, lines, length, 0);
        stage_short(shared, vectors, short_stride, short_first, K, tid);
        multiply(sum, words, shared, lane);
    }
    sum_lanes(sum, shared, lane, group);
#if !ALONG_K
    if (HANDED > 0)
        take_handed(sum, shared, lane, group);
#endif
    if (lane > 0)
        return;

#if EPILOGUE && !SPLIT
    const struct epilogue epilogue = EPILOGUE_GIVEN;
#endif
    const tw_index row = block_row + group * OWN_ROWS;
    const tw_index end = block_row + BLOCK_ROWS < rows ? block_row + BLOCK_ROWS : rows;
    TW_UNROLL
    for (int j = 0; j < OWN_ROWS; j++) {
        const tw_index r = row + j;
        if (r >= end)
            continue;
        TW_UNROLL
        for (int c = 0; c < COLUMNS; c++) {
            const tw_index m = LONG_B ? c : r;
            const tw_index n = LONG_B ? r : c;
            const real product = sum[(HANDED + j) * COLUMNS + c];
#if SPLIT
            workspace[((tw_index)part * M + m) * N + n] = product;
#else
            const tw_index at = m * ldc + n;
#if EPILOGUE
            C[at] = TO_RESULT(finished(alpha * product, beta, C + at, m, n, epilogue));
#else
            C[at] = RESULT_OF(product, C + at, alpha, beta);
#endif
#endif
        }
    }
}

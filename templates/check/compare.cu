/* Compares an output with the reference, the whole of it. T is the output's type, R the reference's
 * (double for floating types), U an unsigned type of T's size. One row of results a block:
 *   errors[3*b..]  largest |difference|, sum of squared differences, sum of squared references
 *   counts[4*b..]  elements that are no number or, for integers, differ; gap elements that were written;
 *                  index of the first such element (all ones: none); elements written behind the end,
 *                  up to `padded` elements from the start */
TW_KERNEL(tw_compare)(TW_GLOBAL const T *got, TW_GLOBAL const R *want, int rows, int columns,
                      int stride, tw_index padded, TW_GLOBAL double *errors,
                      TW_GLOBAL tw_u64 *counts) {
    TW_SHARED(double, shared, 7 * TW_BLOCK_X);
    TW_LOCAL double *largest = shared;
    TW_LOCAL double *squares = shared + TW_BLOCK_X;
    TW_LOCAL double *sizes = shared + 2 * TW_BLOCK_X;
    TW_LOCAL tw_u64 *bad = (TW_LOCAL tw_u64 *)(shared + 3 * TW_BLOCK_X);
    TW_LOCAL tw_u64 *gaps = bad + TW_BLOCK_X;
    TW_LOCAL tw_u64 *firsts = bad + 2 * TW_BLOCK_X;
    TW_LOCAL tw_u64 *behinds = bad + 3 * TW_BLOCK_X;
    double my_largest = 0, my_squares = 0, my_sizes = 0;
    tw_u64 my_bad = 0, my_gaps = 0, my_first = ~(tw_u64)0, my_behind = 0;
    int thread = (int)threadIdx.x;
    int pieces = (stride + TW_PIECE - 1) / TW_PIECE;
    tw_index tasks = (tw_index)rows * pieces;
    for (tw_index task = (tw_index)blockIdx.x; task < tasks; task += (tw_index)gridDim.x) {
        int row = (int)(task / pieces);
        int begin = (int)(task % pieces) * TW_PIECE;
        tw_index start = (tw_index)row * stride;
        /* The last row has no gap after it: the buffer ends there. */
        int end = row + 1 < rows ? stride : columns;
        end = end - begin < TW_PIECE ? end : begin + TW_PIECE;
        for (int column = begin + thread; column < end; column += TW_BLOCK_X) {
            tw_index i = start + column;
            int is_bad = 0;
            if (column >= columns) {
                is_bad = ((TW_GLOBAL const U *)got)[i] != (U)~(U)0;
                my_gaps += (tw_u64)is_bad;
            } else {
#if FLOATING
                double reference = (double)want[i];
                double difference = fabs((double)got[i] - reference);
                /* Infinite or no number: comparisons with NaN are false. */
                is_bad = !(difference < 1e300);
                if (!is_bad) {
                    my_largest = difference > my_largest ? difference : my_largest;
                    my_squares += difference * difference;
                }
                my_sizes += reference * reference;
#else
                is_bad = got[i] != want[i];
#endif
                my_bad += (tw_u64)is_bad;
            }
            if (is_bad && (tw_u64)i < my_first)
                my_first = (tw_u64)i;
        }
    }
    if (blockIdx.x == 0) {
        tw_index end = (tw_index)(rows - 1) * stride + columns;
        for (tw_index i = end + thread; i < padded; i += TW_BLOCK_X)
            my_behind += (tw_u64)(((TW_GLOBAL const U *)got)[i] != (U)~(U)0);
    }
    largest[thread] = my_largest;
    squares[thread] = my_squares;
    sizes[thread] = my_sizes;
    bad[thread] = my_bad;
    gaps[thread] = my_gaps;
    firsts[thread] = my_first;
    behinds[thread] = my_behind;
    for (int reach = TW_BLOCK_X / 2; reach > 0; reach /= 2) {
        __syncthreads();
        if (thread < reach) {
            int other = thread + reach;
            largest[thread] = largest[thread] > largest[other] ? largest[thread] : largest[other];
            squares[thread] += squares[other];
            sizes[thread] += sizes[other];
            bad[thread] += bad[other];
            gaps[thread] += gaps[other];
            behinds[thread] += behinds[other];
            firsts[thread] = firsts[thread] < firsts[other] ? firsts[thread] : firsts[other];
        }
    }
    if (thread == 0) {
        int b = (int)blockIdx.x;
        errors[3 * b] = largest[0];
        errors[3 * b + 1] = squares[0];
        errors[3 * b + 2] = sizes[0];
        counts[4 * b] = bad[0];
        counts[4 * b + 1] = gaps[0];
        counts[4 * b + 2] = firsts[0];
        counts[4 * b + 3] = behinds[0];
    }
}

/* Compares an output with the reference, the whole of it. T is the output's type, R the reference's
 * (double for floating types), U an unsigned type of T's size; LOAD makes a number of a floating T. The
 * memory at `got` begins `ahead` elements before the output and has `padded` in all; what is around the
 * output, between its rows and between its layers must be all ones. A floating element is wrong that is off by more than `allowed` or no number, an
 * integer that differs. One row of results a block:
 *   errors[3*b..]  largest |difference|, sum of squared differences, both of what is not wrong; sum of
 *                  squared references
 *   counts[7*b..]  wrong elements; those of them that are all ones; gap elements that were written;
 *                  elements around the output that were written; the first wrong element and the first
 *                  in a gap, counted from the output's first, and around the output, counted from
 *                  `got` (all ones: none) */
enum { WRONG, UNWRITTEN, GAPS, AROUND, FIRST_WRONG, FIRST_GAP, FIRST_AROUND, COUNTS };

TW_KERNEL(tw_compare)(TW_GLOBAL const T *got, TW_GLOBAL const R *want, int layers, int rows,
                      int columns, int stride, int layer_stride, tw_index ahead, tw_index padded, double allowed,
                      TW_GLOBAL double *errors, TW_GLOBAL tw_u64 *counts) {
    TW_SHARED(double, shared, (3 + COUNTS) * TW_BLOCK_X);
    TW_LOCAL double *sizes = shared;
    TW_LOCAL tw_u64 *found = (TW_LOCAL tw_u64 *)(shared + 3 * TW_BLOCK_X);
    TW_GLOBAL const U *bits = (TW_GLOBAL const U *)got;
    double largest = 0, squares = 0, references = 0;
    tw_u64 mine[COUNTS];
    TW_UNROLL
    for (int k = 0; k < COUNTS; k++)
        mine[k] = k < FIRST_WRONG ? 0 : ~(tw_u64)0;
    int thread = (int)threadIdx.x;
    /* Behind a layer's last row there is a gap up to the next layer, and none behind the very last. */
    int last = layers > 1 ? (int)(layer_stride - (tw_index)(rows - 1) * stride) : columns;
    int longest = stride > last ? stride : last;
    int pieces = (longest - 1) / TW_PIECE + 1;
    tw_index tasks = (tw_index)layers * rows * pieces;
    for (tw_index task = (tw_index)blockIdx.x; task < tasks; task += (tw_index)gridDim.x) {
        int layer = (int)(task / pieces / rows);
        int row = (int)(task / pieces % rows);
        int begin = (int)(task % pieces) * TW_PIECE;
        tw_index start = (tw_index)layer * layer_stride + (tw_index)row * stride;
        int end = row + 1 < rows ? stride : layer + 1 < layers ? last : columns;
        end = end - begin < TW_PIECE ? end : begin + TW_PIECE;
        for (int column = begin + thread; column < end; column += TW_BLOCK_X) {
            tw_index i = start + column;
            int is_blank = bits[ahead + i] == (U)~(U)0;
            if (column >= columns) {
                mine[GAPS] += (tw_u64)!is_blank;
                if (!is_blank && (tw_u64)i < mine[FIRST_GAP])
                    mine[FIRST_GAP] = (tw_u64)i;
                continue;
            }
#if FLOATING
            double reference = (double)want[i];
            double difference = fabs((double)LOAD(got[ahead + i]) - reference);
            /* Comparisons with NaN are false. */
            int is_wrong = !(difference <= allowed);
            if (!is_wrong) {
                largest = difference > largest ? difference : largest;
                squares += difference * difference;
            }
            references += reference * reference;
#else
            int is_wrong = got[ahead + i] != want[i];
#endif
            mine[WRONG] += (tw_u64)is_wrong;
            mine[UNWRITTEN] += (tw_u64)(is_wrong && is_blank);
            if (is_wrong && (tw_u64)i < mine[FIRST_WRONG])
                mine[FIRST_WRONG] = (tw_u64)i;
        }
    }
    if (blockIdx.x == 0) {
        tw_index size = (tw_index)(layers - 1) * layer_stride + (tw_index)(rows - 1) * stride + columns;
        tw_index around = padded - size;
        for (tw_index k = thread; k < around; k += TW_BLOCK_X) {
            tw_index i = k < ahead ? k : k + size;
            int is_blank = bits[i] == (U)~(U)0;
            mine[AROUND] += (tw_u64)!is_blank;
            if (!is_blank && (tw_u64)i < mine[FIRST_AROUND])
                mine[FIRST_AROUND] = (tw_u64)i;
        }
    }
    sizes[thread] = largest;
    sizes[TW_BLOCK_X + thread] = squares;
    sizes[2 * TW_BLOCK_X + thread] = references;
    TW_UNROLL
    for (int k = 0; k < COUNTS; k++)
        found[k * TW_BLOCK_X + thread] = mine[k];
    for (int reach = TW_BLOCK_X / 2; reach > 0; reach /= 2) {
        __syncthreads();
        if (thread < reach) {
            int other = thread + reach;
            sizes[thread] = sizes[thread] > sizes[other] ? sizes[thread] : sizes[other];
            sizes[TW_BLOCK_X + thread] += sizes[TW_BLOCK_X + other];
            sizes[2 * TW_BLOCK_X + thread] += sizes[2 * TW_BLOCK_X + other];
            for (int k = 0; k < COUNTS; k++) {
                TW_LOCAL tw_u64 *one = found + k * TW_BLOCK_X + thread;
                if (k < FIRST_WRONG)
                    one[0] += one[reach];
                else
                    one[0] = one[0] < one[reach] ? one[0] : one[reach];
            }
        }
    }
    if (thread == 0) {
        int b = (int)blockIdx.x;
        for (int k = 0; k < 3; k++)
            errors[3 * b + k] = sizes[k * TW_BLOCK_X];
        TW_UNROLL
        for (int k = 0; k < COUNTS; k++)
            counts[COUNTS * b + k] = found[k * TW_BLOCK_X];
    }
}

/* The long matrix of a product with few vectors: op(A), or op(B) transposed when that is the longer one.
 * Its rows are K long. A thread takes a patch of ROWS rows and DEPTH elements of K, which lies so that
 * neighbouring threads read neighbouring vectors, whether rows or columns are contiguous in memory. */

/* ALONG_K says which way the matrix lies. Either way a thread's patch comes in vectors of VEC_LONG. */
#if ALONG_K
#define VEC_ROWS 1
#define VEC_K VEC_LONG
#define LANE(tid) ((tid) % LANES)
#define GROUP(tid) ((tid) / LANES)
#define PATCH(j, d) ((j)*DEPTH + (d))
#define OFFSET_LONG(r, k) ((tw_index)(r)*long_stride + (k))
#else
#define VEC_ROWS VEC_LONG
#define VEC_K 1
#define LANE(tid) ((tid) / GROUPS)
#define GROUP(tid) ((tid) % GROUPS)
#define PATCH(j, d) ((d)*ROWS + (j))
#define OFFSET_LONG(r, k) ((tw_index)(k)*long_stride + (r))
#endif

#define GROUPS (THREADS / LANES)
#define BLOCK_ROWS (GROUPS * ROWS)
#define STEP (LANES * DEPTH) /* of K, for all threads of a group */

/* Row j of a thread, from its first; and element d of a lane's share of a step. */
#define ROW(j) ((j) / VEC_ROWS * (GROUPS * VEC_ROWS) + (j) % VEC_ROWS)
#define STEP_K(lane, d) (((d) / RUN * LANES + (lane)) * RUN + (d) % RUN)

/* Rows past the last are read as the last, and not stored. */
TW_DEVICE void load_long(real *patch, TW_GLOBAL const real *matrix, int long_stride, int rows,
                         tw_index row, int lane, int left, const int edge)
{
    TW_UNROLL
    for (int j = 0; j < ROWS; j += VEC_ROWS) {
        const tw_index wanted = row + ROW(j);
        const tw_index r = wanted < rows ? wanted : rows - VEC_ROWS;
        TW_UNROLL
        for (int d = 0; d < DEPTH; d += VEC_K) {
            const int k = STEP_K(lane, d);
            if (!edge || k < left) {
                load_global(patch + PATCH(j, d), matrix + OFFSET_LONG(r, k), VEC_LONG);
            } else {
                TW_UNROLL
                for (int i = 0; i < VEC_LONG; i++)
                    patch[PATCH(j, d) + i] = 0;
            }
        }
    }
}

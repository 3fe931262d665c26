/* Where the result of a row and a column of the product lies: rows are pixels and columns filters (nhwc), or the other
 * way round (nchw), of one group. `output` is the group's first result. */

struct results {
    int filter_count, out_h, out_w, ld_out;
};

/* Neighbouring columns lie one after the other, as far as VEC_C goes. */
TW_DEVICE tw_index result_place(int m, int n, struct results results)
{
#if NHWC
    return (tw_index)m * results.ld_out + n;
#elif DENSE_ROWS
    const int size = results.out_h * results.out_w;
    return ((tw_index)(n / size) * results.filter_count + m) * size + n % size;
#else
    const int q = n % results.out_w, row = n / results.out_w;
    const int p = row % results.out_h, image = row / results.out_h;
    return (((tw_index)image * results.filter_count + m) * results.out_h + p) * results.ld_out + q;
#endif
}

/* Stores VEC_C neighbours. */
TW_DEVICE void store_pixels(TW_GLOBAL ELEMENT *output, const real *sums, int m, int n, struct results results,
                            real alpha, real beta EPILOGUE_TYPED)
{
    TW_GLOBAL ELEMENT *to = output + result_place(m, n, results);
#if EPILOGUE
    real result[VEC_C];
    TW_UNROLL
    for (int e = 0; e < VEC_C; e++)
        result[e] = finished(alpha * sums[e], beta, to + e, NHWC ? m : n + e, NHWC ? n + e : m, epilogue);
#else
    real result[VEC_C];
    if (beta != 0)
        load_global(result, to, VEC_C);
    TW_UNROLL
    for (int e = 0; e < VEC_C; e++)
        result[e] = beta == 0 ? alpha * sums[e] : FMA(beta, result[e], alpha * sums[e]);
#endif
    store_global(to, result, VEC_C);
}

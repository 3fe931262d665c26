/* The product of patches and filters on tensor cores that warps feed from registers: a tile of pixels and filters, or
 * with SWAP of filters and pixels, over all of K or a share of it; one group of channels in every z. */

TW_KERNEL(conv2d_mma)
(TW_GLOBAL const ELEMENT *TW_RESTRICT input, TW_GLOBAL const ELEMENT *TW_RESTRICT filters,
 TW_GLOBAL ELEMENT *TW_RESTRICT output, int M, int N, int K, int ld_f, int ld_out, SCALAR alpha, SCALAR beta,
 int group_m EPILOGUE_PARAMETERS)
{
    const int all = K / BK + (K % BK != 0);
    const int part = SPLIT > 1 ? (int)blockIdx.x % SPLIT : 0;
    const int first = (int)((tw_index)all * part / SPLIT) * BK;
    const int end = (int)((tw_index)all * (part + 1) / SPLIT) * BK;
    struct operand of_pixels = {input + (tw_index)blockIdx.z * GROUP_CHANNELS, 0, M};
    struct operand of_filters = {filters + (tw_index)blockIdx.z * N * ld_f, ld_f, N};
    const struct place place = place_of((int)blockIdx.x / SPLIT, SWAP ? N : M, SWAP ? M : N, group_m);
    const int m = SWAP ? place.column : place.row, n = SWAP ? place.row : place.column;
    real sums[TALL][ACROSS][2][4];
    TW_UNROLL
    for (int i = 0; i < TALL * ACROSS * 8; i++)
        sums[i / 8 / ACROSS][i / 8 % ACROSS][i % 8 / 4][i % 4] = 0;
    patches_begin(&of_pixels, first, m);
    filters_begin(&of_filters, first, n);
    multiply_all(sums, SWAP ? &of_filters : &of_pixels, SWAP ? &of_pixels : &of_filters, (end < K ? end : K) - first);
    output += (tw_index)blockIdx.z * N + (tw_index)m * ld_out + n;
#if HAS_BIASES
    biases += blockIdx.z * N;
#endif
#if EPILOGUE
    DECLARE_EPILOGUE();
    store_sums(output, sums, M - m, N - n, ld_out, alpha, beta, m, n, epilogue);
#else
    store_sums(output, sums, M - m, N - n, ld_out, alpha, beta);
#endif
}

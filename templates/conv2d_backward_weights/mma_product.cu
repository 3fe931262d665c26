/* Sums over a share of the pixels on tensor cores that warps feed from registers: for a tile of filters and terms, or
 * with SWAP of terms and filters, one group of channels in every z. Each share leaves its part in the workspace; the blocks
 * of a cluster (SPLIT) add theirs before. */

TW_KERNEL(conv2d_backward_weights_mma)
(TW_GLOBAL const ELEMENT *TW_RESTRICT input, TW_GLOBAL const ELEMENT *TW_RESTRICT gradient,
 TW_GLOBAL real *TW_RESTRICT workspace, int M, int N, int K, int filter_count, int ld_gradient, int group_m, int shares)
{
    const int tiles = (int)gridDim.x / SPLIT / shares, cluster = (int)blockIdx.x / SPLIT;
    const int share = cluster / tiles, part = share * SPLIT + (int)blockIdx.x % SPLIT;
    const int all = K / BK + (K % BK != 0);
    const int first = (int)((tw_index)all * part / (shares * SPLIT)) * BK;
    const int end = (int)((tw_index)all * (part + 1) / (shares * SPLIT)) * BK;
    struct operand of_filters = {gradient + (tw_index)blockIdx.z * M, ld_gradient, M};
    struct operand of_terms = {input + (tw_index)blockIdx.z * GROUP_CHANNELS, 0, N};
    const struct place place = place_of(cluster % tiles, SWAP ? N : M, SWAP ? M : N, group_m);
    const int m = SWAP ? place.column : place.row, n = SWAP ? place.row : place.column;
    real sums[TALL][ACROSS][2][4];
    TW_UNROLL
    for (int i = 0; i < TALL * ACROSS * 8; i++)
        sums[i / 8 / ACROSS][i / 8 % ACROSS][i % 8 / 4][i % 4] = 0;
    gradient_begin(&of_filters, first, m);
    terms_begin(&of_terms, first, n);
    multiply_all(sums, SWAP ? &of_terms : &of_filters, SWAP ? &of_filters : &of_terms, (end < K ? end : K) - first);
    workspace += ((tw_index)share * filter_count + (tw_index)blockIdx.z * M + m) * N + n;
    store_sums(workspace, sums, M - m, N - n, N, 1, 0);
}

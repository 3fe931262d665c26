/* What a plain product in the type of the elements makes of a sample of C (check/sampled.cu), beside the right
 * answers: each sum by fused multiply-adds, one term after the other in chains of `chained`, which are added one
 * after the other. A chain has terms from all over K, as many apart as there are chains: were they next to each
 * other, chains of the second half of a sum that cancels would undo those of the first to the last bit. `sample`
 * holds all right answers, then what the plain products are, then what errors are relative to: the sum of the
 * terms' sizes. With alpha 1 and beta 0. */
TW_KERNEL(gemm_plain)
(TW_GLOBAL const ELEMENT *TW_RESTRICT A, TW_GLOBAL const ELEMENT *TW_RESTRICT B, TW_GLOBAL double *TW_RESTRICT sample,
 int M, int N, int K, int lda, int ldb, int chained
#if HAS_BIASES
 , TW_GLOBAL const RESULT *TW_RESTRICT biases
#endif
#if HAS_DEVICE_ALPHA
 , TW_GLOBAL const SCALAR *TW_RESTRICT device_alpha
#endif
#if BATCHED
 , int stride_a, int stride_b
#endif
)
{
    const int rows = tw_sampled_count(M, TW_SAMPLED_ROWS), columns = tw_sampled_count(N, TW_SAMPLED_ROWS);
    const int layers = tw_sampled_count(BATCH, TW_SAMPLED_LAYERS), count = layers * rows * columns;
    const int i = (int)(blockIdx.x * TW_BLOCK_X + threadIdx.x);
    if (i >= count)
        return;
#if BATCHED
    const tw_index layer = tw_sampled(i / (rows * columns), layers, BATCH);
    A += layer * stride_a;
    B += layer * stride_b;
#endif
    const int m = tw_sampled(i / columns % rows, rows, M), n = tw_sampled(i % columns, columns, N);
    double right = 0, size = 0;
    real plain = 0;
    const int chains = (K - 1) / chained + 1;
    for (int first = 0; first < chains; first++) {
        real chain = 0;
        for (tw_index k = first; k < K; k += chains) {
            const real a = LOADED(A[OFFSET_A(m, k)]), b = LOADED(B[OFFSET_B(k, n)]);
            chain = FMA(a, b, chain);
            right = fma((double)a, (double)b, right);
            size += fabs((double)a * (double)b);
        }
        plain = first == 0 ? chain : plain + chain;
    }
#if HAS_DEVICE_ALPHA
    plain *= device_alpha[0];
    right *= (double)device_alpha[0];
    size *= fabs((double)device_alpha[0]);
#endif
#if EPILOGUE
#if HAS_BIASES
    const real bias = LOADED(biases[BIAS_PLACE(m, n)]);
    plain += bias;
    right += (double)bias;
    size += fabs((double)bias);
#endif
    plain = ACTIVATED_REAL(plain);
    right = ACTIVATED_F64(right);
#endif
    sample[i] = right;
    sample[count + i] = (double)LOADED(STORED(plain));
    sample[2 * count + i] = size;
}

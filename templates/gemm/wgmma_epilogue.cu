/* The epilogue, and what kernels on Hopper's tensor cores are given for it and for a
 * batch, whose operands their maps know of. */

#if PLANES && BATCHED
#if HAS_E
#define E_STRIDE , int stride_e
#define E_STRIDE_GIVEN , stride_e
#define E_OF_LAYER(layer) ((tw_index)(layer)*stride_e)
#else
#define E_STRIDE
#define E_STRIDE_GIVEN
#define E_OF_LAYER(layer) 0
#endif
#define LAYER_STRIDES                                                                                    \
    , int stride_c E_STRIDE, TW_GLOBAL const float *TW_RESTRICT A, TW_GLOBAL const float *TW_RESTRICT B, \
        int lda, int ldb, int stride_a, int stride_b
#define LAYER_STRIDES_GIVEN , stride_c E_STRIDE_GIVEN, A, B, lda, ldb, stride_a, stride_b
#define LAYER_TAKEN , int layer
#define LAYER_GIVEN , place.layer
#elif PLANES
/* What was split, for sums that are formed again (mend_sums.cu). */
#define LAYER_STRIDES                                                                                    \
    , TW_GLOBAL const float *TW_RESTRICT A, TW_GLOBAL const float *TW_RESTRICT B, int lda, int ldb
#define LAYER_STRIDES_GIVEN , A, B, lda, ldb
#define E_OF_LAYER(layer) 0
#define LAYER_TAKEN
#define LAYER_GIVEN
#elif BATCHED
#if HAS_E
#define LAYER_STRIDES , int stride_c, int stride_e
#define LAYER_STRIDES_GIVEN , stride_c, stride_e
#define E_OF_LAYER(layer) ((tw_index)(layer)*stride_e)
#else
#define LAYER_STRIDES , int stride_c
#define LAYER_STRIDES_GIVEN , stride_c
#define E_OF_LAYER(layer) 0
#endif
#define LAYER_TAKEN , int layer
#define LAYER_GIVEN , place.layer
#elif GROUPED
#define LAYER_STRIDES , TW_GLOBAL const int *TW_RESTRICT ends
#define LAYER_STRIDES_GIVEN , ends
#define E_OF_LAYER(layer) 0
#define LAYER_TAKEN
#define LAYER_GIVEN
#else
#define LAYER_STRIDES
#define LAYER_STRIDES_GIVEN
#define E_OF_LAYER(layer) 0
#define LAYER_TAKEN
#define LAYER_GIVEN
#endif

/* What beta multiplies where C is read. */
#if HAS_E
#define BETA_OF_C 0
#else
#define BETA_OF_C beta
#endif

/* What the copy engine stores of 16-bit results it stores to the end of C and not beyond, so that a bias of columns
 * and an activation need not ask where C ends. A thread takes the biases of its columns before it multiplies, where it
 * has registers left for them. */
#define WHOLE_PAIRS                                                                                        \
    (RESULT_SIZE == 2 && STORE == STORE_tma && !HAS_E && BIAS != BIAS_row &&                               \
     !DEVICE_SCALARS && !PROMOTED && (HAS_BIASES || ACTIVATION != ACTIVATION_none))

#if EPILOGUE
struct finish {
    struct epilogue epilogue;
    SCALAR beta; /* of E */
    int M, N;
#if WHOLE_PAIRS && HAS_BIASES
    tw_u32 biases[BN / 8]; /* of two neighbours in every eight columns of the tile */
#endif
};
#define FINISH_TAKEN , struct finish finish
#define FINISH_GIVEN , finish

#if SCALED && !BLOCK_SCALED
/* What the sum of an element of C is multiplied by; of those outside any. */
TW_DEVICE float scale_of(int m, int n, struct finish finish)
{
    m = min(m, finish.M - 1);
    n = min(n, finish.N - 1);
    return OUTER_SCALE(finish.epilogue.a_scales, finish.epilogue.b_scales, m, n);
}
#define SCALED_SUM(sum, m, n) ((sum) * scale_of((m), (n), finish))
#else
#define SCALED_SUM(sum, m, n) (sum)
#endif

/* Two neighbours of C's row m, from its column n on, which is even: alpha times their sums, and beta times what C
 * held. Those outside of C are left as they are. */
TW_DEVICE void finish_pair(float *x, int m, int n, struct finish finish)
{
    if (m >= finish.M || n >= finish.N)
        return;
    const int both = n + 1 < finish.N;
#if HAS_E
    if (finish.beta != 0) {
        TW_GLOBAL const RESULT *added = finish.epilogue.E + (tw_index)m * finish.epilogue.lde + n;
        x[0] = fmaf(finish.beta, FROM_RESULT(added[0]), x[0]);
        if (both)
            x[1] = fmaf(finish.beta, FROM_RESULT(added[1]), x[1]);
    }
#endif
#if BIAS == BIAS_row
    const float bias = FROM_RESULT(finish.epilogue.biases[m]);
    x[0] += bias;
    x[1] += bias;
#elif BIAS == BIAS_column && RESULT_SIZE == 4
    x[0] += FROM_RESULT(finish.epilogue.biases[n]);
    if (both)
        x[1] += FROM_RESULT(finish.epilogue.biases[n + 1]);
#elif BIAS == BIAS_column
    if (both) {
        const tw_u32 pair = *(TW_GLOBAL const tw_u32 *)(finish.epilogue.biases + n);
        x[0] += FROM_RESULT((RESULT)(pair & 0xFFFF));
        x[1] += FROM_RESULT((RESULT)(pair >> 16));
    } else {
        x[0] += FROM_RESULT(finish.epilogue.biases[n]);
    }
#endif
    x[0] = ACTIVATED_REAL(x[0]);
    x[1] = ACTIVATED_REAL(x[1]);
}

#if WHOLE_PAIRS
#if HAS_BIASES
/* Those of a tile that begins in this column; of what is outside, zeros. */
TW_DEVICE void take_biases(struct finish *finish, int column)
{
    TW_UNROLL
    for (int j = 0; j < BN / 8; j++) {
        const int n = column + j * 8 + (int)threadIdx.x % 4 * 2;
        finish->biases[j] = 0;
        if (n < finish->N)
            asm volatile("ld.global.nc.b32 %0, [%1];"
                         : "=r"(finish->biases[j])
                         : "l"(finish->epilogue.biases + n));
    }
}
#endif

/* Denormals, which CUDA's own functions take care of, are nothing in 16-bit results either. */
TW_DEVICE __attribute__((unused)) float power_of_two(float x)
{
    float power;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(x));
    return power;
}

TW_DEVICE __attribute__((unused)) float inverse(float x)
{
    float y;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

#define QUICKEST_EXP(x) power_of_two((x)*1.4426950408889634f)
#define QUICKEST_QUOTIENT(x, y) ((x)*inverse(y))

/* Right to 2^-11 of 1, an eighth of what rounding to bf16 may take, and one instruction of the unit for such functions,
 * where an exponential and an inverse are two: that unit is what limits an activation. */
TW_DEVICE __attribute__((unused)) float quickest_tanh(float x)
{
    float y;
    asm("tanh.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

/* Logistic functions are (1 + tanh) / 2, and so SiLU and GELU's tanh form are h + h*tanh(...) of half the number h:
 * FINISH_FACTOR comes into alpha, beta and biases. So is GELU by erf, with 1.5984942 + 0.28037017 h^2 fitted to
 * atanh(erf(h * sqrt(2))) / h: of the normal distribution's function it is 2.2e-4 off at most, less than this tanh, and
 * of GELU 3.3e-4, where the form by tanh is 4.7e-4. A third term would need a bound for h^2, and both cost as much as the
 * rest of it. */
#if RESULT_BF16 && ACTIVATION == ACTIVATION_gelu_tanh
#define FINISH_FACTOR 0.5f
#define FINISHED_WHOLE(h)                                                                                  \
    fmaf((h), quickest_tanh((h) * (1.5957691216057308f + 0.28541926481850098f * ((h) * (h)))), (h))
#elif RESULT_BF16 && ACTIVATION == ACTIVATION_gelu
#define FINISH_FACTOR 0.5f
#define FINISHED_WHOLE(h)                                                                                  \
    fmaf((h), quickest_tanh((h) * (1.5984942f + 0.28037017f * ((h) * (h)))), (h))
#elif RESULT_BF16 && ACTIVATION == ACTIVATION_silu
#define FINISH_FACTOR 0.5f
#define FINISHED_WHOLE(h) fmaf((h), quickest_tanh(h), (h))
#elif ACTIVATION == ACTIVATION_gelu
#define FINISH_FACTOR 1.0f
#define FINISHED_WHOLE(x) quick_gelu(x)
/* For f16 that tanh is too coarse. The smaller side of the normal distribution, at -|x|, is 2 to a polynomial of |x|,
 * right to 9e-5 of itself as far as f16 has bits for it: a sixth of what rounding may take. */
TW_DEVICE float quick_gelu(float x)
{
    const float a = fabsf(x);
    const float side = power_of_two(fmaf(
        fmaf(fmaf(fmaf(fmaf(-0.00032032042f, a, 0.0058250145f), a, -0.048227395f), a, -0.46413964f), a, -1.1491613f), a,
        -1.000124f));
    return x * fabsf((x < 0 ? 0.0f : 1.0f) - side);
}
#else
#define FINISH_FACTOR 1.0f
#define FINISHED_WHOLE(x) ACTIVATED(x, float, QUICKEST_EXP, erff, QUICKEST_QUOTIENT)
#endif

/* The bias of element e of eight that a thread stores together, whose first is in the tile's columns from 8*j on. */
#if HAS_BIASES
#define BIAS_OF(e, j)                                                                                      \
    (FINISH_FACTOR * FROM_RESULT((RESULT)(e % 2 ? finish.biases[(j) + e / 4] >> 16                       \
                                                : finish.biases[(j) + e / 4] & 0xFFFF)))
#else
#define BIAS_OF(e, j) 0
#endif
#endif

/* The element (m, n) of C, which is there, at `place`. */
#define FINISHED(sum, alpha, place, m, n)                                                        \
    TO_RESULT(finished((alpha) * (sum), finish.beta, (place), (m), (n), finish.epilogue))
#else
#define FINISH_TAKEN
#define FINISH_GIVEN
#endif

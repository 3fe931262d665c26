/* What becomes of alpha times a sum of products: beta times C is added to it, or beta times E where the addend
 * is apart, then a bias, and all of it goes through an activation. Every kernel that writes C ends here, where its
 * problem asks for more than the bare product. */

/* Scalars in device memory are factors of those that a launch is given. Kernels take them where they begin; of a
 * beta of 0 none are read. */
#if HAS_DEVICE_ALPHA || HAS_DEVICE_BETA || HAS_C_SCALE
#define DEVICE_SCALARS 1
#define EPILOGUE 1
#if HAS_DEVICE_ALPHA
#define DEVICE_ALPHA_PARAMETER , TW_GLOBAL const SCALAR *TW_RESTRICT device_alpha
#define DEVICE_ALPHA_HANDED , device_alpha
#define DEVICE_ALPHA_FACTOR device_alpha[0]
#else
#define DEVICE_ALPHA_PARAMETER
#define DEVICE_ALPHA_HANDED
#define DEVICE_ALPHA_FACTOR 1
#endif
#if HAS_DEVICE_BETA
#define DEVICE_BETA_PARAMETER , TW_GLOBAL const SCALAR *TW_RESTRICT device_beta
#define DEVICE_BETA_HANDED , device_beta
#define DEVICE_BETA_FACTOR device_beta[0]
#else
#define DEVICE_BETA_PARAMETER
#define DEVICE_BETA_HANDED
#define DEVICE_BETA_FACTOR 1
#endif
#if HAS_C_SCALE
#define C_SCALE_PARAMETER , TW_GLOBAL const float *TW_RESTRICT c_scale
#define C_SCALE_HANDED , c_scale
#define C_SCALE_FACTOR c_scale[0]
#else
#define C_SCALE_PARAMETER
#define C_SCALE_HANDED
#define C_SCALE_FACTOR 1
#endif
#define SCALARS_PARAMETERS DEVICE_ALPHA_PARAMETER DEVICE_BETA_PARAMETER C_SCALE_PARAMETER
#define SCALARS_HANDED DEVICE_ALPHA_HANDED DEVICE_BETA_HANDED C_SCALE_HANDED
#define TAKE_ALPHA() alpha *= DEVICE_ALPHA_FACTOR
#define TAKE_BETA() beta = beta == 0 ? beta : beta * DEVICE_BETA_FACTOR * C_SCALE_FACTOR
#else
#define DEVICE_SCALARS 0
#define EPILOGUE (HAS_BIASES || HAS_E || ACTIVATION != ACTIVATION_none || SCALED)
#endif

#if HAS_BIASES
#define BIASES_PARAMETER , TW_GLOBAL const RESULT *TW_RESTRICT biases
#define BIASES_GIVEN biases
#define BIASES_HANDED , biases
#else
#define BIASES_PARAMETER
#define BIASES_GIVEN 0
#define BIASES_HANDED
#endif
#if HAS_E
#define E_PARAMETERS , TW_GLOBAL const RESULT *TW_RESTRICT E, int lde
#define E_GIVEN E, lde
#define E_HANDED , E, lde
#else
#define E_PARAMETERS
#define E_GIVEN 0, 0
#define E_HANDED
#endif
/* Behind a kernel's other parameters, what it hands on of them, and what they make. */
#if DEVICE_SCALARS && SCALED
#define EPILOGUE_PARAMETERS                                                                      \
    BIASES_PARAMETER E_PARAMETERS, TW_GLOBAL const float *TW_RESTRICT a_scales,                  \
        TW_GLOBAL const float *TW_RESTRICT b_scales SCALARS_PARAMETERS
#define EPILOGUE_HANDED BIASES_HANDED E_HANDED, a_scales, b_scales SCALARS_HANDED
#define EPILOGUE_GIVEN { BIASES_GIVEN, E_GIVEN, a_scales, b_scales }
#elif DEVICE_SCALARS
#define EPILOGUE_PARAMETERS BIASES_PARAMETER E_PARAMETERS SCALARS_PARAMETERS
#define EPILOGUE_HANDED BIASES_HANDED E_HANDED SCALARS_HANDED
#define EPILOGUE_GIVEN { BIASES_GIVEN, E_GIVEN }
#elif SCALED
#define EPILOGUE_PARAMETERS                                                                      \
    BIASES_PARAMETER E_PARAMETERS, TW_GLOBAL const float *TW_RESTRICT a_scales,                  \
        TW_GLOBAL const float *TW_RESTRICT b_scales
#define EPILOGUE_HANDED BIASES_HANDED E_HANDED, a_scales, b_scales
#define EPILOGUE_GIVEN { BIASES_GIVEN, E_GIVEN, a_scales, b_scales }
#else
#define EPILOGUE_PARAMETERS BIASES_PARAMETER E_PARAMETERS
#define EPILOGUE_HANDED BIASES_HANDED E_HANDED
#define EPILOGUE_GIVEN { BIASES_GIVEN, E_GIVEN }
#endif

#if EPILOGUE
struct epilogue {
    TW_GLOBAL const RESULT *biases;
    TW_GLOBAL const RESULT *E;
    int lde;
#if SCALED
    TW_GLOBAL const float *a_scales, *b_scales;
#endif
};

/* What a sum of products is multiplied by when it is complete, in row m and column n; products of blocks are
 * scaled before. */
#if SCALED && !BLOCK_SCALED
#if SCALES == SCALES_tensor
#define OUTER_SCALE(a_scales, b_scales, m, n) (a_scales[0] * b_scales[0])
#else
#define OUTER_SCALE(a_scales, b_scales, m, n) (a_scales[m] * b_scales[n])
#endif
#endif
/* The scale of an element of op(A), and of one of op(B): of 128 of K, and for B of 128 columns. */
#if BLOCK_SCALED
#define BLOCKS_OF_K(K) ((K) / 128 + ((K) % 128 != 0))
#define A_SCALE(m, k) (a_scales[(tw_index)(m)*BLOCKS_OF_K(K) + (k) / 128])
#define B_SCALE(k, n) (b_scales[(tw_index)((n) / 128) * BLOCKS_OF_K(K) + (k) / 128])
#endif

/* Numbers to compute with, and what C holds. */
#if WHOLE_RESULTS
#define FROM_RESULT(x) ((double)(x))
#define TO_RESULT(x) ((int)fmin(fmax(rint(x), -2147483648.0), 2147483647.0))
#define FMA_SCALAR(a, b, c) fma((a), (double)(b), (c))
#else
#if MIXED
#define FROM_RESULT(x) HELD(x)
#else
#define FROM_RESULT(x) LOADED(x)
#endif
#if SCALED_IN_DOUBLE
#define TO_RESULT(x) STORED((float)(x))
#define FMA_SCALAR(a, b, c) fma((a), (double)(b), (c))
#else
#define TO_RESULT(x) STORED(x)
#if IN_DOUBLE
#define FMA_SCALAR(a, b, c) fmaf((a), (float)(b), (c))
#else
#define FMA_SCALAR(a, b, c) FMA(a, b, c)
#endif
#endif
#endif

/* Of 16-bit results a few units of single precision are nothing, and take a fraction of the time. */
#if SMALL && !INTEGER && !IN_DOUBLE && CTYPE != CTYPE_f32 && TW_CUDA
#define QUICK_EXP(x) __expf(x)
#define QUICK_QUOTIENT(x, y) __fdividef(x, y)
#else
#define QUICK_EXP(x) expf(x)
#define QUICK_QUOTIENT(x, y) ((x) / (y))
#endif

/* Of no number they make none. The tanh form of GELU is x times a logistic function: (1 + tanh(u)) / 2 is
 * 1 / (1 + exp(-2u)). */
#if ACTIVATION == ACTIVATION_relu
#define ACTIVATED(x, T, exp, erf, quotient) ((x) < 0 ? (T)0 : (x))
#elif ACTIVATION == ACTIVATION_gelu
#define ACTIVATED(x, T, exp, erf, quotient) ((T)0.5 * (x) * ((T)1 + erf((x) * (T)0.70710678118654752440)))
#elif ACTIVATION == ACTIVATION_gelu_tanh
#define ACTIVATED(x, T, exp, erf, quotient)                                                      \
    quotient(x, (T)1 + exp((x) * ((T)-1.5957691216057308 + (T)-0.071354816272600246 * (x) * (x))))
#elif ACTIVATION == ACTIVATION_silu
#define ACTIVATED(x, T, exp, erf, quotient) quotient(x, (T)1 + exp(-(x)))
#else
#define ACTIVATED(x, T, exp, erf, quotient) (x)
#endif

#define PLAIN_QUOTIENT(x, y) ((x) / (y))
#define ACTIVATED_F64(x) ACTIVATED(x, double, exp, erf, PLAIN_QUOTIENT)
#if DTYPE == DTYPE_f64 || SCALED_IN_DOUBLE
#define ACTIVATED_REAL(x) ACTIVATED_F64(x)
#else
#define ACTIVATED_REAL(x) ACTIVATED(x, float, QUICK_EXP, erff, QUICK_QUOTIENT)
#endif

#if BIAS == BIAS_row
#define BIAS_PLACE(m, n) (m)
#else
#define BIAS_PLACE(m, n) (n)
#endif

/* The element (m, n) of C, which is at `place`, from `product`, as a number. */
TW_DEVICE SCALAR finished(SCALAR product, SCALAR beta, TW_GLOBAL const RESULT *place, tw_index m, tw_index n,
                          struct epilogue epilogue)
{
#if SCALED && !BLOCK_SCALED
    product *= OUTER_SCALE(epilogue.a_scales, epilogue.b_scales, m, n);
#endif
    SCALAR x = product;
#if HAS_E
    if (beta != 0)
        x = FMA_SCALAR(beta, FROM_RESULT(epilogue.E[m * epilogue.lde + n]), product);
#else
    if (beta != 0)
        x = FMA_SCALAR(beta, FROM_RESULT(*place), product);
#endif
#if HAS_BIASES
    x += FROM_RESULT(epilogue.biases[BIAS_PLACE(m, n)]);
#endif
    return ACTIVATED_REAL(x);
}
#endif

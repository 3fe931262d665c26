/* Several products of one shape: the z of a block says which of the matrices are its own. */

#define BATCHED (BATCH > 1)
#define GROUPED 0 /* see groups.cu */

#if BATCHED
#if HAS_E
#define E_BATCH_PARAMETER , int stride_e
#define E_TO_LAYER() E += (tw_index)blockIdx.z * stride_e
#else
#define E_BATCH_PARAMETER
#define E_TO_LAYER()
#endif
/* Behind all other parameters. */
#define BATCH_PARAMETERS , int stride_a, int stride_b, int stride_c E_BATCH_PARAMETER
/* First in a kernel's body, of which the pointers are then its own matrices'. */
#define TO_LAYER()                                                                               \
    A += (tw_index)blockIdx.z * stride_a;                                                        \
    B += (tw_index)blockIdx.z * stride_b;                                                        \
    C += (tw_index)blockIdx.z * stride_c;                                                        \
    E_TO_LAYER()
#else
#define BATCH_PARAMETERS
#endif

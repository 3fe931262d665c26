/* What gemm's kernels on Hopper's tensor cores multiply: how wide elements and results are, what sums are, and
 * what the instruction calls it all. f32 is multiplied as tf32, or as the planes that it was split into (split_number.cu). */

#if PLANES
#define OPERAND_SIZE PLANE_BYTES
#if PLANE_BYTES == 2
#define TYPE_OF_A "bf16"
#define TYPE_OF_B "bf16"
#else
#define TYPE_OF_A "tf32"
#define TYPE_OF_B "tf32"
#endif
#elif DTYPE == DTYPE_f32
#define OPERAND_SIZE 4
#define TYPE_OF_A "tf32"
#define TYPE_OF_B "tf32"
#elif DTYPE == DTYPE_i8
#define OPERAND_SIZE 1
#define TYPE_OF_A "s8"
#define TYPE_OF_B "s8"
#elif DTYPE == DTYPE_e4m3
#define OPERAND_SIZE 1
#define TYPE_OF_A "e4m3"
#elif DTYPE == DTYPE_e5m2
#define OPERAND_SIZE 1
#define TYPE_OF_A "e5m2"
#elif DTYPE == DTYPE_bf16
#define OPERAND_SIZE 2
#define TYPE_OF_A "bf16"
#define TYPE_OF_B "bf16"
#else
#define OPERAND_SIZE 2
#define TYPE_OF_A "f16"
#define TYPE_OF_B "f16"
#endif

#if OPERAND_SIZE == 1 && DTYPE != DTYPE_i8
#if BTYPE == BTYPE_e4m3
#define TYPE_OF_B "e4m3"
#elif BTYPE == BTYPE_e5m2
#define TYPE_OF_B "e5m2"
#else
#define TYPE_OF_B TYPE_OF_A
#endif
#endif

/* Results of two bytes are their bits; those of four are numbers, in the registers that the sums are in. */
#if DTYPE == DTYPE_i8
#define WGMMA_RESULT "s32"
#define WGMMA_IN_OUT "+r"
#define WGMMA_OUT "=r"
typedef int sum_type;
#else
#define WGMMA_RESULT "f32"
#define WGMMA_IN_OUT "+f"
#define WGMMA_OUT "=f"
typedef float sum_type;
#endif

#if WHOLE_RESULTS
#define RESULT_SIZE 4
#define WORD_BITS(x) (tw_u32)(x)
typedef int result_type;
#elif DTYPE == DTYPE_f32 || CTYPE == CTYPE_f32
#define RESULT_SIZE 4
#define WORD_BITS(x) __float_as_uint(x)
typedef float result_type;
#else
#define RESULT_SIZE 2
typedef tw_u16 result_type;
#endif
#if DTYPE == DTYPE_f16 || CTYPE == CTYPE_f16
#define RESULT_BF16 0
#else
#define RESULT_BF16 1
#endif

/* Elements of K in the 128 bytes of a stage's rows, of which an instruction takes 32; rows of planes may be shorter, and
 * SHALLOW stages have 64. */
#if PLANES
#define STEP BK
#elif SHALLOW
#define STEP (64 / OPERAND_SIZE)
#define STEP_INSTRUCTIONS 2
#else
#define STEP (128 / OPERAND_SIZE)
#define STEP_INSTRUCTIONS 4
#endif

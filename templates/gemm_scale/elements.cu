/* What a matrix consists of, and what its elements are multiplied in. */
#if DTYPE == DTYPE_f64
typedef double real;
#define ELEMENT double
#define LOADED(x) (x)
#define STORED(x) (x)
#elif DTYPE == DTYPE_i32
typedef double real;
#define ELEMENT int
#define LOADED(x) (double)(x)
#define STORED(x) (int)fmin(fmax(rint(x), -2147483648.0), 2147483647.0)
#else
typedef float real;
#if DTYPE == DTYPE_f16
#define ELEMENT tw_f16
#define LOADED(x) tw_f16_to_f32(x)
#define STORED(x) tw_f32_to_f16(x)
#elif DTYPE == DTYPE_bf16
#define ELEMENT tw_bf16
#define LOADED(x) tw_bf16_to_f32(x)
#define STORED(x) tw_f32_to_bf16(x)
#else
#define ELEMENT float
#define LOADED(x) (x)
#define STORED(x) (x)
#endif
#endif

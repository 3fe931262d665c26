/* Types of gemm/operands.cu and gemm/epilogue.cu that a convolution has not: numbers that none of its own has. */
#define DTYPE_e4m3 7
#define DTYPE_e5m2 8
#define DTYPE_i8 9

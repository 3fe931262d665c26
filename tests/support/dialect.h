/* Kernels that use all that the prelude's extensions provide: test_dialect runs them, and
 * test_nvrtc compiles them where there is no GPU. */
#ifndef TESTS_SUPPORT_DIALECT_H
#define TESTS_SUPPORT_DIALECT_H

#include "tests/support/support.h"

/* function, its double form on the host, where it is tried: from, to */
#define DIALECT_UNARY(X)                                                                           \
    X(acosf, acos, -1, 1)                                                                          \
    X(asinf, asin, -1, 1)                                                                          \
    X(atanf, atan, -20, 20)                                                                        \
    X(cbrtf, cbrt, -20, 20)                                                                        \
    X(ceilf, ceil, -5, 5)                                                                          \
    X(cosf, cos, -10, 10)                                                                          \
    X(coshf, cosh, -5, 5)                                                                          \
    X(erfcf, erfc, -2, 3)                                                                          \
    X(erff, erf, -3, 3)                                                                            \
    X(exp10f, exp10, -10, 10)                                                                      \
    X(exp2f, exp2, -30, 30)                                                                        \
    X(expf, exp, -30, 30)                                                                          \
    X(expm1f, expm1, -2, 2)                                                                        \
    X(fabsf, fabs, -5, 5)                                                                          \
    X(floorf, floor, -5, 5)                                                                        \
    X(log10f, log10, 0.01, 100)                                                                    \
    X(log1pf, log1p, -0.5, 10)                                                                     \
    X(log2f, log2, 0.01, 100)                                                                      \
    X(logf, log, 0.01, 100)                                                                        \
    X(rintf, rint, -5, 5)                                                                          \
    X(roundf, round, -5, 5)                                                                        \
    X(rsqrtf, 1 / sqrt, 0.01, 100)                                                                 \
    X(sinf, sin, -10, 10)                                                                          \
    X(sinhf, sinh, -5, 5)                                                                          \
    X(sqrtf, sqrt, 0, 100)                                                                         \
    X(tanf, tan, -1.5, 1.5)                                                                        \
    X(tanhf, tanh, -5, 5)                                                                          \
    X(truncf, trunc, -5, 5)
/* Of two arguments: x as above, y from -3 to 4. */
#define DIALECT_BINARY(X)                                                                          \
    X(atan2f, atan2, -5, 5)                                                                        \
    X(copysignf, copysign, -5, 5)                                                                  \
    X(fmaxf, fmax, -5, 5)                                                                          \
    X(fminf, fmin, -5, 5)                                                                          \
    X(fmodf, fmod, -5, 5)                                                                          \
    X(hypotf, hypot, -5, 5)                                                                        \
    X(powf, pow, 0.1, 10)
/* Of doubles. */
#define DIALECT_DOUBLE(X)                                                                          \
    X(cos, cos, -10, 10)                                                                           \
    X(exp, exp, -30, 30)                                                                           \
    X(fabs, fabs, -5, 5)                                                                           \
    X(floor, floor, -5, 5)                                                                         \
    X(log, log, 0.01, 100)                                                                         \
    X(rsqrt, 1 / sqrt, 0.01, 100)                                                                  \
    X(sin, sin, -10, 10)                                                                           \
    X(sqrt, sqrt, 0, 100)                                                                          \
    X(tanh, tanh, -5, 5)
#define DIALECT_DOUBLE_BINARY(X)                                                                   \
    X(fmax, fmax, -5, 5)                                                                           \
    X(fmin, fmin, -5, 5)                                                                           \
    X(pow, pow, 0.1, 10)

enum { DIALECT_COUNT = 256 }; /* arguments, of one block of threads each */

#define DIALECT_ROW(function, host, from, to)                                                      \
    "    out[row * n + i] = " #function "(x[row * n + i]);\n    row++;\n"
#define DIALECT_ROW_BINARY(function, host, from, to)                                               \
    "    out[row * n + i] = " #function "(x[row * n + i], y[i]);\n    row++;\n"
/* out and x have a row of `n` for each function. */
#define DIALECT_MATHS(name, type, unary, binary)                                                   \
    "TW_KERNEL(" #name ")\n(TW_GLOBAL " #type " *out, TW_GLOBAL const " #type " *x,\n"             \
    " TW_GLOBAL const " #type                                                                      \
    " *y, int n)\n{\n    int i = (int)threadIdx.x, row = 0;\n" unary(DIALECT_ROW)                  \
        binary(DIALECT_ROW_BINARY) "}\n"

static const char dialect_maths[] =
    DIALECT_MATHS(dialect_maths, float, DIALECT_UNARY, DIALECT_BINARY);
static const char dialect_doubles[] =
    DIALECT_MATHS(dialect_doubles, double, DIALECT_DOUBLE, DIALECT_DOUBLE_BINARY);

/* Each line is a truth about numbers that are none: zero and one come as arguments, so that nothing
 * is known before it runs. */
static const char dialect_special[] =
    "TW_KERNEL(dialect_special)(TW_GLOBAL int *holds, float zero, float one)\n{\n"
    "    float infinite = one / zero, none = zero / zero;\n"
    "    holds[0] = INFINITY == infinite && -INFINITY == -infinite && infinite > 3.4e38f;\n"
    "    holds[1] = isnan(NAN * one) && isnan(none) && !isnan(one) && !isnan(infinite);\n"
    "    holds[2] = isinf(infinite) && isinf(-infinite) && !isinf(none) && !isinf(one);\n"
    "    holds[3] = isfinite(one) && !isfinite(infinite) && !isfinite(none);\n"
    "    holds[4] = fmaxf(none, one) == one && fmaxf(one, none) == one;\n"
    "    holds[5] = fminf(none, one) == one && fminf(one, none) == one;\n"
    "    holds[6] = expf(-INFINITY * one) == 0 && isinf(expf(200 * one));\n"
    "    holds[7] = logf(zero) == -INFINITY && isnan(logf(-one)) && isnan(sqrtf(-one));\n"
    "    holds[8] = fabsf(tanhf(infinite) - 1) < 1e-6f && tanhf(-infinite) < -0.999999f;\n"
    "    holds[9] = isinf(rsqrtf(zero));\n"
    "    holds[10] = powf(zero, zero) == 1;\n"
    "    holds[11] = sqrtf(4) == 2 && expf(0) == 1 && fmaxf(2, 3) == 3;\n" /* integers are taken */
    "}\n";
enum { DIALECT_SPECIALS = 12 };

/* ELEMENT and SUFFIX are #defines before it. A row of `out` for each of eight results. */
static const char dialect_lanes[] =
    "#define JOIN(a, b) a##b\n#define NAMED(a, b) JOIN(a, b)\n"
    "TW_DEVICE ELEMENT range(tw_subgroup group, ELEMENT value, int width)\n{\n"
    "    return NAMED(tw_subgroup_max_, SUFFIX)(group, value, width) -\n"
    "           NAMED(tw_subgroup_min_, SUFFIX)(group, value, width);\n}\n"
    "TW_KERNEL(dialect_lanes)\n"
    "(TW_GLOBAL ELEMENT *out, TW_GLOBAL const ELEMENT *in, int width, int number)\n{\n"
    "    TW_SHARED(ELEMENT, before, TW_BLOCK_X * TW_BLOCK_Y * TW_BLOCK_Z);\n"
    "    TW_SUBGROUP(group);\n"
    "    int n = (int)gridDim.x * TW_BLOCK_X * TW_BLOCK_Y * TW_BLOCK_Z;\n"
    "    int thread = (int)(threadIdx.x + TW_BLOCK_X * (threadIdx.y + TW_BLOCK_Y * threadIdx.z));\n"
    "    int i = (int)blockIdx.x * TW_BLOCK_X * TW_BLOCK_Y * TW_BLOCK_Z + thread;\n"
    "    before[thread] = in[i];\n"
    "    __syncthreads();\n"
    "    ELEMENT value = before[thread];\n"
    "    out[i] = NAMED(tw_shuffle_, SUFFIX)(group, value, number, width);\n"
    "    out[n + i] = NAMED(tw_shuffle_xor_, SUFFIX)(group, value, number & (width - 1), width);\n"
    "    out[2 * n + i] = NAMED(tw_shuffle_up_, SUFFIX)(group, value, number, width);\n"
    "    out[3 * n + i] = NAMED(tw_shuffle_down_, SUFFIX)(group, value, number, width);\n"
    "    out[4 * n + i] = NAMED(tw_subgroup_sum_, SUFFIX)(group, value, width);\n"
    "    out[5 * n + i] = NAMED(tw_subgroup_max_, SUFFIX)(group, value, width);\n"
    "    out[6 * n + i] = NAMED(tw_subgroup_min_, SUFFIX)(group, value, width);\n"
    "    out[7 * n + i] = range(group, value, width);\n"
    "}\n";
enum { DIALECT_LANE_RESULTS = 8 };

/* A thread's number is i. What each word of `ints`, `uints` and `floats` must hold in the end is in
 * test_dialect; `tickets` has a row for each operation whose old value is a turn of one's own. */
static const char dialect_atomics[] =
    "TW_KERNEL(dialect_atomics)\n"
    "(TW_GLOBAL int *ints, TW_GLOBAL tw_u32 *uints, TW_GLOBAL float *floats, TW_GLOBAL int "
    "*tickets)\n"
    "{\n"
    "    TW_SHARED(int, mine, 8);\n"
    "    TW_LOCAL float *sum = (TW_LOCAL float *)(mine + 7);\n"
    "    int n = (int)gridDim.x * TW_BLOCK_X, i = (int)(blockIdx.x * TW_BLOCK_X + threadIdx.x);\n"
    "    if (threadIdx.x < 7)\n        mine[threadIdx.x] = 0;\n"
    "    if (threadIdx.x == 7)\n        *sum = 0;\n"
    "    __syncthreads();\n"
    "    tickets[atomicAdd(&ints[0], 1)] = i;\n"
    "    atomicMax(&ints[1], i - 7);\n"
    "    atomicMin(&ints[2], 5 - i);\n"
    "    int before = ints[3], expected;\n"
    "    do {\n        expected = before;\n        before = atomicCAS(&ints[3], expected, expected "
    "+ 2);\n"
    "    } while (before != expected);\n"
    "    tickets[n + before / 2] = i;\n"
    "    atomicSub(&ints[4], 3);\n"
    "    atomicExch(&ints[5], 77);\n"
    "    atomicOr(&ints[6], 1 << i % 30);\n"
    "    atomicAnd(&ints[7], ~(1 << i % 30));\n"
    "    atomicXor(&ints[8], i);\n"
    "    atomicAdd(&uints[0], 3000000000u);\n"
    "    atomicMax(&uints[1], 3000000000u + (tw_u32)i);\n"
    "    atomicMin(&uints[2], 4000000000u - (tw_u32)i);\n"
    "    tickets[2 * n + (int)tw_atomic_add_f32(&floats[0], 1.0f)] = i;\n"
    "    atomicAdd(&mine[0], i);\n"
    "    atomicMax(&mine[1], i);\n"
    "    atomicMin(&mine[2], -i);\n"
    "    if (atomicCAS(&mine[3], 0, 1) == 0)\n        atomicAdd(&ints[9], 1);\n" /* one a block */
    "    tw_atomic_add_shared_f32(sum, 0.5f);\n"
    "    __syncthreads();\n"
    "    if (threadIdx.x == 0) {\n"
    "        atomicAdd(&ints[10], mine[0]);\n"
    "        atomicMax(&ints[11], mine[1]);\n"
    "        atomicMin(&ints[12], mine[2]);\n"
    "        tw_atomic_add_f32(&floats[1], *sum);\n"
    "    }\n"
    "}\n";

#endif

/* What the dialect's small types are made of on CUDA, which converts f16 itself. See common/types.cu. */
typedef signed char tw_i8;
TW_DEVICE tw_u32 tw_float_bits(float x) { return __float_as_uint(x); }
TW_DEVICE float tw_bits_float(tw_u32 bits) { return __uint_as_float(bits); }
#define TW_HAS_F16 1
TW_DEVICE float tw_f16_to_f32(tw_u16 x) {
    float result;
    asm("cvt.f32.f16 %0, %1;" : "=f"(result) : "h"(x));
    return result;
}
TW_DEVICE tw_u16 tw_f32_to_f16(float x) {
    tw_u16 result;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(result) : "f"(x));
    return result;
}

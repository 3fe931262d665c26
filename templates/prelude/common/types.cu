/* Small floating types: kept as the bits that they are, converted where there is arithmetic to do. The
 * same on every device, whatever it has instructions for; tests run this text on the host too.
 *
 * To float is exact. From float rounds to the nearest, ties to even; denormals are kept. What is too large
 * becomes infinite in f16 and bf16 and the largest number in e4m3 (448) and e5m2 (57344), as the
 * conversion instructions of GPUs have it, infinities too. No number stays none. */
typedef tw_u16 tw_f16;   /* 5 bits of exponent, 10 of fraction: IEEE 754 binary16 */
typedef tw_u16 tw_bf16;  /* 8 and 7: the upper half of a float */
typedef tw_u8 tw_e4m3;   /* 4 and 3, no infinities: the FN kind of the OCP 8-bit formats */
typedef tw_u8 tw_e5m2;   /* 5 and 2 */

/* `exponent` and `fraction` are the widths. Shifting a denormal into a float would make a denormal of
 * it, which a device may take for zero; its fraction as a number is exact on all. */
TW_DEVICE tw_u32 tw_widened(tw_u32 magnitude, int exponent, int fraction) {
    int bias = (1 << (exponent - 1)) - 1;
    tw_u32 power = magnitude >> fraction;
    if (power == 0)
        return tw_float_bits((float)(int)magnitude *
                             tw_bits_float((tw_u32)(127 + 1 - bias - fraction) << 23));
    return (magnitude << (23 - fraction)) + ((tw_u32)(127 - bias) << 23);
}

/* Of a finite magnitude that is not too large. */
TW_DEVICE tw_u32 tw_narrowed(tw_u32 magnitude, int exponent, int fraction) {
    int bias = (1 << (exponent - 1)) - 1, shift = 23 - fraction;
    if (magnitude < (tw_u32)(127 + 1 - bias) << 23) {
        /* The sum's last bit is the type's last bit, and adding rounds as it should. */
        tw_u32 unit = (tw_u32)(127 + 1 - bias - fraction + 23) << 23;
        return tw_float_bits(tw_bits_float(magnitude) + tw_bits_float(unit)) - unit;
    }
    tw_u32 even = magnitude >> shift & 1;
    return ((magnitude + even + (((tw_u32)1 << (shift - 1)) - 1)) >> shift) -
           ((tw_u32)(127 - bias) << fraction);
}

#ifndef TW_HAS_F16
TW_DEVICE float tw_f16_to_f32(tw_f16 x) {
    tw_u32 magnitude = (tw_u32)x & 0x7fff, sign = ((tw_u32)x & 0x8000) << 16;
    if (magnitude >= 0x7c00)
        return tw_bits_float(sign | 0x7f800000 | (magnitude & 0x3ff) << 13);
    return tw_bits_float(sign | tw_widened(magnitude, 5, 10));
}

TW_DEVICE tw_f16 tw_f32_to_f16(float x) {
    tw_u32 bits = tw_float_bits(x), magnitude = bits & 0x7fffffff, sign = bits >> 16 & 0x8000;
    if (magnitude > 0x7f800000)
        return (tw_f16)(sign | 0x7e00);
    if (magnitude >= 0x477ff000) /* half of the last step above 65504 */
        return (tw_f16)(sign | 0x7c00);
    return (tw_f16)(sign | tw_narrowed(magnitude, 5, 10));
}
#endif

TW_DEVICE float tw_bf16_to_f32(tw_bf16 x) { return tw_bits_float((tw_u32)x << 16); }

TW_DEVICE tw_bf16 tw_f32_to_bf16(float x) {
    tw_u32 bits = tw_float_bits(x);
    if ((bits & 0x7fffffff) > 0x7f800000)
        return (tw_bf16)(bits >> 16 | 0x40);
    return (tw_bf16)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

TW_DEVICE float tw_e4m3_to_f32(tw_e4m3 x) {
    tw_u32 magnitude = (tw_u32)x & 0x7f, sign = ((tw_u32)x & 0x80) << 24;
    if (magnitude == 0x7f)
        return tw_bits_float(sign | 0x7fc00000);
    return tw_bits_float(sign | tw_widened(magnitude, 4, 3));
}

TW_DEVICE tw_e4m3 tw_f32_to_e4m3(float x) {
    tw_u32 bits = tw_float_bits(x), magnitude = bits & 0x7fffffff, sign = bits >> 24 & 0x80;
    if (magnitude > 0x7f800000)
        return (tw_e4m3)(sign | 0x7f);
    if (magnitude >= 0x43e00000) /* 448 */
        return (tw_e4m3)(sign | 0x7e);
    return (tw_e4m3)(sign | tw_narrowed(magnitude, 4, 3));
}

TW_DEVICE float tw_e5m2_to_f32(tw_e5m2 x) {
    tw_u32 magnitude = (tw_u32)x & 0x7f, sign = ((tw_u32)x & 0x80) << 24;
    if (magnitude >= 0x7c)
        return tw_bits_float(sign | 0x7f800000 | (magnitude & 3) << 21);
    return tw_bits_float(sign | tw_widened(magnitude, 5, 2));
}

TW_DEVICE tw_e5m2 tw_f32_to_e5m2(float x) {
    tw_u32 bits = tw_float_bits(x), magnitude = bits & 0x7fffffff, sign = bits >> 24 & 0x80;
    if (magnitude > 0x7f800000)
        return (tw_e5m2)(sign | 0x7f);
    if (magnitude >= 0x47600000) /* 57344 */
        return (tw_e5m2)(sign | 0x7b);
    return (tw_e5m2)(sign | tw_narrowed(magnitude, 5, 2));
}

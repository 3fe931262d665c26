/* An f32 number as the sum of PLANES numbers that tensor cores take: of bf16 (PLANE_BYTES 2), of which three hold all
 * its 24 bits, or of tf32 (4), of which two hold 22 or more (Ootomo and Yokota, 2022). Each is the nearest to what those
 * before it leave, so that what is dropped, products of small parts among it, has either sign.
 *
 * A part that is smaller than its type's least number is lost: with bf16, numbers below 2^-110 may lose bits. Where
 * UNSPLIT_MARKED, such a number becomes NaN, as what is infinite makes NaN of its products, and the product's kernel
 * forms sums again that are not finite. */

#if PLANE_BYTES == 2
#define CUT 16
#else
#define CUT 13
#endif
#define KEPT (0xFFFFFFFFu << CUT)
#define NOT_FINITE(bits) (((bits)&0x7F800000u) == 0x7F800000u)

/* The nearest of a plane's numbers, ties to even. */
TW_DEVICE float nearest_part(float x)
{
    const tw_u32 bits = tw_float_bits(x);
    return tw_bits_float((bits + ((1u << (CUT - 1)) - 1) + (bits >> CUT & 1)) & KEPT);
}

/* The parts as bits of f32, which end in zeros. */
TW_DEVICE void split_number(float x, tw_u32 parts[PLANES])
{
    const tw_u32 bits = tw_float_bits(x);
    float part = nearest_part(x), rest;
    TW_UNROLL
    for (int i = 1; i < PLANES; i++)
        parts[i] = 0;
    if (NOT_FINITE(bits)) {
        parts[0] = bits & 0x7FFFFFu ? 0x7FC00000u : bits;
        return;
    }
    /* The greatest numbers are cut, for rounded they would be infinite. */
    if (NOT_FINITE(tw_float_bits(part)))
        part = tw_bits_float(bits & KEPT);
    parts[0] = tw_float_bits(part);
    rest = x - part;
    TW_UNROLL
    for (int i = 1; i < PLANES; i++) {
        part = nearest_part(rest);
        parts[i] = tw_float_bits(part);
        rest -= part;
    }
    if (UNSPLIT_MARKED && rest != 0)
        parts[0] = 0x7FC00000u;
}

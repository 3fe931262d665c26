/* f32 numbers as sums of numbers that tensor cores take: gemm's template, whose text is compiled
 * here as C, for three planes of bf16, two of bf16 and two of tf32. */
#include <math.h>

#include "tests/support/support.h"

/* The dialect on the host. */
typedef uint32_t tw_u32;
#define TW_DEVICE static inline
#define TW_UNROLL

TW_DEVICE tw_u32 tw_float_bits(float x) {
    tw_u32 bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

TW_DEVICE float tw_bits_float(tw_u32 bits) {
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

#define PLANE_BYTES 2
#define PLANES 3
#define UNSPLIT_MARKED 1
#define split_number split_in_three
#include "templates/gemm/split_number.cu"
#undef PLANES
#undef UNSPLIT_MARKED
#undef split_number

#define PLANES 2
#define UNSPLIT_MARKED 0
#define split_number split_in_two
#define nearest_part nearest_part_in_two
#include "templates/gemm/split_number.cu"
#undef PLANE_BYTES
#undef CUT
#undef split_number
#undef nearest_part

#define PLANE_BYTES 4
#define split_number split_in_tf32
#define nearest_part nearest_part_in_tf32
#include "templates/gemm/split_number.cu"

struct way {
    int planes, cut;
    void (*split)(float x, tw_u32 *parts);
    double lost; /* at most, of the number */
};

static const struct way ways[] = {
    {3, 16, split_in_three, 0}, {2, 16, split_in_two, 0x1p-17}, {2, 13, split_in_tf32, 0x1p-23}};
enum { WAYS = sizeof ways / sizeof *ways };

static double sum_of(const struct way *w, float x, tw_u32 parts[3]) {
    double sum = 0;
    w->split(x, parts);
    for (int i = 0; i < w->planes; i++) {
        if (parts[i] & ((1U << w->cut) - 1))
            fail_msg("part %d of %a is %a", i, x, tw_bits_float(parts[i]));
        sum += tw_bits_float(parts[i]);
    }
    return sum;
}

/* Every exponent that leaves room for the small parts, and fractions on either side of a half. */
static void parts_add_up(void **state) {
    (void)state;
    static const tw_u32 ends[] = {0, 1, 0x7FFF, 0x8000, 0x8001, 0x7FFFFF, 0x7F8000, 0x7F7FFF};
    tw_u32 parts[3], random = 12345;
    for (int w = 0; w < WAYS; w++)
        for (tw_u32 exponent = 127 - 109; exponent < 255; exponent++)
            for (int i = 0; i < 300; i++) {
                random = random * 1664525 + 1013904223;
                tw_u32 fraction = i < (int)(sizeof ends / sizeof *ends) ? ends[i] : random >> 9;
                float x = tw_bits_float(random << 31 | exponent << 23 | fraction);
                double lost = fabs(x - sum_of(&ways[w], x, parts));
                double most = ways[w].lost * fabs(x) * (exponent == 254 ? 2 : 1);
                if (lost > most)
                    fail_msg("%d planes lose %a of %a", ways[w].planes, lost, x);
                /* What is left over is small: the nearest was taken, but of the greatest. */
                if (fabsf(tw_bits_float(parts[1])) >
                    fabsf(x) * (exponent == 254 ? 0x1p-7F : 0x1p-8F))
                    fail_msg("the second part of %a is %a", x, tw_bits_float(parts[1]));
            }
}

static void what_is_not_finite_stays_so(void **state) {
    (void)state;
    tw_u32 parts[3];
    for (int w = 0; w < WAYS; w++) {
        assert_true(sum_of(&ways[w], INFINITY, parts) == INFINITY);
        assert_true(sum_of(&ways[w], -INFINITY, parts) == -INFINITY);
        assert_int_equal(parts[1], 0);
        assert_true(isnan(sum_of(&ways[w], NAN, parts)));
        assert_true(isnan(sum_of(&ways[w], tw_bits_float(0xFF800001), parts)));
        assert_int_equal(parts[1], 0);
        assert_true(sum_of(&ways[w], 0, parts) == 0);
        assert_int_equal(parts[0] | parts[1], 0);
        sum_of(&ways[w], -0.0F, parts);
        assert_int_equal(parts[0], 0x80000000);
    }
}

/* Too small for the last part: marked where asked for, else the nearest that there is. */
static void small_numbers(void **state) {
    (void)state;
    tw_u32 parts[3];
    const float held = 0x1.02p-126F, lost = 0x1.23456p-120F;
    for (int w = 0; w < WAYS; w++)
        assert_true(sum_of(&ways[w], held, parts) == held);
    assert_true(isnan(sum_of(&ways[0], lost, parts)));
    assert_true(isnan(sum_of(&ways[0], 0x1p-149F, parts)));
    assert_true(fabs(sum_of(&ways[1], lost, parts) - lost) <= 0x1p-134);
    assert_true(sum_of(&ways[1], 0x1p-149F, parts) == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_add_up),
        cmocka_unit_test(what_is_not_finite_stays_so),
        cmocka_unit_test(small_numbers),
    };
    return cmocka_run_group_tests_name("split number", tests, NULL, NULL);
}

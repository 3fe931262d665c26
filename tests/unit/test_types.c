/* Small element types: the host's conversions and the dialect's, whose text is compiled here as C,
 * held against values counted out by hand: every bit pattern, and every float where rounding turns.
 */
#include <math.h>

#include "runtime/description/types.h"
#include "tests/support/support.h"

/* The dialect on the host. */
typedef uint8_t tw_u8;
typedef uint16_t tw_u16;
typedef uint32_t tw_u32;
#define TW_DEVICE static inline

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

#include "templates/prelude/common/types.cu"

struct small {
    enum tw_type type;
    int bits, fraction;
    bool has_infinity, saturates;
    float (*widen)(unsigned bits);
    unsigned (*narrow)(float x);
};

#define SMALL(type)                                                                                \
    static float widen_##type(unsigned bits) {                                                     \
        return tw_##type##_to_f32((tw_##type)bits);                                                \
    }                                                                                              \
    static unsigned narrow_##type(float x) {                                                       \
        return tw_f32_to_##type(x);                                                                \
    }
SMALL(f16)
SMALL(bf16)
SMALL(e4m3)
SMALL(e5m2)

static const struct small smalls[] = {
    {TW_TYPE_f16, 16, 10, true, false, widen_f16, narrow_f16},
    {TW_TYPE_bf16, 16, 7, true, false, widen_bf16, narrow_bf16},
    {TW_TYPE_e4m3, 8, 3, false, true, widen_e4m3, narrow_e4m3},
    {TW_TYPE_e5m2, 8, 2, true, true, widen_e5m2, narrow_e5m2},
};
enum { SMALLS = sizeof smalls / sizeof *smalls };

static unsigned sign_of(const struct small *s) {
    return 1U << (s->bits - 1);
}

/* The first magnitude that is no finite number. */
static unsigned end_of(const struct small *s) {
    return s->has_infinity ? sign_of(s) - (1U << s->fraction) : sign_of(s) - 1;
}

/* The magnitudes in order, by counting: from zero on the steps are all alike, and double each time
 * that as many have been taken as a fraction has values. */
static double *counted(const struct small *s) {
    unsigned end = end_of(s), per = 1U << s->fraction;
    double *values = calloc(end, sizeof *values);
    int bias = (1 << (s->bits - 2 - s->fraction)) - 1;
    double step = ldexp(1, 1 - bias - s->fraction);
    assert_non_null(values);
    for (unsigned i = 1; i < end; i++) {
        values[i] = values[i - 1] + step;
        if ((i + 1) % per == 1 % per && i >= 2 * per)
            step *= 2;
        else if (i + 1 == 2 * per + 1)
            step *= 2;
    }
    return values;
}

static double decoded(const struct small *s, unsigned bits) {
    unsigned char bytes[8] = {(unsigned char)bits, (unsigned char)(bits >> 8)};
    return tw_type_decode(s->type, bytes);
}

static unsigned encoded(const struct small *s, double number) {
    unsigned char bytes[8] = {0};
    assert_int_equal(tw_type_encode(s->type, number, bytes), (size_t)s->bits / 8);
    return bytes[0] | (unsigned)bytes[1] << 8;
}

static void every_pattern_is_its_value(void **state) {
    (void)state;
    for (int k = 0; k < SMALLS; k++) {
        const struct small *s = &smalls[k];
        double *values = counted(s);
        for (unsigned bits = 0; bits < 1U << s->bits; bits++) {
            unsigned magnitude = bits & (sign_of(s) - 1);
            double host = decoded(s, bits), dialect = (double)s->widen(bits);
            if (magnitude < end_of(s)) {
                double value = bits & sign_of(s) ? -values[magnitude] : values[magnitude];
                assert_true(host == value && signbit(host) == signbit(value));
                assert_true(dialect == value && signbit(dialect) == signbit(value));
                /* And back again. */
                assert_int_equal(encoded(s, value), bits);
                assert_int_equal(s->narrow((float)value), bits);
            } else if (s->has_infinity && magnitude == end_of(s)) {
                assert_true(isinf(host) && isinf(dialect));
                assert_true(!signbit(host) == !(bits & sign_of(s)));
                assert_true(signbit(host) == signbit(dialect));
            } else {
                assert_true(isnan(host) && isnan(dialect));
                assert_true(isnan(decoded(s, encoded(s, host))));
                assert_true(isnan(s->widen(s->narrow((float)dialect))));
            }
        }
        /* All ones, what is unwritten, are no number. */
        assert_true(isnan(decoded(s, (1U << s->bits) - 1)));
        free(values);
    }
}

static void assert_rounds(const struct small *s, float x, unsigned bits) {
    if (s->narrow(x) != bits || encoded(s, (double)x) != bits)
        fail_msg("%s: %a is %x in the dialect and %x on the host in place of %x",
                 tw_type_info(s->type)->word, (double)x, s->narrow(x), encoded(s, (double)x), bits);
}

/* Between neighbours, in the middle and the floats right beside it. */
static void rounding_is_to_even(void **state) {
    (void)state;
    for (int k = 0; k < SMALLS; k++) {
        const struct small *s = &smalls[k];
        double *values = counted(s);
        for (unsigned i = 0; i + 1 < end_of(s); i++) {
            double middle = values[i] + (values[i + 1] - values[i]) / 2;
            float x = (float)middle;
            assert_true((double)x == middle);
            unsigned even = i % 2 == 0 ? i : i + 1, sign = sign_of(s);
            assert_rounds(s, x, even);
            assert_rounds(s, -x, even | sign);
            assert_rounds(s, nextafterf(x, INFINITY), i + 1);
            assert_rounds(s, -nextafterf(x, INFINITY), (i + 1) | sign);
            assert_rounds(s, nextafterf(x, 0), i);
            assert_rounds(s, -nextafterf(x, 0), i | sign);
        }
        free(values);
    }
}

static void ends_of_the_range(void **state) {
    (void)state;
    for (int k = 0; k < SMALLS; k++) {
        const struct small *s = &smalls[k];
        double *values = counted(s);
        unsigned last = end_of(s) - 1, above = s->saturates ? last : end_of(s);
        double largest = values[last], step = largest - values[last - 1];
        float turn = (float)(largest + step / 2);
        assert_rounds(s, nextafterf(turn, 0), last);
        assert_rounds(s, turn, above);
        assert_rounds(s, -turn, above | sign_of(s));
        assert_rounds(s, INFINITY, above);
        assert_rounds(s, -INFINITY, above | sign_of(s));
        assert_rounds(s, 0x1.fffffep127f, above);
        assert_rounds(s, 0.0F, 0);
        assert_rounds(s, -0.0F, sign_of(s));
        assert_rounds(s, 0x1p-149F, 0);
        assert_rounds(s, -0x1p-140F, sign_of(s));
        free(values);
    }
}

/* The host rounds once: a double just off the middle is not first made a float on it. */
static void the_host_rounds_doubles_once(void **state) {
    (void)state;
    for (int k = 0; k < SMALLS; k++) {
        const struct small *s = &smalls[k];
        double *values = counted(s);
        unsigned i = end_of(s) / 2 | 1;
        double middle = values[i] + (values[i + 1] - values[i]) / 2;
        assert_int_equal(encoded(s, nextafter(middle, 0)), i);
        assert_int_equal(encoded(s, nextafter(middle, INFINITY)), i + 1);
        free(values);
    }
}

static void other_types_come_back(void **state) {
    (void)state;
    static const double numbers[] = {0, 1, -1, 100, -100, 127, -128, 0.5, 250};
    static const struct {
        enum tw_type type;
        double least, most;
    } types[] = {
        {TW_TYPE_u8, 0, 255},       {TW_TYPE_u16, 0, 65535},    {TW_TYPE_u32, 0, 1e9},
        {TW_TYPE_u64, 0, 1e15},     {TW_TYPE_i8, -128, 127},    {TW_TYPE_i32, -1e9, 1e9},
        {TW_TYPE_i64, -1e15, 1e15}, {TW_TYPE_f32, -1e30, 1e30}, {TW_TYPE_f64, -1e300, 1e300}};
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        const struct tw_type_info *info = tw_type_info(types[t].type);
        assert_int_equal(tw_type_from_word(info->word), types[t].type);
        assert_false(info->converted);
        for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
            unsigned char bytes[8];
            bool held = numbers[i] >= types[t].least && numbers[i] <= types[t].most &&
                        (info->floating || numbers[i] == floor(numbers[i]));
            if (!held)
                continue;
            assert_int_equal(tw_type_encode(types[t].type, numbers[i], bytes), info->bytes);
            assert_true(tw_type_decode(types[t].type, bytes) == numbers[i]);
        }
    }
    assert_int_equal(tw_type_from_word("f17"), -1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_pattern_is_its_value),
        cmocka_unit_test(rounding_is_to_even),
        cmocka_unit_test(ends_of_the_range),
        cmocka_unit_test(the_host_rounds_doubles_once),
        cmocka_unit_test(other_types_come_back),
    };
    return cmocka_run_group_tests_name("types", tests, NULL, NULL);
}

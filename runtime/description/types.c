#include "runtime/description/types.h"

#include <math.h>
#include <string.h>

/* A floating type of few bits. */
struct format {
    int exponent, fraction; /* bits */
    double largest;
    bool saturates; /* has what is too large become the largest number */
    int none;       /* the bits of no number, without a sign */
    int infinite;   /* likewise; -1: it has no infinities */
};

static const struct format formats[TW_TYPE_COUNT] = {
    [TW_TYPE_f16] = {5, 10, 65504, false, 0x7e00, 0x7c00},
    [TW_TYPE_bf16] = {8, 7, 0x1.fep127, false, 0x7fc0, 0x7f80},
    [TW_TYPE_e4m3] = {4, 3, 448, true, 0x7f, -1},
    [TW_TYPE_e5m2] = {5, 2, 57344, true, 0x7f, 0x7c},
};

static const struct tw_type_info types[] = {
#define TW_TYPE_ROW(word, bytes, dialect, floating, is_signed)                                     \
    {#word, bytes, dialect, floating, is_signed, floating && bytes <= 2},
    TW_TYPES(TW_TYPE_ROW)
#undef TW_TYPE_ROW
};

const struct tw_type_info *tw_type_info(enum tw_type type) {
    return &types[type];
}

int tw_type_from_word(const char *word) {
    for (int i = 0; i < TW_TYPE_COUNT; i++)
        if (strcmp(types[i].word, word) == 0)
            return i;
    return -1;
}

/* The bits of a magnitude that is not too large. */
static int narrow(const struct format *f, double magnitude) {
    int bias = (1 << (f->exponent - 1)) - 1, power;
    if (magnitude == 0)
        return 0;
    frexp(magnitude, &power);
    power = power - 1 < 1 - bias ? 1 - bias : power - 1;
    /* Rounds to even, as the host does unless it is told otherwise. A fraction that rounds up to
     * the next power of two carries into the exponent, as it should. */
    int steps = (int)nearbyint(ldexp(magnitude, f->fraction - power));
    return ((power + bias - 1) << f->fraction) + steps;
}

static int encode_small(const struct format *f, double number) {
    int sign = signbit(number) ? 1 << (f->exponent + f->fraction) : 0;
    double magnitude = fabs(number);
    if (isnan(number))
        return sign | f->none;
    /* A step is that of the numbers below the largest. */
    double step = ldexp(1, ilogb(f->largest) - f->fraction);
    if (f->saturates)
        return sign | narrow(f, fmin(magnitude, f->largest));
    return sign | (magnitude >= f->largest + step / 2 ? f->infinite : narrow(f, magnitude));
}

static double decode_small(const struct format *f, int bits) {
    int bias = (1 << (f->exponent - 1)) - 1, sign_bit = 1 << (f->exponent + f->fraction);
    int magnitude = bits & (sign_bit - 1), power = magnitude >> f->fraction;
    int fraction = magnitude & ((1 << f->fraction) - 1);
    double value;
    if (f->infinite >= 0 ? magnitude > f->infinite : magnitude == f->none)
        value = NAN;
    else if (magnitude == f->infinite)
        value = INFINITY;
    else if (power == 0)
        value = ldexp(fraction, 1 - bias - f->fraction);
    else
        value = ldexp(fraction + (1 << f->fraction), power - bias - f->fraction);
    return bits & sign_bit ? -value : value;
}

size_t tw_type_encode(enum tw_type type, double number, unsigned char out[8]) {
    size_t bytes = types[type].bytes;
    if (type == TW_TYPE_f32) {
        float value = (float)number;
        memcpy(out, &value, bytes);
    } else if (type == TW_TYPE_f64) {
        memcpy(out, &number, bytes);
    } else {
        /* Little-endian hosts, which is every host that CUDA and PoCL have. */
        int64_t value =
            types[type].converted ? encode_small(&formats[type], number) : (int64_t)number;
        memcpy(out, &value, bytes);
    }
    return bytes;
}

double tw_type_decode(enum tw_type type, const unsigned char *bytes) {
    size_t size = types[type].bytes;
    if (type == TW_TYPE_f32) {
        float value;
        memcpy(&value, bytes, size);
        return (double)value;
    }
    if (type == TW_TYPE_f64) {
        double value;
        memcpy(&value, bytes, size);
        return value;
    }
    uint64_t bits = 0;
    memcpy(&bits, bytes, size);
    if (types[type].converted)
        return decode_small(&formats[type], (int)bits);
    if (!types[type].is_signed)
        return (double)bits;
    int unused = 64 - 8 * (int)size;
    return (double)((int64_t)(bits << unused) >> unused);
}

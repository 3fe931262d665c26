/* Internal to the room: trees as strings, which take a third of the room of lists and a tenth of
 * the time to read.
 *
 * A node is five digits to the base of 64, most significant first, of the alphabet of base64. From
 * the top of its 30 bits: a node that is no leaf has a 0, its feature (7 bits), the place of its
 * value in the feature's "cuts" (11) and how many nodes on the right one stands (11; the left one
 * follows). A leaf has a 1, a 1 if it is negative, 22 and the power of ten (8), and what that is
 * multiplied with (20). */
#ifndef TW_PREDICT_PACKED_TREE_H
#define TW_PREDICT_PACKED_TREE_H

#include <stdbool.h>
#include <stdint.h>

enum {
    TW_PACKED_DIGITS = 5,
    TW_PACKED_LEAF = 1 << 29,
    TW_PACKED_NEGATIVE = 1 << 28,
    TW_PACKED_FEATURE = 22, /* bits from where it begins */
    TW_PACKED_CUT = 11,
    TW_PACKED_MOST = (1 << 11) - 1, /* of a cut's place, and of nodes on */
    TW_PACKED_POWER = 20,
    TW_PACKED_MOST_POWER = 22, /* up to which powers of ten are exact */
    TW_PACKED_MOST_TIMES = (1 << 20) - 1
};

/* Of each character one more than what it is worth as a digit; 0: it is none. */
extern const uint8_t tw_packed_digits[256];

/* A node; false: there are no five digits. What ends too early, as the text may, has none there. */
static inline bool tw_packed_bits(const char *at, uint32_t *bits) {
    *bits = 0;
    for (int i = 0; i < TW_PACKED_DIGITS; i++) {
        const uint8_t digit = tw_packed_digits[(unsigned char)at[i]];
        if (digit == 0)
            return false;
        *bits = *bits << 6 | (uint32_t)(digit - 1);
    }
    return true;
}

/* What a leaf says; false: a power of ten that none is written with. */
bool tw_packed_leaf(uint32_t bits, double *value);

#endif

/* Element types that arguments can have. */
#ifndef TW_DESCRIPTION_TYPES_H
#define TW_DESCRIPTION_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* word in a description, bytes, name in the template dialect, floating?, signed? The small floating
 * types are kept as bits there; templates/prelude/common/types.cu says what they are. */
#define TW_TYPES(X)                                                                                \
    X(u8, 1, "tw_u8", 0, 0)                                                                        \
    X(u16, 2, "tw_u16", 0, 0)                                                                      \
    X(u32, 4, "tw_u32", 0, 0)                                                                      \
    X(u64, 8, "tw_u64", 0, 0)                                                                      \
    X(i8, 1, "tw_i8", 0, 1)                                                                        \
    X(i32, 4, "int", 0, 1)                                                                         \
    X(i64, 8, "tw_index", 0, 1)                                                                    \
    X(f32, 4, "float", 1, 1)                                                                       \
    X(f64, 8, "double", 1, 1)                                                                      \
    X(f16, 2, "tw_f16", 1, 1)                                                                      \
    X(bf16, 2, "tw_bf16", 1, 1)                                                                    \
    X(e4m3, 1, "tw_e4m3", 1, 1)                                                                    \
    X(e5m2, 1, "tw_e5m2", 1, 1)

enum tw_type {
#define TW_TYPE_ENUM(word, bytes, dialect, floating, is_signed) TW_TYPE_##word,
    TW_TYPES(TW_TYPE_ENUM)
#undef TW_TYPE_ENUM
        TW_TYPE_COUNT
};

struct tw_type_info {
    const char *word;
    size_t bytes;
    const char *dialect;
    bool floating;
    bool is_signed;
    bool converted; /* the dialect has bits, and functions to and from float */
};

const struct tw_type_info *tw_type_info(enum tw_type type);
/* -1 for a word that names no type. */
int tw_type_from_word(const char *word);
/* Writes `number` as this type to `out` (8 bytes suffice), rounding to the type; returns the size.
 */
size_t tw_type_encode(enum tw_type type, double number, unsigned char out[8]);
/* What bytes of this type are, exact but for 64-bit integers beyond 2^53. */
double tw_type_decode(enum tw_type type, const unsigned char *bytes);

#endif

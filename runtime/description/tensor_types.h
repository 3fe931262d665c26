/* Element types as a copy engine knows them: more than arguments have (tf32), and fewer (integers
 * of 8 bits are all one). */
#ifndef TW_DESCRIPTION_TENSOR_TYPES_H
#define TW_DESCRIPTION_TENSOR_TYPES_H

#include <stddef.h>

#include "runtime/description/types.h"

enum { TW_MAX_RANK = 5 };

/* word in a description, bytes */
#define TW_TENSOR_TYPES(X)                                                                         \
    X(u8, 1)                                                                                       \
    X(u16, 2)                                                                                      \
    X(f16, 2)                                                                                      \
    X(bf16, 2)                                                                                     \
    X(u32, 4)                                                                                      \
    X(i32, 4)                                                                                      \
    X(f32, 4)                                                                                      \
    X(tf32, 4)                                                                                     \
    X(u64, 8)                                                                                      \
    X(i64, 8)                                                                                      \
    X(f64, 8)

enum tw_tensor_type {
#define TW_TENSOR_TYPE_ENUM(word, bytes) TW_TENSOR_##word,
    TW_TENSOR_TYPES(TW_TENSOR_TYPE_ENUM)
#undef TW_TENSOR_TYPE_ENUM
        TW_TENSOR_TYPE_COUNT
};

size_t tw_tensor_type_bytes(enum tw_tensor_type type);
/* -1 for a word that names none. */
int tw_tensor_type_from_word(const char *word);
/* What elements of an argument are to a copy engine: the type of that name, else the first of that
 * size, which only matters where elements outside the tensor are read (they are zeros in all). */
enum tw_tensor_type tw_tensor_type_of(enum tw_type type);

#endif

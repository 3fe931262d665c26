#include "runtime/description/tensor_types.h"

#include <string.h>

static const struct {
    const char *word;
    size_t bytes;
} types[] = {
#define TW_TENSOR_TYPE_ROW(word, bytes) {#word, bytes},
    TW_TENSOR_TYPES(TW_TENSOR_TYPE_ROW)
#undef TW_TENSOR_TYPE_ROW
};

size_t tw_tensor_type_bytes(enum tw_tensor_type type) {
    return types[type].bytes;
}

int tw_tensor_type_from_word(const char *word) {
    for (int i = 0; i < TW_TENSOR_TYPE_COUNT; i++)
        if (strcmp(types[i].word, word) == 0)
            return i;
    return -1;
}

enum tw_tensor_type tw_tensor_type_of(enum tw_type type) {
    const struct tw_type_info *info = tw_type_info(type);
    int named = tw_tensor_type_from_word(info->word);
    if (named >= 0)
        return (enum tw_tensor_type)named;
    for (int i = 0; i < TW_TENSOR_TYPE_COUNT; i++)
        if (types[i].bytes == info->bytes)
            return (enum tw_tensor_type)i;
    return TW_TENSOR_u8;
}

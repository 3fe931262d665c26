#include "runtime/description/types.h"

#include <string.h>

static const struct tw_type_info types[] = {
#define TW_TYPE_ROW(word, bytes, dialect, floating, is_signed)                                     \
    {#word, bytes, dialect, floating, is_signed},
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

size_t tw_type_encode(enum tw_type type, double number, unsigned char out[8]) {
    size_t bytes = types[type].bytes;
    if (type == TW_TYPE_f32) {
        float value = (float)number;
        memcpy(out, &value, bytes);
    } else if (type == TW_TYPE_f64) {
        memcpy(out, &number, bytes);
    } else {
        /* Little-endian hosts, which is every host that CUDA and PoCL have. */
        int64_t value = (int64_t)number;
        memcpy(out, &value, bytes);
    }
    return bytes;
}

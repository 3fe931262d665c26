#include "runtime/base/hash.h"

#include <stdio.h>
#include <string.h>

/* Inlined, so that applications get no further library to ship. */
#define XXH_INLINE_ALL
#include <xxhash.h>

struct tw_hash {
    XXH3_state_t state;
};

struct tw_hash *tw_hash_begin(void) {
    /* XXH3 wants its state 64-byte aligned, which its own allocator sees to. */
    struct tw_hash *hash = (struct tw_hash *)XXH3_createState();
    if (hash != NULL)
        XXH3_128bits_reset(&hash->state);
    return hash;
}

void tw_hash_add(struct tw_hash *hash, const void *bytes, size_t length) {
    if (hash == NULL)
        return;
    uint64_t framed = length;
    XXH3_128bits_update(&hash->state, &framed, sizeof framed);
    XXH3_128bits_update(&hash->state, bytes, length);
}

void tw_hash_add_text(struct tw_hash *hash, const char *text) {
    tw_hash_add(hash, text, strlen(text));
}

void tw_hash_add_number(struct tw_hash *hash, int64_t number) {
    tw_hash_add(hash, &number, sizeof number);
}

void tw_hash_add_real(struct tw_hash *hash, double number) {
    tw_hash_add(hash, &number, sizeof number);
}

void tw_hash_finish(struct tw_hash *hash, char out[TW_HASH_SIZE]) {
    out[0] = '\0';
    if (hash == NULL)
        return;
    XXH128_hash_t digest = XXH3_128bits_digest(&hash->state);
    snprintf(out, TW_HASH_SIZE, "%016llx%016llx", (unsigned long long)digest.high64,
             (unsigned long long)digest.low64);
    XXH3_freeState(&hash->state);
}

uint64_t tw_hash64(const void *bytes, size_t length) {
    return XXH3_64bits(bytes, length);
}

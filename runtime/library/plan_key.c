#include "runtime/library/plan_key.h"

#include <stdlib.h>

/* Multiplying by a 64-bit odd constant and folding the 128 bits of the product: a few nanoseconds
 * for a key of this size, where a general hash takes several times that. */
static uint64_t mix(uint64_t hash, uint64_t value) {
    __extension__ typedef unsigned __int128 wide;
    wide product = (wide)(hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static uint64_t load(const char *text, size_t bytes) {
    uint64_t word = 0;
    memcpy(&word, text, bytes);
    return word;
}

/* The last 8 bytes of a text, or all of a shorter one. Loads overlap, for a loop over bytes takes
 * longer than all the rest. */
static uint64_t load_tail(const char *text, size_t length) {
    if (length >= 8)
        return load(text + length - 8, 8);
    if (length >= 4)
        return load(text, 4) << 32 | load(text + length - 4, 4);
    uint64_t word = 0;
    for (size_t i = 0; i < length; i++)
        word = word << 8 | (unsigned char)text[i];
    return word;
}

static uint64_t mix_text(uint64_t hash, const char *text, size_t length) {
    hash = mix(hash, load_tail(text, length) ^ length);
    for (size_t i = 0; i + 8 < length; i += 8)
        hash = mix(hash, load(text + i, 8));
    return hash;
}

static bool same_text(const char *a, const char *b, size_t length) {
    uint64_t difference = load_tail(a, length) ^ load_tail(b, length);
    for (size_t i = 0; i + 8 < length; i += 8)
        difference |= load(a + i, 8) ^ load(b + i, 8);
    return difference == 0;
}

/* Two chains, which a processor works on at once. */
uint64_t tw_plan_key_hash(const struct tw_plan_key *key) {
    uint64_t even = UINT64_C(0x243f6a8885a308d3), odd = UINT64_C(0x13198a2e03707344);
    even = mix(even, key->words[TW_PLAN_KEY_HEAD - 1]);
    for (int i = 0; i < TW_PLAN_KEY_HEAD - 1; i += 2) {
        even = mix(even, key->words[i]);
        odd = mix(odd, key->words[i + 1]);
    }
    for (int i = TW_PLAN_KEY_HEAD; i < tw_plan_key_length(key); i++)
        odd = mix(odd, key->words[i]);
    if (key->kernel != NULL) {
        even = mix_text(even, key->kernel, key->kernel_length);
        odd = mix_text(odd, key->attributes, key->attributes_length);
    }
    return mix(even, odd);
}

bool tw_plan_key_has_texts(const struct tw_plan_key *key, const struct tw_key_texts *texts) {
    if (key->kernel == NULL || texts == NULL)
        return key->kernel == NULL && texts == NULL;
    return texts->kernel_length == key->kernel_length &&
           texts->attributes_length == key->attributes_length &&
           same_text(texts->text, key->kernel, key->kernel_length) &&
           same_text(texts->text + key->kernel_length, key->attributes, key->attributes_length);
}

struct tw_key_texts *tw_plan_key_copy_texts(const struct tw_plan_key *key) {
    struct tw_key_texts *texts =
        malloc(sizeof *texts + key->kernel_length + key->attributes_length);
    if (texts == NULL)
        return NULL;
    *texts = (struct tw_key_texts){.kernel_length = key->kernel_length,
                                   .attributes_length = key->attributes_length};
    memcpy(texts->text, key->kernel, key->kernel_length);
    memcpy(texts->text + key->kernel_length, key->attributes, key->attributes_length);
    return texts;
}

#include "runtime/library/plan_key.h"

#include <stdlib.h>

/* Of no meaning, but for many bits that are set. */
static const uint64_t salts[] = {UINT64_C(0x9e3779b97f4a7c15), UINT64_C(0xbf58476d1ce4e5b9),
                                 UINT64_C(0x94d049bb133111eb), UINT64_C(0x243f6a8885a308d3),
                                 UINT64_C(0x13198a2e03707345), UINT64_C(0xa4093822299f31d1),
                                 UINT64_C(0x082efa98ec4e6c89), UINT64_C(0x452821e638d01377)};

/* The 128 bits of a product, folded. */
static uint64_t multiply(uint64_t a, uint64_t b) {
    __extension__ typedef unsigned __int128 wide;
    wide product = (wide)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static uint64_t load(const char *text) {
    uint64_t word;
    memcpy(&word, text, sizeof word);
    return word;
}

static uint64_t hash_text(const char *text, struct tw_text_end end) {
    uint64_t hash = end.length * salts[1];
    for (size_t i = 0; i + 8 < end.length; i += 8)
        hash = multiply(hash ^ load(text + i), salts[2]);
    return hash ^ end.bytes;
}

static bool same_text(const char *a, struct tw_text_end a_end, const char *b,
                      struct tw_text_end b_end) {
    uint64_t difference = (a_end.length ^ b_end.length) | (a_end.bytes ^ b_end.bytes);
    for (size_t i = 0; difference == 0 && i + 8 < a_end.length; i += 8)
        difference = load(a + i) ^ load(b + i);
    return difference == 0;
}

/* Products of pairs do not wait for each other: a chain of them takes several times as long. */
static uint64_t hash_words(const uint64_t *words, int count) {
    uint64_t hash = 0;
    for (int i = 0; i + 1 < count; i += 2)
        hash += multiply(words[i] ^ salts[i], words[i + 1] ^ salts[i + 1]);
    return count % 2 != 0 ? hash + multiply(words[count - 1] ^ salts[count - 1], salts[0]) : hash;
}

uint64_t tw_plan_key_hash(const struct tw_plan_key *key) {
    uint64_t hash = hash_words(key->words, TW_PLAN_KEY_HEAD);
    if (tw_plan_key_head_has_more(key->words))
        hash ^= multiply(
            hash_words(key->words + TW_PLAN_KEY_HEAD, TW_PLAN_KEY_WORDS - TW_PLAN_KEY_HEAD),
            salts[5]);
    if (key->kernel != NULL)
        hash ^= multiply(hash_text(key->kernel, key->kernel_end) ^ salts[3],
                         hash_text(key->attributes, key->attributes_end) ^ salts[4]);
    return hash;
}

bool tw_plan_key_has_texts(const struct tw_plan_key *key, const struct tw_key_texts *texts) {
    if (key->kernel == NULL || texts == NULL)
        return key->kernel == NULL && texts == NULL;
    return same_text(key->kernel, key->kernel_end, texts->text, texts->kernel_end) &&
           same_text(key->attributes, key->attributes_end, texts->text + texts->kernel_end.length,
                     texts->attributes_end);
}

struct tw_key_texts *tw_plan_key_copy_texts(const struct tw_plan_key *key) {
    const size_t kernel = key->kernel_end.length, attributes = key->attributes_end.length;
    struct tw_key_texts *texts = malloc(sizeof *texts + kernel + attributes);
    if (texts == NULL)
        return NULL;
    *texts =
        (struct tw_key_texts){.kernel_end = key->kernel_end, .attributes_end = key->attributes_end};
    memcpy(texts->text, key->kernel, kernel);
    memcpy(texts->text + kernel, key->attributes, attributes);
    return texts;
}

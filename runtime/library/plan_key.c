#include "runtime/library/plan_key.h"

#include <stdlib.h>

static const uint64_t salts[] = {UINT64_C(0xa4093822299f31d1), UINT64_C(0x082efa98ec4e6c89),
                                 UINT64_C(0x452821e638d01377)};

uint64_t tw_plan_key_hash_beyond(const uint64_t words[TW_PLAN_KEY_WORDS - TW_PLAN_KEY_HEAD]) {
    uint64_t hash = 0;
    for (int i = 0; i < TW_PLAN_KEY_WORDS - TW_PLAN_KEY_HEAD; i++)
        hash = tw_plan_key_multiply(hash ^ words[i], salts[i % 3]);
    return hash;
}

static uint64_t hash_text(const char *text, uint64_t hash) {
    const size_t length = strlen(text);
    for (size_t i = 0; i < length; i += 8) {
        uint64_t word = 0;
        memcpy(&word, text + i, length - i < 8 ? length - i : 8);
        hash = tw_plan_key_multiply(hash ^ word, salts[0]);
    }
    return hash ^ length * salts[1];
}

uint64_t tw_plan_key_hash_texts(const char *kernel, const char *attributes) {
    return tw_plan_key_multiply(hash_text(attributes, hash_text(kernel, salts[1])), salts[2]);
}

struct tw_key_texts *tw_plan_key_copy_texts(const struct tw_plan_key *key) {
    const size_t kernel = strlen(key->kernel) + 1, attributes = strlen(key->attributes) + 1;
    struct tw_key_texts *texts = malloc(sizeof *texts + kernel + attributes);
    if (texts == NULL)
        return NULL;
    *texts = (struct tw_key_texts){.hash = tw_plan_key_hash_texts(key->kernel, key->attributes),
                                   .kernel_size = kernel};
    memcpy(texts->text, key->kernel, kernel);
    memcpy(texts->text + kernel, key->attributes, attributes);
    return texts;
}

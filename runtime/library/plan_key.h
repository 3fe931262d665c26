/* What a plan is looked up by: all that tells one request from another, as numbers and at most two
 * texts that are compared and never parsed. */
#ifndef TW_LIBRARY_PLAN_KEY_H
#define TW_LIBRARY_PLAN_KEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "runtime/tilewise.h"

/* Most keys need only the first words, the head: the rest is looked at when the head's last word
 * says that there is something. So it and the plan fit in one cache line. */
enum { TW_PLAN_KEY_WORDS = 12, TW_PLAN_KEY_HEAD = 5 };

#define TW_PLAN_KEY_MORE (UINT64_C(1) << 63)

struct tw_plan_key {
    uint64_t words[TW_PLAN_KEY_WORDS];
    const char *kernel; /* NULL: a key of tw_gemm's, in which words say all */
    const char *attributes;
};

/* Two numbers in one word; what does not fit goes to *beyond. */
static inline uint64_t tw_plan_key_pack(int64_t first, int64_t second, uint64_t *beyond) {
    *beyond |= ((uint64_t)first | (uint64_t)second) >> 32;
    return (uint64_t)first | (uint64_t)second << 32;
}

/* To be called once all words are there. */
static inline void tw_plan_key_mark(struct tw_plan_key *key) {
    uint64_t more = 0;
    for (int i = TW_PLAN_KEY_HEAD; i < TW_PLAN_KEY_WORDS; i++)
        more |= key->words[i];
    if (more != 0)
        key->words[TW_PLAN_KEY_HEAD - 1] |= TW_PLAN_KEY_MORE;
}

_Static_assert(TW_REQUEST_DIMENSIONS == 8 && TW_REQUEST_STRIDES == 8, "tw_plan_key_of packs these");

/* The key of a request as it is written, which keeps the texts' addresses. False when a number is
 * negative or beyond 32 bits: no plan has such a key. */
static inline bool tw_plan_key_of(struct tw_plan_key *key, const tw_request *request) {
    const int64_t *dimensions = request->dimensions, *strides = request->strides;
    uint64_t beyond = 0, more = 0;
    for (int i = 0; i < 2; i++) {
        key->words[i] = tw_plan_key_pack(dimensions[2 * i], dimensions[2 * i + 1], &beyond);
        key->words[2 + i] = tw_plan_key_pack(strides[2 * i], strides[2 * i + 1], &beyond);
    }
    key->words[4] = tw_plan_key_pack(request->alignment, 0, &beyond);
    memset(key->words + TW_PLAN_KEY_HEAD, 0,
           sizeof key->words - TW_PLAN_KEY_HEAD * sizeof(uint64_t));
    for (int i = 4; i < 8; i++)
        more |= (uint64_t)dimensions[i] | (uint64_t)strides[i];
    if (more != 0) {
        for (int i = 0; i < 2; i++) {
            key->words[5 + i] =
                tw_plan_key_pack(dimensions[4 + 2 * i], dimensions[5 + 2 * i], &beyond);
            key->words[7 + i] = tw_plan_key_pack(strides[4 + 2 * i], strides[5 + 2 * i], &beyond);
        }
        key->words[TW_PLAN_KEY_HEAD - 1] |= TW_PLAN_KEY_MORE;
    }
    key->kernel = request->kernel;
    key->attributes = request->attributes != NULL ? request->attributes : "";
    return beyond == 0;
}

/* Whether there is more than this head. */
static inline bool tw_plan_key_head_has_more(const uint64_t head[TW_PLAN_KEY_HEAD]) {
    return (head[TW_PLAN_KEY_HEAD - 1] & TW_PLAN_KEY_MORE) != 0;
}

/* A kernel with attributes, which many keys share. */
struct tw_key_texts {
    struct tw_key_texts *next;
    uint64_t hash;
    size_t kernel_size;
    char text[]; /* one after the other, each with its end */
};

/* The 128 bits of a product, folded. */
static inline uint64_t tw_plan_key_multiply(uint64_t a, uint64_t b) {
    __extension__ typedef unsigned __int128 wide;
    wide product = (wide)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Of words behind a head. */
uint64_t tw_plan_key_hash_beyond(const uint64_t words[TW_PLAN_KEY_WORDS - TW_PLAN_KEY_HEAD]);
uint64_t tw_plan_key_hash_texts(const char *kernel, const char *attributes);

/* Of a key's words. Products of pairs do not wait for each other: a chain of them takes several
 * times as long. The numbers have no meaning, but many bits that are set. */
static inline uint64_t tw_plan_key_hash_words(const struct tw_plan_key *key) {
    const uint64_t *words = key->words;
    _Static_assert(TW_PLAN_KEY_HEAD == 5, "all words are hashed");
    uint64_t hash =
        tw_plan_key_multiply(words[0] ^ UINT64_C(0x9e3779b97f4a7c15),
                             words[1] ^ UINT64_C(0xbf58476d1ce4e5b9)) +
        tw_plan_key_multiply(words[2] ^ UINT64_C(0x94d049bb133111eb),
                             words[3] ^ UINT64_C(0x243f6a8885a308d3)) +
        tw_plan_key_multiply(words[4] ^ UINT64_C(0x13198a2e03707345), UINT64_C(0x9e3779b97f4a7c15));
    if (tw_plan_key_head_has_more(words))
        hash ^= tw_plan_key_hash_beyond(words + TW_PLAN_KEY_HEAD);
    return hash;
}

/* Of all of a key. */
static inline uint64_t tw_plan_key_hash(const struct tw_plan_key *key) {
    uint64_t hash = tw_plan_key_hash_words(key);
    return key->kernel != NULL ? hash ^ tw_plan_key_hash_texts(key->kernel, key->attributes) : hash;
}

/* Neither is NULL. */
static inline bool tw_plan_key_are_texts(const struct tw_plan_key *key,
                                         const struct tw_key_texts *texts) {
    return strcmp(key->kernel, texts->text) == 0 &&
           strcmp(key->attributes, texts->text + texts->kernel_size) == 0;
}

/* `texts` is NULL for a key without. */
static inline bool tw_plan_key_has_texts(const struct tw_plan_key *key,
                                         const struct tw_key_texts *texts) {
    return key->kernel == NULL || texts == NULL ? key->kernel == NULL && texts == NULL
                                                : tw_plan_key_are_texts(key, texts);
}

/* NULL when there is no memory; free() frees it. */
struct tw_key_texts *tw_plan_key_copy_texts(const struct tw_plan_key *key);

#endif

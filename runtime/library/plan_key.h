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
 * says that there is something. So what is compared with mostly is one cache line. */
enum { TW_PLAN_KEY_WORDS = 12, TW_PLAN_KEY_HEAD = 5 };

#define TW_PLAN_KEY_MORE (UINT64_C(1) << 63)

struct tw_plan_key {
    uint64_t words[TW_PLAN_KEY_WORDS];
    const char *kernel; /* NULL: a key of tw_gemm's, in which words say all */
    const char *attributes;
    size_t kernel_length, attributes_length;
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

/* The key of a request as it is written. False when a number is negative or beyond 32 bits: no plan
 * has such a key. */
static inline bool tw_plan_key_of(struct tw_plan_key *key, const tw_request *request) {
    const int64_t *dimensions = request->dimensions, *strides = request->strides;
    uint64_t beyond = 0;
    for (int i = 0; i < 2; i++) {
        const int from = 2 * i, more = 4 + 2 * i;
        key->words[i] = tw_plan_key_pack(dimensions[from], dimensions[from + 1], &beyond);
        key->words[2 + i] = tw_plan_key_pack(strides[from], strides[from + 1], &beyond);
        key->words[5 + i] = tw_plan_key_pack(dimensions[more], dimensions[more + 1], &beyond);
        key->words[7 + i] = tw_plan_key_pack(strides[more], strides[more + 1], &beyond);
    }
    key->words[4] = tw_plan_key_pack(request->alignment, 0, &beyond);
    key->words[9] = key->words[10] = key->words[11] = 0;
    tw_plan_key_mark(key);
    key->kernel = request->kernel;
    key->attributes = request->attributes != NULL ? request->attributes : "";
    key->kernel_length = strlen(key->kernel);
    key->attributes_length = strlen(key->attributes);
    return beyond == 0;
}

static inline int tw_plan_key_length(const struct tw_plan_key *key) {
    return key->words[TW_PLAN_KEY_HEAD - 1] & TW_PLAN_KEY_MORE ? TW_PLAN_KEY_WORDS
                                                               : TW_PLAN_KEY_HEAD;
}

/* A kernel with attributes, which many keys share. */
struct tw_key_texts {
    struct tw_key_texts *next;
    size_t kernel_length, attributes_length;
    char text[]; /* one after the other */
};

uint64_t tw_plan_key_hash(const struct tw_plan_key *key);

static inline bool tw_plan_key_has_words(const struct tw_plan_key *key, const uint64_t *words) {
    uint64_t difference = 0;
    for (int i = 0; i < TW_PLAN_KEY_HEAD; i++)
        difference |= key->words[i] ^ words[i];
    for (int i = TW_PLAN_KEY_HEAD; i < tw_plan_key_length(key); i++)
        difference |= key->words[i] ^ words[i];
    return difference == 0;
}

/* `texts` is NULL for a key without. */
bool tw_plan_key_has_texts(const struct tw_plan_key *key, const struct tw_key_texts *texts);
/* NULL when there is no memory; free() frees it. */
struct tw_key_texts *tw_plan_key_copy_texts(const struct tw_plan_key *key);

#endif

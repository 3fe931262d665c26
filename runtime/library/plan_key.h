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

/* How long a text is and its last 8 bytes, or all of a shorter one: what texts mostly differ in. */
struct tw_text_end {
    size_t length;
    uint64_t bytes;
};

struct tw_plan_key {
    uint64_t words[TW_PLAN_KEY_WORDS];
    const char *kernel; /* NULL: a key of tw_gemm's, in which words say all */
    const char *attributes;
    struct tw_text_end kernel_end, attributes_end;
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

/* Loads overlap, for a loop over bytes takes longer than all the rest. */
static inline struct tw_text_end tw_text_end(const char *text) {
    struct tw_text_end end = {.length = strlen(text)};
    if (end.length >= 8) {
        memcpy(&end.bytes, text + end.length - 8, 8);
    } else if (end.length >= 4) {
        uint32_t first, last;
        memcpy(&first, text, 4);
        memcpy(&last, text + end.length - 4, 4);
        end.bytes = (uint64_t)first << 32 | last;
    } else {
        for (size_t i = 0; i < end.length; i++)
            end.bytes = end.bytes << 8 | (unsigned char)text[i];
    }
    return end;
}

/* The key keeps the texts' addresses. */
static inline void tw_plan_key_name(struct tw_plan_key *key, const char *kernel,
                                    const char *attributes) {
    key->kernel = kernel;
    key->attributes = attributes;
    key->kernel_end = tw_text_end(kernel);
    key->attributes_end = tw_text_end(attributes);
}

/* The key of a request as it is written. False when a number is negative or beyond 32 bits: no plan
 * has such a key. */
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
    tw_plan_key_name(key, request->kernel, request->attributes != NULL ? request->attributes : "");
    return beyond == 0;
}

/* Whether there is more than this head. */
static inline bool tw_plan_key_head_has_more(const uint64_t head[TW_PLAN_KEY_HEAD]) {
    return (head[TW_PLAN_KEY_HEAD - 1] & TW_PLAN_KEY_MORE) != 0;
}

/* A kernel with attributes, which many keys share. */
struct tw_key_texts {
    struct tw_key_texts *next;
    struct tw_text_end kernel_end, attributes_end;
    char text[]; /* one after the other */
};

uint64_t tw_plan_key_hash(const struct tw_plan_key *key);

/* `texts` is NULL for a key without. */
bool tw_plan_key_has_texts(const struct tw_plan_key *key, const struct tw_key_texts *texts);
/* NULL when there is no memory; free() frees it. */
struct tw_key_texts *tw_plan_key_copy_texts(const struct tw_plan_key *key);

#endif

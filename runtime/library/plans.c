#include "runtime/library/plans.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/error.h"
#include "runtime/library/plan.h"

enum { WORDS = (TW_REQUEST_DIMENSIONS + TW_REQUEST_STRIDES) / 2 + 1, LINE = 64 };

/* A request as it is looked up: all that tells it apart, in as few cache lines as can be. No valid
 * dimension or stride needs more than 32 bits. */
struct key {
    uint64_t words[WORDS]; /* two dimensions or strides each, and the alignment */
    const char *kernel;
    const char *attributes;
    size_t kernel_length, attributes_length;
};

/* A kernel with attributes, which many requests share. */
struct texts {
    struct texts *next;
    size_t kernel_length, attributes_length;
    char text[]; /* one after the other */
};

/* One cache line. */
struct entry {
    _Alignas(LINE) const struct texts *texts;
    uint64_t words[WORDS];
};

/* Entries lie together, and not between the plans, so that few pages hold them all. */
enum { BLOCK_ENTRIES = 1023 };

struct block {
    struct block *next;
    int used;
    struct entry entries[BLOCK_ENTRIES];
};

struct slot {
    _Atomic(struct entry *) entry;
    uint64_t hash; /* this and the plan are there before the entry is published */
    _Atomic(const tw_plan *) plan;
};

struct table {
    size_t mask;
    struct table *older;
    struct slot slots[];
};

/* Every plan that was handed out, for freeing: also those that were replaced. */
struct holder {
    struct holder *next;
    tw_plan *plan;
};

struct tw_plans {
    _Atomic(struct table *) table;
    pthread_mutex_t lock; /* of writers */
    size_t count;
    struct block *blocks;
    struct texts *texts;
    struct holder *holders;
};

static struct table *create_table(size_t slots) {
    struct table *table = calloc(1, sizeof *table + slots * sizeof table->slots[0]);
    if (table != NULL)
        table->mask = slots - 1;
    return table;
}

tw_status tw_plans_create(struct tw_plans **out, tw_error *error) {
    struct tw_plans *plans = *out = calloc(1, sizeof *plans);
    struct table *table = create_table(64);
    if (plans == NULL || table == NULL) {
        free(plans);
        free(table);
        *out = NULL;
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    }
    atomic_init(&plans->table, table);
    pthread_mutex_init(&plans->lock, NULL);
    return TW_OK;
}

void tw_plans_free(struct tw_plans *plans) {
    if (plans == NULL)
        return;
    for (struct table *table = plans->table, *older; table != NULL; table = older) {
        older = table->older;
        free(table);
    }
    while (plans->blocks != NULL) {
        struct block *next = plans->blocks->next;
        free(plans->blocks);
        plans->blocks = next;
    }
    while (plans->texts != NULL) {
        struct texts *next = plans->texts->next;
        free(plans->texts);
        plans->texts = next;
    }
    while (plans->holders != NULL) {
        struct holder *next = plans->holders->next;
        tw_plan_free(plans->holders->plan);
        free(plans->holders);
        plans->holders = next;
    }
    pthread_mutex_destroy(&plans->lock);
    free(plans);
}

/* Two numbers in one word; what does not fit goes to *beyond. */
static uint64_t pack(const int64_t *numbers, uint64_t *beyond) {
    *beyond |= ((uint64_t)numbers[0] | (uint64_t)numbers[1]) >> 32;
    return (uint64_t)numbers[0] | (uint64_t)numbers[1] << 32;
}

/* False when a number is negative or too large for any problem. */
static bool make_key(const tw_request *request, struct key *key) {
    uint64_t beyond = 0;
    for (int i = 0; i < TW_REQUEST_DIMENSIONS; i += 2)
        key->words[i / 2] = pack(&request->dimensions[i], &beyond);
    for (int i = 0; i < TW_REQUEST_STRIDES; i += 2)
        key->words[(TW_REQUEST_DIMENSIONS + i) / 2] = pack(&request->strides[i], &beyond);
    key->words[WORDS - 1] = (uint64_t)request->alignment;
    key->kernel = request->kernel;
    key->attributes = request->attributes != NULL ? request->attributes : "";
    key->kernel_length = strlen(key->kernel);
    key->attributes_length = strlen(key->attributes);
    return beyond == 0;
}

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
static uint64_t hash_of(const struct key *key) {
    uint64_t even = UINT64_C(0x243f6a8885a308d3), odd = UINT64_C(0x13198a2e03707344);
    for (int i = 0; i + 1 < WORDS; i += 2) {
        even = mix(even, key->words[i]);
        odd = mix(odd, key->words[i + 1]);
    }
    if (WORDS % 2 != 0)
        even = mix(even, key->words[WORDS - 1]);
    even = mix_text(even, key->kernel, key->kernel_length);
    odd = mix_text(odd, key->attributes, key->attributes_length);
    return mix(even, odd);
}

static bool same_texts(const struct texts *texts, const struct key *key) {
    return texts->kernel_length == key->kernel_length &&
           texts->attributes_length == key->attributes_length &&
           same_text(texts->text, key->kernel, key->kernel_length) &&
           same_text(texts->text + key->kernel_length, key->attributes, key->attributes_length);
}

static bool same_words(const uint64_t *a, const uint64_t *b) {
    uint64_t difference = 0;
    for (int i = 0; i < WORDS; i++)
        difference |= a[i] ^ b[i];
    return difference == 0;
}

static struct slot *look_up(struct table *table, const struct key *key, uint64_t hash) {
    for (size_t at = hash & table->mask;; at = (at + 1) & table->mask) {
        struct slot *slot = &table->slots[at];
        const struct entry *entry = atomic_load_explicit(&slot->entry, memory_order_acquire);
        if (entry == NULL)
            return NULL;
        if (slot->hash == hash && same_words(entry->words, key->words) &&
            same_texts(entry->texts, key))
            return slot;
    }
}

const tw_plan *tw_plans_find(const struct tw_plans *plans, const tw_request *request) {
    struct key key;
    if (!make_key(request, &key))
        return NULL;
    struct table *table = atomic_load_explicit(&plans->table, memory_order_acquire);
    const struct slot *slot = look_up(table, &key, hash_of(&key));
    return slot != NULL ? atomic_load_explicit(&slot->plan, memory_order_acquire) : NULL;
}

static void publish(struct table *table, struct entry *entry, uint64_t hash, const tw_plan *plan) {
    size_t at = hash & table->mask;
    while (atomic_load_explicit(&table->slots[at].entry, memory_order_relaxed) != NULL)
        at = (at + 1) & table->mask;
    table->slots[at].hash = hash;
    atomic_store_explicit(&table->slots[at].plan, plan, memory_order_relaxed);
    atomic_store_explicit(&table->slots[at].entry, entry, memory_order_release);
}

/* At most three quarters of the slots are used, so that look-ups are short and always meet an empty
 * one. */
static bool make_room(struct tw_plans *plans) {
    struct table *table = plans->table;
    if (4 * (plans->count + 1) <= 3 * (table->mask + 1))
        return true;
    struct table *larger = create_table(2 * (table->mask + 1));
    if (larger == NULL)
        return false;
    larger->older = table;
    for (size_t i = 0; i <= table->mask; i++)
        if (table->slots[i].entry != NULL)
            publish(larger, table->slots[i].entry, table->slots[i].hash, table->slots[i].plan);
    atomic_store_explicit(&plans->table, larger, memory_order_release);
    return true;
}

static const struct texts *share_texts(struct tw_plans *plans, const struct key *key) {
    for (const struct texts *texts = plans->texts; texts != NULL; texts = texts->next)
        if (same_texts(texts, key))
            return texts;
    struct texts *texts = malloc(sizeof *texts + key->kernel_length + key->attributes_length);
    if (texts == NULL)
        return NULL;
    *texts = (struct texts){.next = plans->texts,
                            .kernel_length = key->kernel_length,
                            .attributes_length = key->attributes_length};
    memcpy(texts->text, key->kernel, key->kernel_length);
    memcpy(texts->text + key->kernel_length, key->attributes, key->attributes_length);
    plans->texts = texts;
    return texts;
}

static struct entry *create_entry(struct tw_plans *plans, const struct key *key) {
    const struct texts *texts = share_texts(plans, key);
    if (texts == NULL)
        return NULL;
    if (plans->blocks == NULL || plans->blocks->used == BLOCK_ENTRIES) {
        struct block *block = aligned_alloc(LINE, sizeof *block);
        if (block == NULL)
            return NULL;
        block->next = plans->blocks;
        block->used = 0;
        plans->blocks = block;
    }
    struct entry *entry = &plans->blocks->entries[plans->blocks->used++];
    entry->texts = texts;
    memcpy(entry->words, key->words, sizeof entry->words);
    return entry;
}

static tw_status add(struct tw_plans *plans, const struct key *key, tw_plan *plan, int replace,
                     const tw_plan **kept, tw_error *error) {
    uint64_t hash = hash_of(key);
    struct slot *slot = look_up(plans->table, key, hash);
    if (slot != NULL && !replace) {
        *kept = slot->plan;
        tw_plan_free(plan);
        return TW_OK;
    }
    struct holder *holder = calloc(1, sizeof *holder);
    struct entry *entry =
        slot == NULL && holder != NULL && make_room(plans) ? create_entry(plans, key) : NULL;
    if (holder == NULL || (slot == NULL && entry == NULL)) {
        free(holder);
        tw_plan_free(plan);
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    }
    *holder = (struct holder){.next = plans->holders, .plan = plan};
    plans->holders = holder;
    if (slot != NULL) {
        atomic_store_explicit(&slot->plan, plan, memory_order_release);
    } else {
        publish(plans->table, entry, hash, plan);
        plans->count++;
    }
    *kept = plan;
    return TW_OK;
}

tw_status tw_plans_add(struct tw_plans *plans, const tw_request *request, tw_plan *plan,
                       int replace, const tw_plan **kept, tw_error *error) {
    struct key key;
    if (!make_key(request, &key)) {
        tw_plan_free(plan);
        return tw_fail(error, TW_INVALID, "a size of the request is out of range");
    }
    pthread_mutex_lock(&plans->lock);
    tw_status status = add(plans, &key, plan, replace, kept, error);
    pthread_mutex_unlock(&plans->lock);
    return status;
}

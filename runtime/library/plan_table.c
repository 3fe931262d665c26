/* The plans themselves: who owns them, and which go when there are more than the limit. How they
 * are found is plan_slots'. */
#include "runtime/library/plan_table.h"

#include <pthread.h>
#include <stdlib.h>

#include "runtime/base/error.h"
#include "runtime/library/plan.h"
#include "runtime/library/plan_slots.h"

enum { BLOCK = 512, KNOWN = 256 };

/* Entries and records lie together, and not between the plans, so that few pages hold them all. */
struct block {
    struct block *next;
    int entries_used, records_used;
    struct tw_plan_entry entries[BLOCK];
    struct tw_plan_record records[BLOCK];
};

struct tw_plan_table {
    struct tw_plan_slots slots;
    uint64_t limit;
    /* By the addresses at which keys had them, the first at each place. What an application asks
     * for mostly stands in it as constants. */
    _Atomic(const struct tw_key_texts *) known[KNOWN];
    _Atomic(uint64_t) clock; /* plans that were made */
    pthread_mutex_t lock;    /* of writers, and of what follows */
    struct block *blocks;
    struct tw_plan_entry *unused_entries;
    struct tw_plan_record *unused_records;
    struct tw_plan_record *records;
    struct tw_key_texts *texts;
};

tw_status tw_plan_table_create(struct tw_plan_table **out, uint64_t limit, tw_error *error) {
    struct tw_plan_table *plans = *out = calloc(1, sizeof *plans);
    if (plans == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    tw_status status = tw_plan_slots_create(&plans->slots, limit != 0, error);
    if (status != TW_OK) {
        free(plans);
        *out = NULL;
        return status;
    }
    plans->limit = limit;
    pthread_mutex_init(&plans->lock, NULL);
    return TW_OK;
}

static void free_plans(struct tw_plan_record *record) {
    while (record->owned != NULL) {
        tw_plan *replaced = record->owned->replaced;
        tw_plan_free(record->owned);
        record->owned = replaced;
    }
}

void tw_plan_table_free(struct tw_plan_table *plans) {
    if (plans == NULL)
        return;
    for (struct tw_plan_record *record = plans->records; record != NULL; record = record->next)
        free_plans(record);
    tw_plan_slots_free(&plans->slots);
    while (plans->blocks != NULL) {
        struct block *next = plans->blocks->next;
        free(plans->blocks);
        plans->blocks = next;
    }
    while (plans->texts != NULL) {
        struct tw_key_texts *next = plans->texts->next;
        free(plans->texts);
        plans->texts = next;
    }
    pthread_mutex_destroy(&plans->lock);
    free(plans);
}

/* ---- Finding ---- */

static inline size_t place_of(const struct tw_plan_key *key) {
    const uint64_t both =
        (uint64_t)(uintptr_t)key->kernel * 3 + (uint64_t)(uintptr_t)key->attributes;
    return (size_t)(both * UINT64_C(0x9e3779b97f4a7c15) >> 56) % KNOWN;
}

/* Where the texts were not seen at these addresses: they are hashed and compared as they stand. */
__attribute__((noinline)) static struct tw_plan_slot *find_unknown(struct tw_plan_table *plans,
                                                                   const struct tw_plan_key *key) {
    struct tw_plan_slot *slot = tw_plan_slots_find(&plans->slots, key, NULL, tw_plan_key_hash(key));
    _Atomic(const struct tw_key_texts *) *known = &plans->known[place_of(key)];
    if (slot != NULL && atomic_load_explicit(known, memory_order_relaxed) == NULL)
        atomic_store_explicit(known, tw_plan_slot_texts(slot), memory_order_release);
    return slot;
}

/* Hashing texts takes longer than all else of a look-up, and where the plan lies would not be known
 * before: comparing them with those that were first at their addresses goes on beside it. */
static inline struct tw_plan_slot *find(struct tw_plan_table *plans,
                                        const struct tw_plan_key *key) {
    const uint64_t hash = tw_plan_key_hash_words(key);
    if (key->kernel == NULL)
        return tw_plan_slots_find(&plans->slots, key, NULL, hash);
    const struct tw_key_texts *texts =
        atomic_load_explicit(&plans->known[place_of(key)], memory_order_acquire);
    if (texts == NULL || !tw_plan_key_are_texts(key, texts))
        return find_unknown(plans, key);
    return tw_plan_slots_find(&plans->slots, key, texts, hash ^ texts->hash);
}

const tw_plan *tw_plan_table_hold(struct tw_plan_table *plans, const struct tw_plan_key *key) {
    struct tw_plan_slot *slot = find(plans, key);
    if (slot == NULL)
        return NULL;
    if (plans->limit != 0) {
        struct tw_plan_record *record = slot->record;
        /* Mostly it is so already: then the cache line stays shared. */
        uint64_t now = atomic_load_explicit(&plans->clock, memory_order_relaxed);
        if (atomic_load_explicit(&record->used, memory_order_relaxed) != now)
            atomic_store_explicit(&record->used, now, memory_order_relaxed);
    }
    return atomic_load_explicit(&slot->plan, memory_order_acquire);
}

void tw_plan_table_release(struct tw_plan_table *plans, const tw_plan *plan) {
    if (plans->limit != 0)
        tw_plan_record_release(plan->record);
}

/* ---- Adding ---- */

static bool share_texts(struct tw_plan_table *plans, const struct tw_plan_key *key,
                        const struct tw_key_texts **out) {
    *out = NULL;
    if (key->kernel == NULL)
        return true;
    for (struct tw_key_texts *texts = plans->texts; texts != NULL; texts = texts->next) {
        if (tw_plan_key_has_texts(key, texts)) {
            *out = texts;
            return true;
        }
    }
    struct tw_key_texts *texts = tw_plan_key_copy_texts(key);
    if (texts == NULL)
        return false;
    texts->next = plans->texts;
    plans->texts = texts;
    *out = texts;
    return true;
}

/* A block with an entry and a record that were never used. */
static struct block *open_block(struct tw_plan_table *plans) {
    if (plans->blocks != NULL && plans->blocks->entries_used < BLOCK &&
        plans->blocks->records_used < BLOCK)
        return plans->blocks;
    struct block *block = aligned_alloc(_Alignof(struct block), sizeof *block);
    if (block == NULL)
        return NULL;
    memset(block, 0, sizeof *block);
    block->next = plans->blocks;
    return plans->blocks = block;
}

static struct tw_plan_entry *take_entry(struct tw_plan_table *plans) {
    struct tw_plan_entry *entry = plans->unused_entries;
    if (entry != NULL) {
        plans->unused_entries = entry->next;
        return entry;
    }
    struct block *block = open_block(plans);
    return block != NULL ? &block->entries[block->entries_used++] : NULL;
}

static struct tw_plan_record *take_record(struct tw_plan_table *plans) {
    struct tw_plan_record *record = plans->unused_records;
    if (record != NULL) {
        plans->unused_records = record->next;
        return record;
    }
    struct block *block = open_block(plans);
    record = block != NULL ? &block->records[block->records_used++] : NULL;
    if (record != NULL)
        atomic_init(&record->users, TW_PLAN_DROPPED);
    return record;
}

static bool add_entry(struct tw_plan_table *plans, const struct tw_plan_key *key,
                      struct tw_plan_record *record) {
    const struct tw_key_texts *texts;
    struct tw_plan_entry *entry =
        tw_plan_slots_make_room(&plans->slots) && share_texts(plans, key, &texts)
            ? take_entry(plans)
            : NULL;
    if (entry == NULL)
        return false;
    entry->hash = tw_plan_key_hash(key);
    entry->texts = texts;
    memcpy(entry->head, key->words, sizeof entry->head);
    memcpy(entry->beyond, key->words + TW_PLAN_KEY_HEAD, sizeof entry->beyond);
    entry->record = record;
    entry->next = record->entries;
    record->entries = entry;
    tw_plan_slots_add(&plans->slots, entry);
    return true;
}

static void give_record_back(struct tw_plan_table *plans, struct tw_plan_record *record) {
    record->next = plans->unused_records;
    plans->unused_records = record;
}

static bool add_record(struct tw_plan_table *plans, const struct tw_plan_key *key, tw_plan *plan) {
    struct tw_plan_record *record = take_record(plans);
    if (record == NULL)
        return false;
    record->entries = NULL;
    record->owned = plan;
    plan->record = record;
    atomic_store_explicit(&record->used, plans->clock, memory_order_relaxed);
    /* Added, not stored: somebody who came late may be about to take away what he counted. */
    atomic_fetch_add_explicit(&record->users, 1 - TW_PLAN_DROPPED, memory_order_release);
    if (!add_entry(plans, key, record)) {
        atomic_fetch_add_explicit(&record->users, TW_PLAN_DROPPED - 1, memory_order_relaxed);
        give_record_back(plans, record);
        return false;
    }
    record->next = plans->records;
    plans->records = record;
    return true;
}

static void replace_plan(struct tw_plan_table *plans, struct tw_plan_record *record,
                         tw_plan *plan) {
    plan->record = record;
    plan->replaced = record->owned;
    record->owned = plan;
    for (struct tw_plan_entry *entry = record->entries; entry != NULL; entry = entry->next)
        tw_plan_slots_replace(&plans->slots, entry);
}

/* ---- Dropping ---- */

static bool drop(struct tw_plan_table *plans, struct tw_plan_record **link) {
    struct tw_plan_record *record = *link;
    int64_t nobody = 0;
    if (!atomic_compare_exchange_strong_explicit(&record->users, &nobody, TW_PLAN_DROPPED,
                                                 memory_order_acquire, memory_order_relaxed))
        return false;
    while (record->entries != NULL) {
        struct tw_plan_entry *entry = record->entries;
        record->entries = entry->next;
        tw_plan_slots_remove(&plans->slots, entry);
        entry->next = plans->unused_entries;
        plans->unused_entries = entry;
    }
    free_plans(record);
    *link = record->next;
    give_record_back(plans, record);
    return true;
}

/* A walk over all records for each that is dropped: a plan was just made, which takes longer. */
static void keep_limit(struct tw_plan_table *plans) {
    bool more = plans->limit != 0;
    while (more) {
        uint64_t idle = 0;
        struct tw_plan_record **oldest = NULL;
        for (struct tw_plan_record **link = &plans->records; *link != NULL; link = &(*link)->next) {
            if (atomic_load_explicit(&(*link)->users, memory_order_relaxed) != 0)
                continue;
            idle++;
            /* Later ones in the list were made earlier. */
            if (oldest == NULL || (*link)->used <= (*oldest)->used)
                oldest = link;
        }
        more = idle > plans->limit && drop(plans, oldest);
    }
}

/* ---- ---- */

static tw_status add(struct tw_plan_table *plans, const struct tw_plan_key *key, tw_plan *plan,
                     bool replace, const tw_plan **kept, tw_error *error) {
    struct tw_plan_slot *there =
        tw_plan_slots_find(&plans->slots, key, NULL, tw_plan_key_hash(key));
    plans->clock++;
    if (there != NULL) {
        if (replace)
            replace_plan(plans, there->record, plan);
        else
            tw_plan_free(plan);
        *kept = there->plan;
        return TW_OK;
    }
    if (!add_record(plans, key, plan)) {
        tw_plan_free(plan);
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    }
    *kept = plan;
    keep_limit(plans);
    return TW_OK;
}

tw_status tw_plan_table_add(struct tw_plan_table *plans, const struct tw_plan_key *key,
                            tw_plan *plan, bool replace, const tw_plan **kept, tw_error *error) {
    pthread_mutex_lock(&plans->lock);
    tw_status status = add(plans, key, plan, replace, kept, error);
    pthread_mutex_unlock(&plans->lock);
    return status;
}

tw_status tw_plan_table_alias(struct tw_plan_table *plans, const struct tw_plan_key *key,
                              const tw_plan *plan, tw_error *error) {
    pthread_mutex_lock(&plans->lock);
    struct tw_plan_slot *there =
        tw_plan_slots_find(&plans->slots, key, NULL, tw_plan_key_hash(key));
    bool added = there != NULL || add_entry(plans, key, plan->record);
    if (there != NULL && plans->limit != 0)
        tw_plan_record_release(there->record);
    pthread_mutex_unlock(&plans->lock);
    return added ? TW_OK : tw_fail(error, TW_NO_MEMORY, "out of memory");
}

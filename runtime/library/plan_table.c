/* How readers and writers share the table without a lock.
 *
 * A slot of the hash table points to an entry, which has a key and its plan; the entry points to a
 * record, which counts who uses the plan, whatever key he found it by. Writers take turns. They
 * fill in an entry before they publish it in a slot, and a table that has become too small is
 * replaced by a larger copy and freed at the end, so a reader may go on with an older table: what
 * it does not find there, it looks for again under the lock.
 *
 * Without a limit that is all. With one, a record whose count is 0 can be dropped: a writer
 * exchanges the 0 for DROPPED, which nobody can after somebody else has counted. Then the record's
 * entries and the record itself are used again for other plans, but never freed, so that a reader
 * that comes late still finds an entry and a record where it looks, if others than it expects. It
 * therefore counts first, and looks then: a count that was negative is a dropped record's; else the
 * record stays what it is, and so do its entries. If the entry still is the record's, its key can
 * be compared. */
#include "runtime/library/plan_table.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

#include "runtime/base/error.h"
#include "runtime/library/plan.h"

enum { LINE = 64, BLOCK = 512 };

#define DROPPED (INT64_MIN / 2)

/* What a look-up reads, and mostly all of it, is in the first cache line. */
struct entry {
    _Alignas(LINE) _Atomic(const tw_plan *) plan;
    _Atomic(struct tw_plan_record *) record; /* NULL: in no slot */
    const struct tw_key_texts *texts;
    uint64_t words[TW_PLAN_KEY_WORDS];
    uint64_t hash;
    struct entry *next; /* of the same record, or unused */
};

_Static_assert(offsetof(struct entry, words) + TW_PLAN_KEY_HEAD * sizeof(uint64_t) == LINE,
               "a key's head ends with the cache line");

struct tw_plan_record {
    _Atomic(int64_t) users;
    _Atomic(uint64_t) used; /* the table's clock then */
    tw_plan *owned;         /* the plan, and those that it replaced */
    struct entry *entries;
    struct tw_plan_record *next; /* in use, or unused */
};

/* Entries and records lie together, and not between the plans, so that few pages hold them all. */
struct block {
    struct block *next;
    int entries_used, records_used;
    struct entry entries[BLOCK];
    struct tw_plan_record records[BLOCK];
};

struct slot {
    _Atomic(struct entry *) entry; /* NULL: never used; `no_entry`: used no more */
    _Atomic(uint64_t) hash;        /* is there before the entry is published */
};

struct table {
    size_t mask;
    struct table *older;
    struct slot slots[];
};

struct tw_plan_table {
    _Atomic(struct table *) table;
    uint64_t limit;
    _Atomic(uint64_t) clock; /* plans that were made */
    pthread_mutex_t lock;    /* of writers, and of what follows */
    size_t count;            /* of slots that have an entry */
    struct block *blocks;
    struct entry *unused_entries;
    struct tw_plan_record *unused_records;
    struct tw_plan_record *records;
    struct tw_key_texts *texts;
};

static struct entry no_entry;

static struct table *create_table(size_t slots) {
    struct table *table = calloc(1, sizeof *table + slots * sizeof table->slots[0]);
    if (table != NULL)
        table->mask = slots - 1;
    return table;
}

tw_status tw_plan_table_create(struct tw_plan_table **out, uint64_t limit, tw_error *error) {
    struct tw_plan_table *plans = *out = calloc(1, sizeof *plans);
    struct table *table = create_table(64);
    if (plans == NULL || table == NULL) {
        free(plans);
        free(table);
        *out = NULL;
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    }
    atomic_init(&plans->table, table);
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
        struct tw_key_texts *next = plans->texts->next;
        free(plans->texts);
        plans->texts = next;
    }
    pthread_mutex_destroy(&plans->lock);
    free(plans);
}

/* ---- Finding ---- */

static void let_go(struct tw_plan_record *record) {
    atomic_fetch_sub_explicit(&record->users, 1, memory_order_release);
}

/* The record of an entry, counted; NULL when it has none any more. */
static struct tw_plan_record *hold(struct entry *entry) {
    struct tw_plan_record *record = atomic_load_explicit(&entry->record, memory_order_acquire);
    if (record == NULL)
        return NULL;
    if (atomic_fetch_add_explicit(&record->users, 1, memory_order_acquire) >= 0 &&
        atomic_load_explicit(&entry->record, memory_order_acquire) == record)
        return record;
    let_go(record);
    return NULL;
}

static bool has_key(const struct entry *entry, const struct tw_plan_key *key) {
    return tw_plan_key_has_words(key, entry->words) && tw_plan_key_has_texts(key, entry->texts);
}

/* What is found is held if there is a limit. */
static struct entry *find(const struct tw_plan_table *plans, const struct tw_plan_key *key,
                          uint64_t hash) {
    struct table *table = atomic_load_explicit(&plans->table, memory_order_acquire);
    for (size_t tries = 0; tries <= table->mask; tries++) {
        struct slot *slot = &table->slots[(hash + tries) & table->mask];
        struct entry *entry = atomic_load_explicit(&slot->entry, memory_order_acquire);
        if (entry == NULL)
            return NULL;
        if (atomic_load_explicit(&slot->hash, memory_order_relaxed) != hash)
            continue;
        if (plans->limit == 0) {
            if (has_key(entry, key))
                return entry;
            continue;
        }
        struct tw_plan_record *record = hold(entry);
        if (record != NULL && has_key(entry, key))
            return entry;
        if (record != NULL)
            let_go(record);
    }
    return NULL;
}

const tw_plan *tw_plan_table_hold(struct tw_plan_table *plans, const struct tw_plan_key *key) {
    struct entry *entry = find(plans, key, tw_plan_key_hash(key));
    if (entry == NULL)
        return NULL;
    if (plans->limit != 0) {
        struct tw_plan_record *record = entry->record;
        /* Mostly it is so already: then the cache line stays shared. */
        uint64_t now = atomic_load_explicit(&plans->clock, memory_order_relaxed);
        if (atomic_load_explicit(&record->used, memory_order_relaxed) != now)
            atomic_store_explicit(&record->used, now, memory_order_relaxed);
    }
    return atomic_load_explicit(&entry->plan, memory_order_acquire);
}

void tw_plan_table_release(struct tw_plan_table *plans, const tw_plan *plan) {
    if (plans->limit != 0)
        let_go(plan->record);
}

/* ---- Adding ---- */

static void publish(struct table *table, struct entry *entry) {
    size_t at = entry->hash & table->mask;
    for (struct entry *there; (there = table->slots[at].entry) != NULL && there != &no_entry;)
        at = (at + 1) & table->mask;
    atomic_store_explicit(&table->slots[at].hash, entry->hash, memory_order_relaxed);
    atomic_store_explicit(&table->slots[at].entry, entry, memory_order_release);
}

/* At most three quarters of the slots are used, so that look-ups are short. */
static bool make_room(struct tw_plan_table *plans) {
    struct table *table = plans->table;
    if (4 * (plans->count + 1) <= 3 * (table->mask + 1))
        return true;
    struct table *larger = create_table(2 * (table->mask + 1));
    if (larger == NULL)
        return false;
    larger->older = table;
    for (size_t i = 0; i <= table->mask; i++)
        if (table->slots[i].entry != NULL && table->slots[i].entry != &no_entry)
            publish(larger, table->slots[i].entry);
    atomic_store_explicit(&plans->table, larger, memory_order_release);
    return true;
}

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
    struct block *block = aligned_alloc(LINE, sizeof *block);
    if (block == NULL)
        return NULL;
    memset(block, 0, sizeof *block);
    block->next = plans->blocks;
    return plans->blocks = block;
}

static struct entry *take_entry(struct tw_plan_table *plans) {
    struct entry *entry = plans->unused_entries;
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
        atomic_init(&record->users, DROPPED);
    return record;
}

static bool add_entry(struct tw_plan_table *plans, const struct tw_plan_key *key,
                      struct tw_plan_record *record) {
    const struct tw_key_texts *texts;
    struct entry *entry =
        make_room(plans) && share_texts(plans, key, &texts) ? take_entry(plans) : NULL;
    if (entry == NULL)
        return false;
    entry->texts = texts;
    memcpy(entry->words, key->words, sizeof entry->words);
    entry->hash = tw_plan_key_hash(key);
    atomic_store_explicit(&entry->plan, record->owned, memory_order_relaxed);
    entry->next = record->entries;
    record->entries = entry;
    atomic_store_explicit(&entry->record, record, memory_order_release);
    publish(plans->table, entry);
    plans->count++;
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
    atomic_fetch_add_explicit(&record->users, 1 - DROPPED, memory_order_release);
    if (!add_entry(plans, key, record)) {
        atomic_fetch_add_explicit(&record->users, DROPPED - 1, memory_order_relaxed);
        give_record_back(plans, record);
        return false;
    }
    record->next = plans->records;
    plans->records = record;
    return true;
}

static void replace_plan(struct tw_plan_record *record, tw_plan *plan) {
    plan->record = record;
    plan->replaced = record->owned;
    record->owned = plan;
    for (struct entry *entry = record->entries; entry != NULL; entry = entry->next)
        atomic_store_explicit(&entry->plan, plan, memory_order_release);
}

/* ---- Dropping ---- */

static void remove_entry(struct tw_plan_table *plans, struct entry *entry) {
    struct table *table = plans->table;
    size_t at = entry->hash & table->mask;
    while (table->slots[at].entry != entry)
        at = (at + 1) & table->mask;
    atomic_store_explicit(&entry->record, NULL, memory_order_release);
    atomic_store_explicit(&table->slots[at].entry, &no_entry, memory_order_release);
    plans->count--;
    /* Nothing lies behind the last of a row of slots: it and those before that hold nothing may be
     * as if they had never been used. */
    while (table->slots[(at + 1) & table->mask].entry == NULL &&
           table->slots[at].entry == &no_entry) {
        atomic_store_explicit(&table->slots[at].entry, NULL, memory_order_release);
        at = (at - 1) & table->mask;
    }
    entry->next = plans->unused_entries;
    plans->unused_entries = entry;
}

static bool drop(struct tw_plan_table *plans, struct tw_plan_record **link) {
    struct tw_plan_record *record = *link;
    int64_t nobody = 0;
    if (!atomic_compare_exchange_strong_explicit(&record->users, &nobody, DROPPED,
                                                 memory_order_acquire, memory_order_relaxed))
        return false;
    while (record->entries != NULL) {
        struct entry *next = record->entries->next;
        remove_entry(plans, record->entries);
        record->entries = next;
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
    struct entry *there = find(plans, key, tw_plan_key_hash(key));
    plans->clock++;
    if (there != NULL) {
        if (replace)
            replace_plan(there->record, plan);
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
    struct entry *there = find(plans, key, tw_plan_key_hash(key));
    bool added = there != NULL || add_entry(plans, key, plan->record);
    if (there != NULL && plans->limit != 0)
        let_go(there->record);
    pthread_mutex_unlock(&plans->lock);
    return added ? TW_OK : tw_fail(error, TW_NO_MEMORY, "out of memory");
}

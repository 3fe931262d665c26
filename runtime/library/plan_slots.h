/* The hash table of plans, which is read without a lock. A slot is one cache line with all that a
 * look-up mostly compares with, and the plan: finding one touches nothing else. */
#ifndef TW_LIBRARY_PLAN_SLOTS_H
#define TW_LIBRARY_PLAN_SLOTS_H

#include <stdatomic.h>

#include "runtime/library/plan_key.h"

enum { TW_PLAN_SLOT_LINE = 64 };

/* A plan in the table, by however many keys it is found. Records are not freed while there are
 * slots. */
struct tw_plan_record {
    _Atomic(int64_t) users; /* TW_PLAN_DROPPED or little more: of a plan that is no more */
    _Atomic(uint64_t) used; /* the table's clock then */
    tw_plan *owned;         /* the plan, and those that it replaced */
    struct tw_plan_entry *entries;
    struct tw_plan_record *next; /* in use, or unused */
};

#define TW_PLAN_DROPPED (INT64_MIN / 2)

/* One of the keys that a plan is found by. The second cache line is for look-ups by keys of more
 * than a head; the first is not for look-ups. */
struct tw_plan_entry {
    _Alignas(TW_PLAN_SLOT_LINE) uint64_t hash;
    uint64_t head[TW_PLAN_KEY_HEAD];
    struct tw_plan_record *record;
    struct tw_plan_entry *next; /* of the same record, or unused */
    const struct tw_key_texts *texts;
    uint64_t beyond[TW_PLAN_KEY_WORDS - TW_PLAN_KEY_HEAD];
};

_Static_assert(offsetof(struct tw_plan_entry, texts) == TW_PLAN_SLOT_LINE, "where a line begins");

struct tw_plan_slot {
    _Alignas(TW_PLAN_SLOT_LINE) _Atomic(const tw_plan *) plan; /* NULL: the end of a row */
    _Atomic(struct tw_plan_record *) record;                   /* NULL: the slot has no entry */
    union {
        const struct tw_key_texts *texts;
        const struct tw_plan_entry *entry; /* where the key has more than a head */
    } rest;
    _Atomic(uint64_t) head[TW_PLAN_KEY_HEAD];
};

_Static_assert(sizeof(struct tw_plan_slot) == TW_PLAN_SLOT_LINE, "a slot is a cache line");

struct tw_plan_slots {
    _Atomic(struct tw_slot_array *) newest;
    size_t count;  /* of entries */
    bool counting; /* who finds a plan holds it: its record counts him */
};

tw_status tw_plan_slots_create(struct tw_plan_slots *slots, bool counting, tw_error *error);
void tw_plan_slots_free(struct tw_plan_slots *slots);

/* NULL when the key has no plan, or got it while this looked. Safe from any thread at any time.
 * `texts` are the slots' own with what the key has; NULL where that is not known: then what is
 * there is compared with the key's. */
struct tw_plan_slot *tw_plan_slots_find(const struct tw_plan_slots *slots,
                                        const struct tw_plan_key *key,
                                        const struct tw_key_texts *texts, uint64_t hash);
/* What the key of a slot has, which must be held where slots count. NULL: none. */
const struct tw_key_texts *tw_plan_slot_texts(const struct tw_plan_slot *slot);

/* Once for each time that a record was held. */
static inline void tw_plan_record_release(struct tw_plan_record *record) {
    atomic_fetch_sub_explicit(&record->users, 1, memory_order_release);
}

/* What follows is for one thread at a time. */

/* False when there is no memory for one more. */
bool tw_plan_slots_make_room(struct tw_plan_slots *slots);
/* Lets the plan that the entry's record owns be found by the entry's key. There must be room. */
void tw_plan_slots_add(struct tw_plan_slots *slots, struct tw_plan_entry *entry);
/* Lets the entry's key find what its record owns now. */
void tw_plan_slots_replace(struct tw_plan_slots *slots, const struct tw_plan_entry *entry);
/* Lets it find nothing. */
void tw_plan_slots_remove(struct tw_plan_slots *slots, const struct tw_plan_entry *entry);

#endif

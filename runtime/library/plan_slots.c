/* How readers and writers share the slots without a lock.
 *
 * Writers take turns. They fill in a slot before they store its plan and then its record. An array
 * that has become too small is replaced by a larger copy and freed at the end, so a reader may go
 * on with an older one: what it does not find there, it looks for again under the lock.
 *
 * Where nobody counts, nothing is removed, and that is all. Else a record whose count is 0 can be
 * dropped: a writer exchanges the 0 for TW_PLAN_DROPPED, which nobody can after somebody else has
 * counted. Then the record's slots, of all arrays, and the record itself are used again for other
 * plans, but never freed, so that a reader that comes late still finds a slot and a record where it
 * looks, if others than it expects. It therefore counts first, and looks then: a count that was
 * negative is a dropped record's; else the record stays what it is, and so do its slots. If the
 * slot still is the record's, its key can be compared. The head alone is read before, to see what
 * is worth counting, and may be half of one key and half of another then. */
#include "runtime/library/plan_slots.h"

#include <stdlib.h>

#include "runtime/base/error.h"

enum { FIRST_SLOTS = 64 };

struct tw_slot_array {
    size_t mask;
    struct tw_slot_array *older;
    struct tw_plan_entry **entries; /* of the slots; for writers */
    struct tw_plan_slot slots[];
};

static void free_array(struct tw_slot_array *array) {
    free(array->entries);
    free(array);
}

static struct tw_slot_array *create_array(size_t count) {
    const size_t bytes = sizeof(struct tw_slot_array) + count * sizeof(struct tw_plan_slot);
    struct tw_slot_array *array = aligned_alloc(TW_PLAN_SLOT_LINE, bytes);
    struct tw_plan_entry **entries = calloc(count, sizeof *entries);
    if (array == NULL || entries == NULL) {
        free(array);
        free(entries);
        return NULL;
    }
    memset(array, 0, bytes);
    array->mask = count - 1;
    array->entries = entries;
    return array;
}

tw_status tw_plan_slots_create(struct tw_plan_slots *slots, bool counting, tw_error *error) {
    struct tw_slot_array *array = create_array(FIRST_SLOTS);
    if (array == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    atomic_init(&slots->newest, array);
    slots->count = 0;
    slots->counting = counting;
    return TW_OK;
}

void tw_plan_slots_free(struct tw_plan_slots *slots) {
    for (struct tw_slot_array *array = slots->newest, *older; array != NULL; array = older) {
        older = array->older;
        free_array(array);
    }
}

/* ---- Finding ---- */

static inline uint64_t difference(const struct tw_plan_slot *slot, const struct tw_plan_key *key,
                                  int i) {
    return atomic_load_explicit(&slot->head[i], memory_order_relaxed) ^ key->words[i];
}

static inline bool has_head(const struct tw_plan_slot *slot, const struct tw_plan_key *key) {
    _Static_assert(TW_PLAN_KEY_HEAD == 5, "all words are compared");
    return (difference(slot, key, 0) | difference(slot, key, 1) | difference(slot, key, 2) |
            difference(slot, key, 3) | difference(slot, key, 4)) == 0;
}

/* Texts that are alike are one. */
static inline bool are_same(const struct tw_plan_key *key, const struct tw_key_texts *known,
                            const struct tw_key_texts *texts) {
    return known != NULL ? known == texts : tw_plan_key_has_texts(key, texts);
}

/* Of a slot that has the key's head, and so as much more as the key. */
static inline bool has_rest(const struct tw_plan_slot *slot, const struct tw_plan_key *key,
                            const struct tw_key_texts *known) {
    if (!tw_plan_key_head_has_more(key->words))
        return are_same(key, known, slot->rest.texts);
    const struct tw_plan_entry *entry = slot->rest.entry;
    return memcmp(entry->beyond, key->words + TW_PLAN_KEY_HEAD, sizeof entry->beyond) == 0 &&
           are_same(key, known, entry->texts);
}

static bool hold(struct tw_plan_slot *slot, const struct tw_plan_key *key,
                 const struct tw_key_texts *known) {
    struct tw_plan_record *record = atomic_load_explicit(&slot->record, memory_order_acquire);
    if (record == NULL)
        return false;
    if (atomic_fetch_add_explicit(&record->users, 1, memory_order_acquire) >= 0 &&
        atomic_load_explicit(&slot->record, memory_order_acquire) == record &&
        has_head(slot, key) && has_rest(slot, key, known))
        return true;
    tw_plan_record_release(record);
    return false;
}

struct tw_plan_slot *tw_plan_slots_find(const struct tw_plan_slots *slots,
                                        const struct tw_plan_key *key,
                                        const struct tw_key_texts *texts, uint64_t hash) {
    struct tw_slot_array *array = atomic_load_explicit(&slots->newest, memory_order_acquire);
    for (size_t tries = 0; tries <= array->mask; tries++) {
        struct tw_plan_slot *slot = &array->slots[(hash + tries) & array->mask];
        if (atomic_load_explicit(&slot->plan, memory_order_acquire) == NULL)
            return NULL;
        if (has_head(slot, key) &&
            (slots->counting ? hold(slot, key, texts) : has_rest(slot, key, texts)))
            return slot;
    }
    return NULL;
}

const struct tw_key_texts *tw_plan_slot_texts(const struct tw_plan_slot *slot) {
    const uint64_t last =
        atomic_load_explicit(&slot->head[TW_PLAN_KEY_HEAD - 1], memory_order_relaxed);
    return (last & TW_PLAN_KEY_MORE) != 0 ? slot->rest.entry->texts : slot->rest.texts;
}

/* ---- Adding ---- */

static void publish(struct tw_slot_array *array, struct tw_plan_entry *entry) {
    size_t at = entry->hash & array->mask;
    while (array->entries[at] != NULL)
        at = (at + 1) & array->mask;
    array->entries[at] = entry;
    struct tw_plan_slot *slot = &array->slots[at];
    for (int i = 0; i < TW_PLAN_KEY_HEAD; i++)
        atomic_store_explicit(&slot->head[i], entry->head[i], memory_order_relaxed);
    if (tw_plan_key_head_has_more(entry->head))
        slot->rest.entry = entry;
    else
        slot->rest.texts = entry->texts;
    atomic_store_explicit(&slot->plan, entry->record->owned, memory_order_release);
    atomic_store_explicit(&slot->record, entry->record, memory_order_release);
}

/* At most half of the slots are used, so that look-ups are short. */
bool tw_plan_slots_make_room(struct tw_plan_slots *slots) {
    struct tw_slot_array *array = slots->newest;
    if (2 * (slots->count + 1) <= array->mask + 1)
        return true;
    struct tw_slot_array *larger = create_array(2 * (array->mask + 1));
    if (larger == NULL)
        return false;
    larger->older = array;
    for (size_t i = 0; i <= array->mask; i++)
        if (array->entries[i] != NULL)
            publish(larger, array->entries[i]);
    atomic_store_explicit(&slots->newest, larger, memory_order_release);
    return true;
}

void tw_plan_slots_add(struct tw_plan_slots *slots, struct tw_plan_entry *entry) {
    publish(slots->newest, entry);
    slots->count++;
}

/* ---- Changing ---- */

/* Where an array has an entry; behind its end where it has not, as older ones may. */
static size_t place_of(const struct tw_slot_array *array, const struct tw_plan_entry *entry) {
    for (size_t tries = 0; tries <= array->mask; tries++) {
        size_t at = (entry->hash + tries) & array->mask;
        if (array->entries[at] == entry)
            return at;
        if (array->slots[at].plan == NULL)
            break;
    }
    return array->mask + 1;
}

void tw_plan_slots_replace(struct tw_plan_slots *slots, const struct tw_plan_entry *entry) {
    for (struct tw_slot_array *array = slots->newest; array != NULL; array = array->older) {
        size_t at = place_of(array, entry);
        if (at <= array->mask)
            atomic_store_explicit(&array->slots[at].plan, entry->record->owned,
                                  memory_order_release);
    }
}

static void remove_at(struct tw_slot_array *array, size_t at) {
    array->entries[at] = NULL;
    atomic_store_explicit(&array->slots[at].record, NULL, memory_order_release);
    /* Nothing lies behind the last of a row of slots: it and those before that hold nothing may be
     * as if they had never been used. */
    while (array->slots[(at + 1) & array->mask].plan == NULL && array->entries[at] == NULL &&
           array->slots[at].plan != NULL) {
        atomic_store_explicit(&array->slots[at].plan, NULL, memory_order_release);
        at = (at - 1) & array->mask;
    }
}

void tw_plan_slots_remove(struct tw_plan_slots *slots, const struct tw_plan_entry *entry) {
    for (struct tw_slot_array *array = slots->newest; array != NULL; array = array->older) {
        size_t at = place_of(array, entry);
        if (at <= array->mask)
            remove_at(array, at);
    }
    slots->count--;
}

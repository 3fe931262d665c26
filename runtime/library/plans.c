#include "runtime/library/plans.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/error.h"
#include "runtime/base/hash.h"
#include "runtime/library/plan.h"

/* What of a request is numbers: they lie together. */
struct numbers {
    int64_t dimensions[TW_REQUEST_DIMENSIONS];
    int64_t strides[TW_REQUEST_STRIDES];
};

_Static_assert(offsetof(tw_request, strides) ==
                   offsetof(tw_request, dimensions) + sizeof(((tw_request *)0)->dimensions),
               "a request's numbers are hashed and compared as one piece");

struct entry {
    uint64_t hash;
    struct numbers numbers;
    char *kernel;
    char *attributes;
    _Atomic(const tw_plan *) plan;
    struct entry *next; /* of all entries, for freeing */
};

struct table {
    size_t mask;
    struct table *older;
    _Atomic(struct entry *) slots[];
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
    struct entry *entries;
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
    while (plans->entries != NULL) {
        struct entry *next = plans->entries->next;
        free(plans->entries->kernel);
        free(plans->entries->attributes);
        free(plans->entries);
        plans->entries = next;
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

static const char *attributes_of(const tw_request *request) {
    return request->attributes != NULL ? request->attributes : "";
}

static uint64_t hash_of(const tw_request *request) {
    const char *attributes = attributes_of(request);
    uint64_t hash = tw_hash64(request->dimensions, sizeof(struct numbers));
    hash = hash * 31 + tw_hash64(request->kernel, strlen(request->kernel));
    hash = hash * 31 + tw_hash64(attributes, strlen(attributes));
    return hash ^ hash >> 32;
}

static struct entry *look_up(struct table *table, const tw_request *request, uint64_t hash) {
    for (size_t at = hash & table->mask;; at = (at + 1) & table->mask) {
        struct entry *entry = atomic_load_explicit(&table->slots[at], memory_order_acquire);
        if (entry == NULL ||
            (entry->hash == hash &&
             memcmp(&entry->numbers, request->dimensions, sizeof entry->numbers) == 0 &&
             strcmp(entry->kernel, request->kernel) == 0 &&
             strcmp(entry->attributes, attributes_of(request)) == 0))
            return entry;
    }
}

const tw_plan *tw_plans_find(const struct tw_plans *plans, const tw_request *request) {
    struct table *table = atomic_load_explicit(&plans->table, memory_order_acquire);
    struct entry *entry = look_up(table, request, hash_of(request));
    return entry != NULL ? atomic_load_explicit(&entry->plan, memory_order_acquire) : NULL;
}

static void publish(struct table *table, struct entry *entry) {
    size_t at = entry->hash & table->mask;
    while (atomic_load_explicit(&table->slots[at], memory_order_relaxed) != NULL)
        at = (at + 1) & table->mask;
    atomic_store_explicit(&table->slots[at], entry, memory_order_release);
}

/* At most half of the slots are used, so that look-ups are short and always meet an empty one. */
static bool make_room(struct tw_plans *plans) {
    struct table *table = plans->table;
    if (2 * (plans->count + 1) <= table->mask + 1)
        return true;
    struct table *larger = create_table(2 * (table->mask + 1));
    if (larger == NULL)
        return false;
    larger->older = table;
    for (struct entry *entry = plans->entries; entry != NULL; entry = entry->next)
        publish(larger, entry);
    atomic_store_explicit(&plans->table, larger, memory_order_release);
    return true;
}

static struct entry *create_entry(const tw_request *request, uint64_t hash) {
    struct entry *entry = calloc(1, sizeof *entry);
    if (entry == NULL)
        return NULL;
    entry->hash = hash;
    memcpy(&entry->numbers, request->dimensions, sizeof entry->numbers);
    entry->kernel = strdup(request->kernel);
    entry->attributes = strdup(attributes_of(request));
    if (entry->kernel != NULL && entry->attributes != NULL)
        return entry;
    free(entry->kernel);
    free(entry->attributes);
    free(entry);
    return NULL;
}

static tw_status add(struct tw_plans *plans, const tw_request *request, tw_plan *plan, int replace,
                     const tw_plan **kept, tw_error *error) {
    uint64_t hash = hash_of(request);
    struct entry *entry = look_up(plans->table, request, hash);
    if (entry != NULL && !replace) {
        *kept = entry->plan;
        tw_plan_free(plan);
        return TW_OK;
    }
    struct holder *holder = calloc(1, sizeof *holder);
    bool is_new = entry == NULL;
    if (is_new && holder != NULL && make_room(plans))
        entry = create_entry(request, hash);
    if (holder == NULL || entry == NULL) {
        free(holder);
        tw_plan_free(plan);
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    }
    *holder = (struct holder){.next = plans->holders, .plan = plan};
    plans->holders = holder;
    atomic_store_explicit(&entry->plan, plan, memory_order_release);
    if (is_new) {
        entry->next = plans->entries;
        plans->entries = entry;
        plans->count++;
        publish(plans->table, entry);
    }
    *kept = plan;
    return TW_OK;
}

tw_status tw_plans_add(struct tw_plans *plans, const tw_request *request, tw_plan *plan,
                       int replace, const tw_plan **kept, tw_error *error) {
    pthread_mutex_lock(&plans->lock);
    tw_status status = add(plans, request, plan, replace, kept, error);
    pthread_mutex_unlock(&plans->lock);
    return status;
}

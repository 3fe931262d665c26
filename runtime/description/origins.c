#include "runtime/description/origins.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static struct tw_origin *slot_of(const struct tw_origins *origins, const cJSON *item) {
    /* Fibonacci hashing: addresses of items differ in their middle bits. */
    size_t at = (size_t)((uint64_t)(uintptr_t)item * UINT64_C(0x9E3779B97F4A7C15) >> 32);
    for (;; at++) {
        struct tw_origin *slot = &origins->slots[at & (origins->room - 1)];
        if (slot->item == NULL || slot->item == item)
            return slot;
    }
}

static bool grow(struct tw_origins *origins) {
    struct tw_origins larger = {.room = origins->room > 0 ? 2 * origins->room : 256};
    larger.slots = calloc(larger.room, sizeof *larger.slots);
    if (larger.slots == NULL)
        return false;
    for (size_t i = 0; i < origins->room; i++)
        if (origins->slots[i].item != NULL)
            *slot_of(&larger, origins->slots[i].item) = origins->slots[i];
    larger.count = origins->count;
    free(origins->slots);
    *origins = larger;
    return true;
}

struct tw_origin *tw_origins_add(struct tw_origins *origins, const cJSON *item, const char *file,
                                 const char *path) {
    char *copy = strdup(path);
    if (copy == NULL || (2 * (origins->count + 1) > origins->room && !grow(origins))) {
        free(copy);
        origins->failed = true;
        return NULL;
    }
    struct tw_origin *slot = slot_of(origins, item);
    origins->count += slot->item == NULL;
    free(slot->path);
    free(slot->written);
    *slot = (struct tw_origin){.item = item, .file = file, .path = copy};
    return slot;
}

const struct tw_origin *tw_origins_find(const struct tw_origins *origins, const cJSON *item) {
    if (origins->room == 0 || item == NULL)
        return NULL;
    const struct tw_origin *slot = slot_of(origins, item);
    return slot->item != NULL ? slot : NULL;
}

void tw_origins_free(struct tw_origins *origins) {
    for (size_t i = 0; i < origins->room; i++) {
        free(origins->slots[i].path);
        free(origins->slots[i].written);
    }
    free(origins->slots);
    *origins = (struct tw_origins){0};
}

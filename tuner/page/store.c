#include "tuner/page/store.h"

#include <stdlib.h>
#include <string.h>

struct kept {
    struct kept *next;
    char text[];
};

struct page_store {
    struct kept *last;
    bool failed;
};

struct page_store *store_create(void) {
    return calloc(1, sizeof(struct page_store));
}

void store_free(struct page_store *store) {
    while (store != NULL && store->last != NULL) {
        struct kept *next = store->last->next;
        free(store->last);
        store->last = next;
    }
    free(store);
}

const char *store_copy(struct page_store *store, const char *text) {
    if (text == NULL)
        return NULL;
    size_t size = strlen(text) + 1;
    /* Neighbours are often the same: names of kernels, implementations, reasons. */
    if (store->last != NULL && strcmp(store->last->text, text) == 0)
        return store->last->text;
    struct kept *kept = malloc(sizeof *kept + size);
    if (kept == NULL) {
        store->failed = true;
        return NULL;
    }
    memcpy(kept->text, text, size);
    kept->next = store->last;
    store->last = kept;
    return kept->text;
}

bool store_failed(const struct page_store *store) {
    return store->failed;
}

void *store_grow(void *array, int count, size_t item) {
    /* Doubled whenever the count is a power of two. */
    if (count > 0 && (count & (count - 1)) != 0)
        return array;
    return realloc(array, (count > 0 ? 2 * (size_t)count : 1) * item);
}

/* Text that is kept until all of it is freed at once. */
#ifndef TUNER_PAGE_STORE_H
#define TUNER_PAGE_STORE_H

#include <stdbool.h>
#include <stddef.h>

struct page_store;

struct page_store *store_create(void); /* NULL: out of memory */
void store_free(struct page_store *store);
/* A copy; of NULL, NULL. Without memory it is NULL too, and store_failed says so from then on. */
const char *store_copy(struct page_store *store, const char *text);
bool store_failed(const struct page_store *store);

/* Room for one more in an array of `count` items: the array, maybe elsewhere, or NULL without
 * memory, when it stays what it was. */
void *store_grow(void *array, int count, size_t item);

#endif

/* Where the items of an expanded description were written: in which file, under which key.
 *
 * Expanding puts copies of items into other places of the tree. Messages must name the place where
 * a user wrote them, so each copy that has moved is entered here. Items must stay alive, and at
 * their addresses, as long as the table is asked. */
#ifndef TW_DESCRIPTION_ORIGINS_H
#define TW_DESCRIPTION_ORIGINS_H

#include <stdbool.h>
#include <stddef.h>

#include <cjson/cJSON.h>

struct tw_lets;

struct tw_origin {
    const cJSON *item;
    const char *file;
    char *path;
    /* Of an expression: what it was before its lets were put in, and those. */
    char *written;
    const struct tw_lets *lets;
};

/* Zero-initialise; free with tw_origins_free. */
struct tw_origins {
    struct tw_origin *slots; /* a hash table with open addressing */
    size_t count, room;
    bool failed; /* out of memory */
};

/* Enters an item, or replaces what is known of it. `file` must outlive the table. NULL when out of
 * memory; what is returned is valid until the next call. */
struct tw_origin *tw_origins_add(struct tw_origins *origins, const cJSON *item, const char *file,
                                 const char *path);
const struct tw_origin *tw_origins_find(const struct tw_origins *origins, const cJSON *item);
void tw_origins_free(struct tw_origins *origins);

#endif

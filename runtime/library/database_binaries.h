/* The binaries that databases brought along, in memory. Filled before it is used by many threads,
 * immutable after. */
#ifndef TW_LIBRARY_DATABASE_BINARIES_H
#define TW_LIBRARY_DATABASE_BINARIES_H

#include "db/store.h"
#include "runtime/backend/backend.h"
#include "runtime/base/hash.h"

struct tw_database_binaries;

tw_status tw_database_binaries_create(struct tw_database_binaries **out, struct tw_error *error);
void tw_database_binaries_free(struct tw_database_binaries *binaries);

/* Takes in the binaries of an open database that are for this device. One that is damaged, or has
 * been brought already, is left out. */
tw_status tw_database_binaries_add(struct tw_database_binaries *binaries, tw_db *db,
                                   const struct tw_device_info *device, struct tw_error *error);

/* What a binary is known by: all that it was made from, except the compiler's version, which the
 * machine that uses it may not have. */
void tw_database_binaries_key(const struct tw_device_info *device, const char *source,
                              const char *function, char key[TW_HASH_SIZE]);
/* The hash that must come with a binary's bytes. */
void tw_database_binaries_hash(const void *bytes, size_t size, char hash[TW_HASH_SIZE]);

bool tw_database_binaries_has(const struct tw_database_binaries *binaries, const char *key);
/* Copies a binary, to be freed with tw_binary_free; false when there is none. */
bool tw_database_binaries_get(const struct tw_database_binaries *binaries, const char *key,
                              struct tw_binary *binary);

#endif

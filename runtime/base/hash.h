/* A 128-bit content hash (XXH3), as 32 hexadecimal digits: the identity of templates and binaries.
 */
#ifndef TW_BASE_HASH_H
#define TW_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

enum { TW_HASH_SIZE = 33 }; /* with the terminating NUL */

struct tw_hash;

/* Start, add pieces (each is framed by its length, so "ab","c" differs from "a","bc"), finish. NULL
 * when out of memory; adding to NULL is allowed and finishing NULL gives "". */
struct tw_hash *tw_hash_begin(void);
void tw_hash_add(struct tw_hash *hash, const void *bytes, size_t length);
void tw_hash_add_text(struct tw_hash *hash, const char *text);
void tw_hash_add_number(struct tw_hash *hash, int64_t number);
void tw_hash_add_real(struct tw_hash *hash, double number);        /* its bits */
void tw_hash_finish(struct tw_hash *hash, char out[TW_HASH_SIZE]); /* frees it */

/* A 64-bit hash for tables in memory. */
uint64_t tw_hash64(const void *bytes, size_t length);

#endif

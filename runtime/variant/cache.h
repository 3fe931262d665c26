/* Binaries on disk, so that a kernel is compiled once a machine and not once a process.
 *
 * One file a binary, named by the hash of all that decides it: source, architecture, backend,
 * compiler and driver versions. Beside them links tell of what sources are rendered from which
 * hashes they have. Files are written under a temporary name and renamed, so that other
 * processes see whole files or none; what is read is checked against its own hash, and a file that
 * is damaged or foreign is removed and counts as missing. When the files together pass the limit,
 * those used longest ago go.
 *
 * Any number of processes may use one directory; a handle may be used from many threads. */
#ifndef TW_VARIANT_CACHE_H
#define TW_VARIANT_CACHE_H

#include "runtime/backend/backend.h"
#include "runtime/base/hash.h"

#define TW_CACHE_LIMIT ((uint64_t)1 << 30) /* bytes, unless said otherwise */

struct tw_cache;

/* Creates the directory and its parents when missing. `limit` 0: TW_CACHE_LIMIT. */
tw_status tw_cache_open(struct tw_cache **out, const char *directory, uint64_t limit,
                        struct tw_error *error);
void tw_cache_close(struct tw_cache *cache);

/* The identity of a binary: `source` is its source's hash (tw_executable_source). */
void tw_cache_key(const struct tw_device_info *device, const char *source, const char *function,
                  char key[TW_HASH_SIZE]);

/* Whether there is a file for a binary, which may turn out to be damaged. */
bool tw_cache_has(const struct tw_cache *cache, const char *key);
/* Whether the binary is there and whole; it is then to be freed with tw_binary_free. */
bool tw_cache_get(struct tw_cache *cache, const char *key, struct tw_binary *binary);
/* Keeps a copy. `label` says in words what it is, for tw_cache_each. */
tw_status tw_cache_put(struct tw_cache *cache, const char *key, const struct tw_binary *binary,
                       const char *label, struct tw_error *error);

/* Remembers of a source's brief (brief.h) which hash the source has, as a symbolic link, so that
 * there is a whole name or none, in place of what was remembered before. Where that fails the
 * source is rendered again. */
void tw_cache_name(struct tw_cache *cache, const char *brief, const char *source);
/* Whether it is remembered; `source` is filled in then. The binary may be there or not. */
bool tw_cache_named(const struct tw_cache *cache, const char *brief, char source[TW_HASH_SIZE]);

struct tw_cache_entry {
    const char *key;
    const char *label;
    uint64_t bytes;  /* of the file */
    int64_t used_at; /* Unix seconds */
};

/* Visits every whole file, the one used last first; `entry` is borrowed until the visitor returns.
 */
tw_status tw_cache_each(struct tw_cache *cache,
                        void (*visit)(void *context, const struct tw_cache_entry *entry),
                        void *context, struct tw_error *error);
/* Removes every file of the cache, whole or not, and what is remembered of sources, which does not
 * count as a file; and nothing else. */
tw_status tw_cache_clear(struct tw_cache *cache, int64_t *files, uint64_t *bytes,
                         struct tw_error *error);

#endif

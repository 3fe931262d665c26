/* Results of databases up to schema 3 and of exports up to version 1.
 *
 * They have one hash, of the text of everything that was near them: descriptions, templates and the
 * preludes of both backends. It is known again where all of that text is as it was; and the hashes
 * that the built-in kernels had when that ended are on a list with the code that they stood for. */
#ifndef TW_VARIANT_LEGACY_H
#define TW_VARIANT_LEGACY_H

#include "runtime/base/hash.h"
#include "runtime/description/description.h"

/* The hash as it was made then, of a description of today. */
tw_status tw_legacy_hash(const struct tw_description *description, int implementation,
                         char hash[TW_HASH_SIZE], struct tw_error *error);

/* The `code` (identity.h) that a built-in implementation's hash of that time stood for on a
 * backend; NULL when it is not on the list. */
const char *tw_legacy_code(const char *kernel, const char *implementation, const char *hash,
                           const char *backend);

#endif

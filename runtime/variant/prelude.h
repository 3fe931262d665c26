/* The preludes: what stands before every template and maps the dialect to a backend's language. */
#ifndef TW_VARIANT_PRELUDE_H
#define TW_VARIANT_PRELUDE_H

#include <stdbool.h>

#include "runtime/base/error.h"
#include "runtime/base/hash.h"
#include "runtime/base/text.h"

/* Appends those extensions of a backend's prelude (maths, sub-groups, atomics) of which
 * `templates`, NUL-terminated source, names something outside of comments. Sources that name
 * nothing stay as they are to the byte: stored results are tied to them. */
tw_status tw_prelude_extend(struct tw_text *source, const char *backend, const char *templates,
                            struct tw_error *error);

/* Whether a source names anything of an extension. */
bool tw_prelude_named(const char *source);

/* Adds a backend's prelude and all of its extensions. */
void tw_prelude_hash(struct tw_hash *hash, const char *backend);

#endif

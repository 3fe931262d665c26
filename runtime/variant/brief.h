/* All that a launch's source is rendered from, hashed as it stands: the code that renders, the
 * preludes, the templates, and what made_of.h tells of a configuration, with the names that it is
 * defined under. In every process equal briefs are equal sources, so that a binary can be found
 * whose source was rendered by another. Templates are read when it is asked for: a user's own may
 * be another a moment later. */
#ifndef TW_VARIANT_BRIEF_H
#define TW_VARIANT_BRIEF_H

#include "runtime/variant/executable.h"

/* A hash of the code that renders, which the build makes. */
extern const char tw_rendering[];

/* Of an executable with a configuration. */
tw_status tw_executable_brief(const struct tw_executable *x, int launch, const char *backend,
                              char brief[TW_HASH_SIZE], struct tw_error *error);

#endif

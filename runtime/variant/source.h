/* From description and configuration to source text: prelude, #defines, templates. */
#ifndef TW_VARIANT_SOURCE_H
#define TW_VARIANT_SOURCE_H

#include "runtime/description/configuration.h"
#include "runtime/description/problem.h"
#include "runtime/variant/geometry.h"

/* Appends the source of one launch for a backend. `configuration` is NULL for the reference.
 * `values` are bound. Everything a problem or configuration contributes is an integer or a declared
 * word, so nothing that a database holds can reach the compiler as text.
 *
 * `left` (may be NULL) gets what the preprocessor leaves of the source (preprocess.h), with words
 * without their numbers: it was found out on the way, for most sources. The caller frees it. */
tw_status tw_source_render(const struct tw_problem *problem,
                           const struct tw_configuration *configuration,
                           const struct tw_launch_description *launch, const char *backend,
                           const int64_t *values, const struct tw_geometry *geometry,
                           struct tw_text *source, struct tw_text *left, struct tw_error *error);

/* Appends the source of a built-in kernel outside any description, such as those of
 * templates/check: prelude, block of `threads` x 1 x 1, the caller's `defines` (whole lines), the
 * template. */
tw_status tw_source_builtin(const char *path, const char *backend, const char *defines,
                            uint32_t threads, struct tw_text *source, struct tw_error *error);

/* Likewise of a kernel in the dialect that the caller has; compilers call its text `name`. */
tw_status tw_source_own(const char *name, const char *text, const char *backend,
                        const char *defines, uint32_t threads, struct tw_text *source,
                        struct tw_error *error);

/* Appends a template file: from the description's directory if it is there, else the built-in one.
 */
tw_status tw_source_template(const struct tw_description *description, const char *path,
                             struct tw_text *text, struct tw_error *error);
/* Adds what tells its text from others: of one that is built in not the text itself. */
tw_status tw_source_template_hash(const struct tw_description *description, const char *path,
                                  struct tw_hash *hash, struct tw_error *error);

/* Appends what every source of a launch has in common: the prelude with its extensions, and the
 * templates. */
tw_status tw_source_fixed(const struct tw_description *description,
                          const struct tw_launch_description *launch, const char *backend,
                          struct tw_text *text, struct tw_error *error);

#endif

/* From description and configuration to source text: prelude, #defines, templates. */
#ifndef TW_VARIANT_SOURCE_H
#define TW_VARIANT_SOURCE_H

#include "runtime/base/hash.h"
#include "runtime/description/configuration.h"
#include "runtime/description/problem.h"
#include "runtime/variant/geometry.h"

/* Appends the source of one launch for a backend. `configuration` is NULL for the reference.
 * `values` are bound. Everything a problem or configuration contributes is an integer or a declared
 * word, so nothing that a database holds can reach the compiler as text. */
tw_status tw_source_render(const struct tw_problem *problem,
                           const struct tw_configuration *configuration,
                           const struct tw_launch_description *launch, const char *backend,
                           const int64_t *values, const struct tw_geometry *geometry,
                           struct tw_text *source, struct tw_error *error);

/* Appends the source of a built-in kernel outside any description, such as those of
 * templates/check: prelude, block of `threads` x 1 x 1, the caller's `defines` (whole lines), the
 * template. */
tw_status tw_source_builtin(const char *path, const char *backend, const char *defines,
                            uint32_t threads, struct tw_text *source, struct tw_error *error);

/* Appends a template file: from the description's directory if it is there, else the built-in one.
 */
tw_status tw_source_template(const struct tw_description *description, const char *path,
                             struct tw_text *text, struct tw_error *error);

/* What an implementation's results depend on: preludes, templates, problem and arguments, and its
 * part of the description without the lists of values, presets, redundancies and summary, which
 * change no variant. */
tw_status tw_source_hash(const struct tw_description *description, int implementation,
                         char hash[TW_HASH_SIZE], struct tw_error *error);

#endif

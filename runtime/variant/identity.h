/* What a result belongs to: what reached the compiler and the device when it was measured, and what
 * judged it. Three hashes say so.
 *
 * `code` is of all that an implementation's sources are made from on a backend, for any problem:
 * the backend's prelude, templates, defines, launches; and of the reference and the tolerance.
 * Where it is the same, so is everything below. It is cheap, but it changes with what does not
 * matter to a problem, as support for another type.
 *
 * `source` is of one configuration on one problem: each launch's source as the preprocessor leaves
 * it (preprocess.h), its geometry and what it is passed, and the workspace.
 *
 * `judge` is of what decided that the answers of a problem were right: the reference, likewise, and
 * the tolerance, the cases and the inputs.
 *
 * No hash has comments, words and attributes that a problem does not use, other backends' preludes,
 * value lists, presets or the files that a description is spread over. */
#ifndef TW_VARIANT_IDENTITY_H
#define TW_VARIANT_IDENTITY_H

#include "runtime/base/hash.h"
#include "runtime/description/configuration.h"
#include "runtime/description/problem.h"

tw_status tw_identity_code(const struct tw_description *description, int implementation,
                           const char *backend, char hash[TW_HASH_SIZE], struct tw_error *error);

/* With full alignment and the default strides, as results are measured. `device` has
 * TW_DEVICE_SLOTS values. */
tw_status tw_identity_source(const struct tw_problem *problem,
                             const struct tw_configuration *configuration, const char *backend,
                             const int64_t *device, char hash[TW_HASH_SIZE],
                             struct tw_error *error);
/* The same where the hash of each launch's source (tw_executable_source) is known: renders nothing.
 */
tw_status tw_identity_rendered(const struct tw_problem *problem,
                               const struct tw_configuration *configuration, const int64_t *device,
                               const char hashes[][TW_HASH_SIZE], char hash[TW_HASH_SIZE],
                               struct tw_error *error);
tw_status tw_identity_judge(const struct tw_problem *problem, const char *backend,
                            const int64_t *device, char hash[TW_HASH_SIZE], struct tw_error *error);

#endif

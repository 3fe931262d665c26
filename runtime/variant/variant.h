/* A variant: an implementation with a configuration, compiled for a device and loaded on it. The
 * tuner and the library both go through here, so what was measured is what an application launches.
 */
#ifndef TW_VARIANT_VARIANT_H
#define TW_VARIANT_VARIANT_H

#include "runtime/variant/executable.h"

/* The binaries of a variant, one a launch. Zero-initialise; free with tw_binaries_free. */
struct tw_binaries {
    int count;
    struct tw_binary launches[TW_MAX_LAUNCHES];
};

void tw_binaries_free(struct tw_binaries *binaries);

/* Renders and compiles every launch. `values` are bound for the configuration. A template that does
 * not compile is TW_COMPILE; `error` then has the first line of the compiler's error and the log
 * all of it. A binary that needs more registers than a block may use is TW_RESOURCE. Binaries are
 * to be freed in every case. */
tw_status tw_variant_compile(const struct tw_backend *backend, const struct tw_device_info *device,
                             const struct tw_problem *problem,
                             const struct tw_configuration *configuration, const int64_t *values,
                             struct tw_binaries *binaries, struct tw_error *error);
/* The same for the description's reference kernel. */
tw_status tw_reference_compile(const struct tw_backend *backend,
                               const struct tw_device_info *device,
                               const struct tw_problem *problem, const int64_t *values,
                               struct tw_binary *binary, struct tw_error *error);
/* The same for a kernel that judges: an executable without a configuration. */
tw_status tw_judge_compile(const struct tw_backend *backend, const struct tw_device_info *device,
                           const struct tw_executable *judge, struct tw_binary *binary,
                           struct tw_error *error);

struct tw_variant;

/* Loads compiled binaries and allocates workspace and counters. The device, problem and description
 * must outlive the variant. */
tw_status tw_variant_load(struct tw_variant **out, const struct tw_backend *backend,
                          struct tw_device *device, const struct tw_device_info *info,
                          const struct tw_problem *problem,
                          const struct tw_configuration *configuration, const int64_t *values,
                          const struct tw_binaries *binaries, struct tw_error *error);
void tw_variant_free(struct tw_variant *variant);

/* The launches of one call on these arguments. `values` must have room for tw_variant_launch_count
 * times TW_MAX_PASSED and, like `launches`, live until the launches are done. */
int tw_variant_launch_count(const struct tw_variant *variant);
void tw_variant_launches(const struct tw_variant *variant, const struct tw_arguments *arguments,
                         struct tw_launch *launches, struct tw_value *values);
/* Queues one call. */
tw_status tw_variant_launch(const struct tw_variant *variant, const struct tw_arguments *arguments,
                            struct tw_error *error);

#endif

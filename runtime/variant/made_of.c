#include "runtime/variant/made_of.h"

#include <string.h>

#include "runtime/variant/geometry.h"

/* With tw_made_of, what tw_source_render takes and nothing else: attributes, which optional
 * buffers there are, parameters but those of the launch, defines, blocks. */
static tw_status add_launches(struct tw_hash *hash, const struct tw_implementation *in,
                              const int64_t *values, const struct tw_device_info *device,
                              struct tw_error *error) {
    for (int i = 0; i < in->launch_count; i++) {
        struct tw_geometry geometry;
        tw_status status = tw_geometry_of(&in->launches[i], values, device, &geometry, error);
        if (status != TW_OK)
            return status;
        for (int k = 0; k < 3; k++)
            tw_hash_add_number(hash, geometry.block[k]);
        tw_hash_add_number(hash, geometry.min_blocks);
        tw_hash_add_number(hash,
                           geometry.shared); /* which the compiler holds against the kernel's */
    }
    return TW_OK;
}

tw_status tw_made_of(const struct tw_device_info *device, const struct tw_problem *problem,
                     const struct tw_configuration *configuration, const int64_t *values,
                     char key[TW_HASH_SIZE], struct tw_error *error) {
    const struct tw_description *d = problem->description;
    const struct tw_implementation *in = &d->implementations[configuration->implementation];
    int64_t bound[TW_MAX_SYMBOLS];
    memcpy(bound, values, sizeof bound);
    tw_status status = tw_configuration_bind(d, configuration, bound, error);
    struct tw_hash *hash = tw_hash_begin();
    tw_hash_add_text(hash, d->kernel);
    tw_hash_add_text(hash, in->name);
    for (int i = 0; i < d->attribute_count; i++)
        tw_hash_add_number(hash, problem->words[i]);
    for (int i = 0; i < d->argument_count; i++)
        if (d->arguments[i].when != NULL)
            tw_hash_add_number(hash, tw_problem_has(problem, i, bound));
    for (int i = 0; i < in->parameter_count; i++)
        if (!in->parameters[i].launch)
            tw_hash_add_number(hash, configuration->values[i]);
    for (int i = 0; i < in->define_count; i++)
        tw_hash_add_number(hash, bound[in->defines[i].slot]);
    if (status == TW_OK)
        status = add_launches(hash, in, bound, device, error);
    tw_hash_finish(hash, key);
    if (status == TW_OK && key[0] == '\0')
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    return status;
}

#include "runtime/variant/geometry.h"

#include <inttypes.h>
#include <string.h>

#include "runtime/description/languages.h"

/* `what` stays in *broken unless the size is fine. */
static tw_status size_of(const struct tw_expression *expression, const int64_t *values,
                         const char *what, int64_t least, int64_t most, int64_t *size,
                         const char **broken, struct tw_error *error) {
    *broken = what;
    enum tw_evaluation outcome = tw_expression_evaluate(expression, values, size);
    if (outcome != TW_EVALUATED)
        return tw_fail(error, TW_INVALID, "%s, \"%s\", %s", what, tw_expression_text(expression),
                       tw_evaluation_text(outcome));
    if (*size < least)
        return tw_fail(error, TW_INVALID, "%s, \"%s\", is %" PRId64, what,
                       tw_expression_text(expression), *size);
    if (*size > most)
        return tw_fail(error, TW_RESOURCE, "%s is %" PRId64 "; the device allows %" PRId64, what,
                       *size, most);
    *broken = NULL;
    return TW_OK;
}

/* Blocks of a cluster share its multiprocessors' memory, so a grid consists of whole ones. */
static tw_status cluster_of(const struct tw_launch_description *launch, const int64_t *values,
                            const struct tw_device_info *device, struct tw_geometry *geometry,
                            struct tw_error *error) {
    static const char *const names[] = {"cluster x", "cluster y", "cluster z"};
    const int64_t most = device->max_cluster > 1 ? device->max_cluster : 1;
    int64_t blocks = 1;
    for (int i = 0; i < 3; i++) {
        int64_t cluster = 1;
        tw_status status = TW_OK;
        if (launch->cluster[i] != NULL)
            status = size_of(launch->cluster[i], values, names[i], 1, most, &cluster,
                             &geometry->broken, error);
        if (status != TW_OK)
            return status;
        geometry->broken = "blocks of a cluster"; /* unless both turn out well */
        if (geometry->grid[i] % cluster != 0)
            return tw_fail(error, TW_RESOURCE,
                           "the grid's %" PRIu32 " blocks are no whole clusters of %" PRId64,
                           geometry->grid[i], cluster);
        geometry->cluster[i] = (uint32_t)cluster;
        blocks *= cluster;
    }
    if (blocks > most)
        return tw_fail(error, TW_RESOURCE,
                       "a cluster has %" PRId64 " blocks; the device allows %" PRId64, blocks,
                       most);
    geometry->broken = NULL;
    return TW_OK;
}

tw_status tw_geometry_of(const struct tw_launch_description *launch, const int64_t *values,
                         const struct tw_device_info *device, struct tw_geometry *geometry,
                         struct tw_error *error) {
    static const char *const block_names[] = {"block x", "block y", "block z"};
    static const char *const grid_names[] = {"grid x", "grid y", "grid z"};
    int64_t threads = 1;
    geometry->broken = NULL;
    for (int i = 0; i < 3; i++) {
        int64_t block = 1, grid = 1;
        tw_status status = TW_OK;
        if (launch->block[i] != NULL)
            status = size_of(launch->block[i], values, block_names[i], 1, device->max_block[i],
                             &block, &geometry->broken, error);
        if (status == TW_OK && launch->grid[i] != NULL)
            status = size_of(launch->grid[i], values, grid_names[i], 1, device->max_grid[i], &grid,
                             &geometry->broken, error);
        if (status != TW_OK)
            return status;
        geometry->block[i] = (uint32_t)block;
        geometry->grid[i] = (uint32_t)grid;
        threads *= block;
        if (threads > device->max_threads) {
            geometry->broken = "threads of a block";
            return tw_fail(error, TW_RESOURCE,
                           "a block has %" PRId64 " threads; the device allows %" PRId64, threads,
                           device->max_threads);
        }
    }
    int64_t shared = 0, min_blocks = 1, early = 0;
    tw_status status = TW_OK;
    if (launch->shared != NULL)
        status = size_of(launch->shared, values, "shared memory", 0, device->max_shared, &shared,
                         &geometry->broken, error);
    if (status == TW_OK && launch->min_blocks != NULL)
        status = size_of(launch->min_blocks, values, "min_blocks", 1, 64, &min_blocks,
                         &geometry->broken, error);
    if (status == TW_OK && launch->early != NULL)
        status =
            size_of(launch->early, values, "early", 0, INT64_MAX, &early, &geometry->broken, error);
    geometry->shared = (uint32_t)shared;
    geometry->min_blocks = (uint32_t)min_blocks;
    geometry->early = early != 0;
    return status == TW_OK ? cluster_of(launch, values, device, geometry, error) : status;
}

tw_status tw_implementation_runs(const struct tw_implementation *implementation,
                                 const struct tw_device_info *device, struct tw_error *error) {
    const struct tw_language *language = tw_language_of(device->backend);
    if ((implementation->languages & tw_language_bit(language)) == 0)
        return tw_fail(error, TW_RESOURCE, "%s does not run on %s", implementation->name,
                       device->backend);
    if (language->has_architectures && device->arch < implementation->min_arch)
        return tw_fail(error, TW_RESOURCE, "%s needs sm_%d; the device is %s", implementation->name,
                       implementation->min_arch, device->architecture);
    if (implementation->exact_arch > 0 && device->arch != implementation->exact_arch)
        return tw_fail(error, TW_RESOURCE, "%s needs what only sm_%d has; the device is %s",
                       implementation->name, implementation->exact_arch,
                       language->has_architectures ? device->architecture : device->backend);
    for (int i = 0; i < implementation->launch_count; i++)
        if (implementation->launches[i].tensor_map_count > 0 && !device->has_tensor_maps)
            return tw_fail(error, TW_RESOURCE, "%s needs tensor maps, which the device has not",
                           implementation->name);
    return TW_OK;
}

tw_status tw_implementation_fits(const struct tw_implementation *implementation,
                                 const int64_t *values, const struct tw_device_info *device,
                                 struct tw_error *error) {
    tw_status status = tw_implementation_runs(implementation, device, error);
    for (int i = 0; i < implementation->launch_count && status == TW_OK; i++) {
        struct tw_geometry geometry;
        status = tw_geometry_of(&implementation->launches[i], values, device, &geometry, error);
    }
    return status;
}

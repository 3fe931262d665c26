/* What the parts of a description that are read one by one hold. */
#include <stdlib.h>

#include "runtime/description/read.h"

static void free_tensor_map(struct tw_tensor_map_description *map) {
    for (int i = 0; i < TW_MAX_RANK; i++) {
        tw_expression_free(map->dims[i]);
        tw_expression_free(map->box[i]);
    }
    for (int i = 0; i < TW_MAX_RANK - 1; i++)
        tw_expression_free(map->strides[i]);
    for (int i = 0; i < TW_MAX_RANK - 2; i++) {
        tw_expression_free(map->lower[i]);
        tw_expression_free(map->upper[i]);
        tw_expression_free(map->steps[i]);
    }
    tw_expression_free(map->layers);
    tw_expression_free(map->layer_stride);
    tw_expression_free(map->swizzle);
    tw_expression_free(map->offset);
}

void tw_launch_description_free(struct tw_launch_description *launch) {
    for (int i = 0; i < 3; i++) {
        tw_expression_free(launch->block[i]);
        tw_expression_free(launch->grid[i]);
        tw_expression_free(launch->cluster[i]);
    }
    for (int i = 0; i < launch->tensor_map_count; i++)
        free_tensor_map(&launch->tensor_maps[i]);
    tw_expression_free(launch->shared);
    tw_expression_free(launch->min_blocks);
    tw_expression_free(launch->early);
}

void tw_implementation_free(struct tw_implementation *implementation) {
    for (int i = 0; i < implementation->parameter_count; i++)
        tw_expression_free(implementation->parameters[i].untuned_of);
    for (int i = 0; i < implementation->constraint_count; i++)
        tw_expression_free(implementation->constraints[i]);
    for (int i = 0; i < implementation->redundant_count; i++)
        tw_expression_free(implementation->redundant[i]);
    for (int i = 0; i < implementation->define_count; i++)
        tw_expression_free(implementation->defines[i].expression);
    for (int i = 0; i < implementation->launch_count; i++)
        tw_launch_description_free(&implementation->launches[i]);
    tw_expression_free(implementation->flops);
    tw_expression_free(implementation->workspace);
    tw_expression_free(implementation->counters);
    for (int i = 0; i < implementation->message_count; i++)
        free((void *)implementation->disqualified_by[i]);
    free(implementation->parameters);
    free(implementation->launches);
    free(implementation->presets);
    free(implementation->summary);
    free(implementation->symbols);
}

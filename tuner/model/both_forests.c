#include "tuner/model/both_forests.h"

#include <math.h>
#include <stdlib.h>

#include "tuner/model/boost.h"
#include "tuner/model/copy_trees.h"

tw_status both_join(const struct model_samples *s, const bool *chosen, const double *beside,
                    double *predicted, struct tw_error *error) {
    struct tw_model_first *first = calloc((size_t)s->problem_count + 1, sizeof *first);
    if (first == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    for (int i = 0; i < s->count; i++)
        if (chosen[i] && isfinite(predicted[i]))
            tw_model_note_first(&first[s->all[i].problem], predicted[i], beside[i]);
    for (int i = 0; i < s->count; i++)
        predicted[i] = tw_model_joined_us(&first[s->all[i].problem], predicted[i], beside[i]);
    free(first);
    return TW_OK;
}

tw_status both_merge(struct tw_model *merged, const struct tw_model *model,
                     const struct tw_model *beside, struct tw_error *error) {
    *merged = *model;
    if (!copy_trees_begin(merged, model->tree_count + beside->tree_count,
                          model->node_count + beside->node_count)) {
        boost_free(merged);
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    }
    copy_trees(merged, model, &model->forests[0]);
    copy_trees(merged, beside, &beside->forests[0]);
    merged->forest_count = 2;
    merged->forests[1] = beside->forests[0];
    merged->forests[1].beside = true;
    merged->forests[1].first = model->tree_count;
    merged->forests[1].end = merged->tree_count;
    return TW_OK;
}

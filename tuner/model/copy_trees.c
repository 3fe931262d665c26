#include "tuner/model/copy_trees.h"

#include <stdlib.h>

bool copy_trees_begin(struct tw_model *copy, int trees, int nodes) {
    copy->tree_count = copy->node_count = 0;
    copy->roots = calloc((size_t)trees + 1, sizeof *copy->roots);
    copy->nodes = calloc((size_t)nodes + 1, sizeof *copy->nodes);
    return copy->roots != NULL && copy->nodes != NULL;
}

void copy_trees(struct tw_model *copy, const struct tw_model *from,
                const struct tw_model_forest *forest) {
    if (forest->first == forest->end)
        return;
    const int first = from->roots[forest->first];
    const int end = forest->end < from->tree_count ? from->roots[forest->end] : from->node_count;
    const int by = copy->node_count - first;
    for (int i = forest->first; i < forest->end; i++)
        copy->roots[copy->tree_count++] = from->roots[i] + by;
    for (int i = first; i < end; i++) {
        struct tw_model_node node = from->nodes[i];
        node.right += node.feature >= 0 ? by : 0;
        copy->nodes[copy->node_count++] = node;
    }
}

#include "tuner/model/kept_forests.h"

#include <stdlib.h>

/* Trees with the nodes that lie between theirs, as a model has them. */
static void copy_trees(struct tw_model *copy, const struct tw_model *from,
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

tw_status kept_forests_find(struct kept_forests *kept, const struct model_samples *s,
                            struct tw_error *error) {
    const struct tw_model *onto = s->onto;
    *kept = (struct kept_forests){.model = onto};
    if (onto == NULL || !s->anew)
        return TW_OK;
    kept->model = &kept->copy;
    kept->copy.roots = calloc((size_t)onto->tree_count + 1, sizeof *kept->copy.roots);
    kept->copy.nodes = calloc((size_t)onto->node_count + 1, sizeof *kept->copy.nodes);
    if (kept->copy.roots == NULL || kept->copy.nodes == NULL) {
        kept_forests_free(kept);
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    }
    for (int i = 0; i < onto->forest_count; i++) {
        struct tw_model_forest forest = onto->forests[i];
        forest.kinds &= s->kept;
        if (forest.kinds == 0)
            continue;
        copy_trees(&kept->copy, onto, &forest);
        kept->copy.forests[kept->copy.forest_count++] = forest;
    }
    return TW_OK;
}

void kept_forests_free(struct kept_forests *kept) {
    free(kept->copy.roots);
    free(kept->copy.nodes);
    *kept = (struct kept_forests){0};
}

double kept_forests_base(const struct kept_forests *kept, const struct model_samples *s,
                         const struct tw_model *grown) {
    if (s->onto != NULL && !s->anew)
        return grown->base + s->onto->base;
    return kept->copy.forest_count > 0 ? kept->copy.forests[0].base : grown->base;
}

static void write_one(const struct tw_model_forest *forest, bool last, struct tw_text *text) {
    bool first = true;
    tw_text_print(text, "  {\"kinds\": [");
    for (int kind = 0; kind < TW_MODEL_MAX_WORDS; kind++) {
        if ((forest->kinds >> kind & 1) == 0)
            continue;
        tw_text_print(text, "%s%d", first ? "" : ", ", kind);
        first = false;
    }
    tw_text_print(text, "], \"base\": %.9g, \"doubling\": %.3g, \"trees\": %d}%s\n", forest->base,
                  forest->doubling, forest->end - forest->first, last ? "" : ",");
}

void kept_forests_write(const struct kept_forests *kept, const struct model_choice *choice,
                        const struct model_samples *s, const struct tw_model *grown,
                        double doubling, struct tw_text *text) {
    struct tw_model_forest anew = {
        .base = grown->base, .doubling = doubling, .end = grown->tree_count};
    if (s->onto == NULL || !s->anew || kept->copy.forest_count == 0)
        return;
    for (int kind = 0; kind < choice->kind_count; kind++)
        anew.kinds |= UINT64_C(1) << kind;
    anew.kinds &= ~s->kept;
    tw_text_print(text, " \"forests\": [\n");
    for (int i = 0; i < kept->copy.forest_count; i++)
        write_one(&kept->copy.forests[i], false, text);
    write_one(&anew, true, text);
    tw_text_print(text, " ],\n");
}

#include "tuner/model/kept_forests.h"

#include <stdlib.h>

#include "tuner/model/copy_trees.h"

tw_status kept_forests_find(struct kept_forests *kept, const struct model_samples *s,
                            struct tw_error *error) {
    const struct tw_model *onto = s->onto;
    *kept = (struct kept_forests){.model = onto};
    if (onto == NULL || !s->anew)
        return TW_OK;
    kept->model = &kept->copy;
    if (!copy_trees_begin(&kept->copy, onto, NULL)) {
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
    tw_text_print(text, "], \"base\": %.9g, \"doubling\": %.3g,%s \"trees\": %d}%s\n", forest->base,
                  forest->doubling, forest->beside ? " \"beside\": true," : "",
                  forest->end - forest->first, last ? "" : ",");
}

void kept_forests_write(const struct kept_forests *kept, const struct model_choice *choice,
                        const struct model_samples *s, const struct tw_model *grown,
                        double doubling, struct tw_text *text) {
    uint64_t kinds = 0;
    if (kept->copy.forest_count == 0 && grown->forest_count == 1)
        return;
    for (int kind = 0; kind < choice->kind_count; kind++)
        kinds |= UINT64_C(1) << kind;
    kinds &= ~s->kept;
    tw_text_print(text, " \"forests\": [\n");
    for (int i = 0; i < kept->copy.forest_count; i++)
        write_one(&kept->copy.forests[i], false, text);
    for (int i = 0; i < grown->forest_count; i++) {
        struct tw_model_forest forest = grown->forests[i];
        forest.kinds = kinds;
        forest.doubling = forest.beside ? 0 : doubling;
        write_one(&forest, i + 1 == grown->forest_count, text);
    }
    tw_text_print(text, " ],\n");
}

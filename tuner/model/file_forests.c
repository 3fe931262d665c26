#include "tuner/model/file_forests.h"

#include <math.h>

#include "tuner/model/copy_trees.h"
#include "tuner/model/grown_forests.h"

static uint64_t kinds_up_to(int count) {
    return count > 0 ? UINT64_MAX >> (64 - count) : 0;
}

/* A forest with the trees of `forest`, which are copied, behind all others. */
static struct tw_model_forest *add_forest(struct tw_model *model, const struct tw_model *from,
                                          const struct tw_model_forest *forest, uint64_t kinds) {
    struct tw_model_forest *added = &model->forests[model->forest_count++];
    *added = *forest;
    added->kinds = kinds;
    added->first = model->tree_count;
    copy_trees(model, from, forest);
    added->end = model->tree_count;
    return added;
}

/* As which of its kinds the earlier model was asked of each: one that it has not as one that is
 * alike. -1: of its first forest, as everywhere. */
static void find_asked(const struct model_samples *s, const struct model_choice *choice,
                       int *asked) {
    const int known = s->onto->kind_count;
    for (int kind = 0; kind < choice->kind_count; kind++)
        asked[kind] = kind < known ? kind : -1;
    for (int i = 0; i < s->problem_count; i++) {
        const int kind = choice->of_problem[i];
        if (kind >= known)
            asked[kind] = tw_model_kind(s->onto, &s->problems[i].problem);
    }
}

/* What was grown corrects what two forests of a kind say together, so that both get it. */
static void add_grown_on(struct tw_model *model, const struct model_samples *s,
                         const struct model_choice *choice, const struct tw_model *grown,
                         double doubling) {
    int asked[TW_MODEL_MAX_WORDS];
    bool others = false;
    find_asked(s, choice, asked);
    for (int kind = 0; kind < choice->kind_count; kind++)
        others |= asked[kind] < 0;
    for (int i = 0; i < s->onto->forest_count; i++) {
        const struct tw_model_forest *earlier = &s->onto->forests[i];
        uint64_t kinds = 0;
        for (int kind = 0; kind < choice->kind_count; kind++)
            if (asked[kind] >= 0 ? (earlier->kinds >> asked[kind] & 1) != 0 : i == 0)
                kinds |= UINT64_C(1) << kind;
        struct tw_model_forest *forest = add_forest(model, s->onto, earlier, kinds);
        if (!forest_grows(s->onto, i, s->kept, others))
            continue;
        copy_trees(model, grown, &grown->forests[0]);
        forest->end = model->tree_count;
        forest->base += grown->forests[0].base;
        if (!forest->beside)
            forest->doubling = fmax(forest->doubling, doubling);
    }
}

static void add_beside_kept(struct tw_model *model, const struct model_samples *s,
                            const struct model_choice *choice, const struct tw_model *grown,
                            double doubling) {
    for (int i = 0; s->onto != NULL && i < s->onto->forest_count; i++) {
        const uint64_t kinds = s->onto->forests[i].kinds & s->kept;
        if (kinds != 0)
            add_forest(model, s->onto, &s->onto->forests[i], kinds);
    }
    for (int i = 0; i < grown->forest_count; i++) {
        const struct tw_model_forest *one = &grown->forests[i];
        add_forest(model, grown, one, kinds_up_to(choice->kind_count) & ~s->kept)->doubling =
            one->beside ? 0 : doubling;
    }
}

/* Forests there will be; of trees and nodes there may be fewer. */
struct counts {
    int forests, trees, nodes;
};

static struct counts count_most(const struct model_samples *s, const struct tw_model *grown) {
    struct counts counts = {grown->forest_count, grown->tree_count, grown->node_count};
    if (s->onto == NULL)
        return counts;
    if (model_grows_on(s)) /* as many times as there are forests to add it to */
        counts = (struct counts){0, s->onto->forest_count * grown->tree_count,
                                 s->onto->forest_count * grown->node_count};
    for (int i = 0; i < s->onto->forest_count; i++)
        counts.forests += model_grows_on(s) || (s->onto->forests[i].kinds & s->kept) != 0;
    counts.trees += s->onto->tree_count;
    counts.nodes += s->onto->node_count;
    return counts;
}

tw_status file_forests_make(struct tw_model *model, const struct model_samples *s,
                            const struct model_choice *choice, const struct tw_model *grown,
                            double doubling, struct tw_error *error) {
    const struct counts counts = count_most(s, grown);
    *model = (struct tw_model){0};
    if (counts.forests > TW_MODEL_MAX_FORESTS)
        return tw_fail(error, TW_INVALID,
                       "with the earlier model's there would be %d sets of trees, of which a model "
                       "has %d at most; fit without --from",
                       counts.forests, TW_MODEL_MAX_FORESTS);
    if (!copy_trees_begin(model, counts.trees, counts.nodes))
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    if (model_grows_on(s))
        add_grown_on(model, s, choice, grown, doubling);
    else
        add_beside_kept(model, s, choice, grown, doubling);
    if (model->tree_count > TW_MODEL_MAX_TREES || model->node_count > TW_MODEL_MAX_NODES)
        return tw_fail(error, TW_INVALID,
                       "with the earlier model's the trees would be %d of %d nodes, of which a "
                       "model has %d and %d at most; fit without --from",
                       model->tree_count, model->node_count, TW_MODEL_MAX_TREES,
                       TW_MODEL_MAX_NODES);
    return TW_OK;
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

void file_forests_write(const struct tw_model *model, struct tw_text *text) {
    if (model->forest_count < 2)
        return;
    tw_text_print(text, " \"forests\": [\n");
    for (int i = 0; i < model->forest_count; i++)
        write_one(&model->forests[i], i + 1 == model->forest_count, text);
    tw_text_print(text, " ],\n");
}

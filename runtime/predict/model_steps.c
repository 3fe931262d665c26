#include "runtime/predict/model_steps.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/description/json_span.h"
#include "runtime/predict/packed_tree.h"

enum { DEEPEST = TW_MODEL_DEEPEST, MOST_LEAVES = 1 << DEEPEST };

bool tw_model_share_out(struct tw_model *model, int *trees) {
    if (model->forest_count == 0)
        model->forests[model->forest_count++] =
            (struct tw_model_forest){.kinds = UINT64_MAX,
                                     .base = model->base,
                                     .doubling = model->doubling,
                                     .end = model->tree_count};
    *trees = 0;
    for (int i = 0; i < model->forest_count; i++)
        *trees += model->forests[i].end;
    if (*trees != model->tree_count)
        return false;
    int first = 0;
    for (int i = 0; i < model->forest_count; i++) {
        struct tw_model_forest *forest = &model->forests[i];
        forest->first = first;
        first = forest->end = first + forest->end;
    }
    return true;
}

static bool has_too_many_cuts(const struct tw_model *model) {
    for (int i = 0; i < model->feature_count; i++)
        if (model->cuts[i].count >= UINT16_MAX)
            return true;
    return false;
}

/* ---- From nodes ---- */

/* Up to `most`, whatever a file holds. */
static int depth_below(const struct tw_model *model, int at, int most) {
    const struct tw_model_node *node = &model->nodes[at];
    if (node->feature < 0 || most == 0)
        return 0;
    const int left = depth_below(model, at + 1, most - 1);
    const int right = depth_below(model, node->right, most - 1);
    return 1 + (left > right ? left : right);
}

/* The node and what is below it, as step `place` of its level of the forest; a leaf that is higher
 * up than the others is the leaf of all ways on. */
static void fill_steps(struct tw_model *model, const struct tw_model_forest *forest, int at,
                       int level, size_t place) {
    const struct tw_model_node *node = &model->nodes[at];
    if (level == forest->depth) {
        model->leaves[forest->steps + place] = (float)node->value;
        return;
    }
    const bool is_leaf = node->feature < 0;
    if (!is_leaf)
        model->steps[tw_model_level(forest, level) + place] =
            tw_model_step_of(node->feature, node->cut);
    fill_steps(model, forest, is_leaf ? at : at + 1, level + 1, 2 * place);
    fill_steps(model, forest, is_leaf ? at : node->right, level + 1, 2 * place + 1);
}

tw_status tw_model_make_steps(struct tw_model *model, const char *origin, struct tw_error *error) {
    size_t count = 0;
    bool are_deep = false;
    for (int f = 0; f < model->forest_count; f++) {
        struct tw_model_forest *forest = &model->forests[f];
        for (int i = forest->first; i < forest->end; i++) {
            const int depth = depth_below(model, model->roots[i], DEEPEST + 1);
            forest->depth = depth > forest->depth ? depth : forest->depth;
        }
        are_deep |= forest->depth > DEEPEST;
        forest->steps = count;
        count += (size_t)(forest->end - forest->first) << (are_deep ? 0 : forest->depth);
    }
    if (are_deep || has_too_many_cuts(model))
        return TW_OK;
    model->steps = calloc(count + 1, sizeof *model->steps);
    model->leaves = malloc((count + 1) * sizeof *model->leaves);
    if (model->steps == NULL || model->leaves == NULL)
        return tw_fail(error, TW_NO_MEMORY, "%s: out of memory", origin);
    for (int f = 0; f < model->forest_count; f++) {
        const struct tw_model_forest *forest = &model->forests[f];
        for (int i = forest->first; i < forest->end; i++)
            fill_steps(model, forest, model->roots[i], 0, (size_t)(i - forest->first));
    }
    return TW_OK;
}

/* ---- From packed trees ---- */

/* A tree as it is read, filled up to the greatest depth. */
struct filling {
    const struct tw_model *model;
    const char *at;
    tw_model_step *steps;
    float *leaves;
    int depth, nodes;
};

/* Where a tree goes on: the node that is to be the step at `place`, `level` steps down. */
struct branch {
    int node, level;
    size_t place;
};

static bool fill_leaf(const struct filling *filling, const struct branch *here, uint32_t bits) {
    const size_t ways = (size_t)1 << (DEEPEST - here->level);
    float *leaves = filling->leaves + here->place * ways - MOST_LEAVES;
    double value;
    if (!tw_packed_leaf(bits, &value))
        return false;
    for (size_t i = 0; i < ways; i++)
        leaves[i] = (float)value;
    return true;
}

static bool fill_step(const struct filling *filling, const struct branch *here, uint32_t bits) {
    const struct tw_model *model = filling->model;
    const int feature = (int)(bits >> TW_PACKED_FEATURE);
    const int cut = (int)(bits >> TW_PACKED_CUT & TW_PACKED_MOST);
    if (here->level == DEEPEST || feature >= model->feature_count ||
        cut >= model->cuts[feature].count)
        return false;
    filling->steps[here->place] = tw_model_step_of(feature, cut);
    return true;
}

/* From behind the quote up to behind the next: the nodes on the left first, as they are written. */
static bool fill_packed(struct filling *filling) {
    struct branch right[DEEPEST], here = {.place = 1};
    int waiting = 0;
    filling->depth = 0;
    for (;; here.node++) {
        uint32_t bits;
        if (!tw_packed_bits(filling->at, &bits))
            return false;
        filling->at += TW_PACKED_DIGITS;
        if (here.level > filling->depth)
            filling->depth = here.level;
        if ((bits & TW_PACKED_LEAF) == 0) {
            if (!fill_step(filling, &here, bits))
                return false;
            right[waiting++] = (struct branch){here.node + (int)(bits & TW_PACKED_MOST),
                                               here.level + 1, 2 * here.place + 1};
            here.level++;
            here.place *= 2;
            continue;
        }
        if (!fill_leaf(filling, &here, bits))
            return false;
        if (waiting == 0)
            break;
        const struct branch next = right[--waiting];
        if (next.node != here.node + 1)
            return false;
        here.level = next.level;
        here.place = next.place;
    }
    filling->nodes = here.node + 1;
    return *filling->at++ == '"';
}

static bool take(const char **at, char wanted) {
    *at = tw_json_skip_space(*at);
    if (**at != wanted)
        return false;
    ++*at;
    return true;
}

/* All trees of the list, `depths` of them. */
static bool fill_all(struct tw_model *model, const char *trees, uint8_t *depths) {
    struct filling filling = {.model = model, .at = trees};
    if (!take(&filling.at, '['))
        return false;
    do {
        const size_t at = (size_t)model->tree_count * MOST_LEAVES;
        if (model->tree_count == TW_MODEL_MAX_TREES || !take(&filling.at, '"'))
            return false;
        filling.steps = &model->steps[at];
        filling.leaves = &model->leaves[at];
        if (!fill_packed(&filling))
            return false;
        depths[model->tree_count++] = (uint8_t)filling.depth;
        model->node_count += filling.nodes;
    } while (take(&filling.at, ','));
    return model->node_count <= TW_MODEL_MAX_NODES && take(&filling.at, ']');
}

/* The levels of a forest one after another, from trees that are filled up to the greatest depth,
 * and its leaves, drawn together where it is less deep. */
static void put_in_levels(struct tw_model *model, const struct tw_model_forest *forest,
                          tw_model_step *steps) {
    const size_t leaves = (size_t)1 << forest->depth, each = MOST_LEAVES / leaves;
    size_t to = forest->steps;
    for (int i = forest->first; i < forest->end; i++, to += leaves) {
        const size_t from = (size_t)i * MOST_LEAVES;
        for (int level = 0; level < forest->depth; level++) {
            const size_t wide = (size_t)1 << level;
            memcpy(&steps[tw_model_level(forest, level) + (size_t)(i - forest->first) * wide],
                   &model->steps[from + wide], wide * sizeof *steps);
        }
        for (size_t k = 0; k < leaves; k++)
            model->leaves[to + k] = model->leaves[from + k * each];
    }
}

/* Of all forests, into `steps`, which has room for trees of the greatest depth. */
static void arrange(struct tw_model *model, const uint8_t *depths, tw_model_step *steps) {
    size_t count = 0;
    for (int f = 0; f < model->forest_count; f++) {
        struct tw_model_forest *forest = &model->forests[f];
        for (int i = forest->first; i < forest->end; i++)
            forest->depth = depths[i] > forest->depth ? depths[i] : forest->depth;
        forest->steps = count;
        count += (size_t)(forest->end - forest->first) << forest->depth;
        put_in_levels(model, forest, steps);
    }
    free(model->steps);
    /* What is not used any more was mostly never touched. */
    void *fewer = realloc(steps, (count + 1) * sizeof *steps);
    void *leaves = realloc(model->leaves, (count + 1) * sizeof *model->leaves);
    model->steps = fewer != NULL ? fewer : steps;
    model->leaves = leaves != NULL ? leaves : model->leaves;
}

bool tw_model_read_steps(struct tw_model *model, const char *trees) {
    enum { MOST = TW_MODEL_MAX_TREES * MOST_LEAVES };
    uint8_t depths[TW_MODEL_MAX_TREES];
    int counted;
    const int forests = model->forest_count;
    tw_model_step *steps = NULL;
    model->steps = calloc(MOST, sizeof *model->steps);
    model->leaves = malloc(MOST * sizeof *model->leaves);
    if (model->steps != NULL && model->leaves != NULL && !has_too_many_cuts(model) &&
        fill_all(model, trees, depths) &&
        (steps = calloc((size_t)model->tree_count * MOST_LEAVES + 1, sizeof *steps)) != NULL &&
        tw_model_share_out(model, &counted)) {
        arrange(model, depths, steps);
        return true;
    }
    free(steps);
    free(model->steps);
    free(model->leaves);
    model->steps = NULL;
    model->leaves = NULL;
    model->tree_count = model->node_count = 0;
    model->forest_count = forests;
    return false;
}

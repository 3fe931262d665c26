#include "tuner/model/write_trees.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "runtime/predict/packed_tree.h"

void write_string(struct tw_text *text, const char *string) {
    cJSON *item = cJSON_CreateString(string);
    char *printed = item != NULL ? cJSON_PrintUnformatted(item) : NULL;
    if (printed != NULL)
        tw_text_print(text, "%s", printed);
    else
        text->failed = true;
    cJSON_free(printed);
    cJSON_Delete(item);
}

/* ---- What nodes compare to ---- */

/* With the digits that are written. */
static double cut_of(const struct tw_model_node *node) {
    char written[32];
    snprintf(written, sizeof written, "%.9g", node->value);
    return strtod(written, NULL);
}

static int by_value(const void *left, const void *right) {
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static void count_cuts(const struct tw_model *model, struct tw_model_cuts *cuts) {
    for (int i = 0; i < model->node_count; i++)
        if (model->nodes[i].feature >= 0)
            cuts[model->nodes[i].feature].count++;
}

static void add_cuts(const struct tw_model *model, struct tw_model_cuts *cuts) {
    for (int i = 0; i < model->node_count; i++) {
        const struct tw_model_node *node = &model->nodes[i];
        if (node->feature >= 0)
            cuts[node->feature].values[cuts[node->feature].count++] = cut_of(node);
    }
}

/* Ascending, each once; false: out of memory. */
static bool find_cuts(const struct tw_model *model, struct tw_model_cuts *cuts) {
    count_cuts(model, cuts);
    for (int i = 0; i < TW_MODEL_MAX_FEATURES; i++) {
        cuts[i].values = calloc((size_t)cuts[i].count + 1, sizeof *cuts[i].values);
        if (cuts[i].values == NULL)
            return false;
        cuts[i].count = 0;
    }
    add_cuts(model, cuts);
    for (int i = 0; i < TW_MODEL_MAX_FEATURES; i++) {
        int kept = 0;
        qsort(cuts[i].values, (size_t)cuts[i].count, sizeof *cuts[i].values, by_value);
        for (int k = 0; k < cuts[i].count; k++)
            if (kept == 0 || cuts[i].values[k] != cuts[i].values[kept - 1])
                cuts[i].values[kept++] = cuts[i].values[k];
        cuts[i].count = kept;
    }
    return true;
}

/* ---- Trees ---- */

static int end_of(const struct tw_model *model, int tree) {
    return tree + 1 < model->tree_count ? model->roots[tree + 1] : model->node_count;
}

static void add_list(const struct tw_model *model, int first, int end, struct tw_text *text) {
    tw_text_print(text, "[");
    for (int i = first; i < end; i++) {
        const struct tw_model_node *node = &model->nodes[i];
        tw_text_print(text, "%s", i > first ? "," : "");
        if (node->feature < 0)
            tw_text_print(text, "[%.4g]", node->value);
        else
            tw_text_print(text, "[%d,%.9g,%d]", node->feature, node->value, node->right - first);
    }
    tw_text_print(text, "]");
}

/* Four digits, as a list has them; what is too small for a power of ten that is exact is none.
 * False: it is too large. */
static bool pack_leaf(double value, uint32_t *bits) {
    char written[32];
    snprintf(written, sizeof written, "%.3e", fabs(value));
    const int power = atoi(strchr(written, 'e') + 1) - 3;
    const uint32_t times = (uint32_t)(written[0] - '0') * 1000 + (uint32_t)atoi(written + 2);
    *bits = TW_PACKED_LEAF;
    if (power > TW_PACKED_MOST_POWER)
        return false;
    if (power >= -TW_PACKED_MOST_POWER)
        *bits |= (value < 0 ? TW_PACKED_NEGATIVE : 0) | times |
                 (uint32_t)(power + TW_PACKED_MOST_POWER) << TW_PACKED_POWER;
    else
        *bits |= (uint32_t)TW_PACKED_MOST_POWER << TW_PACKED_POWER;
    return true;
}

static bool pack_node(const struct tw_model_node *node, int index, const struct tw_model_cuts *cuts,
                      uint32_t *bits) {
    if (node->feature < 0)
        return pack_leaf(node->value, bits);
    const struct tw_model_cuts *of = &cuts[node->feature];
    const double value = cut_of(node);
    const double *cut =
        bsearch(&value, of->values, (size_t)of->count, sizeof *of->values, by_value);
    const ptrdiff_t place = cut - of->values;
    const int on = node->right - index;
    *bits = (uint32_t)node->feature << TW_PACKED_FEATURE | (uint32_t)place << TW_PACKED_CUT |
            (uint32_t)on;
    return of->count <= TW_MODEL_MAX_CUTS && on <= TW_PACKED_MOST;
}

static bool can_be_packed(const struct tw_model *model, int first, int end,
                          const struct tw_model_cuts *cuts) {
    uint32_t bits;
    for (int i = first; i < end; i++)
        if (!pack_node(&model->nodes[i], i, cuts, &bits))
            return false;
    return true;
}

static void add_packed(const struct tw_model *model, int first, int end,
                       const struct tw_model_cuts *cuts, struct tw_text *text) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    tw_text_print(text, "\"");
    for (int i = first; i < end; i++) {
        char node[TW_PACKED_DIGITS];
        uint32_t bits;
        pack_node(&model->nodes[i], i, cuts, &bits);
        for (int k = TW_PACKED_DIGITS; k-- > 0; bits >>= 6)
            node[k] = digits[bits & 63];
        tw_text_add(text, node, sizeof node);
    }
    tw_text_print(text, "\"");
}

static void add_trees(const struct tw_model *model, const struct tw_model_cuts *cuts,
                      struct tw_text *text) {
    for (int t = 0; t < model->tree_count; t++) {
        const int first = model->roots[t], end = end_of(model, t);
        tw_text_print(text, "  ");
        if (can_be_packed(model, first, end, cuts))
            add_packed(model, first, end, cuts, text);
        else
            add_list(model, first, end, text);
        tw_text_print(text, "%s\n", t + 1 < model->tree_count ? "," : "");
    }
}

/* ---- Features ---- */

/* Strings of some each, for one may be no longer than others that are imported. */
static void add_cuts_of(const struct tw_model_cuts *cuts, struct tw_text *text) {
    enum { IN_A_STRING = 64 };
    tw_text_print(text, ", \"cuts\": [\"");
    for (int k = 0; k < cuts->count; k++)
        tw_text_print(text, "%s%.9g",
                      k == 0                 ? ""
                      : k % IN_A_STRING == 0 ? "\", \""
                                             : " ",
                      cuts->values[k]);
    tw_text_print(text, "\"]");
}

static void add_feature(const char *name, const struct tw_model_feature *feature,
                        const struct tw_model_cuts *cuts, struct tw_text *text) {
    tw_text_print(text, "  {\"name\": ");
    write_string(text, name);
    for (int k = 0; k < feature->word_count; k++) {
        tw_text_print(text, "%s", k > 0 ? ", " : ", \"words\": [");
        write_string(text, feature->words[k]);
    }
    tw_text_print(text, "%s", feature->word_count > 0 ? "]" : "");
    if (cuts->count > 0 && cuts->count <= TW_MODEL_MAX_CUTS)
        add_cuts_of(cuts, text);
    tw_text_print(text, "}");
}

void write_trees(const char *const *names, const struct tw_model *shape,
                 const struct tw_model *model, struct tw_text *text) {
    struct tw_model_cuts cuts[TW_MODEL_MAX_FEATURES] = {0};
    if (!find_cuts(model, cuts))
        text->failed = true;
    if (!text->failed) {
        tw_text_print(text, " \"features\": [\n");
        for (int i = 0; i < shape->feature_count; i++) {
            add_feature(names[i], &shape->features[i], &cuts[i], text);
            tw_text_print(text, "%s\n", i + 1 < shape->feature_count ? "," : "");
        }
        tw_text_print(text, " ],\n \"trees\": [\n");
        add_trees(model, cuts, text);
        tw_text_print(text, " ],\n");
    }
    for (int i = 0; i < TW_MODEL_MAX_FEATURES; i++)
        free(cuts[i].values);
}

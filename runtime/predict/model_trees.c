/* Trees are numbers by the ten thousand, of which a general reader makes an object each: that took
 * most of the time of a first plan. So they are read as they stand, and all else by cJSON. */
#include "runtime/predict/model_trees.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "runtime/description/json_span.h"
#include "runtime/predict/model_steps.h"
#include "runtime/predict/packed_tree.h"

struct reader {
    struct tw_model *model;
    const char *at, *origin;
    struct tw_error *error;
    tw_status status;
    int room;    /* of the model's nodes */
    int feature; /* whose cuts are read, or -1: a tree is */
    int tree, node;
    bool has_lists; /* not all trees are packed */
};

static const double powers_of_ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                       1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                       1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

__attribute__((format(printf, 2, 3))) static void fail(struct reader *r, const char *format, ...) {
    char what[128];
    va_list arguments;
    if (r->status != TW_OK)
        return;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    r->status = r->feature >= 0 ? tw_fail(r->error, TW_INVALID, "%s: key features[%d].cuts: %s",
                                          r->origin, r->feature, what)
                                : tw_fail(r->error, TW_INVALID, "%s: key trees[%d][%d]: %s",
                                          r->origin, r->tree, r->node, what);
}

/* Mostly there is none. */
static inline const char *skip_space(const char *at) {
    return (unsigned char)*at > ' ' ? at : tw_json_skip_space(at);
}

static inline bool take(struct reader *r, char wanted) {
    r->at = skip_space(r->at);
    if (*r->at != wanted)
        return false;
    r->at++;
    return true;
}

static inline void expect(struct reader *r, char wanted) {
    if (r->status == TW_OK && !take(r, wanted))
        fail(r, "expected '%c'", wanted);
}

static inline bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static inline const char *take_digits(const char *at, uint64_t *digits) {
    for (; is_digit(*at); at++)
        *digits = 10 * *digits + (uint64_t)(*at - '0');
    return at;
}

/* As JSON has it. A number of at most 15 digits, by a power of ten that is exact, is rounded but
 * once; what is longer cJSON reads. */
static double read_number(struct reader *r) {
    enum { MOST_DIGITS = 15, MOST_POWER = 22 };
    const char *start = skip_space(r->at), *at = start;
    int power = 0;
    bool negative = *at == '-';
    at += negative;
    const char *first = at;
    uint64_t digits = 0; /* which mean something if they are few */
    at = take_digits(at, &digits);
    bool is_number = at > first;
    ptrdiff_t count = at - first;
    if (*at == '.') {
        first = ++at;
        at = take_digits(at, &digits);
        is_number = is_number && at > first;
        power = (int)(first - at);
        count += at - first;
    }
    if (is_number && (*at == 'e' || *at == 'E')) {
        int written = 0;
        bool down = *++at == '-';
        at += *at == '-' || *at == '+';
        is_number = is_digit(*at);
        for (; is_digit(*at); at++)
            written = written < 100000 ? 10 * written + (*at - '0') : written;
        power += down ? -written : written;
    }
    r->at = at;
    if (!is_number) {
        fail(r, "expected a number");
        return 0;
    }
    if (count <= MOST_DIGITS && abs(power) <= MOST_POWER) {
        double number = power < 0 ? (double)digits / powers_of_ten[-power]
                                  : (double)digits * powers_of_ten[power];
        return negative ? -number : number;
    }
    cJSON *json = cJSON_ParseWithLength(start, (size_t)(at - start));
    double number = json != NULL ? json->valuedouble : 0;
    if (json == NULL)
        r->status = tw_fail(r->error, TW_NO_MEMORY, "%s: out of memory", r->origin);
    else if (!isfinite(number))
        fail(r, "expected a number");
    cJSON_Delete(json);
    return number;
}

tw_status tw_model_read_cuts(struct tw_model *model, int feature, const char *text,
                             const char *origin, struct tw_error *error) {
    struct tw_model_cuts *cuts = &model->cuts[feature];
    struct reader r = {.at = text, .origin = origin, .error = error, .feature = feature};
    int end = cuts->count + 1;
    for (const char *at = text; *at != '\0'; at++)
        end += *at == ' ';
    if (end > TW_MODEL_MAX_CUTS) {
        fail(&r, "has %d entries; the most are %d", end, TW_MODEL_MAX_CUTS);
        return r.status;
    }
    double *values = realloc(cuts->values, (size_t)end * sizeof *values);
    if (values == NULL)
        return tw_fail(error, TW_NO_MEMORY, "%s: out of memory", origin);
    cuts->values = values;
    while (r.status == TW_OK && cuts->count < end) {
        values[cuts->count] = read_number(&r);
        if (cuts->count > 0 && values[cuts->count] <= values[cuts->count - 1])
            fail(&r, "number %d is not above the one before it", cuts->count + 1);
        cuts->count++;
    }
    if (r.status == TW_OK && *r.at != '\0')
        fail(&r, "expected numbers with a space between them");
    return r.status;
}

/* [value] for a leaf, else [feature, value, right]: what follows in the list is the left one. */
static struct tw_model_node read_node(struct reader *r) {
    double numbers[3];
    int count = 0;
    expect(r, '[');
    do {
        double number = read_number(r);
        if (count < 3)
            numbers[count] = number;
        count++;
    } while (r->status == TW_OK && take(r, ','));
    expect(r, ']');
    if (r->status == TW_OK && count == 1)
        return (struct tw_model_node){.feature = -1, .value = numbers[0]};
    if (r->status == TW_OK && count == 3 && numbers[0] == floor(numbers[0]) && numbers[0] >= 0 &&
        numbers[0] < r->model->feature_count && numbers[2] == floor(numbers[2]) &&
        numbers[2] > r->node + 1 && numbers[2] < TW_MODEL_MAX_NODES)
        return (struct tw_model_node){
            .feature = (int16_t)numbers[0], .right = (int)numbers[2], .value = numbers[1]};
    fail(r, "is neither [value] nor [feature, value, right] that leads on");
    return (struct tw_model_node){.feature = -1};
}

static bool make_room(struct reader *r) {
    struct tw_model *model = r->model;
    if (model->node_count < r->room)
        return true;
    if (model->node_count == TW_MODEL_MAX_NODES) {
        fail(r, "is one node too many; the most are %d", TW_MODEL_MAX_NODES);
        return false;
    }
    int room = r->room < TW_MODEL_MAX_NODES / 2 ? 2 * r->room : TW_MODEL_MAX_NODES;
    struct tw_model_node *nodes = realloc(model->nodes, (size_t)room * sizeof *nodes);
    if (nodes == NULL) {
        r->status = tw_fail(r->error, TW_NO_MEMORY, "%s: out of memory", r->origin);
        return false;
    }
    model->nodes = nodes;
    r->room = room;
    return true;
}

/* ---- A tree that is packed (packed_tree.h) ---- */

static double packed_leaf(struct reader *r, uint32_t bits) {
    double value = 0;
    if (!tw_packed_leaf(bits, &value))
        fail(r, "expected a number");
    return value;
}

static struct tw_model_node unpack(struct reader *r, uint32_t bits) {
    if ((bits & TW_PACKED_LEAF) != 0)
        return (struct tw_model_node){.feature = -1, .value = packed_leaf(r, bits)};
    const int feature = (int)(bits >> TW_PACKED_FEATURE), on = (int)(bits & TW_PACKED_MOST);
    const int cut = (int)(bits >> TW_PACKED_CUT & TW_PACKED_MOST);
    if (feature < r->model->feature_count && cut < r->model->cuts[feature].count && on > 1)
        return (struct tw_model_node){.feature = (int16_t)feature,
                                      .cut = (uint16_t)cut,
                                      .right = r->node + on,
                                      .value = r->model->cuts[feature].values[cut]};
    fail(r, "is no node of these features and cuts");
    return (struct tw_model_node){.feature = -1};
}

/* From its quote on. */
static void read_packed(struct reader *r) {
    struct tw_model *model = r->model;
    const char *at = r->at + 1;
    while (*at != '"' && r->status == TW_OK && make_room(r)) {
        uint32_t bits;
        if (!tw_packed_bits(at, &bits)) {
            fail(r, "expected five digits to the base of 64");
            return;
        }
        at += TW_PACKED_DIGITS;
        model->nodes[model->node_count++] = unpack(r, bits);
        r->node++;
    }
    r->at = at + 1;
}

/* ---- A tree ---- */

static void read_list(struct reader *r) {
    struct tw_model *model = r->model;
    r->has_lists = true;
    expect(r, '[');
    if (r->status == TW_OK && *tw_json_skip_space(r->at) == ']')
        return;
    do {
        if (r->status != TW_OK || !make_room(r))
            return;
        model->nodes[model->node_count++] = read_node(r);
        r->node++;
    } while (r->status == TW_OK && take(r, ','));
    expect(r, ']');
}

/* The left one follows and the right one comes later in the list, so that every way ends. */
static void read_tree(struct reader *r) {
    struct tw_model *model = r->model;
    const int first = model->node_count;
    r->node = 0;
    r->at = skip_space(r->at);
    if (*r->at == '"')
        read_packed(r);
    else
        read_list(r);
    const int count = model->node_count - first;
    if (r->status == TW_OK && count == 0)
        fail(r, "the tree has no nodes");
    for (int i = 0; i < count && r->status == TW_OK; i++) {
        struct tw_model_node *node = &model->nodes[first + i];
        r->node = i;
        if (node->feature >= 0 && node->right >= count)
            fail(r, "is neither [value] nor [feature, value, right] that leads on");
        node->right += node->feature >= 0 ? first : 0;
    }
}

/* ---- What lists compare to ---- */

static int by_value(const void *left, const void *right) {
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* What lists compare a feature to is told by nobody. */
static tw_status find_cuts(struct tw_model *model, const char *origin, struct tw_error *error) {
    int counts[TW_MODEL_MAX_FEATURES] = {0};
    for (int i = 0; i < model->node_count; i++)
        if (model->nodes[i].feature >= 0)
            counts[model->nodes[i].feature]++;
    for (int i = 0; i < model->feature_count; i++) {
        free(model->cuts[i].values);
        model->cuts[i] =
            (struct tw_model_cuts){.values = calloc((size_t)counts[i] + 1, sizeof(double))};
        if (model->cuts[i].values == NULL)
            return tw_fail(error, TW_NO_MEMORY, "%s: out of memory", origin);
    }
    for (int i = 0; i < model->node_count; i++) {
        const struct tw_model_node *node = &model->nodes[i];
        if (node->feature >= 0)
            model->cuts[node->feature].values[model->cuts[node->feature].count++] = node->value;
    }
    for (int i = 0; i < model->feature_count; i++) {
        struct tw_model_cuts *cuts = &model->cuts[i];
        int kept = 0;
        qsort(cuts->values, (size_t)cuts->count, sizeof *cuts->values, by_value);
        for (int k = 0; k < cuts->count; k++)
            if (kept == 0 || cuts->values[k] != cuts->values[kept - 1])
                cuts->values[kept++] = cuts->values[k];
        cuts->count = kept;
    }
    for (int i = 0; i < model->node_count; i++) {
        struct tw_model_node *node = &model->nodes[i];
        const struct tw_model_cuts *cuts = &model->cuts[node->feature < 0 ? 0 : node->feature];
        if (node->feature >= 0) {
            const double *found = bsearch(&node->value, cuts->values, (size_t)cuts->count,
                                          sizeof *cuts->values, by_value);
            node->cut = (uint16_t)(found - cuts->values);
        }
    }
    return TW_OK;
}

static void share_out(struct reader *r) {
    const struct tw_model *model = r->model;
    int trees;
    if (!tw_model_share_out(r->model, &trees) && r->status == TW_OK)
        r->status =
            tw_fail(r->error, TW_INVALID, "%s: key forests: are of %d trees, where there are %d",
                    r->origin, trees, model->tree_count);
}

tw_status tw_model_read_trees(struct tw_model *model, const char *trees, size_t length, bool nodes,
                              const char *origin, struct tw_error *error) {
    if (!nodes && tw_model_read_steps(model, trees))
        return TW_OK;
    struct reader r = {
        .model = model, .at = trees, .origin = origin, .error = error, .feature = -1};
    model->roots = calloc(TW_MODEL_MAX_TREES, sizeof *model->roots);
    if (model->roots == NULL)
        return tw_fail(error, TW_NO_MEMORY, "%s: out of memory", origin);
    /* About as many as there are, so that few are moved: what is not used costs nothing. */
    const size_t likely = length / TW_PACKED_DIGITS;
    r.room = likely < TW_MODEL_MAX_NODES ? (int)likely + 1 : TW_MODEL_MAX_NODES;
    model->nodes = malloc((size_t)r.room * sizeof *model->nodes);
    if (model->nodes == NULL)
        return tw_fail(error, TW_NO_MEMORY, "%s: out of memory", origin);
    expect(&r, '[');
    if (r.status == TW_OK && take(&r, ']')) {
        share_out(&r);
        return r.status;
    }
    do {
        if (model->tree_count == TW_MODEL_MAX_TREES)
            fail(&r, "is one tree too many; the most are %d", TW_MODEL_MAX_TREES);
        if (r.status != TW_OK)
            return r.status;
        r.tree = model->tree_count;
        model->roots[model->tree_count++] = model->node_count;
        read_tree(&r);
    } while (r.status == TW_OK && take(&r, ','));
    expect(&r, ']');
    if (r.status == TW_OK)
        share_out(&r);
    if (r.status == TW_OK && r.has_lists)
        r.status = find_cuts(model, origin, error);
    return r.status == TW_OK ? tw_model_make_steps(model, origin, error) : r.status;
}

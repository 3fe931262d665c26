/* Trees are numbers by the ten thousand, of which a general reader makes an object each: that took
 * most of the time of a first plan. So they are read as they stand, and all else by cJSON. */
#include "runtime/predict/model_trees.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "runtime/description/json_span.h"

struct reader {
    struct tw_model *model;
    const char *at, *origin;
    struct tw_error *error;
    tw_status status;
    int room; /* of the model's nodes */
    int tree, node;
};

__attribute__((format(printf, 2, 3))) static void fail(struct reader *r, const char *format, ...) {
    char what[128];
    va_list arguments;
    if (r->status != TW_OK)
        return;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    r->status = tw_fail(r->error, TW_INVALID, "%s: key trees[%d][%d]: %s", r->origin, r->tree,
                        r->node, what);
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
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                    1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
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
        double number =
            power < 0 ? (double)digits / powers[-power] : (double)digits * powers[power];
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
        return (struct tw_model_node){-1, 0, numbers[0]};
    if (r->status == TW_OK && count == 3 && numbers[0] == floor(numbers[0]) && numbers[0] >= 0 &&
        numbers[0] < r->model->feature_count && numbers[2] == floor(numbers[2]) &&
        numbers[2] > r->node + 1 && numbers[2] < TW_MODEL_MAX_NODES)
        return (struct tw_model_node){(int)numbers[0], (int)numbers[2], numbers[1]};
    fail(r, "is neither [value] nor [feature, value, right] that leads on");
    return (struct tw_model_node){-1, 0, 0};
}

static bool make_room(struct reader *r) {
    struct tw_model *model = r->model;
    if (model->node_count < r->room)
        return true;
    if (model->node_count == TW_MODEL_MAX_NODES) {
        fail(r, "is one node too many; the most are %d", TW_MODEL_MAX_NODES);
        return false;
    }
    int room = r->room == 0 ? 4096 : 2 * r->room;
    struct tw_model_node *nodes = realloc(model->nodes, (size_t)room * sizeof *nodes);
    if (nodes == NULL) {
        r->status = tw_fail(r->error, TW_NO_MEMORY, "%s: out of memory", r->origin);
        return false;
    }
    model->nodes = nodes;
    r->room = room;
    return true;
}

/* The left one follows and the right one comes later in the list, so that every way ends. */
static void read_tree(struct reader *r) {
    struct tw_model *model = r->model;
    const int first = model->node_count;
    r->node = 0;
    expect(r, '[');
    if (r->status == TW_OK && *tw_json_skip_space(r->at) == ']')
        fail(r, "the tree has no nodes");
    do {
        if (r->status != TW_OK || !make_room(r))
            return;
        model->nodes[model->node_count++] = read_node(r);
        r->node++;
    } while (r->status == TW_OK && take(r, ','));
    expect(r, ']');
    const int count = model->node_count - first;
    for (int i = 0; i < count && r->status == TW_OK; i++) {
        struct tw_model_node *node = &model->nodes[first + i];
        r->node = i;
        if (node->feature >= 0 && node->right >= count)
            fail(r, "is neither [value] nor [feature, value, right] that leads on");
        node->right += node->feature >= 0 ? first : 0;
    }
}

/* Nodes lead on, so that each comes behind all that lead to it. The steps are used to count. */
static int depth_of(const struct tw_model *model, struct tw_model_step *steps) {
    uint32_t deepest = 0;
    for (int i = 0; i < model->node_count; i++) {
        const struct tw_model_node *node = &model->nodes[i];
        const uint32_t depth = steps[i].more + 1;
        if (node->feature < 0)
            continue;
        if (steps[i + 1].more < depth)
            steps[i + 1].more = depth;
        if (steps[node->right].more < depth)
            steps[node->right].more = depth;
        deepest = depth > deepest ? depth : deepest;
    }
    return (int)deepest;
}

static tw_status make_steps(struct tw_model *model, const char *origin, struct tw_error *error) {
    enum { DEEPEST = 16 };
    model->steps = calloc((size_t)model->node_count + 1, sizeof *model->steps);
    if (model->steps == NULL)
        return tw_fail(error, TW_NO_MEMORY, "%s: out of memory", origin);
    model->depth = depth_of(model, model->steps);
    if (model->depth > DEEPEST) {
        free(model->steps);
        model->steps = NULL;
        return TW_OK;
    }
    for (int i = 0; i < model->node_count; i++) {
        const struct tw_model_node *node = &model->nodes[i];
        model->steps[i] = node->feature < 0
                              ? (struct tw_model_step){.value = node->value}
                              : (struct tw_model_step){.value = node->value,
                                                       .more = (uint32_t)(node->right - i - 1),
                                                       .steps = 1,
                                                       .feature = (uint16_t)node->feature};
    }
    return TW_OK;
}

tw_status tw_model_read_trees(struct tw_model *model, const char *trees, const char *origin,
                              struct tw_error *error) {
    struct reader r = {.model = model, .at = trees, .origin = origin, .error = error};
    model->roots = calloc(TW_MODEL_MAX_TREES, sizeof *model->roots);
    if (model->roots == NULL)
        return tw_fail(error, TW_NO_MEMORY, "%s: out of memory", origin);
    expect(&r, '[');
    if (r.status == TW_OK && take(&r, ']'))
        return TW_OK;
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
    return r.status == TW_OK ? make_steps(model, origin, error) : r.status;
}

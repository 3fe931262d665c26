/* Reading a model: nothing in it is trusted, for it may come from anywhere. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/description/json.h"
#include "runtime/predict/model.h"

static int geometry_of(const char *name) {
    static const char *const names[] = {
#define TW_MODEL_NAME(name, value) #name,
        TW_MODEL_GEOMETRY(TW_MODEL_NAME)
#undef TW_MODEL_NAME
    };
    for (int i = 0; i < (int)(sizeof names / sizeof *names); i++)
        if (strcmp(names[i], name) == 0)
            return i;
    return -1;
}

/* "geometry.blocks", "dimension.M", "attribute.trans", "implementation", "parameter.BK" */
static void read_name(struct tw_model_feature *feature, const struct tw_json *json) {
    static const struct {
        const char *prefix;
        enum tw_model_feature_kind kind;
    } kinds[] = {{"geometry.", TW_MODEL_FEATURE_GEOMETRY},
                 {"dimension.", TW_MODEL_FEATURE_DIMENSION},
                 {"attribute.", TW_MODEL_FEATURE_ATTRIBUTE},
                 {"implementation", TW_MODEL_FEATURE_IMPLEMENTATION},
                 {"parameter.", TW_MODEL_FEATURE_PARAMETER}};
    const char *text = tw_json_string(json);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        size_t length = strlen(kinds[i].prefix);
        if (strncmp(text, kinds[i].prefix, length) != 0)
            continue;
        feature->kind = kinds[i].kind;
        feature->name = text + length;
        if (feature->kind == TW_MODEL_FEATURE_GEOMETRY)
            feature->geometry = geometry_of(feature->name);
        if (feature->kind != TW_MODEL_FEATURE_GEOMETRY || feature->geometry >= 0)
            return;
    }
    tw_json_fail(json, "\"%.60s\" is no feature", text);
}

/* How many an array has; more than `most` is a failure. */
static int count_of(const struct tw_json *array, int most) {
    tw_json_expect_array(array);
    int count = tw_json_count(array);
    if (count <= most)
        return count;
    tw_json_fail(array, "has %d entries; the most are %d", count, most);
    return 0;
}

static void read_features(struct tw_model *model, const struct tw_json *root) {
    static const char *const keys[] = {"name", "words", NULL};
    struct tw_json features = tw_json_member(root, "features");
    model->feature_count = count_of(&features, TW_MODEL_MAX_FEATURES);
    for (int i = 0; i < model->feature_count; i++) {
        struct tw_json one = tw_json_at(&features, i);
        tw_json_only_keys(&one, keys);
        struct tw_json name = tw_json_member(&one, "name");
        read_name(&model->features[i], &name);
        struct tw_json words = tw_json_optional(&one, "words");
        if (words.item == NULL)
            continue;
        model->features[i].word_count = count_of(&words, TW_MODEL_MAX_WORDS);
        for (int k = 0; k < model->features[i].word_count; k++) {
            struct tw_json word = tw_json_at(&words, k);
            model->features[i].words[k] = tw_json_string(&word);
        }
    }
}

static double finite_at(const struct tw_json *json) {
    double number = tw_json_number(json);
    if (!isfinite(number))
        tw_json_fail(json, "is no number");
    return number;
}

/* A tree is a list of nodes, [value] for a leaf and [feature, value, right] for others: the left
 * one follows, and the right one comes later in the list, so that every way ends. */
static void read_tree(struct tw_model *model, const struct tw_json *tree) {
    int count = count_of(tree, TW_MODEL_MAX_NODES), first = model->node_count;
    struct tw_model_node *nodes =
        realloc(model->nodes, (size_t)(first + count + 1) * sizeof *nodes);
    if (nodes == NULL) {
        tw_json_no_memory(tree);
        return;
    }
    model->nodes = nodes;
    if (count == 0)
        tw_json_fail(tree, "has no nodes");
    for (int i = 0; i < count && tree->context->status == TW_OK; i++) {
        struct tw_json one = tw_json_at(tree, i);
        struct tw_json first_of = tw_json_at(&one, 0);
        int entries = count_of(&one, 3);
        if (entries == 1) {
            nodes[first + i] = (struct tw_model_node){-1, 0, finite_at(&first_of)};
            continue;
        }
        struct tw_json value = tw_json_at(&one, 1), right = tw_json_at(&one, 2);
        int64_t feature = tw_json_integer(&first_of), next = tw_json_integer(&right);
        if (entries != 3 || feature < 0 || feature >= model->feature_count || i + 1 >= count ||
            next <= i + 1 || next >= count)
            tw_json_fail(&one, "is neither [value] nor [feature, value, right] that leads on");
        nodes[first + i] =
            (struct tw_model_node){(int)feature, first + (int)next, finite_at(&value)};
    }
    model->node_count += count;
}

static void read_trees(struct tw_model *model, const struct tw_json *root) {
    struct tw_json trees = tw_json_member(root, "trees");
    int count = count_of(&trees, TW_MODEL_MAX_TREES);
    model->roots = calloc((size_t)count + 1, sizeof *model->roots);
    if (model->roots == NULL)
        tw_json_no_memory(&trees);
    for (int i = 0; i < count && root->context->status == TW_OK; i++) {
        struct tw_json tree = tw_json_at(&trees, i);
        model->roots[i] = model->node_count;
        if (model->node_count > TW_MODEL_MAX_NODES)
            tw_json_fail(&tree, "is one node too many; the most are %d", TW_MODEL_MAX_NODES);
        else
            read_tree(model, &tree);
        model->tree_count = i + 1;
    }
}

static const char *text_of(const struct tw_json *object, const char *key) {
    struct tw_json member = tw_json_member(object, key);
    return tw_json_string(&member);
}

static void read_configurations(struct tw_model *model, const struct tw_json *root) {
    static const char *const keys[] = {"implementation", "configuration", "problem", "code",
                                       "source",         "judge",         "time_us", NULL};
    struct tw_json all = tw_json_member(root, "configurations");
    int count = count_of(&all, TW_MODEL_MAX_CONFIGURATIONS);
    model->configurations = calloc((size_t)count + 1, sizeof *model->configurations);
    if (model->configurations == NULL)
        tw_json_no_memory(&all);
    for (int i = 0; i < count && root->context->status == TW_OK; i++) {
        struct tw_json one = tw_json_at(&all, i);
        tw_json_only_keys(&one, keys);
        struct tw_json time = tw_json_member(&one, "time_us");
        model->configurations[i] =
            (struct tw_model_configuration){.implementation = text_of(&one, "implementation"),
                                            .configuration = text_of(&one, "configuration"),
                                            .problem = text_of(&one, "problem"),
                                            .template_hash = text_of(&one, "code"),
                                            .source = text_of(&one, "source"),
                                            .judge = text_of(&one, "judge"),
                                            .time_us = finite_at(&time)};
        if (!(model->configurations[i].time_us > 0))
            tw_json_fail(&time, "must be above 0");
        model->configuration_count = i + 1;
    }
}

static void read_head(struct tw_model *model, const struct tw_json *root) {
    static const char *const keys[] = {"format",   "version",     "kernel",         "cache",
                                       "device",   "device_name", "backend",        "architecture",
                                       "units",    "attributes",  "uncertainty",    "base",
                                       "features", "trees",       "configurations", "problems",
                                       "trials",   "regret",      "tilewise",       NULL};
    tw_json_only_keys(root, keys);
    struct tw_json version = tw_json_member(root, "version"),
                   format = tw_json_member(root, "format");
    if (strcmp(tw_json_string(&format), TW_MODEL_FORMAT) != 0)
        tw_json_fail(&format, "must be \"" TW_MODEL_FORMAT "\"");
    if (tw_json_integer(&version) != TW_MODEL_VERSION)
        tw_json_fail(&version, "this program reads version %d", TW_MODEL_VERSION);
    model->kernel = text_of(root, "kernel");
    model->cache = text_of(root, "cache");
    model->device = text_of(root, "device");
    model->device_name = text_of(root, "device_name");
    model->backend = text_of(root, "backend");
    model->architecture = text_of(root, "architecture");
    struct tw_json units = tw_json_member(root, "units"), base = tw_json_member(root, "base");
    struct tw_json uncertainty = tw_json_member(root, "uncertainty");
    model->units = tw_json_integer(&units);
    model->base = finite_at(&base);
    model->uncertainty = finite_at(&uncertainty);
    if (!(model->uncertainty > 0 && model->uncertainty < 10))
        tw_json_fail(&uncertainty, "must be above 0 and below 10");
    struct tw_json attributes = tw_json_member(root, "attributes");
    model->attribute_count = count_of(&attributes, TW_MODEL_MAX_WORDS);
    for (int i = 0; i < model->attribute_count; i++) {
        struct tw_json one = tw_json_at(&attributes, i);
        model->attributes[i] = tw_json_string(&one);
    }
}

tw_status tw_model_read(struct tw_model **out, const char *text, const char *origin,
                        struct tw_error *error) {
    cJSON *json;
    *out = NULL;
    tw_status status = tw_json_parse(&json, text, origin, error);
    if (status != TW_OK)
        return status == TW_BAD_DESCRIPTION ? error->status = TW_INVALID : status;
    struct tw_model *model = calloc(1, sizeof *model);
    struct tw_json_context context = {.origin = origin, .error = error, .status = TW_OK};
    if (model == NULL) {
        cJSON_Delete(json);
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    }
    model->json = json;
    struct tw_json root = tw_json_root(&context, json);
    tw_json_expect_object(&root);
    read_head(model, &root);
    if (context.status == TW_OK)
        read_features(model, &root);
    if (context.status == TW_OK)
        read_trees(model, &root);
    if (context.status == TW_OK)
        read_configurations(model, &root);
    if (context.status == TW_OK) {
        *out = model;
        return TW_OK;
    }
    tw_model_free(model);
    return context.status == TW_BAD_DESCRIPTION ? error->status = TW_INVALID : context.status;
}

void tw_model_free(struct tw_model *model) {
    if (model == NULL)
        return;
    cJSON_Delete(model->json);
    free(model->roots);
    free(model->nodes);
    free(model->configurations);
    free(model);
}

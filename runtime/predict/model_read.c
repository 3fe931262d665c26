/* Reading a model: nothing in it is trusted, for it may come from anywhere. */
#include <limits.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/description/json.h"
#include "runtime/description/json_span.h"
#include "runtime/predict/model_configurations.h"
#include "runtime/predict/model_cuts.h"
#include "runtime/predict/model_places.h"
#include "runtime/predict/model_trees.h"

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

/* "geometry.blocks", "dimension.M", "attribute.trans", "implementation", "parameter.BK",
 * "width.A", "pitch.A", "pieces.K", "filled.K" */
static void read_name(struct tw_model_feature *feature, const struct tw_json *json) {
    static const struct {
        const char *prefix;
        enum tw_model_feature_kind kind;
    } kinds[] = {{"geometry.", TW_MODEL_FEATURE_GEOMETRY},
                 {"dimension.", TW_MODEL_FEATURE_DIMENSION},
                 {"attribute.", TW_MODEL_FEATURE_ATTRIBUTE},
                 {"implementation", TW_MODEL_FEATURE_IMPLEMENTATION},
                 {"parameter.", TW_MODEL_FEATURE_PARAMETER},
                 {"width.", TW_MODEL_FEATURE_WIDTH},
                 {"pitch.", TW_MODEL_FEATURE_PITCH},
                 {"pieces.", TW_MODEL_FEATURE_PIECES},
                 {"filled.", TW_MODEL_FEATURE_FILLED}};
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

/* A few strings of numbers, which are read faster than JSON's. */
static void read_cuts(struct tw_model *model, int feature, const struct tw_json *list) {
    struct tw_json_context *context = list->context;
    const int count = count_of(list, TW_MODEL_MAX_WORDS);
    for (int i = 0; i < count && context->status == TW_OK; i++) {
        struct tw_json one = tw_json_at(list, i);
        const char *numbers = tw_json_string(&one);
        if (context->status == TW_OK)
            context->status =
                tw_model_read_cuts(model, feature, numbers, context->origin, context->error);
    }
}

static void refuse_twice(const struct tw_model *model, int feature, const struct tw_json *name) {
    const struct tw_model_feature *one = &model->features[feature];
    for (int i = 0; i < feature && name->context->status == TW_OK; i++)
        if (model->features[i].kind == one->kind && strcmp(model->features[i].name, one->name) == 0)
            tw_json_fail(name, "\"%.60s\" is there twice", tw_json_string(name));
}

static void read_features(struct tw_model *model, const struct tw_json *root) {
    static const char *const keys[] = {"name", "words", "cuts", NULL};
    struct tw_json features = tw_json_member(root, "features");
    model->feature_count = count_of(&features, TW_MODEL_MAX_FEATURES);
    for (int i = 0; i < model->feature_count; i++) {
        struct tw_json one = tw_json_at(&features, i);
        tw_json_exact_keys(&one, keys);
        struct tw_json name = tw_json_member(&one, "name");
        read_name(&model->features[i], &name);
        refuse_twice(model, i, &name);
        struct tw_json words = tw_json_optional(&one, "words"),
                       cuts = tw_json_optional(&one, "cuts");
        if (cuts.item != NULL)
            read_cuts(model, i, &cuts);
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

static const char *text_of(const struct tw_json *object, const char *key) {
    struct tw_json member = tw_json_member(object, key);
    return tw_json_string(&member);
}

/* Indices of the model's attributes. A model that does not say may mean any. */
static uint64_t kinds_of(const struct tw_model *model, const struct tw_json *configuration) {
    struct tw_json list = tw_json_optional(configuration, "kinds");
    uint64_t kinds = 0;
    if (list.item == NULL)
        return UINT64_MAX;
    int count = count_of(&list, TW_MODEL_MAX_WORDS);
    for (int i = 0; i < count; i++) {
        struct tw_json one = tw_json_at(&list, i);
        int64_t kind = tw_json_integer(&one);
        if (kind < 0 || kind >= model->kind_count)
            tw_json_fail(&one, "is none of the model's attributes");
        else
            kinds |= UINT64_C(1) << kind;
    }
    return kinds;
}

/* Indices of the model's places. */
static void read_near(struct tw_model *model, struct tw_model_configuration *of,
                      const struct tw_json *configuration) {
    struct tw_json list = tw_json_optional(configuration, "near");
    if (list.item == NULL)
        return;
    const int count = count_of(&list, TW_MODEL_MAX_PLACES);
    int *near =
        realloc(model->near, ((size_t)model->near_count + (size_t)count + 1) * sizeof *near);
    if (near == NULL) {
        tw_json_no_memory(&list);
        return;
    }
    model->near = near;
    of->near_first = model->near_count;
    for (int i = 0; i < count; i++) {
        const struct tw_json one = tw_json_at(&list, i);
        const int64_t place = tw_json_integer(&one);
        if (place < 0 || place > INT_MAX)
            tw_json_fail(&one, "is none of the model's places");
        else
            model->near[model->near_count++] = (int)place;
    }
    of->near_count = model->near_count - of->near_first;
}

/* What was read before the places were. */
static void check_near(const struct tw_model *model, const struct tw_json *root) {
    for (int i = 0; i < model->near_count; i++)
        if (model->near[i] >= model->place_count) {
            const struct tw_json all = tw_json_member(root, "configurations");
            tw_json_fail(&all, "one was near place %d, of %d", model->near[i], model->place_count);
            return;
        }
}

static void read_configurations(struct tw_model *model, const struct tw_json *root) {
    static const char *const keys[] = {
        "implementation", "configuration", "problem", "code", "kinds",
        "source",         "judge",         "time_us", "near", NULL};
    struct tw_json all = tw_json_member(root, "configurations");
    int count = count_of(&all, TW_MODEL_MAX_CONFIGURATIONS);
    model->configurations = calloc((size_t)count + 1, sizeof *model->configurations);
    if (model->configurations == NULL)
        tw_json_no_memory(&all);
    for (int i = 0; i < count && root->context->status == TW_OK; i++) {
        struct tw_json one = tw_json_at(&all, i);
        tw_json_exact_keys(&one, keys);
        struct tw_json time = tw_json_member(&one, "time_us");
        model->configurations[i] =
            (struct tw_model_configuration){.implementation = text_of(&one, "implementation"),
                                            .configuration = text_of(&one, "configuration"),
                                            .problem = text_of(&one, "problem"),
                                            .template_hash = text_of(&one, "code"),
                                            .source = text_of(&one, "source"),
                                            .judge = text_of(&one, "judge"),
                                            .time_us = finite_at(&time),
                                            .kinds = kinds_of(model, &one)};
        read_near(model, &model->configurations[i], &one);
        if (!(model->configurations[i].time_us > 0))
            tw_json_fail(&time, "must be above 0");
        model->configuration_count = i + 1;
    }
}

/* {"stride": [1, 2]} */
static void read_ranges(struct tw_model_kind *kind, const struct tw_json *object) {
    tw_json_expect_object(object);
    int count = tw_json_count(object);
    if (count > TW_MAX_ATTRIBUTES)
        tw_json_fail(object, "has %d ranges; the most are %d", count, TW_MAX_ATTRIBUTES);
    for (int i = 0; i < count && object->context->status == TW_OK; i++) {
        struct tw_json one = tw_json_at(object, i);
        if (count_of(&one, 2) != 2) {
            tw_json_fail(&one, "must be the least and the most");
            return;
        }
        struct tw_json least = tw_json_at(&one, 0), most = tw_json_at(&one, 1);
        kind->ranges[kind->range_count++] = (struct tw_model_range){
            tw_json_key(&one), tw_json_integer(&least), tw_json_integer(&most)};
    }
}

/* The ranges are a list beside that of the attributes; a model without numbers has none. */
static void read_kinds(struct tw_model *model, const struct tw_json *root) {
    struct tw_json attributes = tw_json_member(root, "attributes"),
                   ranges = tw_json_optional(root, "ranges");
    model->kind_count = count_of(&attributes, TW_MODEL_MAX_WORDS);
    if (ranges.item != NULL && count_of(&ranges, TW_MODEL_MAX_WORDS) != model->kind_count)
        tw_json_fail(&ranges, "must have as many entries as \"attributes\"");
    for (int i = 0; i < model->kind_count && root->context->status == TW_OK; i++) {
        struct tw_json one = tw_json_at(&attributes, i);
        model->kinds[i].attributes = tw_json_string(&one);
        if (ranges.item == NULL)
            continue;
        struct tw_json of = tw_json_at(&ranges, i);
        read_ranges(&model->kinds[i], &of);
    }
}

static double finite_doubling(const struct tw_json *json) {
    const double doubling = finite_at(json);
    if (!(doubling >= 0 && doubling < 10))
        tw_json_fail(json, "must be from 0 to below 10");
    return doubling;
}

/* {"kinds": [0, 1], "base": 0.5, "doubling": 0.02, "trees": 400}: of each kind but one, and one
 * that is "beside". How many trees there are in all is told when they are read. */
static void read_forests(struct tw_model *model, const struct tw_json *root) {
    static const char *const keys[] = {"kinds", "base", "doubling", "beside", "trees", NULL};
    struct tw_json forests = tw_json_optional(root, "forests");
    uint64_t seen[2] = {0};
    if (forests.item == NULL)
        return;
    const int count = count_of(&forests, TW_MODEL_MAX_FORESTS);
    for (int i = 0; i < count && root->context->status == TW_OK; i++) {
        const struct tw_json one = tw_json_at(&forests, i);
        tw_json_exact_keys(&one, keys);
        const struct tw_json kinds = tw_json_member(&one, "kinds"),
                             base = tw_json_member(&one, "base"),
                             doubling = tw_json_optional(&one, "doubling"),
                             beside = tw_json_optional(&one, "beside"),
                             trees = tw_json_member(&one, "trees");
        const struct tw_model_forest forest = {
            .kinds = kinds_of(model, &one),
            .base = finite_at(&base),
            .doubling = doubling.item != NULL ? finite_doubling(&doubling) : model->doubling,
            .beside = tw_json_boolean(&beside, false),
            .end = (int)tw_json_integer(&trees)};
        if (forest.end < 0 || forest.end > TW_MODEL_MAX_TREES)
            tw_json_fail(&trees, "must be from 0 to %d", TW_MODEL_MAX_TREES);
        if ((forest.kinds & seen[forest.beside]) != 0)
            tw_json_fail(&kinds, "has one that another forest has");
        if (forest.beside && (forest.kinds & ~seen[false]) != 0)
            tw_json_fail(&kinds, "has one of which no forest before it says how long it takes");
        seen[forest.beside] |= forest.kinds;
        model->forests[model->forest_count++] = forest;
    }
}

static void read_places(struct tw_model *model, const struct tw_json *root) {
    struct tw_json places = tw_json_optional(root, "places");
    if (places.item == NULL)
        return;
    const int count = count_of(&places, TW_MODEL_MAX_PLACES);
    model->places = calloc((size_t)count + 1, sizeof *model->places);
    if (model->places == NULL)
        tw_json_no_memory(&places);
    /* One after another: an array's entries are a list, which is gone through for each else. */
    const cJSON *item = places.item->child;
    for (int i = 0; i < count && root->context->status == TW_OK; i++, item = item->next)
        if (!cJSON_IsString(item) || !tw_model_read_place(model, item->valuestring)) {
            const struct tw_json one = tw_json_at(&places, i);
            tw_json_fail(&one, "expected a kind and the dimensions, as in \"0 64 64 64\"");
        }
}

/* What it says for people and for no prediction; it is to be what it should all the same, for it is
 * written again. */
static void check_remarks(const struct tw_json *root) {
    static const char *const numbers[] = {"mean", "p95", "worst", NULL};
    struct tw_json problems = tw_json_optional(root, "problems"),
                   trials = tw_json_optional(root, "trials"),
                   tilewise = tw_json_optional(root, "tilewise"),
                   regret = tw_json_optional(root, "regret");
    if (problems.item != NULL)
        tw_json_integer(&problems);
    if (trials.item != NULL)
        tw_json_integer(&trials);
    if (tilewise.item != NULL)
        tw_json_string(&tilewise);
    if (regret.item == NULL)
        return;
    tw_json_exact_keys(&regret, numbers);
    for (int i = 0; numbers[i] != NULL; i++) {
        struct tw_json number = tw_json_optional(&regret, numbers[i]);
        if (number.item != NULL)
            finite_at(&number);
    }
}

/* What is divided by, squared: nothing is predicted more surely. */
static const double LEAST_UNCERTAINTY = 1e-3;

static double uncertainty_at(const struct tw_json *json) {
    const double uncertainty = finite_at(json);
    if (!(uncertainty >= LEAST_UNCERTAINTY && uncertainty < 10))
        tw_json_fail(json, "must be from %g to below 10", LEAST_UNCERTAINTY);
    return uncertainty;
}

/* {"gemv": 0.13}, of any implementations */
static void read_sureness(struct tw_model *model, const struct tw_json *object) {
    tw_json_expect_object(object);
    const int count = tw_json_count(object);
    if (count > TW_MAX_IMPLEMENTATIONS)
        tw_json_fail(object, "has %d implementations; the most are %d", count,
                     TW_MAX_IMPLEMENTATIONS);
    for (int i = 0; i < count && object->context->status == TW_OK; i++) {
        const struct tw_json one = tw_json_at(object, i);
        model->sureness[model->sureness_count++] =
            (struct tw_model_sureness){tw_json_key(&one), uncertainty_at(&one)};
    }
}

static void read_head(struct tw_model *model, const struct tw_json *root) {
    static const char *const keys[] = {
        "format",      "version",       "kernel",       "cache",    "device",
        "device_name", "backend",       "architecture", "units",    "attributes",
        "uncertainty", "base",          "features",     "trees",    "configurations",
        "problems",    "trials",        "regret",       "tilewise", "ranges",
        "doubling",    "uncertainties", "forests",      "places",   NULL};
    tw_json_exact_keys(root, keys);
    struct tw_json version = tw_json_member(root, "version"),
                   format = tw_json_member(root, "format");
    if (strcmp(tw_json_string(&format), TW_MODEL_FORMAT) != 0)
        tw_json_fail(&format, "must be \"" TW_MODEL_FORMAT "\"");
    if (tw_json_integer(&version) < 1 || tw_json_integer(&version) > TW_MODEL_VERSION)
        tw_json_fail(&version, "this program reads versions up to %d", TW_MODEL_VERSION);
    model->kernel = text_of(root, "kernel");
    model->cache = text_of(root, "cache");
    model->device = text_of(root, "device");
    model->device_name = text_of(root, "device_name");
    model->backend = text_of(root, "backend");
    model->architecture = text_of(root, "architecture");
    struct tw_json units = tw_json_member(root, "units"), base = tw_json_member(root, "base");
    struct tw_json uncertainty = tw_json_member(root, "uncertainty"),
                   doubling = tw_json_optional(root, "doubling"),
                   uncertainties = tw_json_optional(root, "uncertainties");
    model->units = tw_json_integer(&units);
    model->base = finite_at(&base);
    model->uncertainty = uncertainty_at(&uncertainty);
    if (uncertainties.item != NULL)
        read_sureness(model, &uncertainties);
    if (doubling.item != NULL)
        model->doubling = finite_doubling(&doubling);
    check_remarks(root);
    read_kinds(model, root);
    if (root->context->status == TW_OK)
        read_forests(model, root);
    if (root->context->status == TW_OK)
        read_places(model, root);
}

/* What is behind a list that is left out stays on its line and in its column, for messages: as many
 * lines, and blanks. */
static char *add_blanks(char *to, const char *begin, const char *end) {
    const char *line = begin + 1, *next;
    while ((next = memchr(line, '\n', (size_t)(end - line))) != NULL) {
        *to++ = '\n';
        line = next + 1;
    }
    const size_t blanks = (size_t)(end - 1 - line);
    memset(to, ' ', blanks);
    return to + blanks;
}

/* The text with an empty list in place of one that stands from `begin` to before `end`. NULL: out
 * of memory. */
static char *without_list(const char *text, const char *begin, const char *end, bool messages) {
    const size_t before = (size_t)(begin - text), size = strlen(text) + 1;
    char *rest = malloc(size);
    if (rest == NULL)
        return NULL;
    memcpy(rest, text, before);
    char *to = rest + before;
    *to++ = '[';
    if (messages)
        to = add_blanks(to, begin, end);
    memcpy(to, end - 1, size - (size_t)(end - 1 - text));
    return rest;
}

/* Where the trees are; NULL: they were not found. */
struct found_trees {
    const char *begin;
    size_t length;
    bool nodes; /* are wanted */
};

static void read_all(struct tw_model *model, const struct tw_json *root,
                     const struct found_trees *trees, bool has_configurations) {
    struct tw_json_context *context = root->context;
    tw_json_expect_object(root);
    read_head(model, root);
    if (context->status == TW_OK)
        read_features(model, root);
    if (context->status == TW_OK && trees->begin == NULL) {
        struct tw_json member = tw_json_member(root, "trees");
        tw_json_fail(&member, "expected an array");
    }
    if (context->status == TW_OK)
        context->status = tw_model_read_trees(model, trees->begin, trees->length, trees->nodes,
                                              context->origin, context->error);
    if (context->status == TW_OK && !tw_model_divide_cuts(model))
        tw_json_no_memory(root);
    if (context->status == TW_OK && !has_configurations)
        read_configurations(model, root);
    if (context->status == TW_OK)
        check_near(model, root);
    if (context->status == TW_OK && !tw_model_sort_near(model))
        tw_json_no_memory(root);
}

/* Reads JSON from which the trees were taken out and, if the model has them already, the
 * configurations. Takes over the model. */
static atomic_uint_fast64_t read_so_far;

static tw_status read_rest(struct tw_model **out, struct tw_model *model, const char *rest,
                           const struct found_trees *trees, const char *origin,
                           struct tw_error *error) {
    cJSON *json = NULL;
    tw_status status = tw_json_parse(&json, rest, origin, error);
    if (status == TW_OK) {
        struct tw_json_context context = {.origin = origin, .error = error, .status = TW_OK};
        const struct tw_json root = tw_json_root(&context, json);
        model->json = json;
        read_all(model, &root, trees, model->configurations != NULL);
        status = context.status;
    }
    if (status == TW_OK) {
        model->id = atomic_fetch_add(&read_so_far, 1) + 1;
        *out = model;
    } else {
        tw_model_free(model);
    }
    return status;
}

/* As it is mostly: as `tune model fit` writes it, and nothing wrong with it. False: it has to be
 * read so that what is wrong can be told. */
static bool read_well(struct tw_model **out, const char *text, const struct found_trees *trees) {
    const char *begin, *end;
    int most_kind;
    char *rest = without_list(text, trees->begin, trees->begin + trees->length, false);
    if (rest == NULL || !tw_json_find_member(rest, "configurations", &begin, &end) ||
        *begin != '[') {
        free(rest);
        return false;
    }
    struct tw_model *model = calloc(1, sizeof *model);
    char *head = without_list(rest, begin, end, false);
    const bool is_read =
        model != NULL && head != NULL && tw_model_read_written(model, begin, end, &most_kind);
    free(rest);
    if (!is_read) {
        free(head);
        tw_model_free(model);
        return false;
    }
    tw_status status = read_rest(out, model, head, trees, "", NULL);
    free(head);
    if (status == TW_OK && most_kind >= (*out)->kind_count) {
        tw_model_free(*out);
        *out = NULL;
        return false;
    }
    return status == TW_OK;
}

static tw_status read_text(struct tw_model **out, const char *text, bool nodes, const char *origin,
                           struct tw_error *error) {
    const char *begin = NULL, *end = NULL;
    struct found_trees trees = {.nodes = nodes};
    *out = NULL;
    if (tw_json_find_member(text, "trees", &begin, &end) && *begin == '[')
        trees = (struct found_trees){begin, (size_t)(end - begin), nodes};
    const bool found = trees.begin != NULL;
    if (found && read_well(out, text, &trees))
        return TW_OK;
    char *rest = found ? without_list(text, begin, end, true) : NULL;
    struct tw_model *model = calloc(1, sizeof *model);
    if (model == NULL || (found && rest == NULL)) {
        free(rest);
        free(model);
        return tw_fail(error, TW_NO_MEMORY, "%s: out of memory", origin);
    }
    tw_status status = read_rest(out, model, found ? rest : text, &trees, origin, error);
    free(rest);
    if (status == TW_BAD_DESCRIPTION && error != NULL)
        error->status = TW_INVALID;
    return status == TW_BAD_DESCRIPTION ? TW_INVALID : status;
}

tw_status tw_model_read(struct tw_model **out, const char *text, const char *origin,
                        struct tw_error *error) {
    return read_text(out, text, false, origin, error);
}

tw_status tw_model_read_nodes(struct tw_model **out, const char *text, const char *origin,
                              struct tw_error *error) {
    return read_text(out, text, true, origin, error);
}

void tw_model_free(struct tw_model *model) {
    if (model == NULL)
        return;
    cJSON_Delete(model->json);
    free(model->texts);
    free(model->roots);
    free(model->nodes);
    free(model->steps);
    free(model->leaves);
    tw_model_free_cuts(model);
    free(model->configurations);
    free(model->near);
    free(model->places);
    tw_model_free_map(model->map);
    free(model->good);
    free(model);
}

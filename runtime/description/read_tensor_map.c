/* Reads `tensor_maps` of a launch. */
#include <string.h>

#include "runtime/description/read.h"

static int read_list(struct tw_expression *list[], int most, const struct tw_symbols *symbols,
                     const struct tw_json *json) {
    tw_json_expect_array(json);
    int count = tw_read_count(json, most);
    for (int i = 0; i < count; i++) {
        struct tw_json item = tw_json_at(json, i);
        list[i] = tw_read_expression(symbols, &item);
    }
    return count;
}

static int read_buffer(const struct tw_description *d,
                       const struct tw_implementation *implementation, const struct tw_json *json) {
    const char *name = tw_json_string(json);
    if (strcmp(name, "workspace") == 0) {
        if (implementation->workspace == NULL)
            tw_json_fail(json, "the implementation has no workspace");
        return -1;
    }
    int argument = tw_find_argument(d, name);
    if (argument < 0 || d->arguments[argument].kind != TW_ARGUMENT_BUFFER)
        tw_json_fail(json, "\"%s\" is no buffer", name);
    else if (d->arguments[argument].when != NULL)
        tw_json_fail(json, "the buffer %s may be absent, and a tensor map needs one", name);
    return argument;
}

static int read_type(const struct tw_tensor_map_description *map, const struct tw_json *json) {
    if (json->item == NULL) {
        if (map->buffer < 0)
            tw_json_fail(json, "a tensor map of the workspace needs a type");
        return -1;
    }
    int type = tw_tensor_type_from_word(tw_json_string(json));
    if (type < 0)
        tw_json_fail(json, "\"%s\" is no type of a tensor's elements", tw_json_string(json));
    return type;
}

/* What a window of pixels has for each dimension between channels and images. */
static void read_window_list(struct tw_expression *list[], int count,
                             const struct tw_symbols *symbols, const struct tw_json *json,
                             const char *key) {
    struct tw_json numbers = tw_json_member(json, key);
    if (read_list(list, TW_MAX_RANK - 2, symbols, &numbers) != count)
        tw_json_fail(&numbers, "needs a number for every dimension but the first and the last");
}

static void read_im2col(struct tw_tensor_map_description *map, const struct tw_symbols *symbols,
                        const struct tw_json *json) {
    static const char *const keys[] = {"lower", "upper", "steps", NULL};
    map->im2col = json->item != NULL;
    if (!map->im2col)
        return;
    tw_json_only_keys(json, keys);
    if (map->rank < 3)
        tw_json_fail(json, "needs at least three dimensions: channels, pixels, images");
    if (map->layers != NULL)
        tw_json_fail(json, "a map with layers has no im2col");
    read_window_list(map->lower, map->rank - 2, symbols, json, "lower");
    read_window_list(map->upper, map->rank - 2, symbols, json, "upper");
    read_window_list(map->steps, map->rank - 2, symbols, json, "steps");
}

static void read_tensor_map(const struct tw_description *d,
                            const struct tw_implementation *implementation,
                            struct tw_tensor_map_description *map, const struct tw_json *json) {
    static const char *const keys[] = {"buffer",  "type",   "dims",   "strides",
                                       "box",     "layers", "im2col", "layer_stride",
                                       "swizzle", "offset", NULL};
    const struct tw_symbols *symbols = implementation->symbols;
    tw_json_only_keys(json, keys);
    if (strlen(tw_json_key(json)) >= TW_NAME_SIZE || tw_find_argument(d, tw_json_key(json)) >= 0 ||
        tw_symbols_find(symbols, tw_json_key(json)) >= 0)
        tw_json_fail(json, "the name %.*s is taken or too long", TW_NAME_SIZE, tw_json_key(json));
    strncpy(map->name, tw_json_key(json), TW_NAME_SIZE - 1);
    struct tw_json buffer = tw_json_member(json, "buffer");
    struct tw_json type = tw_json_optional(json, "type");
    struct tw_json dims = tw_json_member(json, "dims");
    struct tw_json strides = tw_json_member(json, "strides");
    struct tw_json box = tw_json_member(json, "box");
    struct tw_json layers = tw_json_optional(json, "layers");
    struct tw_json layer_stride = tw_json_optional(json, "layer_stride");
    struct tw_json im2col = tw_json_optional(json, "im2col");
    struct tw_json swizzle = tw_json_optional(json, "swizzle");
    struct tw_json offset = tw_json_optional(json, "offset");
    map->buffer = read_buffer(d, implementation, &buffer);
    map->type = read_type(map, &type);
    map->rank = read_list(map->dims, TW_MAX_RANK, symbols, &dims);
    if (map->rank == 0)
        tw_json_fail(&dims, "needs at least one dimension");
    if (read_list(map->strides, TW_MAX_RANK - 1, symbols, &strides) != map->rank - 1)
        tw_json_fail(&strides, "needs a stride for every dimension but the first");
    const int boxes = read_list(map->box, TW_MAX_RANK, symbols, &box);
    if (im2col.item == NULL && boxes != map->rank)
        tw_json_fail(&box, "needs a size for every dimension");
    if (im2col.item != NULL && boxes != 2)
        tw_json_fail(&box, "needs channels and pixels in im2col mode");
    map->layers = tw_read_expression(symbols, &layers);
    map->layer_stride = tw_read_expression(symbols, &layer_stride);
    if ((layers.item != NULL) != (layer_stride.item != NULL))
        tw_json_fail(json, "layers and layer_stride belong together: give both or neither");
    if (layers.item != NULL && map->rank == TW_MAX_RANK)
        tw_json_fail(&layers, "there are %d dimensions, and no room for another", map->rank);
    read_im2col(map, symbols, &im2col);
    map->swizzle = tw_read_expression(symbols, &swizzle);
    map->offset = tw_read_expression(symbols, &offset);
}

void tw_read_tensor_maps(const struct tw_description *d,
                         const struct tw_implementation *implementation,
                         struct tw_launch_description *launch, const struct tw_json *json) {
    tw_json_expect_object(json);
    if (json->item != NULL && implementation == NULL) {
        tw_json_fail(json, "a reference has no tensor maps: it runs everywhere");
        return;
    }
    launch->tensor_map_count = tw_read_count(json, TW_MAX_TENSOR_MAPS);
    for (int i = 0; i < launch->tensor_map_count; i++) {
        struct tw_json map = tw_json_at(json, i);
        read_tensor_map(d, implementation, &launch->tensor_maps[i], &map);
    }
}

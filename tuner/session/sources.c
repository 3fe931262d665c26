#include "tuner/session/sources.h"

#include <stdlib.h>
#include <string.h>

static void add_number(struct tw_hash *hash, int64_t number) {
    tw_hash_add(hash, &number, sizeof number);
}

/* With sources_key, what tw_source_render takes and nothing else: attributes, which optional
 * buffers there are, parameters but those of the launch, defines, blocks. */
static tw_status add_launches(struct tw_hash *hash, const struct tw_implementation *in,
                              const int64_t *values, const struct tw_device_info *device,
                              struct tw_error *error) {
    for (int i = 0; i < in->launch_count; i++) {
        struct tw_geometry geometry;
        tw_status status = tw_geometry_of(&in->launches[i], values, device, &geometry, error);
        if (status != TW_OK)
            return status;
        for (int k = 0; k < 3; k++)
            add_number(hash, geometry.block[k]);
        add_number(hash, geometry.min_blocks);
        add_number(hash, geometry.shared); /* which the compiler holds against the kernel's */
    }
    return TW_OK;
}

tw_status sources_key(const struct tw_device_info *device, const struct tw_problem *problem,
                      const struct tw_configuration *configuration, const int64_t *values,
                      char key[TW_HASH_SIZE], struct tw_error *error) {
    const struct tw_description *d = problem->description;
    const struct tw_implementation *in = &d->implementations[configuration->implementation];
    int64_t bound[TW_MAX_SYMBOLS];
    memcpy(bound, values, sizeof bound);
    tw_status status = tw_configuration_bind(d, configuration, bound, error);
    struct tw_hash *hash = tw_hash_begin();
    tw_hash_add_text(hash, in->name);
    for (int i = 0; i < d->attribute_count; i++)
        add_number(hash, problem->words[i]);
    for (int i = 0; i < d->argument_count; i++)
        if (d->arguments[i].when != NULL)
            add_number(hash, tw_problem_has(problem, i, bound));
    for (int i = 0; i < in->parameter_count; i++)
        if (!in->parameters[i].launch)
            add_number(hash, configuration->values[i]);
    for (int i = 0; i < in->define_count; i++)
        add_number(hash, bound[in->defines[i].slot]);
    if (status == TW_OK)
        status = add_launches(hash, in, bound, device, error);
    tw_hash_finish(hash, key);
    if (status == TW_OK && key[0] == '\0')
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    return status;
}

static struct rendered *place_of(const struct sources *sources, const char *key) {
    size_t at = (size_t)tw_hash64(key, TW_HASH_SIZE - 1) & (sources->room - 1);
    while (sources->all[at].key[0] != '\0' && strcmp(sources->all[at].key, key) != 0)
        at = (at + 1) & (sources->room - 1);
    return &sources->all[at];
}

static bool make_room(struct sources *sources) {
    if (2 * (sources->count + 1) <= sources->room)
        return true;
    struct sources larger = {.count = sources->count,
                             .room = sources->room == 0 ? 64 : 2 * sources->room,
                             .rendered = sources->rendered};
    larger.all = calloc(larger.room, sizeof *larger.all);
    if (larger.all == NULL)
        return false;
    for (size_t i = 0; i < sources->room; i++)
        if (sources->all[i].key[0] != '\0')
            *place_of(&larger, sources->all[i].key) = sources->all[i];
    free(sources->all);
    *sources = larger;
    return true;
}

tw_status sources_render(struct sources *sources, const char *key,
                         const struct tw_executable *executable, const char *backend,
                         struct tw_text *texts, struct tw_error *error) {
    struct rendered rendered = {0};
    tw_status status = TW_OK;
    memcpy(rendered.key, key, sizeof rendered.key);
    memset(texts, 0, TW_MAX_LAUNCHES * sizeof *texts);
    for (int i = 0; i < executable->launch_count && status == TW_OK; i++) {
        status = tw_executable_source(executable, i, backend, &texts[i], error);
        if (status == TW_OK)
            status = tw_executable_hash(executable, texts[i].data, rendered.hashes[i], error);
        sources->rendered++;
    }
    if (status != TW_OK)
        return status;
    if (!make_room(sources))
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    struct rendered *place = place_of(sources, key);
    sources->count += place->key[0] == '\0';
    *place = rendered;
    return TW_OK;
}

const struct rendered *sources_find(const struct sources *sources, const char *key) {
    if (sources->room == 0)
        return NULL;
    const struct rendered *place = place_of(sources, key);
    return place->key[0] != '\0' ? place : NULL;
}

void sources_free(struct sources *sources) {
    free(sources->all);
    *sources = (struct sources){0};
}

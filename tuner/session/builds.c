#include "tuner/session/builds.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/variant/geometry.h"
#include "runtime/variant/source.h"

/* The hash of all that is compiled. `values` are bound for the problem; the configuration is bound
 * here. */
static tw_status key_of(const struct tw_device_info *device, const struct tw_problem *problem,
                        const struct tw_configuration *configuration, const int64_t *values,
                        char key[TW_HASH_SIZE], struct tw_error *error) {
    const struct tw_implementation *in =
        &problem->description->implementations[configuration->implementation];
    int64_t bound[TW_MAX_SYMBOLS];
    memcpy(bound, values, sizeof bound);
    struct tw_hash *hash = tw_hash_begin();
    struct tw_text source = {0};
    tw_status status = tw_configuration_bind(problem->description, configuration, bound, error);
    tw_hash_add_text(hash, in->name);
    for (int i = 0; i < in->launch_count && status == TW_OK; i++) {
        struct tw_geometry geometry;
        tw_text_clear(&source);
        status = tw_geometry_of(&in->launches[i], bound, device, &geometry, error);
        if (status == TW_OK)
            status = tw_source_render(problem, configuration, &in->launches[i], device->backend,
                                      bound, &geometry, &source, error);
        if (status == TW_OK)
            tw_hash_add(hash, source.data, source.length);
    }
    tw_text_free(&source);
    tw_hash_finish(hash, key);
    return status;
}

static void drop(struct builds *builds, int index) {
    compiled_free(&builds->all[index]->compiled);
    free(builds->all[index]);
    memmove(&builds->all[index], &builds->all[index + 1],
            (size_t)(builds->count - index - 1) * sizeof *builds->all);
    builds->count--;
}

/* The oldest go first: siblings come soon after each other. */
static void make_room(struct builds *builds) {
    for (int i = 0; i < builds->count && builds->count > BUILDS_KEPT; i++)
        if (builds->all[i]->users == 0 && builds->all[i]->state != BUILD_COMPILING)
            drop(builds, i--);
}

struct build *builds_get(struct builds *builds, const struct tw_device_info *device,
                         const struct tw_problem *problem,
                         const struct tw_configuration *configuration, const int64_t *values,
                         struct tw_error *error) {
    char key[TW_HASH_SIZE];
    if (key_of(device, problem, configuration, values, key, error) != TW_OK)
        return NULL;
    for (int i = builds->count - 1; i >= 0; i--) {
        if (strcmp(builds->all[i]->key, key) == 0) {
            builds->all[i]->users++;
            return builds->all[i];
        }
    }
    if (builds->count == builds->capacity) {
        int capacity = builds->capacity == 0 ? 64 : 2 * builds->capacity;
        struct build **all = realloc(builds->all, (size_t)capacity * sizeof *all);
        if (all == NULL) {
            tw_fail(error, TW_NO_MEMORY, "out of memory");
            return NULL;
        }
        builds->all = all;
        builds->capacity = capacity;
    }
    struct build *build = calloc(1, sizeof *build);
    if (build == NULL) {
        tw_fail(error, TW_NO_MEMORY, "out of memory");
        return NULL;
    }
    build->id = ++builds->next_id;
    build->users = 1;
    memcpy(build->key, key, sizeof key);
    builds->all[builds->count++] = build;
    make_room(builds);
    return build;
}

struct build *builds_by_id(const struct builds *builds, uint64_t id) {
    for (int i = builds->count - 1; i >= 0; i--)
        if (builds->all[i]->id == id)
            return builds->all[i];
    return NULL;
}

void builds_retain(struct build *build) {
    build->users++;
}

void builds_release(struct builds *builds, struct build *build) {
    if (build == NULL)
        return;
    build->users--;
    make_room(builds);
}

void builds_free(struct builds *builds) {
    while (builds->count > 0)
        drop(builds, builds->count - 1);
    free(builds->all);
    *builds = (struct builds){0};
}

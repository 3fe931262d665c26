#include "tuner/session/builds.h"

#include <stdlib.h>
#include <string.h>

static void drop(struct builds *builds, int index) {
    compiled_free(&builds->all[index]->compiled);
    free(builds->all[index]);
    memmove(&builds->all[index], &builds->all[index + 1],
            (size_t)(builds->count - index - 1) * sizeof *builds->all);
    builds->count--;
}

/* The oldest go first: siblings come soon after each other. */
static void make_room(struct builds *builds) {
    int kept = builds->kept > 0 ? builds->kept : BUILDS_KEPT;
    for (int i = 0; i < builds->count && builds->count > kept; i++)
        if (builds->all[i]->users == 0 && builds->all[i]->state != BUILD_COMPILING)
            drop(builds, i--);
}

struct build *builds_get(struct builds *builds, const struct tw_device_info *device,
                         const struct tw_problem *problem,
                         const struct tw_configuration *configuration, const int64_t *values,
                         struct tw_error *error) {
    char key[TW_HASH_SIZE];
    if (tw_made_of(device, problem, configuration, values, key, error) != TW_OK)
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

/* `values` are bound for the configuration. */
static tw_status submit(struct builds *builds, const struct build *build, struct compile_pool *pool,
                        const struct tw_device_info *device, const struct tw_problem *problem,
                        const struct tw_configuration *configuration, const int64_t *values,
                        struct tw_error *error) {
    struct tw_executable *executable;
    struct tw_text texts[TW_MAX_LAUNCHES];
    tw_status status =
        tw_executable_create(&executable, problem, configuration, values, device, error);
    if (status != TW_OK)
        return status;
    status =
        sources_render(&builds->sources, build->key, executable, device->backend, texts, error);
    if (status == TW_OK)
        status = compile_pool_submit(pool, build->id, executable, texts,
                                     sources_find(&builds->sources, build->key)->hashes, error);
    for (int i = 0; i < TW_MAX_LAUNCHES; i++)
        tw_text_free(&texts[i]);
    tw_executable_free(executable);
    return status;
}

tw_status builds_submit(struct builds *builds, struct build *build, struct compile_pool *pool,
                        const struct tw_device_info *device, const struct tw_problem *problem,
                        const struct tw_configuration *configuration, const int64_t *values,
                        struct tw_error *error) {
    int64_t bound[TW_MAX_SYMBOLS];
    memcpy(bound, values, sizeof bound);
    build->state = BUILD_COMPILING;
    tw_status status = tw_configuration_bind(problem->description, configuration, bound, error);
    return status == TW_OK
               ? submit(builds, build, pool, device, problem, configuration, bound, error)
               : status;
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
    sources_free(&builds->sources);
    *builds = (struct builds){0};
}

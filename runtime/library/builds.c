#include "runtime/library/builds.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { BUCKETS = 256 };

struct build {
    struct build *next;
    char key[TW_HASH_SIZE];
    enum tw_build_state state;
    struct tw_module_found found[TW_MAX_LAUNCHES];
};

struct tw_builds {
    pthread_mutex_t lock;
    struct build *buckets[BUCKETS];
};

tw_status tw_builds_create(struct tw_builds **out, struct tw_error *error) {
    *out = calloc(1, sizeof **out);
    if (*out == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    pthread_mutex_init(&(*out)->lock, NULL);
    return TW_OK;
}

void tw_builds_free(struct tw_builds *builds) {
    if (builds == NULL)
        return;
    for (int i = 0; i < BUCKETS; i++) {
        while (builds->buckets[i] != NULL) {
            struct build *next = builds->buckets[i]->next;
            free(builds->buckets[i]);
            builds->buckets[i] = next;
        }
    }
    pthread_mutex_destroy(&builds->lock);
    free(builds);
}

static struct build **bucket_of(struct tw_builds *builds, const char *key) {
    return &builds->buckets[tw_hash64(key, TW_HASH_SIZE - 1) % BUCKETS];
}

static struct build *find(struct tw_builds *builds, const char *key) {
    struct build *build = *bucket_of(builds, key);
    while (build != NULL && strcmp(build->key, key) != 0)
        build = build->next;
    return build;
}

enum tw_build_state tw_builds_find(struct tw_builds *builds, const char key[TW_HASH_SIZE],
                                   struct tw_module_found found[TW_MAX_LAUNCHES]) {
    pthread_mutex_lock(&builds->lock);
    const struct build *build = find(builds, key);
    enum tw_build_state state = build != NULL ? build->state : TW_BUILD_UNKNOWN;
    if (state == TW_BUILD_LOADED && found != NULL)
        memcpy(found, build->found, sizeof build->found);
    pthread_mutex_unlock(&builds->lock);
    return state;
}

/* The time that loading took was another plan's. */
static void keep_found(struct build *build, const struct tw_module_found *found) {
    memcpy(build->found, found, sizeof build->found);
    for (int i = 0; i < TW_MAX_LAUNCHES; i++)
        build->found[i].loading_ms = 0;
}

tw_status tw_builds_note(struct tw_builds *builds, const char key[TW_HASH_SIZE],
                         enum tw_build_state state,
                         const struct tw_module_found found[TW_MAX_LAUNCHES],
                         struct tw_error *error) {
    pthread_mutex_lock(&builds->lock);
    struct build *build = find(builds, key);
    if (build == NULL && (build = calloc(1, sizeof *build)) != NULL) {
        memcpy(build->key, key, TW_HASH_SIZE);
        build->next = *bucket_of(builds, key);
        *bucket_of(builds, key) = build;
    }
    bool noted = build != NULL;
    if (noted && build->state != TW_BUILD_LOADED) {
        build->state = state;
        if (state == TW_BUILD_LOADED)
            keep_found(build, found);
    }
    pthread_mutex_unlock(&builds->lock);
    return noted ? TW_OK : tw_fail(error, TW_NO_MEMORY, "out of memory");
}

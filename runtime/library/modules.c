#include "runtime/library/modules.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/clock.h"
#include "runtime/variant/compile.h"

enum { BUCKETS = 1024, KEY_BYTES = TW_HASH_SIZE + 12 };

enum state { ABSENT, MAKING, READY, FAILED };

struct entry {
    struct entry *next;
    char key[KEY_BYTES];
    enum state state;
    struct tw_module *module;
    enum tw_binary_origin origin;
    char unkept[256];
    double loading_ms;
    struct tw_error failure;
};

struct tw_modules {
    const struct tw_backend *backend;
    struct tw_device *device;
    struct tw_device_info info;
    struct tw_cache *cache;
    struct tw_database_binaries *binaries;
    pthread_mutex_t lock;
    pthread_cond_t made;
    struct entry *buckets[BUCKETS];
};

const char *tw_binary_origin_word(enum tw_binary_origin origin) {
    static const char *const words[] = {
#define TW_BINARY_WORD(name, word) word,
        TW_BINARY_ORIGINS(TW_BINARY_WORD)
#undef TW_BINARY_WORD
    };
    return words[origin];
}

tw_status tw_modules_create(struct tw_modules **out, const struct tw_backend *backend,
                            struct tw_device *device, const struct tw_device_info *info,
                            struct tw_cache *cache, struct tw_database_binaries *binaries,
                            struct tw_error *error) {
    struct tw_modules *modules = *out = calloc(1, sizeof *modules);
    if (modules == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    modules->backend = backend;
    modules->device = device;
    modules->info = *info;
    modules->cache = cache;
    modules->binaries = binaries;
    pthread_mutex_init(&modules->lock, NULL);
    pthread_cond_init(&modules->made, NULL);
    return TW_OK;
}

void tw_modules_free(struct tw_modules *modules) {
    if (modules == NULL)
        return;
    bool entered = false;
    /* When the context is gone, so are the modules. */
    bool alive = modules->backend->enter(modules->device, &entered, NULL) == TW_OK;
    for (int i = 0; i < BUCKETS; i++) {
        while (modules->buckets[i] != NULL) {
            struct entry *next = modules->buckets[i]->next;
            if (alive)
                modules->backend->unload(modules->device, modules->buckets[i]->module);
            free(modules->buckets[i]);
            modules->buckets[i] = next;
        }
    }
    modules->backend->leave(modules->device, entered);
    pthread_mutex_destroy(&modules->lock);
    pthread_cond_destroy(&modules->made);
    free(modules);
}

static struct entry *find_or_add(struct tw_modules *modules, const char *key) {
    struct entry **bucket = &modules->buckets[tw_hash64(key, strlen(key)) % BUCKETS];
    for (struct entry *entry = *bucket; entry != NULL; entry = entry->next)
        if (strcmp(entry->key, key) == 0)
            return entry;
    struct entry *entry = calloc(1, sizeof *entry);
    if (entry == NULL)
        return NULL;
    strcpy(entry->key, key);
    entry->next = *bucket;
    *bucket = entry;
    return entry;
}

static tw_status load(struct tw_modules *modules, const struct tw_module_request *request,
                      const struct tw_binary *binary, struct entry *entry, struct tw_error *error) {
    tw_status status = tw_launch_check_registers(&modules->info, binary, request->threads, error);
    bool entered;
    if (status == TW_OK)
        status = modules->backend->enter(modules->device, &entered, error);
    if (status != TW_OK)
        return status;
    double start = tw_clock_now();
    status =
        modules->backend->load(modules->device, binary->bytes, binary->size,
                               request->compile.function, request->shared, &entry->module, error);
    entry->loading_ms += 1e3 * (tw_clock_now() - start);
    modules->backend->leave(modules->device, entered);
    return status;
}

static bool load_if(struct tw_modules *modules, const struct tw_module_request *request,
                    bool is_there, enum tw_binary_origin origin, struct tw_binary *binary,
                    struct entry *entry) {
    if (!is_there)
        return false;
    entry->origin = origin;
    bool loaded = load(modules, request, binary, entry, NULL) == TW_OK;
    tw_binary_free(binary);
    return loaded;
}

/* Under what a binary may be kept: older programs kept them under the whole source. */
static int texts_of(const struct tw_module_request *request, const char *texts[2]) {
    texts[0] = request->hash;
    texts[1] = request->compile.source;
    return request->compile.source != NULL ? 2 : 1;
}

/* A kept binary that does not load is of no use, and no reason to fail: a compiler may help. */
static bool load_kept(struct tw_modules *modules, const struct tw_module_request *request,
                      struct entry *entry) {
    const char *texts[2];
    const int count = texts_of(request, texts);
    const char *function = request->compile.function;
    struct tw_binary binary = {0};
    char key[TW_HASH_SIZE];
    bool loaded = false;
    for (int i = 0; i < count && !loaded && modules->cache != NULL; i++) {
        tw_cache_key(&modules->info, texts[i], function, key);
        loaded = load_if(modules, request, tw_cache_get(modules->cache, key, &binary),
                         TW_BINARY_DISK, &binary, entry);
    }
    for (int i = 0; i < count && !loaded && modules->binaries != NULL; i++) {
        tw_database_binaries_key(&modules->info, texts[i], function, key);
        loaded =
            load_if(modules, request, tw_database_binaries_get(modules->binaries, key, &binary),
                    TW_BINARY_DATABASE, &binary, entry);
    }
    return loaded;
}

bool tw_modules_has(struct tw_modules *modules, const struct tw_module_request *request) {
    char key[TW_HASH_SIZE];
    const char *texts[2];
    const int count = texts_of(request, texts);
    const char *function = request->compile.function;
    for (int i = 0; i < count; i++) {
        tw_cache_key(&modules->info, texts[i], function, key);
        if (modules->cache != NULL && tw_cache_has(modules->cache, key))
            return true;
        tw_database_binaries_key(&modules->info, texts[i], function, key);
        if (modules->binaries != NULL && tw_database_binaries_has(modules->binaries, key))
            return true;
    }
    return false;
}

static tw_status make(struct tw_modules *modules, const struct tw_module_request *request,
                      struct entry *entry, struct tw_error *error) {
    char cache_key[TW_HASH_SIZE];
    if (load_kept(modules, request, entry))
        return TW_OK;
    if (request->compile.source == NULL)
        return tw_fail(error, TW_NOT_FOUND, "no binary is kept");
    tw_cache_key(&modules->info, request->hash, request->compile.function, cache_key);
    struct tw_binary binary = {0};
    entry->origin = TW_BINARY_COMPILED;
    struct tw_compile_request compile = request->compile;
    compile.passing = modules->cache == NULL; /* it is not kept */
    double start = tw_clock_now();
    tw_status status =
        tw_launch_compile(modules->backend, &modules->info, &compile, &binary, error);
    entry->loading_ms += 1e3 * (tw_clock_now() - start);
    if (status == TW_OK)
        status = load(modules, request, &binary, entry, error);
    if (status == TW_OK && modules->cache != NULL) {
        struct tw_error unkept;
        if (tw_cache_put(modules->cache, cache_key, &binary, request->label, &unkept) != TW_OK)
            snprintf(entry->unkept, sizeof entry->unkept, "%.250s", unkept.message);
    }
    tw_binary_free(&binary);
    return status;
}

/* Whether trying again could end no better. */
static bool is_final(tw_status status) {
    return status == TW_COMPILE || status == TW_BAD_DESCRIPTION || status == TW_RESOURCE ||
           status == TW_UNAVAILABLE;
}

tw_status tw_modules_get(struct tw_modules *modules, const struct tw_module_request *request,
                         struct tw_module_found *found, struct tw_error *error) {
    char key[KEY_BYTES], source_key[TW_HASH_SIZE];
    tw_cache_key(&modules->info, request->hash, request->compile.function, source_key);
    /* How much shared memory a kernel may have is set when it is loaded. */
    snprintf(key, sizeof key, "%s/%u", source_key, request->shared);
    pthread_mutex_lock(&modules->lock);
    struct entry *entry = find_or_add(modules, key);
    bool made = false;
    while (entry != NULL && entry->state == MAKING)
        pthread_cond_wait(&modules->made, &modules->lock);
    if (entry != NULL && entry->state == ABSENT) {
        entry->state = MAKING;
        entry->loading_ms = 0;
        made = true;
        pthread_mutex_unlock(&modules->lock);
        tw_status status = make(modules, request, entry, &entry->failure);
        pthread_mutex_lock(&modules->lock);
        entry->state = status == TW_OK ? READY : FAILED;
        pthread_cond_broadcast(&modules->made);
    }
    tw_status status = TW_OK;
    if (entry == NULL) {
        status = tw_fail(error, TW_NO_MEMORY, "out of memory");
    } else if (entry->state == FAILED) {
        status = tw_fail(error, entry->failure.status, "%s", entry->failure.message);
        if (!is_final(status))
            entry->state = ABSENT;
    } else {
        *found = (struct tw_module_found){.module = entry->module,
                                          .origin = entry->origin,
                                          .unkept = entry->unkept,
                                          .loading_ms = made ? entry->loading_ms : 0};
    }
    pthread_mutex_unlock(&modules->lock);
    return status;
}

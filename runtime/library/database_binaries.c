#include "runtime/library/database_binaries.h"

#include <stdlib.h>
#include <string.h>

struct piece {
    struct piece *next;
    char key[TW_HASH_SIZE];
    struct tw_binary binary;
};

enum { BUCKETS = 1024 };

struct tw_database_binaries {
    struct piece *buckets[BUCKETS];
};

tw_status tw_database_binaries_create(struct tw_database_binaries **out, struct tw_error *error) {
    *out = calloc(1, sizeof **out);
    return *out != NULL ? TW_OK : tw_fail(error, TW_NO_MEMORY, "out of memory");
}

void tw_database_binaries_free(struct tw_database_binaries *binaries) {
    if (binaries == NULL)
        return;
    for (int i = 0; i < BUCKETS; i++) {
        while (binaries->buckets[i] != NULL) {
            struct piece *next = binaries->buckets[i]->next;
            tw_binary_free(&binaries->buckets[i]->binary);
            free(binaries->buckets[i]);
            binaries->buckets[i] = next;
        }
    }
    free(binaries);
}

void tw_database_binaries_key(const struct tw_device_info *device, const char *source,
                              const char *function, char key[TW_HASH_SIZE]) {
    struct tw_hash *hash = tw_hash_begin();
    tw_hash_add_text(hash, device->backend);
    tw_hash_add_text(hash, device->architecture);
    /* A cubin runs on its architecture; an OpenCL binary belongs to its device and driver. */
    if (device->arch == 0) {
        tw_hash_add_text(hash, device->name);
        tw_hash_add_text(hash, device->driver);
    }
    tw_hash_add_text(hash, function);
    tw_hash_add_text(hash, source);
    tw_hash_finish(hash, key);
}

void tw_database_binaries_hash(const void *bytes, size_t size, char hash[TW_HASH_SIZE]) {
    struct tw_hash *state = tw_hash_begin();
    tw_hash_add(state, bytes, size);
    tw_hash_finish(state, hash);
}

static const struct piece *find(const struct tw_database_binaries *binaries, const char *key) {
    const struct piece *piece = binaries->buckets[tw_hash64(key, strlen(key)) % BUCKETS];
    while (piece != NULL && strcmp(piece->key, key) != 0)
        piece = piece->next;
    return piece;
}

static bool copy_binary(struct tw_binary *to, const struct tw_binary *from, const void *bytes) {
    *to = *from;
    to->log = (struct tw_text){0};
    to->bytes = malloc(from->size > 0 ? from->size : 1);
    if (to->bytes != NULL)
        memcpy(to->bytes, bytes, from->size);
    return to->bytes != NULL;
}

struct adding {
    struct tw_database_binaries *binaries;
    const struct tw_device_info *device;
    bool no_memory;
};

static bool add(void *context, const struct tw_db_binary *stored) {
    struct adding *adding = context;
    char hash[TW_HASH_SIZE];
    tw_database_binaries_hash(stored->bytes, stored->size, hash);
    if (strcmp(stored->architecture, adding->device->architecture) != 0 ||
        strlen(stored->key) != TW_HASH_SIZE - 1 || strcmp(hash, stored->hash) != 0 ||
        find(adding->binaries, stored->key) != NULL)
        return true;
    struct piece *piece = calloc(1, sizeof *piece);
    const struct tw_binary binary = {.size = stored->size,
                                     .has_resources = stored->has_resources,
                                     .registers = stored->registers,
                                     .spill_bytes = stored->spill_bytes};
    if (piece == NULL || !copy_binary(&piece->binary, &binary, stored->bytes)) {
        free(piece);
        adding->no_memory = true;
        return false;
    }
    strcpy(piece->key, stored->key);
    struct piece **bucket =
        &adding->binaries->buckets[tw_hash64(stored->key, strlen(stored->key)) % BUCKETS];
    piece->next = *bucket;
    *bucket = piece;
    return true;
}

tw_status tw_database_binaries_add(struct tw_database_binaries *binaries, tw_db *db,
                                   const struct tw_device_info *device, struct tw_error *error) {
    struct adding adding = {.binaries = binaries, .device = device};
    if (tw_db_binary_each(db, device->backend, add, &adding) != TW_DB_OK)
        return tw_fail(error, TW_DATABASE, "%s", tw_db_message(db));
    return adding.no_memory ? tw_fail(error, TW_NO_MEMORY, "out of memory for binaries") : TW_OK;
}

bool tw_database_binaries_has(const struct tw_database_binaries *binaries, const char *key) {
    return find(binaries, key) != NULL;
}

bool tw_database_binaries_get(const struct tw_database_binaries *binaries, const char *key,
                              struct tw_binary *binary) {
    *binary = (struct tw_binary){0};
    const struct piece *piece = find(binaries, key);
    return piece != NULL && copy_binary(binary, &piece->binary, piece->binary.bytes);
}

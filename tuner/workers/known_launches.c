#include "tuner/workers/known_launches.h"

#include <stdlib.h>
#include <string.h>

/* The source, and what the compiler's answer is held against. */
static void make_key(const struct tw_executable *x, int index, const char *source_hash,
                     char key[TW_HASH_SIZE]) {
    const struct tw_executable_launch *launch = &x->launches[index];
    struct tw_hash *hash = tw_hash_begin();
    struct tw_expected expected;
    tw_executable_request(x, index, NULL, &expected);
    tw_hash_add_text(hash, source_hash);
    tw_hash_add_text(hash, launch->function);
    tw_hash_add_number(hash, tw_geometry_threads(&launch->geometry));
    tw_hash_add_number(hash, expected.shared);
    for (int i = 0; i < expected.count; i++) {
        tw_hash_add_text(hash, expected.parameters[i].name);
        tw_hash_add_number(hash, expected.parameters[i].bytes);
        tw_hash_add_number(hash, expected.parameters[i].floating);
    }
    for (int i = 0; x->disqualified_by != NULL && x->disqualified_by[i] != NULL; i++)
        tw_hash_add_text(hash, x->disqualified_by[i]);
    tw_hash_finish(hash, key);
}

tw_status launch_keys_of(const struct tw_executable *x, const char hashes[][TW_HASH_SIZE],
                         struct launch_keys *keys, struct tw_error *error) {
    keys->count = hashes != NULL && x->launch_count > 1 ? x->launch_count : 0;
    for (int i = 0; i < keys->count; i++) {
        make_key(x, i, hashes[i], keys->of[i]);
        if (keys->of[i][0] == '\0')
            return tw_fail(error, TW_NO_MEMORY, "out of memory");
    }
    return TW_OK;
}

static struct known_launch *find(const struct known_launches *known, const char *key) {
    for (int i = 0; i < known->count; i++)
        if (strcmp(known->all[i].key, key) == 0)
            return &known->all[i];
    return NULL;
}

void known_launches_find(struct known_launches *known, const struct launch_keys *keys,
                         const struct tw_binary *binaries[TW_MAX_LAUNCHES]) {
    for (int i = 0; i < TW_MAX_LAUNCHES; i++) {
        struct known_launch *launch = i < keys->count ? find(known, keys->of[i]) : NULL;
        binaries[i] = launch != NULL ? &launch->binary : NULL;
        if (launch != NULL)
            launch->used = ++known->uses;
    }
}

static struct known_launch *make_room(struct known_launches *known) {
    if (known->all == NULL)
        known->all = calloc(KNOWN_LAUNCHES, sizeof *known->all);
    if (known->all == NULL || known->count < KNOWN_LAUNCHES)
        return known->all != NULL ? &known->all[known->count++] : NULL;
    struct known_launch *oldest = &known->all[0];
    for (int i = 1; i < known->count; i++)
        if (known->all[i].used < oldest->used)
            oldest = &known->all[i];
    tw_binary_free(&oldest->binary);
    return oldest;
}

tw_status known_launches_add(struct known_launches *known, const struct launch_keys *keys,
                             const struct compiled *compiled, struct tw_error *error) {
    for (int i = 0; i < keys->count && compiled->status == TW_DB_TRIAL_OK; i++) {
        struct tw_binary binary;
        if (find(known, keys->of[i]) != NULL)
            continue;
        tw_status status = compiled_binary(compiled, i, &binary, error);
        if (status != TW_OK)
            return status;
        struct known_launch *launch = make_room(known);
        if (launch == NULL) {
            tw_binary_free(&binary);
            return tw_fail(error, TW_NO_MEMORY, "out of memory");
        }
        *launch = (struct known_launch){.binary = binary, .used = ++known->uses};
        memcpy(launch->key, keys->of[i], sizeof launch->key);
    }
    return TW_OK;
}

void known_launches_free(struct known_launches *known) {
    for (int i = 0; i < known->count; i++)
        tw_binary_free(&known->all[i].binary);
    free(known->all);
    *known = (struct known_launches){0};
}

#include "runtime/select/known.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/hash.h"

/* A configuration has one of a few places, and takes that of the one that was asked for longest
 * ago: with a single one, two of the same place would take it from each other at every selection.
 */
enum { SETS = 512, WAYS = 4, ESTIMATES = 8192 };

struct known_configuration {
    uint64_t key;
    uint64_t held_for; /* 0: it is not known whether its constraints hold */
    struct tw_configuration of;
};

/* Has one place, which it takes from the one that was there. */
struct known_estimate {
    struct tw_known_key key; /* all 0: nothing is there */
    struct tw_estimate of;
    double model_us;
};

struct tw_known {
    pthread_mutex_t lock;
    struct known_configuration
        *configurations[SETS][WAYS];  /* of each the one asked for last first */
    struct known_estimate *estimates; /* NULL until the first */
};

struct tw_known *tw_known_create(void) {
    struct tw_known *known = calloc(1, sizeof *known);
    if (known != NULL)
        pthread_mutex_init(&known->lock, NULL);
    return known;
}

void tw_known_free(struct tw_known *known) {
    if (known == NULL)
        return;
    for (int i = 0; i < SETS; i++)
        for (int k = 0; k < WAYS; k++)
            free(known->configurations[i][k]);
    free(known->estimates);
    pthread_mutex_destroy(&known->lock);
    free(known);
}

static uint64_t hash_text(const char *text) {
    return tw_hash64(text, strlen(text));
}

uint64_t tw_known_device(const struct tw_device_info *device, const char *fingerprint,
                         uint64_t model) {
    const uint64_t all[] = {hash_text(fingerprint),          model,
                            (uint64_t)device->clock_khz,     (uint64_t)device->bandwidth,
                            (uint64_t)device->unit_threads,  (uint64_t)device->unit_blocks,
                            (uint64_t)device->unit_shared,   (uint64_t)device->reserved_shared,
                            (uint64_t)device->unit_registers};
    return tw_hash64(all, sizeof all);
}

static uint64_t hash_configuration(const struct tw_catalogue_row *row) {
    const uint64_t texts[] = {hash_text(row->implementation), hash_text(row->configuration)};
    return tw_hash64(texts, sizeof texts);
}

/* Whoever asks first works it out, and so do all who ask at the same time. */
struct tw_known_key tw_known_key_of_model(const struct tw_catalogue_model *model, size_t index) {
    uint64_t hash = atomic_load_explicit(&model->hashes[index], memory_order_relaxed);
    if (hash == 0) {
        hash = hash_configuration(&model->rows[index]);
        atomic_store_explicit(&model->hashes[index], hash, memory_order_relaxed);
    }
    return (struct tw_known_key){.configuration = hash};
}

struct tw_known_key tw_known_key_of(const struct tw_catalogue_row *row, uint64_t device) {
    const uint64_t others[] = {hash_text(row->problem), hash_text(row->device),
                               row->slots != NULL
                                   ? tw_hash64(row->slots, TW_DEVICE_SLOTS * sizeof *row->slots)
                                   : (uint64_t)row->units,
                               device};
    return (struct tw_known_key){.configuration = hash_configuration(row),
                                 .others = tw_hash64(others, sizeof others)};
}

/* The set's first from here on; NULL: it has none of that key. */
static struct known_configuration *find(struct known_configuration **set, uint64_t key) {
    int at = 0;
    while (at < WAYS && (set[at] == NULL || set[at]->key != key))
        at++;
    if (at == WAYS)
        return NULL;
    struct known_configuration *found = set[at];
    memmove(&set[1], &set[0], (size_t)at * sizeof *set);
    return set[0] = found;
}

bool tw_known_configuration(struct tw_known *known, const struct tw_known_key *key,
                            uint64_t asked_for, struct tw_configuration *configuration,
                            bool *holds) {
    pthread_mutex_lock(&known->lock);
    const struct known_configuration *at =
        find(known->configurations[key->configuration % SETS], key->configuration);
    if (at != NULL)
        *configuration = at->of;
    *holds = at != NULL && at->held_for == asked_for;
    pthread_mutex_unlock(&known->lock);
    return at != NULL;
}

void tw_known_note_configuration(struct tw_known *known, const struct tw_known_key *key,
                                 const struct tw_configuration *configuration) {
    pthread_mutex_lock(&known->lock);
    struct known_configuration **set = known->configurations[key->configuration % SETS];
    struct known_configuration *at = find(set, key->configuration);
    if (at == NULL) {
        at = set[WAYS - 1] != NULL ? set[WAYS - 1] : malloc(sizeof *at);
        if (at != NULL)
            memmove(&set[1], &set[0], (WAYS - 1) * sizeof *set);
    }
    if (at != NULL) {
        *at = (struct known_configuration){.key = key->configuration, .of = *configuration};
        set[0] = at;
    }
    pthread_mutex_unlock(&known->lock);
}

void tw_known_note_held(struct tw_known *known, const struct tw_known_key *key,
                        uint64_t asked_for) {
    pthread_mutex_lock(&known->lock);
    struct known_configuration *at =
        find(known->configurations[key->configuration % SETS], key->configuration);
    if (at != NULL)
        at->held_for = asked_for;
    pthread_mutex_unlock(&known->lock);
}

uint64_t tw_known_asked_for(const struct tw_problem *problem, const int64_t *slots) {
    const uint64_t all[] = {
        tw_hash64(slots, TW_DEVICE_SLOTS * sizeof *slots),
        tw_hash64(problem->words,
                  (size_t)problem->description->attribute_count * sizeof *problem->words)};
    return tw_hash64(all, sizeof all) | 1;
}

static size_t place_of(const struct tw_known_key *key) {
    return (size_t)(key->configuration ^ key->others) % ESTIMATES;
}

bool tw_known_estimate(struct tw_known *known, const struct tw_known_key *key,
                       struct tw_estimate *estimate, double *model_us) {
    pthread_mutex_lock(&known->lock);
    const struct known_estimate *at =
        known->estimates != NULL ? &known->estimates[place_of(key)] : NULL;
    const bool found =
        at != NULL && at->key.configuration == key->configuration && at->key.others == key->others;
    if (found) {
        *estimate = at->of;
        *model_us = at->model_us;
    }
    pthread_mutex_unlock(&known->lock);
    return found;
}

void tw_known_note_estimate(struct tw_known *known, const struct tw_known_key *key,
                            const struct tw_estimate *estimate, double model_us) {
    pthread_mutex_lock(&known->lock);
    if (known->estimates == NULL)
        known->estimates = calloc(ESTIMATES, sizeof *known->estimates);
    if (known->estimates != NULL)
        known->estimates[place_of(key)] = (struct known_estimate){*key, *estimate, model_us};
    pthread_mutex_unlock(&known->lock);
}

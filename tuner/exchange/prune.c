#include "tuner/exchange/prune.h"

#include <stdlib.h>
#include <string.h>

#include "db/upkeep.h"
#include "tuner/exchange/check.h"

/* Rows are chosen while reading, when writing is not allowed, and dropped after. */
struct victims {
    const struct known_kernels *known;
    struct pruned *pruned;
    struct known_devices devices;
    size_t trial_count, best_count;
    int64_t *trials; /* outdated ones */
    struct victim {
        struct tw_db_best key; /* the four columns that tell rows apart, but for */
        char cache_policy[16];
        bool stale, unusable;
    } * best; /* the rows of known kernels */
    bool failed;
};

static void *grow(struct victims *victims, void *array, size_t count, size_t size) {
    /* Doubling, at every power of two. */
    if ((count & (count - 1)) != 0)
        return array;
    void *grown = realloc(array, (count > 0 ? count * 2 : 1) * size);
    victims->failed = victims->failed || grown == NULL;
    return grown != NULL ? grown : array;
}

static bool choose_trial(void *context, const struct tw_db_trial_row *row) {
    struct victims *victims = context;
    const struct known_kernel *kernel = known_kernels_find(victims->known, row->kernel);
    tw_status status =
        kernel != NULL ? known_kernel_check_trial(kernel, &victims->devices, row) : TW_OK;
    victims->failed = victims->failed || status == TW_NO_MEMORY;
    if (status == TW_OK || victims->failed)
        return !victims->failed;
    victims->trials = grow(victims, victims->trials, victims->trial_count, sizeof *victims->trials);
    if (!victims->failed)
        victims->trials[victims->trial_count++] = row->id;
    return !victims->failed;
}

static bool collect_best(void *context, const struct tw_db_best_row *row) {
    struct victims *victims = context;
    const struct known_kernel *kernel = known_kernels_find(victims->known, row->problem.kernel);
    if (kernel == NULL || strlen(row->best.cache_policy) >= sizeof victims->best->cache_policy)
        return true;
    tw_status current = known_kernel_check(kernel, row, NULL);
    tw_status usable = check_row(row, kernel, NULL);
    /* What there was no memory to look at is no victim. */
    victims->failed = victims->failed || current == TW_NO_MEMORY || usable == TW_NO_MEMORY;
    victims->best = grow(victims, victims->best, victims->best_count, sizeof *victims->best);
    if (victims->failed)
        return false;
    struct victim *victim = &victims->best[victims->best_count++];
    *victim = (struct victim){.key = {.problem = row->best.problem,
                                      .device = row->best.device,
                                      .implementation = row->best.implementation},
                              .stale = current != TW_OK,
                              .unusable = usable != TW_OK};
    strcpy(victim->cache_policy, row->best.cache_policy);
    return true;
}

static bool same_subject(const struct victim *a, const struct victim *b) {
    return a->key.problem == b->key.problem && a->key.device == b->key.device &&
           strcmp(a->cache_policy, b->cache_policy) == 0;
}

/* Rows about the same stand together, as tw_db_best_each gives them. */
static bool has_current(const struct victims *victims, size_t index) {
    const struct victim *all = victims->best;
    size_t first = index;
    while (first > 0 && same_subject(&all[first - 1], &all[index]))
        first--;
    for (size_t i = first; i < victims->best_count && same_subject(&all[i], &all[index]); i++)
        if (!all[i].stale && !all[i].unusable)
            return true;
    return false;
}

static enum tw_db_status drop(tw_db *db, struct victims *victims) {
    enum tw_db_status status = TW_DB_OK;
    for (size_t i = 0; i < victims->trial_count && status == TW_DB_OK; i++) {
        status = tw_db_trial_remove(db, victims->trials[i]);
        victims->pruned->trials++;
    }
    for (size_t i = 0; i < victims->best_count && status == TW_DB_OK; i++) {
        struct victim *victim = &victims->best[i];
        bool outdated = victim->stale && !victim->unusable && has_current(victims, i);
        if (!outdated && !victim->unusable)
            continue;
        victim->key.cache_policy = victim->cache_policy;
        status = tw_db_best_remove(db, &victim->key);
        victims->pruned->outdated += outdated;
        victims->pruned->unusable += victim->unusable;
    }
    return status == TW_DB_OK ? tw_db_sweep(db, &victims->pruned->swept) : status;
}

static bool find_alive(void *context, const struct tw_db_run_row *row) {
    int64_t *alive = context;
    if (row->owner_alive)
        *alive = row->id;
    return !row->owner_alive;
}

tw_status prune_database(tw_db *db, const struct known_kernels *known, struct pruned *pruned,
                         struct tw_error *error) {
    *pruned = (struct pruned){0};
    struct victims victims = {.known = known, .pruned = pruned};
    int64_t alive = 0;
    /* What is read and what is dropped must be of one moment. */
    tw_status read = known_devices_read(&victims.devices, db, error);
    if (read != TW_OK) {
        known_devices_free(&victims.devices);
        return read;
    }
    enum tw_db_status status = tw_db_begin(db);
    if (status == TW_DB_OK)
        status = tw_db_run_each(db, NULL, find_alive, &alive);
    if (status == TW_DB_OK && alive == 0)
        status = tw_db_trial_each(db, NULL, choose_trial, &victims);
    if (status == TW_DB_OK && alive == 0)
        status = tw_db_best_each(db, NULL, collect_best, &victims);
    if (status == TW_DB_OK && alive == 0 && !victims.failed)
        status = drop(db, &victims);
    if (status == TW_DB_OK && alive == 0 && !victims.failed)
        status = tw_db_commit(db);
    tw_db_rollback(db);
    free(victims.trials);
    known_devices_free(&victims.devices);
    free(victims.best);
    if (victims.failed)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    if (status == TW_DB_OK && alive != 0)
        return tw_fail(error, TW_DATABASE,
                       "run %lld is under way; prune the database when it has ended",
                       (long long)alive);
    if (status == TW_DB_OK)
        status = tw_db_compact(db);
    return status == TW_DB_OK ? TW_OK : tw_fail(error, TW_DATABASE, "%s", tw_db_message(db));
}

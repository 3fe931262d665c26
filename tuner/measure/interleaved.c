#include "tuner/measure/interleaved.h"

#include <stdlib.h>
#include <string.h>

#include "tuner/measure/timing.h"
#include "tuner/measure/workload_create.h"

struct entry {
    struct tw_configuration configuration;
    int64_t values[TW_MAX_SYMBOLS];
    struct tw_binaries binaries;      /* empty where those of another entry are loaded again */
    const struct tw_binaries *loaded; /* its own or the other's */
    struct tw_variant *variant;
    struct timer *timer;
};

struct interleaved {
    const struct testbed *testbed;
    struct workload *workload;
    int count, room, rounds;
    struct entry **entries;
};

tw_status interleaved_create(struct interleaved **out, const struct testbed *testbed,
                             struct workload *workload, struct tw_error *error) {
    *out = calloc(1, sizeof **out);
    if (*out == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    (*out)->testbed = testbed;
    (*out)->workload = workload;
    return TW_OK;
}

static void entry_free(struct entry *entry) {
    if (entry == NULL)
        return;
    timer_free(entry->timer);
    tw_variant_free(entry->variant);
    tw_binaries_free(&entry->binaries);
    free(entry);
}

void interleaved_free(struct interleaved *in) {
    if (in == NULL)
        return;
    for (int i = 0; i < in->count; i++)
        entry_free(in->entries[i]);
    free(in->entries);
    free(in);
}

/* A place for one more, which is not counted yet. */
static tw_status make_entry(struct interleaved *in, const struct tw_configuration *configuration,
                            struct entry **out, struct tw_error *error) {
    if (in->count == in->room) {
        int room = in->room > 0 ? 2 * in->room : 8;
        struct entry **entries = realloc(in->entries, (size_t)room * sizeof *entries);
        if (entries == NULL)
            return tw_fail(error, TW_NO_MEMORY, "out of memory");
        in->entries = entries;
        in->room = room;
    }
    *out = calloc(1, sizeof **out);
    if (*out == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    (*out)->configuration = *configuration;
    return TW_OK;
}

/* Loads and verifies what was compiled; the first launches pay for what drivers leave to them. */
static tw_status prepare(const struct interleaved *in, struct entry *entry,
                         struct accuracy *accuracy, struct tw_error *error) {
    tw_status status = testbed_load(in->testbed, &entry->configuration, entry->values,
                                    entry->loaded, &entry->variant, error);
    if (status == TW_OK)
        status = verify_variant(in->workload, entry->variant, accuracy, error);
    if (status == TW_OK)
        status = timer_make(&entry->timer, in->workload, entry->variant, error);
    /* What a wrong variant wrote where it must not would make right ones look wrong. */
    struct tw_error damage;
    if (status == TW_WRONG && workload_restore(in->workload, &damage) != TW_OK) {
        *error = damage;
        return damage.status;
    }
    return status;
}

static tw_status enter(struct interleaved *in, struct entry *entry, tw_status status, int *number) {
    if (status != TW_OK) {
        entry_free(entry);
        return status;
    }
    *number = in->count;
    in->entries[in->count++] = entry;
    return TW_OK;
}

tw_status interleaved_enter(struct interleaved *in, const struct tw_configuration *configuration,
                            int *number, struct accuracy *accuracy, struct tw_error *error) {
    struct accuracy unused;
    struct entry *entry = NULL;
    tw_status status = make_entry(in, configuration, &entry, error);
    if (status == TW_OK)
        status =
            testbed_compile(in->testbed, configuration, entry->values, &entry->binaries, error);
    if (status == TW_OK) {
        entry->loaded = &entry->binaries;
        status = prepare(in, entry, accuracy != NULL ? accuracy : &unused, error);
    }
    return enter(in, entry, status, number);
}

tw_status interleaved_enter_again(struct interleaved *in, int number, int *again,
                                  struct tw_error *error) {
    const struct entry *first = in->entries[number];
    struct entry *entry = NULL;
    struct accuracy accuracy;
    tw_status status = make_entry(in, &first->configuration, &entry, error);
    if (entry != NULL) {
        memcpy(entry->values, first->values, sizeof entry->values);
        entry->loaded = first->loaded;
        status = prepare(in, entry, &accuracy, error);
    }
    return enter(in, entry, status, again);
}

tw_status interleaved_round(struct interleaved *in, double *times_us, struct tw_error *error) {
    tw_status status = TW_OK;
    /* Not in the order of the round before, nor on the same buffer sets as in the last turn. */
    int begin = in->rounds + in->workload->rotation.turns;
    for (int i = 0; i < in->count && status == TW_OK; i++) {
        int which = (i + begin) % in->count;
        status = timer_repeat(in->entries[which]->timer, &times_us[which], error);
    }
    in->rounds++;
    return status;
}

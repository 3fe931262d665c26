#include "tuner/session/sources.h"

#include <stdlib.h>
#include <string.h>

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
    struct rendered rendered = {.count = executable->launch_count};
    tw_status status = TW_OK;
    memcpy(rendered.key, key, sizeof rendered.key);
    memset(texts, 0, TW_MAX_LAUNCHES * sizeof *texts);
    for (int i = 0; i < executable->launch_count && status == TW_OK; i++) {
        status = tw_executable_source(executable, i, backend, &texts[i], rendered.hashes[i], error);
        if (status == TW_OK)
            rendered.texts[i] = tw_hash64(texts[i].data, texts[i].length);
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

static int compare_texts(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

tw_status sources_distinct(const struct sources *sources, int64_t *count, struct tw_error *error) {
    uint64_t *texts = malloc((sources->count * TW_MAX_LAUNCHES + 1) * sizeof *texts);
    size_t all = 0;
    *count = 0;
    if (texts == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    for (size_t i = 0; i < sources->room; i++)
        for (int k = 0; k < sources->all[i].count; k++)
            texts[all++] = sources->all[i].texts[k];
    qsort(texts, all, sizeof *texts, compare_texts);
    for (size_t i = 0; i < all; i++)
        *count += i == 0 || texts[i - 1] != texts[i];
    free(texts);
    return TW_OK;
}

void sources_free(struct sources *sources) {
    free(sources->all);
    *sources = (struct sources){0};
}

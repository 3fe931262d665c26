/* Where a model's configurations were good, and which of them a problem asks about for that. */
#include <math.h>
#include <stdlib.h>

#include "runtime/predict/model_places.h"

/* ---- Where problems lie ---- */

enum { EVEN = 8 };

void tw_model_place_put(struct tw_model_place *place, int kind, const int64_t *dimensions,
                        int dimension_count) {
    place->kind = kind;
    place->uneven = 0;
    for (int i = 0; i < dimension_count; i++) {
        place->logs[i] = (float)log2((double)dimensions[i]);
        place->uneven |= (unsigned)(dimensions[i] % EVEN != 0) << i;
    }
}

/* ---- Reading ---- */

static bool take_number(const char **at, int64_t *number) {
    enum { MOST_DIGITS = 15 };
    const char *from = *at;
    *number = 0;
    while (**at >= '0' && **at <= '9' && *at - from < MOST_DIGITS)
        *number = 10 * *number + (*(*at)++ - '0');
    return *at > from;
}

bool tw_model_read_place(struct tw_model *model, const char *text) {
    struct tw_model_place *place = &model->places[model->place_count];
    int64_t number, dimensions[TW_MAX_DIMENSIONS];
    int count = 0;
    if (!take_number(&text, &number) || number >= model->kind_count)
        return false;
    const int kind = (int)number;
    while (*text == ' ' && count < TW_MAX_DIMENSIONS) {
        text++;
        if (!take_number(&text, &number) || number < 1)
            return false;
        dimensions[count++] = number;
    }
    if (*text != '\0' || count == 0 || (model->place_count > 0 && count != model->dimension_count))
        return false;
    *place = (struct tw_model_place){0};
    tw_model_place_put(place, kind, dimensions, count);
    model->dimension_count = count;
    model->place_count++;
    return true;
}

bool tw_model_sort_near(struct tw_model *model) {
    int first = 0;
    model->good = calloc((size_t)model->near_count + 1, sizeof *model->good);
    if (model->good == NULL)
        return false;
    for (int i = 0; i < model->near_count; i++)
        model->places[model->near[i]].count++;
    for (int i = 0; i < model->place_count; i++) {
        model->places[i].first_configuration = first;
        first += model->places[i].count;
        model->places[i].count = 0;
    }
    for (int c = 0; c < model->configuration_count; c++)
        for (int i = 0; i < model->configurations[c].near_count; i++) {
            const int at = model->near[model->configurations[c].near_first + i];
            struct tw_model_place *place = &model->places[at];
            model->good[place->first_configuration + place->count++] = c;
        }
    return tw_model_draw_map(model);
}

/* ---- A map of the places ---- */

enum { SIDE_BY_SIDE = 8 };

struct tw_model_map {
    size_t room; /* places, filled up so that as many as are worked out side by side are there */
    float *logs; /* of the first dimension of all, then of the next */
    int *kinds;
    unsigned *uneven;
    uint64_t *kinds_of; /* of a configuration: those themselves lie far apart */
};

void tw_model_free_map(struct tw_model_map *map) {
    if (map == NULL)
        return;
    free(map->logs);
    free(map->kinds);
    free(map->uneven);
    free(map->kinds_of);
    free(map);
}

bool tw_model_draw_map(struct tw_model *model) {
    const size_t room = ((size_t)model->place_count / SIDE_BY_SIDE + 1) * SIDE_BY_SIDE;
    struct tw_model_map *map = calloc(1, sizeof *map);
    model->map = map;
    if (map == NULL)
        return false;
    map->room = room;
    map->logs = calloc(room * (size_t)(model->dimension_count + 1), sizeof *map->logs);
    map->kinds = calloc(room, sizeof *map->kinds);
    map->uneven = calloc(room, sizeof *map->uneven);
    map->kinds_of = calloc((size_t)model->configuration_count + 1, sizeof *map->kinds_of);
    if (map->logs == NULL || map->kinds == NULL || map->uneven == NULL || map->kinds_of == NULL)
        return false;
    for (int c = 0; c < model->configuration_count; c++)
        map->kinds_of[c] = model->configurations[c].kinds;
    for (int p = 0; p < model->place_count; p++) {
        const struct tw_model_place *place = &model->places[p];
        for (int i = 0; i < model->dimension_count; i++)
            map->logs[(size_t)i * room + (size_t)p] = place->logs[i];
        map->kinds[p] = place->kind;
        map->uneven[p] = place->uneven;
        if (place->kind >= 0) /* -1: of none of the model's */
            model->kinds_with_places |= UINT64_C(1) << place->kind;
    }
    return true;
}

/* ---- Asking ---- */

bool tw_model_has_places(const struct tw_model *model, int kind) {
    return kind >= 0 && (model->kinds_with_places >> kind & 1) != 0;
}

/* Doublings. */
static const float ANOTHER_KIND = 1, UNEVEN = 1;

/* How far it is from one place to all, whose number is the map's room. */
static void measure(const struct tw_model_map *map, const struct tw_model_place *from,
                    int dimensions, float *lengths) {
    for (size_t p = 0; p < map->room; p += SIDE_BY_SIDE) {
        float length[SIDE_BY_SIDE];
        for (int k = 0; k < SIDE_BY_SIDE; k++)
            length[k] = map->kinds[p + (size_t)k] == from->kind ? 0 : ANOTHER_KIND;
        for (int i = 0; i < dimensions; i++) {
            const float *logs = &map->logs[(size_t)i * map->room + p];
            for (int k = 0; k < SIDE_BY_SIDE; k++) {
                const unsigned differ = map->uneven[p + (size_t)k] ^ from->uneven;
                length[k] +=
                    fabsf(from->logs[i] - logs[k]) + (float)(int)(differ >> i & 1) * UNEVEN;
            }
        }
        for (int k = 0; k < SIDE_BY_SIDE; k++)
            lengths[p + (size_t)k] = length[k];
    }
}

/* ---- In order of their lengths ---- */

/* Of thousands of ways only the shortest few are wanted: they are counted by how long they are
 * about, and those that are likely to do are put into buckets by that. A bucket is sorted when it
 * is its turn. */
enum { BUCKETS = 128 };
static const float BUCKETS_A_DOUBLING = 4;

struct way {
    float length;
    int place;
};

struct ways {
    int count;            /* of places */
    float *lengths;       /* to each */
    int in[BUCKETS];      /* how many are in each */
    struct way *gathered; /* of the buckets up to `end` that were not taken, one after another */
    int ends[BUCKETS];    /* of these buckets */
    int bucket, end;      /* the next to be sorted */
    int next, sorted;     /* from `next` to `sorted` they are in order */
};

static int bucket_of(float length) {
    const int bucket = (int)(length * BUCKETS_A_DOUBLING);
    return bucket < BUCKETS - 1 ? bucket : BUCKETS - 1;
}

static int compare_ways(const void *left, const void *right) {
    const struct way *a = left, *b = right;
    if (a->length != b->length)
        return a->length < b->length ? -1 : 1;
    return (a->place > b->place) - (a->place < b->place);
}

/* The next buckets that have so many, or all that are left. */
static bool gather(struct ways *ways, int wanted) {
    int first[BUCKETS], count = 0;
    const int begin = ways->end;
    while (ways->end < BUCKETS && count < wanted) {
        first[ways->end] = count;
        count += ways->in[ways->end];
        ways->ends[ways->end++] = count;
    }
    free(ways->gathered);
    ways->gathered = malloc(((size_t)count + 1) * sizeof *ways->gathered);
    ways->next = ways->sorted = 0;
    if (ways->gathered == NULL)
        return false;
    const float most = ways->end < BUCKETS ? (float)ways->end / BUCKETS_A_DOUBLING : INFINITY;
    for (int i = 0; i < ways->count; i++) {
        const float length = ways->lengths[i];
        if (length < most && bucket_of(length) >= begin)
            ways->gathered[first[bucket_of(length)]++] = (struct way){length, i};
    }
    return true;
}

static bool find_ways(struct ways *ways, const struct tw_model *model,
                      const struct tw_model_place *from, int wanted) {
    *ways = (struct ways){.count = model->place_count,
                          .lengths = malloc(model->map->room * sizeof *ways->lengths)};
    if (ways->lengths == NULL)
        return false;
    measure(model->map, from, model->dimension_count, ways->lengths);
    for (int i = 0; i < ways->count; i++)
        ways->in[bucket_of(ways->lengths[i])]++;
    return gather(ways, wanted);
}

/* The place at the end of the shortest way that was not taken; -1: all were, or out of memory. */
static int take_shortest(struct ways *ways, bool *has_memory) {
    while (ways->next == ways->sorted) {
        if (ways->bucket == BUCKETS)
            return -1;
        if (ways->bucket == ways->end && !gather(ways, ways->count)) {
            *has_memory = false;
            return -1;
        }
        ways->sorted = ways->ends[ways->bucket++];
        qsort(&ways->gathered[ways->next], (size_t)(ways->sorted - ways->next),
              sizeof *ways->gathered, compare_ways);
    }
    return ways->gathered[ways->next++].place;
}

/* ---- What is near ---- */

int tw_model_near(const struct tw_model *model, int kind, const int64_t *dimensions, int most,
                  int *configurations) {
    struct tw_model_place here = {0};
    struct ways ways;
    int count = 0;
    bool *taken = calloc((size_t)model->configuration_count + 1, sizeof *taken);
    tw_model_place_put(&here, kind, dimensions, model->dimension_count);
    /* A place has a configuration that none before it has, or more. */
    bool has_memory = find_ways(&ways, model, &here, most) && taken != NULL;
    for (int at; has_memory && count < most && (at = take_shortest(&ways, &has_memory)) >= 0;) {
        const struct tw_model_place *place = &model->places[at];
        for (int k = 0; k < place->count && count < most; k++) {
            const int c = model->good[place->first_configuration + k];
            if (taken[c] || (model->map->kinds_of[c] >> kind & 1) == 0)
                continue;
            taken[c] = true;
            configurations[count++] = c;
        }
    }
    free(ways.lengths);
    free(ways.gathered);
    free(taken);
    return has_memory ? count : -1;
}

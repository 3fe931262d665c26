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
    return true;
}

/* ---- Asking ---- */

bool tw_model_has_places(const struct tw_model *model, int kind) {
    for (int i = 0; i < model->place_count && kind >= 0; i++)
        if (model->places[i].kind == kind)
            return true;
    return false;
}

/* Doublings. */
static const float ANOTHER_KIND = 1, UNEVEN = 1;

static float length_of(const struct tw_model_place *a, const struct tw_model_place *b,
                       int dimensions) {
    const unsigned differ = a->uneven ^ b->uneven;
    float length = a->kind == b->kind ? 0 : ANOTHER_KIND;
    for (int i = 0; i < dimensions; i++)
        length += fabsf(a->logs[i] - b->logs[i]) + (float)(differ >> i & 1) * UNEVEN;
    return length;
}

/* ---- In order of their lengths ---- */

/* Of thousands of ways only the shortest few are wanted: they are put into buckets by how long they
 * are about, and a bucket is sorted when it is its turn. */
enum { BUCKETS = 128 };
static const float BUCKETS_A_DOUBLING = 4;

struct way {
    float length;
    int place;
};

struct ways {
    struct way *all;          /* bucket after bucket */
    int ends[BUCKETS];        /* of them */
    int bucket, next, sorted; /* from `next` to `sorted` they are in order */
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

static bool find_ways(struct ways *ways, const struct tw_model *model,
                      const struct tw_model_place *from) {
    const size_t count = (size_t)model->place_count;
    float *lengths = malloc((count + 1) * sizeof *lengths);
    *ways = (struct ways){.all = malloc((count + 1) * sizeof *ways->all)};
    if (lengths == NULL || ways->all == NULL) {
        free(lengths);
        return false;
    }
    int first[BUCKETS] = {0}, begin = 0;
    for (size_t i = 0; i < count; i++) {
        lengths[i] = length_of(from, &model->places[i], model->dimension_count);
        first[bucket_of(lengths[i])]++;
    }
    for (int k = 0; k < BUCKETS; k++) {
        const int in = first[k];
        first[k] = begin;
        begin += in;
        ways->ends[k] = begin;
    }
    for (size_t i = 0; i < count; i++)
        ways->all[first[bucket_of(lengths[i])]++] = (struct way){lengths[i], (int)i};
    free(lengths);
    return true;
}

/* The place at the end of the shortest way that was not taken; -1: all were. */
static int take_shortest(struct ways *ways) {
    while (ways->next == ways->sorted) {
        if (ways->bucket == BUCKETS)
            return -1;
        ways->sorted = ways->ends[ways->bucket++];
        qsort(&ways->all[ways->next], (size_t)(ways->sorted - ways->next), sizeof *ways->all,
              compare_ways);
    }
    return ways->all[ways->next++].place;
}

/* ---- What is near ---- */

int tw_model_near(const struct tw_model *model, int kind, const int64_t *dimensions, int most,
                  int *configurations) {
    struct tw_model_place here = {0};
    struct ways ways;
    int count = 0;
    bool *taken = calloc((size_t)model->configuration_count + 1, sizeof *taken);
    tw_model_place_put(&here, kind, dimensions, model->dimension_count);
    const bool there = find_ways(&ways, model, &here) && taken != NULL;
    for (int at; there && count < most && (at = take_shortest(&ways)) >= 0;) {
        const struct tw_model_place *place = &model->places[at];
        for (int k = 0; k < place->count && count < most; k++) {
            const int c = model->good[place->first_configuration + k];
            if (taken[c] || (model->configurations[c].kinds >> kind & 1) == 0)
                continue;
            taken[c] = true;
            configurations[count++] = c;
        }
    }
    free(ways.all);
    free(taken);
    return there ? count : -1;
}

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
        place->logs[i] = log2((double)dimensions[i]);
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

struct way {
    double length;
    int place;
};

static bool is_shorter(const struct way *a, const struct way *b) {
    return a->length != b->length ? a->length < b->length : a->place < b->place;
}

/* ---- A heap, for of thousands only the shortest few are wanted ---- */

static void sink(struct way *ways, int count, int at) {
    for (int child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && is_shorter(&ways[child + 1], &ways[child]))
            child++;
        if (!is_shorter(&ways[child], &ways[at]))
            return;
        const struct way way = ways[at];
        ways[at] = ways[child];
        ways[child] = way;
    }
}

static void make_heap(struct way *ways, int count) {
    for (int at = count / 2 - 1; at >= 0; at--)
        sink(ways, count, at);
}

static struct way take_shortest(struct way *ways, int *count) {
    const struct way shortest = ways[0];
    ways[0] = ways[--*count];
    sink(ways, *count, 0);
    return shortest;
}

/* ---- What is near ---- */

/* Doublings. */
static const double ANOTHER_KIND = 1, UNEVEN = 1;

static double length_of(const struct tw_model_place *a, const struct tw_model_place *b,
                        int dimensions) {
    const unsigned differ = a->uneven ^ b->uneven;
    double length = a->kind == b->kind ? 0 : ANOTHER_KIND;
    for (int i = 0; i < dimensions; i++)
        length += fabs(a->logs[i] - b->logs[i]) + ((differ >> i & 1) != 0 ? UNEVEN : 0);
    return length;
}

int tw_model_near(const struct tw_model *model, int kind, const int64_t *dimensions, int most,
                  int *configurations) {
    struct tw_model_place here;
    int count = 0;
    struct way *ways = malloc(((size_t)model->place_count + 1) * sizeof *ways);
    bool *taken = calloc((size_t)model->configuration_count + 1, sizeof *taken);
    if (ways == NULL || taken == NULL) {
        free(ways);
        free(taken);
        return -1;
    }
    tw_model_place_put(&here, kind, dimensions, model->dimension_count);
    for (int i = 0; i < model->place_count; i++)
        ways[i] = (struct way){length_of(&here, &model->places[i], model->dimension_count), i};
    int left = model->place_count;
    make_heap(ways, left);
    while (left > 0 && count < most) {
        const struct tw_model_place *place = &model->places[take_shortest(ways, &left).place];
        for (int k = 0; k < place->count && count < most; k++) {
            const int c = model->good[place->first_configuration + k];
            if (taken[c] || (model->configurations[c].kinds >> kind & 1) == 0)
                continue;
            taken[c] = true;
            configurations[count++] = c;
        }
    }
    free(ways);
    free(taken);
    return count;
}

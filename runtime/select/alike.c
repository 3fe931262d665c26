#include "runtime/select/alike.h"

#include <stdlib.h>
#include <string.h>

static bool same_words(const struct tw_catalogue_row *a, const struct tw_catalogue_row *b) {
    return a->device == b->device && a->attributes == b->attributes && a->kernel == b->kernel &&
           a->cache == b->cache && a->dimension_count == b->dimension_count &&
           a->backend == b->backend && a->architecture == b->architecture;
}

static size_t bucket_of(const struct tw_catalogue_row *row) {
    const uintptr_t words =
        (uintptr_t)row->attributes * 31 + (uintptr_t)row->device * 7 + (uintptr_t)row->kernel;
    return (words >> 4) % TW_ALIKE_BUCKETS;
}

static struct tw_alike *add_kind(struct tw_kinds *kinds, size_t *bucket, size_t index) {
    if (kinds->count == kinds->room) {
        size_t room = kinds->room == 0 ? 16 : 2 * kinds->room;
        struct tw_alike *all = realloc(kinds->all, room * sizeof *all);
        if (all == NULL)
            return NULL;
        kinds->all = all;
        kinds->room = room;
    }
    struct tw_alike *alike = &kinds->all[kinds->count];
    *alike = (struct tw_alike){.first = index, .next = *bucket};
    *bucket = ++kinds->count;
    return alike;
}

static struct tw_alike *kind_of(struct tw_kinds *kinds, const struct tw_catalogue_row *rows,
                                size_t index) {
    const struct tw_catalogue_row *row = &rows[index];
    if (kinds->count > 0 && same_words(row, &rows[kinds->all[kinds->last].first]))
        return &kinds->all[kinds->last];
    size_t *bucket = &kinds->buckets[bucket_of(row)];
    for (size_t i = *bucket; i != 0; i = kinds->all[i - 1].next)
        if (same_words(row, &rows[kinds->all[i - 1].first]))
            return &kinds->all[i - 1];
    return add_kind(kinds, bucket, index);
}

static bool make_room(struct tw_alike *alike, size_t dimensions) {
    const size_t room = alike->room == 0 ? 16 : 2 * alike->room;
    const size_t boxes = (room + TW_BOX_ROWS - 1) / TW_BOX_ROWS;
    double *logs = realloc(alike->logs, room * dimensions * sizeof *logs);
    if (logs != NULL)
        alike->logs = logs;
    size_t *rows = realloc(alike->rows, room * sizeof *rows);
    if (rows != NULL)
        alike->rows = rows;
    double *bounds = realloc(alike->boxes, boxes * 2 * dimensions * sizeof *bounds);
    if (bounds != NULL)
        alike->boxes = bounds;
    if (logs == NULL || rows == NULL || bounds == NULL)
        return false;
    alike->room = room;
    return true;
}

static void widen(double *box, const double *logs, size_t dimensions, bool is_first) {
    for (size_t k = 0; k < dimensions; k++) {
        if (is_first || logs[k] < box[k])
            box[k] = logs[k];
        if (is_first || logs[k] > box[dimensions + k])
            box[dimensions + k] = logs[k];
    }
}

bool tw_kinds_add(struct tw_kinds *kinds, const struct tw_catalogue_row *rows, size_t index) {
    struct tw_alike *alike = kind_of(kinds, rows, index);
    if (alike == NULL)
        return false;
    const size_t dimensions = (size_t)rows[index].dimension_count;
    if (alike->count == alike->room && !make_room(alike, dimensions))
        return false;
    memcpy(&alike->logs[alike->count * dimensions], rows[index].log_dimensions,
           dimensions * sizeof *alike->logs);
    widen(&alike->boxes[alike->count / TW_BOX_ROWS * 2 * dimensions], rows[index].log_dimensions,
          dimensions, alike->count % TW_BOX_ROWS == 0);
    alike->rows[alike->count++] = index;
    kinds->last = (size_t)(alike - kinds->all);
    return true;
}

void tw_kinds_free(struct tw_kinds *kinds) {
    for (size_t i = 0; i < kinds->count; i++) {
        free(kinds->all[i].logs);
        free(kinds->all[i].rows);
        free(kinds->all[i].boxes);
    }
    free(kinds->all);
}

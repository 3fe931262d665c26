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

/* ---- An order in which boxes are small ---- */

struct sorting {
    const double *logs;
    size_t dimensions;
    size_t *order;
};

static double log_at(const struct sorting *s, size_t i, size_t dimension) {
    return s->logs[s->order[i] * s->dimensions + dimension];
}

static size_t widest_dimension(const struct sorting *s, size_t begin, size_t end) {
    size_t widest = 0;
    double most = -1;
    for (size_t k = 0; k < s->dimensions; k++) {
        double low = log_at(s, begin, k), high = low;
        for (size_t i = begin + 1; i < end; i++) {
            const double at = log_at(s, i, k);
            low = at < low ? at : low;
            high = at > high ? at : high;
        }
        if (high - low > most) {
            most = high - low;
            widest = k;
        }
    }
    return widest;
}

static void exchange(struct sorting *s, size_t a, size_t b) {
    const size_t kept = s->order[a];
    s->order[a] = s->order[b];
    s->order[b] = kept;
}

/* Those before `middle` are not above the one there, and those behind it not below. Many sizes are
 * alike, so that what equals the pivot is set apart. */
static void divide(struct sorting *s, size_t begin, size_t end, size_t middle, size_t dimension) {
    while (end - begin > 1) {
        const double pivot = log_at(s, begin + (end - begin) / 2, dimension);
        size_t below = begin, above = end;
        for (size_t i = begin; i < above;) {
            const double at = log_at(s, i, dimension);
            if (at < pivot)
                exchange(s, i++, below++);
            else if (at > pivot)
                exchange(s, i, --above);
            else
                i++;
        }
        if (middle < below)
            end = below;
        else if (middle >= above)
            begin = above;
        else
            return;
    }
}

/* In halves of whole boxes, across whichever dimension is widest. */
static void sort_range(struct sorting *s, size_t begin, size_t end) {
    while (end - begin > TW_BOX_ROWS) {
        const size_t boxes = (end - begin + TW_BOX_ROWS - 1) / TW_BOX_ROWS;
        const size_t middle = begin + boxes / 2 * TW_BOX_ROWS;
        divide(s, begin, end, middle, widest_dimension(s, begin, end));
        sort_range(s, begin, middle);
        begin = middle;
    }
}

static void sort_kind(struct tw_alike *alike, size_t dimensions) {
    struct sorting s = {.logs = alike->logs, .dimensions = dimensions};
    size_t *rows = malloc(alike->room * sizeof *rows);
    double *logs = malloc(alike->room * dimensions * sizeof *logs);
    s.order = malloc(alike->count * sizeof *s.order);
    if (rows != NULL && logs != NULL && s.order != NULL) {
        for (size_t i = 0; i < alike->count; i++)
            s.order[i] = i;
        sort_range(&s, 0, alike->count);
        for (size_t i = 0; i < alike->count; i++) {
            rows[i] = alike->rows[s.order[i]];
            memcpy(&logs[i * dimensions], &alike->logs[s.order[i] * dimensions],
                   dimensions * sizeof *logs);
            widen(&alike->boxes[i / TW_BOX_ROWS * 2 * dimensions], &logs[i * dimensions],
                  dimensions, i % TW_BOX_ROWS == 0);
        }
        size_t *old_rows = alike->rows;
        double *old_logs = alike->logs;
        alike->rows = rows;
        alike->logs = logs;
        alike->sorted = alike->count;
        rows = old_rows;
        logs = old_logs;
    }
    free(s.order);
    free(rows);
    free(logs);
}

void tw_kinds_sort(struct tw_kinds *kinds, const struct tw_catalogue_row *rows) {
    enum { FEW_BOXES = 8 };
    for (size_t i = 0; i < kinds->count; i++) {
        struct tw_alike *alike = &kinds->all[i];
        const size_t fresh = alike->count - alike->sorted;
        if (fresh > FEW_BOXES * TW_BOX_ROWS && fresh >= alike->sorted / 8)
            sort_kind(alike, (size_t)rows[alike->first].dimension_count);
    }
}

void tw_kinds_free(struct tw_kinds *kinds) {
    for (size_t i = 0; i < kinds->count; i++) {
        free(kinds->all[i].logs);
        free(kinds->all[i].rows);
        free(kinds->all[i].boxes);
    }
    free(kinds->all);
}

#include "runtime/select/near.h"

#include <math.h>
#include <string.h>

#include "runtime/select/catalogue_parts.h"

int tw_search_compare_rows(const struct tw_catalogue_row *a, const struct tw_catalogue_row *b) {
    if (a->provisional != b->provisional)
        return a->provisional ? 1 : -1;
    if (a->time_us != b->time_us)
        return a->time_us < b->time_us ? -1 : 1;
    int order = strcmp(a->problem, b->problem);
    if (order == 0)
        order = strcmp(a->device, b->device);
    return order != 0 ? order : strcmp(a->configuration, b->configuration);
}

static bool is_nearer(const struct tw_near *a, const struct tw_near *b) {
    if (a->distance != b->distance)
        return a->distance < b->distance;
    int order = tw_search_compare_rows(a->row, b->row);
    return order != 0 ? order < 0 : a->row < b->row; /* in whatever order they are looked at */
}

static void keep_near(struct tw_nearest *nearest, const struct tw_near *row) {
    if (nearest->count == nearest->room && !is_nearer(row, &nearest->rows[nearest->count - 1]))
        return;
    size_t at = nearest->count < nearest->room ? nearest->count++ : nearest->count - 1;
    for (; at > 0 && is_nearer(row, &nearest->rows[at - 1]); at--)
        nearest->rows[at] = nearest->rows[at - 1];
    nearest->rows[at] = *row;
}

/* Whether a search counts rows with these words; whether they are of its very device. */
static bool is_wanted(struct tw_search *search, const struct tw_catalogue_row *row,
                      bool *same_device) {
    *same_device = row->device == search->fingerprint_word;
    return row->kernel == search->kernel && row->cache == search->cache &&
           row->dimension_count == search->problem->description->dimension_count &&
           (*same_device ||
            (row->backend == search->backend && row->architecture == search->architecture)) &&
           tw_catalogue_matches(&search->alike, row);
}

/* The square of the distance to which a row is worth a look: nearly all are further. Those that are
 * as far as the last may come before it all the same. */
static double worth_a_look(const struct tw_nearest *nearest) {
    if (nearest->count < nearest->room)
        return INFINITY;
    double distance = nearest->rows[nearest->count - 1].distance;
    return distance * distance * (1 + 1e-12);
}

/* The square of the least distance that a row of a box can have. */
static double box_square(const struct tw_search *search, const double *box, int dimensions) {
    double square = 0;
    for (int k = 0; k < dimensions; k++) {
        const double at = search->log_dimensions[k];
        const double low = box[k], high = box[dimensions + k];
        const double difference = at < low ? low - at : at > high ? at - high : 0;
        square += difference * difference;
    }
    return square;
}

/* `own`: those of the same sizes are the problem's own, and were refused already. */
static void look_at_rows(const struct tw_search *search, const struct tw_alike *alike, size_t from,
                         bool own, struct tw_nearest *nearest) {
    const struct tw_catalogue *catalogue = search->query->catalogue;
    const int dimensions = search->problem->description->dimension_count;
    const size_t left = alike->count - from, end = from + (left < TW_BOX_ROWS ? left : TW_BOX_ROWS);
    const double *logs = &alike->logs[from * (size_t)dimensions];
    double limit = worth_a_look(nearest);
    for (size_t i = from; i < end; i++, logs += dimensions) {
        double square = 0;
        for (int k = 0; k < dimensions; k++) {
            double difference = search->log_dimensions[k] - logs[k];
            square += difference * difference;
        }
        if (square > limit || (own && square == 0))
            continue;
        keep_near(nearest, &(struct tw_near){&catalogue->rows[alike->rows[i]], sqrt(square)});
        limit = worth_a_look(nearest);
    }
}

/* Looks at the rows of boxes that are further than one distance and no further than another. */
static void look_at_boxes(const struct tw_search *search, const struct tw_alike *alike,
                          double further, double within, bool own, struct tw_nearest *nearest) {
    const int dimensions = search->problem->description->dimension_count;
    const double *box = alike->boxes;
    for (size_t from = 0; from < alike->count; from += TW_BOX_ROWS, box += 2 * dimensions) {
        const double square = box_square(search, box, dimensions);
        if (square > further && square <= within && square <= worth_a_look(nearest))
            look_at_rows(search, alike, from, own, nearest);
    }
}

/* The distance within which a few boxes lie. */
static double first_boxes(const struct tw_search *search, const struct tw_alike *alike) {
    enum { FIRST = 8 };
    const int dimensions = search->problem->description->dimension_count;
    const double *box = alike->boxes;
    double least[FIRST] = {0}; /* in order */
    int count = 0;
    for (size_t from = 0; from < alike->count; from += TW_BOX_ROWS, box += 2 * dimensions) {
        const double square = box_square(search, box, dimensions);
        if (count == FIRST && square >= least[FIRST - 1])
            continue;
        int at = count < FIRST ? count++ : FIRST - 1;
        for (; at > 0 && least[at - 1] > square; at--)
            least[at] = least[at - 1];
        least[at] = square;
    }
    return least[count > 0 ? count - 1 : 0];
}

/* The nearest boxes first: after these hardly any of the others is worth a look. */
static void look(const struct tw_search *search, const struct tw_alike *alike, bool own,
                 struct tw_nearest *nearest) {
    const double near = first_boxes(search, alike);
    look_at_boxes(search, alike, -1, near, own, nearest);
    look_at_boxes(search, alike, near, INFINITY, own, nearest);
}

void tw_search_near(struct tw_search *search, struct tw_nearest *here,
                    struct tw_nearest *elsewhere) {
    const struct tw_catalogue *catalogue = search->query->catalogue;
    for (size_t i = 0; i < catalogue->kinds.count; i++) {
        const struct tw_alike *alike = &catalogue->kinds.all[i];
        const struct tw_catalogue_row *first = &catalogue->rows[alike->first];
        bool same_device;
        if (is_wanted(search, first, &same_device))
            look(search, alike, same_device && tw_catalogue_matches(&search->match, first),
                 same_device ? here : elsewhere);
    }
}

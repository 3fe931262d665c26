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
    return a->distance != b->distance ? a->distance < b->distance
                                      : tw_search_compare_rows(a->row, b->row) < 0;
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

/* `own`: those of the same sizes are the problem's own, and were refused already. */
static void look(const struct tw_search *search, const struct tw_alike *alike, bool own,
                 struct tw_nearest *nearest) {
    const struct tw_catalogue *catalogue = search->query->catalogue;
    const int dimensions = search->problem->description->dimension_count;
    const double *logs = alike->logs;
    double limit = worth_a_look(nearest);
    for (size_t i = 0; i < alike->count; i++, logs += dimensions) {
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

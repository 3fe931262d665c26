#include "runtime/select/near.h"

#include <math.h>
#include <string.h>

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

static double distance_to(const struct tw_search *search, const struct tw_catalogue_row *row) {
    double sum = 0;
    for (int i = 0; i < row->dimension_count; i++) {
        double difference = search->log_dimensions[i] - row->log_dimensions[i];
        sum += difference * difference;
    }
    return sqrt(sum);
}

void tw_search_near(struct tw_search *search, struct tw_nearest *here,
                    struct tw_nearest *elsewhere) {
    const struct tw_catalogue *catalogue = search->query->catalogue;
    size_t size = tw_catalogue_size(catalogue);
    for (size_t i = 0; i < size; i++) {
        const struct tw_catalogue_row *row = tw_catalogue_at(catalogue, i);
        bool same_device = row->device == search->fingerprint_word;
        bool same_architecture =
            row->backend == search->backend && row->architecture == search->architecture;
        if (row->kernel != search->kernel || row->cache != search->cache ||
            row->dimension_count != search->problem->description->dimension_count ||
            !(same_device || same_architecture) || !tw_catalogue_matches(&search->match, row))
            continue;
        const struct tw_near near = {row, distance_to(search, row)};
        if (!same_device || near.distance > 0) /* else it was refused already */
            keep_near(same_device ? here : elsewhere, &near);
    }
}

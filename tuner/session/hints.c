#include "tuner/session/hints.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/backend/devices.h"
#include "runtime/description/accuracy.h"
#include "runtime/description/configuration.h"

static const double FARTHEST = 4; /* log2 of the sizes' ratios */
/* A result for plain arithmetic counts like one for a problem this much further away. */
static const double OTHER_PROMISE = 1;
enum { CONSIDERED = 8 * HINTS_MOST /* rows: finding a point for one may take a millisecond */ };

struct hint {
    const struct tw_catalogue_row *row;
    size_t index; /* of the row */
    bool same_device;
    double distance;
};

static int by_promise(const void *left, const void *right) {
    const struct hint *a = left, *b = right;
    if (a->same_device != b->same_device)
        return a->same_device ? -1 : 1;
    if (a->distance != b->distance)
        return a->distance < b->distance ? -1 : 1;
    if (a->row->time_us != b->row->time_us)
        return a->row->time_us < b->row->time_us ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

static double distance_to(const struct tw_problem *problem, const struct tw_catalogue_row *row) {
    double sum = 0;
    for (int i = 0; i < row->dimension_count; i++) {
        double difference = log2((double)problem->dimensions[i]) - row->log_dimensions[i];
        sum += difference * difference;
    }
    return sqrt(sum);
}

/* The point nearest to a row's configuration, or SPACE_NONE. What did well on a size that vectors
 * divide is redundant on an odd one, or just beyond a constraint. */
static size_t point_of(const struct tw_problem *problem, const struct tw_catalogue_row *row,
                       const struct space *space) {
    const struct tw_description *d = problem->description;
    struct tw_configuration configuration;
    int implementation = tw_description_implementation(d, row->implementation);
    if (implementation < 0 || tw_configuration_parse(&configuration, d, implementation,
                                                     row->configuration, NULL) != TW_OK)
        return SPACE_NONE;
    return space_nearest(space, &configuration);
}

/* The problem in plain arithmetic, whose results keep what is promised of errors; false where
 * nothing is. */
static bool promises(const struct tw_problem *problem, const int64_t *values,
                     struct tw_problem *plain) {
    const struct tw_description *d = problem->description;
    if (tw_accuracy_bound(d, values) == NULL)
        return false;
    *plain = *problem;
    for (int i = 0; i < d->attribute_count; i++)
        if (strcmp(d->attributes[i].name, "compute") == 0)
            plain->words[i] = d->attributes[i].default_word;
    return true;
}

static size_t collect(const struct tw_catalogue *catalogue, const struct tw_problem *problem,
                      const struct tw_device_info *device, const int64_t *values,
                      struct hint *hints) {
    char fingerprint[256];
    struct tw_problem plain;
    struct tw_attribute_match match = {.problem = problem, .alike = true};
    struct tw_attribute_match other = {.problem = &plain};
    const bool promised = promises(problem, values, &plain);
    size_t count = 0;
    tw_device_fingerprint(device, fingerprint);
    for (size_t i = 0; i < tw_catalogue_size(catalogue); i++) {
        const struct tw_catalogue_row *row = tw_catalogue_at(catalogue, i);
        struct hint hint = {
            .row = row, .index = i, .same_device = strcmp(row->device, fingerprint) == 0};
        if (strcmp(row->kernel, problem->description->kernel) != 0)
            continue;
        const bool same_kind = tw_catalogue_matches(&match, row);
        if ((!same_kind && !(promised && tw_catalogue_matches(&other, row))) ||
            row->dimension_count != problem->description->dimension_count ||
            (!hint.same_device && (strcmp(row->backend, device->backend) != 0 ||
                                   strcmp(row->architecture, device->architecture) != 0)))
            continue;
        hint.distance = distance_to(problem, row) + (same_kind ? 0 : OTHER_PROMISE);
        if (hint.distance <= FARTHEST)
            hints[count++] = hint;
    }
    return count;
}

int hints_find(const struct tw_catalogue *catalogue, const struct tw_problem *problem,
               const struct tw_device_info *device, const int64_t *values,
               const struct space *space, size_t points[HINTS_MOST]) {
    int found = 0;
    /* Without memory for hints, the search begins without. */
    struct hint *hints = malloc((tw_catalogue_size(catalogue) + 1) * sizeof *hints);
    if (hints == NULL)
        return 0;
    size_t count = collect(catalogue, problem, device, values, hints);
    if (count > 0)
        qsort(hints, count, sizeof *hints, by_promise);
    for (size_t i = 0; i < count && i < CONSIDERED && found < HINTS_MOST; i++) {
        size_t point = point_of(problem, hints[i].row, space);
        int same = 0;
        while (same < found && points[same] != point)
            same++;
        if (point != SPACE_NONE && same == found)
            points[found++] = point;
    }
    free(hints);
    return found;
}

#include "tuner/space/space.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/backend/devices.h"
#include "runtime/variant/geometry.h"
#include "tuner/space/enumerate.h"

struct space {
    int part_count;
    size_t size;
    struct space_part parts[]; /* one an implementation */
};

/* Whether the implementation's requirements hold, whatever its launches need. */
static tw_status runs_on(const struct tw_implementation *implementation,
                         const struct tw_device_info *device, struct tw_error *error) {
    struct tw_implementation bare = *implementation;
    bare.launch_count = 0;
    return tw_implementation_fits(&bare, NULL, device, error);
}

static tw_status bind(const struct tw_problem *problem, const struct tw_device_info *device,
                      int64_t *values, struct tw_error *error) {
    int64_t slots[TW_DEVICE_SLOTS];
    tw_device_values(device, slots);
    return tw_problem_bind(problem, slots, NULL, values, error);
}

tw_status space_create(struct space **out, const struct tw_problem *problem,
                       const struct tw_device_info *device, const struct pins *pins,
                       struct tw_error *error) {
    *out = NULL;
    const struct tw_description *d = problem->description;
    int64_t values[TW_MAX_SYMBOLS];
    tw_status status = bind(problem, device, values, error);
    if (status != TW_OK)
        return status;
    size_t parts = (size_t)d->implementation_count;
    struct space *space = calloc(1, sizeof *space + parts * sizeof *space->parts);
    if (space == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    space->part_count = d->implementation_count;
    for (size_t i = 0; i < parts && status == TW_OK; i++) {
        const struct tw_implementation *implementation = &d->implementations[i];
        struct space_part *part = &space->parts[i];
        part->first = space->size;
        if (runs_on(implementation, device, NULL) != TW_OK ||
            (pins != NULL && !pins_fit(pins, implementation)))
            continue;
        const struct enumerate_options options = {
            .device = device, .pins = pins, .limit = SPACE_LIMIT - space->size};
        status = space_enumerate(part, implementation, &options, values, error);
        space->size += part->count;
    }
    if (status != TW_OK) {
        char key[TW_PROBLEM_KEY_SIZE];
        tw_problem_text(problem, key);
        space_free(space);
        return tw_fail_within(error, status, "%s: %s", d->kernel, key);
    }
    *out = space;
    return TW_OK;
}

tw_status space_create_listed(struct space **out, const struct space_axis *axes, int axis_count,
                              unsigned char *rows, size_t count, struct tw_error *error) {
    struct space *space = calloc(1, sizeof *space + sizeof *space->parts);
    *out = space;
    if (space == NULL) {
        free(rows);
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    }
    struct space_part *part = &space->parts[0];
    space->part_count = 1;
    space->size = part->count = count;
    part->axis_count = part->compiled_axes = axis_count;
    part->rows = rows;
    memcpy(part->axes, axes, (size_t)axis_count * sizeof *axes);
    return TW_OK;
}

/* The points themselves are dropped: of a space that is asked about there are few. */
static tw_status explain_part(const struct tw_implementation *implementation,
                              const struct tw_device_info *device, const struct pins *pins,
                              int64_t *values, struct tw_text *text, struct tw_error *error) {
    struct space_part part = {0};
    struct census census = {0};
    const struct enumerate_options options = {
        .device = device, .pins = pins, .limit = SPACE_LIMIT, .census = &census};
    tw_status status = space_enumerate(&part, implementation, &options, values, error);
    if (status == TW_OK) {
        double total = 1;
        for (int i = 0; i < part.axis_count; i++)
            total *= part.axes[i].count;
        tw_text_print(text, "of %.0f configurations of %s ", total, implementation->name);
        census_text(&census, text);
    }
    free(part.rows);
    return status;
}

tw_status space_explain(const struct tw_problem *problem, const struct tw_device_info *device,
                        const struct pins *pins, struct tw_text *text, struct tw_error *error) {
    const struct tw_description *d = problem->description;
    int64_t values[TW_MAX_SYMBOLS];
    tw_status status = bind(problem, device, values, error);
    const char *between = "";
    for (int i = 0; i < d->implementation_count && status == TW_OK; i++) {
        const struct tw_implementation *implementation = &d->implementations[i];
        struct tw_error reason;
        /* Whoever pins a parameter does not ask after implementations that lack it. */
        if (pins != NULL && !pins_fit(pins, implementation))
            continue;
        tw_text_print(text, "%s", between);
        between = "; ";
        if (runs_on(implementation, device, &reason) != TW_OK)
            tw_text_print(text, "%s", reason.message);
        else
            status = explain_part(implementation, device, pins, values, text, error);
    }
    return status == TW_OK && text->failed ? tw_fail(error, TW_NO_MEMORY, "out of memory") : status;
}

void space_free(struct space *space) {
    if (space == NULL)
        return;
    for (int i = 0; i < space->part_count; i++)
        free(space->parts[i].rows);
    free(space);
}

size_t space_size(const struct space *space) {
    return space->size;
}

int space_implementations(const struct space *space) {
    return space->part_count;
}

struct space_range space_range(const struct space *space, int implementation) {
    const struct space_part *part = &space->parts[implementation];
    return (struct space_range){part->first, part->count};
}

int space_implementation(const struct space *space, size_t point) {
    int i = 0;
    while (point - space->parts[i].first >= space->parts[i].count)
        i++;
    return i;
}

int space_axes(const struct space *space, int implementation) {
    return space->parts[implementation].axis_count;
}

const struct space_axis *space_axis(const struct space *space, int implementation, int axis) {
    return &space->parts[implementation].axes[axis];
}

static const unsigned char *row(const struct space_part *part, size_t number) {
    return part->rows + number * (size_t)part->axis_count;
}

const unsigned char *space_coordinates(const struct space *space, size_t point) {
    const struct space_part *part = &space->parts[space_implementation(space, point)];
    return row(part, point - part->first);
}

/* The first row that is not before `coordinates`, looking at `axes` of them. The rows are sorted,
 * so they are their own index. */
static size_t lower_bound(const struct space_part *part, const unsigned char *coordinates,
                          int axes) {
    size_t low = 0, high = part->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (memcmp(row(part, middle), coordinates, (size_t)axes) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

size_t space_locate(const struct space *space, int implementation,
                    const unsigned char *coordinates) {
    const struct space_part *part = &space->parts[implementation];
    size_t number = lower_bound(part, coordinates, part->axis_count);
    if (number == part->count ||
        memcmp(row(part, number), coordinates, (size_t)part->axis_count) != 0)
        return SPACE_NONE;
    return part->first + number;
}

struct space_range space_siblings(const struct space *space, size_t point) {
    const struct space_part *part = &space->parts[space_implementation(space, point)];
    const unsigned char *coordinates = row(part, point - part->first);
    size_t first = lower_bound(part, coordinates, part->compiled_axes), end = first;
    while (end < part->count &&
           memcmp(row(part, end), coordinates, (size_t)part->compiled_axes) == 0)
        end++;
    return (struct space_range){part->first + first, end - first};
}

void space_configuration(const struct space *space, size_t point,
                         struct tw_configuration *configuration) {
    int implementation = space_implementation(space, point);
    const struct space_part *part = &space->parts[implementation];
    const unsigned char *coordinates = row(part, point - part->first);
    *configuration = (struct tw_configuration){.implementation = implementation};
    for (int i = 0; i < part->axis_count; i++)
        configuration->values[part->axes[i].index] = part->axes[i].values[coordinates[i]];
}

bool space_rank(const struct space *space, const struct tw_configuration *configuration,
                unsigned char coordinates[TW_MAX_PARAMETERS]) {
    const struct space_part *part = &space->parts[configuration->implementation];
    for (int i = 0; i < part->axis_count; i++) {
        const struct space_axis *axis = &part->axes[i];
        int rank = 0;
        while (rank < axis->count && axis->values[rank] != configuration->values[axis->index])
            rank++;
        if (rank == axis->count)
            return false;
        coordinates[i] = (unsigned char)rank;
    }
    return true;
}

size_t space_find(const struct space *space, const struct tw_configuration *configuration) {
    unsigned char coordinates[TW_MAX_PARAMETERS];
    if (!space_rank(space, configuration, coordinates))
        return SPACE_NONE;
    return space_locate(space, configuration->implementation, coordinates);
}

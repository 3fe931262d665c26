/* The space of a problem on a device: every valid, non-redundant configuration of every
 * implementation that runs there, numbered from 0.
 *
 * An implementation's points are a contiguous range of numbers. A point is named by its
 * coordinates: for each axis the rank of its value there. An axis is a parameter; the axes of an
 * implementation are in the order that enumerates fastest, launch parameters last, so that points
 * which share a binary have consecutive numbers. Ranks follow the values of integers and the
 * listing of words.
 *
 * A space is immutable once created and may be used from many threads. It borrows the description
 * of its problem, which must outlive it. Functions that take a point or an axis require a valid
 * one. */
#ifndef TUNER_SPACE_SPACE_H
#define TUNER_SPACE_SPACE_H

#include "runtime/backend/backend.h"
#include "runtime/description/configuration.h"
#include "runtime/description/problem.h"
#include "tuner/space/axis.h"
#include "tuner/space/pins.h"

#define SPACE_NONE SIZE_MAX /* no such point */

enum { SPACE_NEAR = 2 /* parameters that space_nearest may change */ };

struct space;

/* Consecutive points: first .. first + count - 1. */
struct space_range {
    size_t first, count;
};

/* Enumerates the space, or with `pins` (NULL: none) the points that they allow. Implementations
 * that do not run on the device have no points, and the space may be empty: space_explain then says
 * why. Fails when the problem cannot be bound, with TW_INVALID for more than SPACE_LIMIT points,
 * and with TW_INVALID, naming rule and point, when a constraint, define or redundancy cannot be
 * evaluated at a point that no other rule leaves out. The caller frees *out. */
tw_status space_create(struct space **out, const struct tw_problem *problem,
                       const struct tw_device_info *device, const struct pins *pins,
                       struct tw_error *error);
/* Appends what keeps the configurations out of the space, implementation by implementation: which
 * rule or limit rules out how many of them, each counted for the first that it breaks. */
tw_status space_explain(const struct tw_problem *problem, const struct tw_device_info *device,
                        const struct pins *pins, struct tw_text *text, struct tw_error *error);
/* A space of one implementation whose points are listed: for spaces that others recorded, of which
 * no description is known. `rows` holds `count` points of a rank an axis each, no two the same, in
 * lexicographic order. Of the axes, which are copied, no more is wanted than how many values they
 * have and, where those are integers, which: they have no parameter, so that nothing may be asked
 * that takes or gives a configuration. Takes `rows` over, also when it fails, for which
 * TW_NO_MEMORY is the only reason. */
tw_status space_create_listed(struct space **out, const struct space_axis *axes, int axis_count,
                              unsigned char *rows, size_t count, struct tw_error *error);
void space_free(struct space *space);

size_t space_size(const struct space *space);
int space_implementations(const struct space *space); /* as many as the description has */
struct space_range space_range(const struct space *space, int implementation);
int space_implementation(const struct space *space, size_t point);

void space_configuration(const struct space *space, size_t point,
                         struct tw_configuration *configuration);
/* The coordinates that a configuration has, or would have were it in the space; false when one of
 * its values is not listed. */
bool space_rank(const struct space *space, const struct tw_configuration *configuration,
                unsigned char coordinates[TW_MAX_PARAMETERS]);
/* The point, or SPACE_NONE when the configuration is not in the space. */
size_t space_find(const struct space *space, const struct tw_configuration *configuration);
/* The point that differs from the configuration in the fewest parameters, at most SPACE_NEAR, and
 * of such the one whose values are fewest steps away in their lists; SPACE_NONE when there is none.
 * For a configuration that is left out as redundant this most likely is the point that does the
 * same. Takes about a millisecond when two parameters must change. */
size_t space_nearest(const struct space *space, const struct tw_configuration *configuration);

int space_axes(const struct space *space, int implementation);
const struct space_axis *space_axis(const struct space *space, int implementation, int axis);
/* The point's ranks, one an axis; borrowed from the space. */
const unsigned char *space_coordinates(const struct space *space, size_t point);
/* The point with these coordinates, or SPACE_NONE. */
size_t space_locate(const struct space *space, int implementation,
                    const unsigned char *coordinates);

/* The points that share the point's binary, itself among them: they differ in launch parameters
 * only. */
struct space_range space_siblings(const struct space *space, size_t point);

#endif

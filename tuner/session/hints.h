/* Configurations that did well elsewhere: on problems near this one, on other devices of the
 * architecture, or with a template that has changed since. Not results, but good places to begin.
 */
#ifndef TUNER_SESSION_HINTS_H
#define TUNER_SESSION_HINTS_H

#include "runtime/select/catalogue.h"
#include "tuner/space/space.h"

enum { HINTS_MOST = 12 };

/* Fills `points` with points of the space, the most promising first, and returns how many. Rows
 * count that are of the problem's kernel, attributes and device or architecture, and within a
 * factor of 16 of its sizes; where the problem, whose bound `values` these are, promises something
 * of errors, also those of plain arithmetic, which are no less exact. For a configuration that the
 * space does not have stands the nearest that it has (space_nearest); without one it is left out.
 */
int hints_find(const struct tw_catalogue *catalogue, const struct tw_problem *problem,
               const struct tw_device_info *device, const int64_t *values,
               const struct space *space, size_t points[HINTS_MOST]);

#endif

/* Finding the valid points of one implementation. */
#ifndef TUNER_SPACE_ENUMERATE_H
#define TUNER_SPACE_ENUMERATE_H

#include "tuner/space/part.h"

/* Fills `part` except `first`. `values` were filled by tw_problem_bind; the implementation's own
 * slots are overwritten. TW_INVALID when there are more points than the limit. The caller frees
 * part->rows, also after a failure. */
tw_status space_enumerate(struct space_part *part, const struct tw_implementation *implementation,
                          const struct enumerate_options *options, int64_t *values,
                          struct tw_error *error);

#endif

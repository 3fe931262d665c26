/* Whether predictions are further off the more a configuration has to do than where it came nearest
 * to the best, and by how much for each doubling of its time. */
#ifndef TUNER_MODEL_DOUBLING_H
#define TUNER_MODEL_DOUBLING_H

#include "runtime/base/error.h"

/* A prediction of a problem that the model has not seen. */
struct error_point {
    int problem;
    double x; /* doublings (tw_model_doublings) */
    double y; /* how far it is off: of the logarithm, as a standard deviation */
};

/* The slope of a line through them; 0 where it may be chance, or is too little to matter.
 * `problem_count` is above every point's problem. TW_NO_MEMORY is the only failure. */
tw_status model_doubling(const struct error_point *points, int count, int problem_count,
                         double *doubling, struct tw_error *error);

#endif

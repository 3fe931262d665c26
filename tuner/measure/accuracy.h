/* How far off a variant's answers are. */
#ifndef TUNER_MEASURE_ACCURACY_H
#define TUNER_MEASURE_ACCURACY_H

#include <stdbool.h>

struct accuracy {
    double max_rel_error; /* largest |difference| over the reference's root mean square */
    double rms_rel_error;
    /* On inputs that are hard to be exact on (promise.h), where the problem is tried on such: the
     * largest of all families of them, relative to the sums of their terms' sizes. */
    bool has_hard;
    double hard_max_error, hard_rms_error;
};

#endif

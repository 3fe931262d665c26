/* What is known of a promise of errors for a workload's problem, and the arithmetic of it: what a
 * sample's errors are, and how large they may be. Nothing here touches a device. */
#ifndef TUNER_MEASURE_PROMISED_H
#define TUNER_MEASURE_PROMISED_H

#include "tuner/measure/hard_inputs.h"

/* The largest and the root mean square of errors over the elements that are numbers. */
struct sample_errors {
    double max, rms;
    int64_t count;
};

struct promised_family {
    const struct tw_input_family *family;
    /* Of the sampled elements; the caller's, in one piece. */
    double *right, *plain, *sizes;
    struct sample_errors plain_errors, rounding; /* of right answers that are rounded to the type */
    int64_t lines; /* as many of the sampled elements as have no number of an input in common */
};

struct promise {
    const struct tw_error_bound *bound; /* NULL: errors are measured and not judged */
    int output;                         /* the argument that is compared */
    enum tw_type type;
    int64_t elements, lines; /* sampled */
    int family_count;        /* 0: there is nothing to try */
    struct promised_family families[TW_MAX_FAMILIES];
    struct hard_inputs inputs;
    struct tw_memory sample; /* of the device: what kernels write */
};

/* Errors of `got`, over elements whose right answer and whose plain one are numbers and which `got`
 * has as one. */
struct sample_errors promised_errors(const struct promised_family *family, const double *got,
                                     int64_t elements);
/* Errors of right answers that are rounded to the type: the largest that there may be, and the root
 * mean square to expect. Not those of the sample, which may be small by chance. */
struct sample_errors promised_rounding(const struct promised_family *family, enum tw_type type,
                                       int64_t elements);
/* Whether an element that is no number, or whose plain answer is none, is as it must be: like the
 * plain one, or right where only the plain sum ran over. */
bool promised_is_sound(const struct promised_family *family, enum tw_type type, int64_t element,
                       double got);

/* How large errors may be: `times` the plain kernel's and what the bound adds. Few elements are
 * left to chance, and so are few lines, whose elements have the errors of a number in common. With
 * `largest` the bound of the largest error, else of the root mean square. */
double promise_allowed(const struct tw_error_bound *bound, const struct promised_family *family,
                       bool largest);

#endif

/* What a description promises of errors: inputs that are hard to be exact on, a plain kernel to
 * measure against, and how much worse than that an answer may be. The format is in
 * configs/README.md. */
#ifndef TW_DESCRIPTION_ACCURACY_H
#define TW_DESCRIPTION_ACCURACY_H

#include "runtime/description/description.h"
#include "runtime/description/json.h"
#include "runtime/description/problem.h"

enum { TW_MAX_FAMILIES = 12, TW_MAX_FILLS = 4, TW_MAX_SPOTS = 4, TW_MAX_BOUNDS = 8 };

/* A buffer has lines, each with the terms of a sum. An exponent is drawn for every one of these. */
enum tw_exponents_of { TW_OF_ELEMENTS, TW_OF_LINES, TW_OF_TERMS };

/* A single place with no number of its own. Places that the problem has not are passed over. */
struct tw_spot {
    struct tw_expression *line, *term;
    double value;
};

/* Uniform in [low, high), times two to an exponent that is uniform from the least to the most. */
struct tw_hard_fill {
    int argument;
    double low, high;
    int least_exponent, most_exponent;
    enum tw_exponents_of exponents_of;
    int second_half; /* of a line's terms: 0 drawn like the first, 1 the same numbers again, -1
                        their negatives */
    int spot_count;
    struct tw_spot spots[TW_MAX_SPOTS];
};

/* Buffers that no fill names are filled as always. */
struct tw_input_family {
    char name[TW_NAME_SIZE];
    struct tw_expression *when; /* NULL: always */
    int fill_count;
    struct tw_hard_fill fills[TW_MAX_FILLS];
};

/* The largest and the root mean square error may be `times_plain` those of the plain kernel, and
 * `max` and `rms` on top. */
struct tw_error_bound {
    struct tw_expression *when;
    char *promises; /* in words */
    double times_plain, max, rms;
};

struct tw_accuracy {
    struct tw_expression *terms[TW_MAX_ARGUMENTS]; /* 1: a sum's terms lie across rows, one in each;
                                                      0 or NULL: along them */
    struct tw_launch_description plain;
    int family_count;
    struct tw_input_family families[TW_MAX_FAMILIES];
    int bound_count;
    struct tw_error_bound bounds[TW_MAX_BOUNDS];
};

/* Reads the key `accuracy`, if there is one; failures go to the JSON context. */
void tw_read_accuracy(struct tw_description *description, const struct tw_json *root);
void tw_accuracy_free(struct tw_accuracy *accuracy);

/* The first bound that holds for a problem under bound values; NULL: nothing is promised. */
const struct tw_error_bound *tw_accuracy_bound(const struct tw_description *description,
                                               const int64_t *values);
/* Whether a problem is tried on a family of inputs. */
bool tw_accuracy_has(const struct tw_input_family *family, const int64_t *values);

#endif

/* Depth-first over the parameters, with every rule applied as soon as all that it reads is bound;
 * of a large space on several cores. */
#ifndef TUNER_SPACE_WALK_H
#define TUNER_SPACE_WALK_H

#include "tuner/space/part.h"

enum step_kind { STEP_DEFINE, STEP_CONSTRAINT, STEP_REDUNDANT, STEP_FITS };

/* Something to compute or to check once the parameters in `needs` (a bit each) are bound. */
struct step {
    enum step_kind kind;
    const struct tw_expression *expression;
    int slot; /* where a define's value goes */
    uint32_t needs;
    double log_share;
};

enum { MAX_STEPS = 3 * TW_MAX_RULES + 1 };

struct enumeration {
    struct space_part *part;
    const struct tw_implementation *implementation;
    const struct enumerate_options *options;
    struct tw_error *error;
    int64_t *values;
    int step_count;
    struct step steps[MAX_STEPS];           /* sorted by level */
    int level_start[TW_MAX_PARAMETERS + 2]; /* [level + 1]: where a level's steps begin; level -1
                                               has those that need no parameter */
};

/* What a step says of the values that are bound. */
enum verdict { PASSES, FAILS, BROKEN /* it cannot be evaluated */ };

enum verdict walk_judge(const struct enumeration *e, const struct step *step);
/* Fills in the part's rows. */
tw_status walk_all(const struct enumeration *e);

#endif

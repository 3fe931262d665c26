/* What of an earlier model goes on in a new one: all of its trees, where more are grown on them;
 * those of kinds of problems that have no trials, where the others are fitted anew. */
#ifndef TUNER_MODEL_KEPT_FORESTS_H
#define TUNER_MODEL_KEPT_FORESTS_H

#include "tuner/model/choice.h"

struct kept_forests {
    const struct tw_model *model; /* the trees that are kept; NULL: none */
    struct tw_model copy;         /* of some of them */
};

/* TW_NO_MEMORY is the only failure. Free in every case. */
tw_status kept_forests_find(struct kept_forests *kept, const struct model_samples *samples,
                            struct tw_error *error);
void kept_forests_free(struct kept_forests *kept);

/* The base that a file of these and of what was `grown` has. */
double kept_forests_base(const struct kept_forests *kept, const struct model_samples *samples,
                         const struct tw_model *grown);
/* " \"forests\": [...]", where there is more than one: the kept ones come before what was `grown`.
 */
void kept_forests_write(const struct kept_forests *kept, const struct model_choice *choice,
                        const struct model_samples *samples, const struct tw_model *grown,
                        double doubling, struct tw_text *text);

#endif

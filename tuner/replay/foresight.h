/* How well predictions order what was recorded: the rank correlation of what the cost model says of
 * each configuration, before anything is measured, and what it took. */
#ifndef TUNER_REPLAY_FORESIGHT_H
#define TUNER_REPLAY_FORESIGHT_H

#include "runtime/select/catalogue.h"
#include "tuner/exchange/known_kernels.h"
#include "tuner/search/prior.h"

struct foresight {
    size_t trials; /* that worked and can be predicted; 0: `why` not */
    double estimate;
    bool has_model;
    double model;      /* of the catalogue, for this device or its architecture */
    double *predicted; /* microseconds by the model, of each of the file's entries; INFINITY: cannot
                          be told; NULL: there is no model */
    double *traits;    /* PRIOR_TRAITS of each of the entries; NULL: they cannot be told */
    char why[200];
};

/* Of a file that `tune record` wrote, of one of `kernels`. The catalogue is where a model may be.
 * TW_OK also when nothing can be predicted, as in files of others; TW_NO_MEMORY is the only
 * failure. Free with foresight_free in every case. */
tw_status foresight_of(struct foresight *foresight, const char *path,
                       const struct known_kernels *kernels, const struct tw_catalogue *catalogue,
                       struct tw_error *error);
void foresight_free(struct foresight *foresight);

#endif

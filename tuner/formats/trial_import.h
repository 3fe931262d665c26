/* Results that were measured elsewhere, as a run of their own.
 *
 * They are history to look at and to plot, and nothing else: what was measured there may have been
 * another source on another machine. So they belong to a device that is never the one at hand
 * ("imported|NAME"), become no best row, are known to no search, and keep who measured them. */
#ifndef TUNER_FORMATS_TRIAL_IMPORT_H
#define TUNER_FORMATS_TRIAL_IMPORT_H

#include "tuner/formats/results_file.h"

/* The backend of such devices, the strategy of such runs, and the template's hash where the file
 * names none. */
#define IMPORTED "imported"

struct trial_import_counts {
    int64_t added;
    int64_t there; /* of configurations that were imported before for the same */
};

/* What the results are of. All is borrowed. */
struct trial_import {
    const struct results_file *file; /* read */
    const struct tw_problem *problem;
    int implementation;
    const char *device;
    const char *cache_policy;
};

/* Stores the trials as one run, or no run when all of them are there. Within the caller's
 * transaction. Counts are added to `taken`. */
tw_status trial_import_store(tw_db *db, const struct trial_import *what,
                             struct trial_import_counts *taken, struct tw_error *error);

#endif

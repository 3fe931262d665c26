/* A run's trials of one implementation, for other tools: as a Kernel Tuner cache or as T4 results.
 *
 * One implementation a file, because those formats have one list of parameters a file. What they
 * have no place for goes where they overlook it, so that nothing is lost on the way back. */
#ifndef TUNER_FORMATS_TRIAL_EXPORT_H
#define TUNER_FORMATS_TRIAL_EXPORT_H

#include "db/store.h"
#include "runtime/backend/backend.h"
#include "runtime/base/error.h"
#include "runtime/base/text.h"

struct trial_export {
    int64_t run;                /* 0: the latest made here, of the kernel if one is named */
    const char *kernel;         /* may be NULL */
    const char *implementation; /* NULL: the only one that the run tried */
    bool brief;                 /* what replays need, rounded and in order, so that it packs well */
    const struct tw_device_info *device; /* where it was measured, which the file then describes */
};

/* Appends the file's text. `left_out` is the number of trials of the implementation that were made
 * with an older template than its last. A run that is not there is TW_NOT_FOUND; an implementation
 * to choose is TW_INVALID and names them. */
tw_status trial_export_kernel_tuner(tw_db *db, const struct trial_export *what,
                                    struct tw_text *text, int64_t *left_out,
                                    struct tw_error *error);
tw_status trial_export_t4(tw_db *db, const struct trial_export *what, struct tw_text *text,
                          int64_t *left_out, struct tw_error *error);

#endif

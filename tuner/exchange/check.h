/* What is wrong with a database: the file itself, and what its rows say. */
#ifndef TUNER_EXCHANGE_CHECK_H
#define TUNER_EXCHANGE_CHECK_H

#include "db/store.h"
#include "runtime/base/error.h"
#include "tuner/exchange/known_kernels.h"

struct checked {
    int64_t errors; /* damage, and rows that can never be used */
    int64_t notes;  /* what is worth knowing, such as results of other templates */
};

/* Told each finding, as one printable line. */
typedef void (*check_visitor)(void *context, bool is_error, const char *line);

/* Checks everything. TW_OK when it could look, whatever it found. */
tw_status check_database(tw_db *db, const struct known_kernels *known, check_visitor visit,
                         void *context, struct checked *checked, struct tw_error *error);

/* Whether the description allows the problem and configuration of a row and the row makes sense;
 * `kernel` is the row's. If not, `error` says why. */
tw_status check_row(const struct tw_db_best_row *row, const struct known_kernel *kernel,
                    struct tw_error *error);

#endif

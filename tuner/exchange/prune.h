/* Dropping what is no longer useful in a database. */
#ifndef TUNER_EXCHANGE_PRUNE_H
#define TUNER_EXCHANGE_PRUNE_H

#include "db/upkeep.h"
#include "runtime/base/error.h"
#include "tuner/exchange/known_kernels.h"

struct pruned {
    int64_t trials;   /* of templates that no description has today */
    int64_t outdated; /* best rows of such templates where there is one of today's */
    int64_t unusable; /* best rows that check_row refuses */
    struct tw_db_swept swept;
};

/* Drops it in one transaction, and then gives the space back. Rows of kernels that are not known
 * are left alone. Refuses while a run is under way. */
tw_status prune_database(tw_db *db, const struct known_kernels *known, struct pruned *pruned,
                         struct tw_error *error);

#endif

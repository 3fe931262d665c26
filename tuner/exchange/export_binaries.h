/* A database to ship with compiled kernels in it, for machines without a compiler. */
#ifndef TUNER_EXCHANGE_EXPORT_BINARIES_H
#define TUNER_EXCHANGE_EXPORT_BINARIES_H

#include "db/store.h"
#include "runtime/base/error.h"
#include "runtime/base/text.h"
#include "tuner/exchange/known_kernels.h"

struct shipment {
    int64_t rows;     /* best rows taken */
    int64_t binaries; /* kernels compiled for them */
    int64_t stale;    /* rows left without: measured with other templates than today's, */
    int64_t absent;   /* rows of devices that are not in this machine, */
    int64_t unknown;  /* and rows of kernels that have no description here, */
    struct tw_text unknown_kernels; /* "double, mine"; to be freed */
};

/* Takes the best rows of `from` (of one kernel, or NULL: all) into `to`, and compiles for each what
 * an application with dense matrices launches on the row's device, which must be in this machine.
 * All or nothing. */
tw_status export_with_binaries(tw_db *to, tw_db *from, const char *kernel,
                               const struct known_kernels *known, struct shipment *shipment,
                               struct tw_error *error);

#endif

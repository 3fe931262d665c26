/* Brings what older programs stored up to what results are tied to today.
 *
 * Keys of problems lose attributes at their defaults. Best rows of schema 3 and before, which knew
 * only the hash of that time (variant/legacy.h), are told what they belong to, where their code is
 * still what it was and their device is known. Kernels that are not known are left as they are
 * until they are; so are rows of other code, which are hints then as before. */
#ifndef TUNER_EXCHANGE_ADOPT_H
#define TUNER_EXCHANGE_ADOPT_H

#include "db/store.h"
#include "tuner/exchange/known_kernels.h"

/* In one transaction; with nothing to do nothing is written. */
tw_status adopt_database(tw_db *db, const struct known_kernels *known, struct tw_error *error);

#endif

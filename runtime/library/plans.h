/* The plans that were made, by what was asked for. Finding one takes no lock and allocates nothing.
 *
 * Readers see a table that only ever gains entries: a writer fills in an entry before it publishes
 * it, and a table that has become too small is replaced by a larger copy and freed only at the end,
 * when nobody reads any more. */
#ifndef TW_LIBRARY_PLANS_H
#define TW_LIBRARY_PLANS_H

#include "runtime/tilewise.h"

struct tw_plans;

tw_status tw_plans_create(struct tw_plans **out, tw_error *error);
/* Frees the plans too. */
void tw_plans_free(struct tw_plans *plans);

/* NULL when there is none. Safe from any thread at any time. */
const tw_plan *tw_plans_find(const struct tw_plans *plans, const tw_request *request);

/* Takes over `plan`. When there is one for the request already, that one stays, unless `replace`:
 * then new look-ups find the new one, and the old one stays alive. *kept is the one that is found
 * from now on. On failure `plan` is freed. */
tw_status tw_plans_add(struct tw_plans *plans, const tw_request *request, tw_plan *plan,
                       int replace, const tw_plan **kept, tw_error *error);

#endif

/* The plans that were made, by what was asked for. Finding one takes no lock and allocates nothing.
 *
 * A plan can be found by several keys: requests are written in many ways. Without a limit plans
 * stay until the end, and finding one changes nothing. With a limit whoever finds a plan holds it,
 * which is one atomic addition, and those that nobody holds can be dropped. */
#ifndef TW_LIBRARY_PLAN_TABLE_H
#define TW_LIBRARY_PLAN_TABLE_H

#include "runtime/library/plan_key.h"

struct tw_plan_table;

/* Keeps at most `limit` plans that nobody holds; 0: all. */
tw_status tw_plan_table_create(struct tw_plan_table **out, uint64_t limit, tw_error *error);
/* Frees the plans too, held or not. */
void tw_plan_table_free(struct tw_plan_table *plans);

/* NULL when there is none; else the plan, held for the caller. Safe from any thread at any time. */
const tw_plan *tw_plan_table_hold(struct tw_plan_table *plans, const struct tw_plan_key *key);
/* Once for each time a plan was held. */
void tw_plan_table_release(struct tw_plan_table *plans, const tw_plan *plan);

/* Takes over `plan`. When there is one for the key already, that one stays, unless `replace`: then
 * it is found no more, and lives as long as the new one. *kept is the one that is found from now
 * on, held for the caller. Plans beyond the limit are dropped. On failure `plan` is freed. */
tw_status tw_plan_table_add(struct tw_plan_table *plans, const struct tw_plan_key *key,
                            tw_plan *plan, bool replace, const tw_plan **kept, tw_error *error);

/* Lets a plan that the caller holds be found by another key too. Where the key has a plan, that one
 * stays. */
tw_status tw_plan_table_alias(struct tw_plan_table *plans, const struct tw_plan_key *key,
                              const tw_plan *plan, tw_error *error);

#endif

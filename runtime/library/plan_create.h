/* From what is asked for to its plan. */
#ifndef TW_LIBRARY_PLAN_CREATE_H
#define TW_LIBRARY_PLAN_CREATE_H

#include "runtime/library/library.h"

/* For a key that has no plan yet: finds the plan by what its request means, or where `make` makes
 * it as the policy for misses says, and lets the key find it from then on. `key` is NULL when the
 * request has none. *out is held for the caller, and NULL after a failure. */
tw_status tw_plan_create_missing(tw_library *library, const struct tw_plan_key *key,
                                 const tw_request *request, bool make, const tw_plan **out,
                                 tw_error *error);

/* Settles which binaries a request's plan will have, so that others may choose the same: nothing is
 * compiled. A plan that is there already, or is not to be predicted, is left alone. */
void tw_plan_settle(tw_library *library, const tw_request *request);

/* Settles which binaries there will be for requests that differ in that dimension alone, for all of
 * them at once. As many are looked at as TW_TOGETHER_PROBLEMS says. Each is worth a compile if all
 * sizes together gain by it: a few of them twice what the library tolerates at one, many of them
 * up to five times that. */
void tw_plan_settle_together(tw_library *library, const tw_request *requests, size_t count,
                             int dimension);

/* Notes that a request will come, for which dimensions it differs in from others. */
void tw_plan_expect(tw_library *library, const tw_request *request);

#endif

/* Internal to the room: what the hashes of identity.h have in common. */
#ifndef TW_VARIANT_IDENTITY_PARTS_H
#define TW_VARIANT_IDENTITY_PARTS_H

#include "runtime/base/hash.h"
#include "runtime/description/description.h"

/* Raised when verifying itself changes so that older verdicts are worth nothing. */
#define TW_JUDGE_VERSION "1"

/* Ends a hash, whatever `status` is; returns it, or that there was no memory for the hash. */
tw_status tw_identity_finish(struct tw_hash *state, tw_status status, char hash[TW_HASH_SIZE],
                             struct tw_error *error);

/* The compiler's messages that disqualify an implementation. */
void tw_identity_add_messages(struct tw_hash *hash, const struct tw_implementation *in);
/* The scalars that answers are verified with. */
void tw_identity_add_cases(struct tw_hash *hash, const struct tw_description *d);
/* What promises of errors are held on, and a promise. */
void tw_identity_add_families(struct tw_hash *hash, const struct tw_description *d);
void tw_identity_add_bound(struct tw_hash *hash, const struct tw_error_bound *bound);

#endif

/* Internal to the room: the candidate that is predicted to be the fastest, for a problem without a
 * row of its own. */
#ifndef TW_SELECT_RANKED_H
#define TW_SELECT_RANKED_H

#include "runtime/select/search.h"

/* `found` says whether there was one that fits and was accepted; `selection` is filled then.
 * Fails with TW_NO_MEMORY alone. */
tw_status tw_search_ranked(struct tw_search *search, struct tw_selection *selection, bool *found,
                           struct tw_error *error);

#endif

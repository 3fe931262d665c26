/* Internal to the room: the candidates for a problem without a row of its own, each with its
 * prediction. */
#ifndef TW_SELECT_RANKING_H
#define TW_SELECT_RANKING_H

#include "runtime/select/candidates.h"

/* Fills in a ranking, the best candidate first. Borrows what it is given. TW_NO_MEMORY is the only
 * failure. */
tw_status tw_ranking_fill(struct tw_ranking *ranking, struct tw_search *search,
                          struct tw_selection *selection, struct tw_error *error);

#endif

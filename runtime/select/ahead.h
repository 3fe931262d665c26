/* Internal to the room: which binary to compile where sizes change from one request to the next. */
#ifndef TW_SELECT_AHEAD_H
#define TW_SELECT_AHEAD_H

#include "runtime/select/ranking.h"

/* Of the candidates that are close (an entry each), the index of the one whose binaries, beside
 * those that are there already, leave least to be desired at this problem and at some other sizes
 * of the dimensions that the query says to change: of two alike the one that is ranked first. */
size_t tw_search_ahead(const struct tw_ranking *ranking, const bool *close);

#endif

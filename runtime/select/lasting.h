/* Internal to the room: for how many sizes a configuration's binaries do, where sizes change from
 * one request to the next. */
#ifndef TW_SELECT_LASTING_H
#define TW_SELECT_LASTING_H

#include "runtime/select/search.h"

/* How many of some larger sizes of the query's changing dimensions have the same sources. The sizes
 * are the same for all configurations. */
int tw_search_lasting(const struct tw_search *search, const struct tw_configuration *configuration);

#endif

/* Internal to the room: parameters of the launch, of which one binary may have any. */
#ifndef TW_SELECT_VARY_H
#define TW_SELECT_VARY_H

#include "runtime/select/candidates.h"

/* Adds to candidates that are in order what the model says is better with other parameters of the
 * launch. */
void tw_ranking_vary(struct tw_ranking *ranking);

#endif

/* Internal to the room: what a result of another problem says of how long its configuration takes
 * on the one that is asked about. */
#ifndef TW_SELECT_MEASURED_H
#define TW_SELECT_MEASURED_H

#include "runtime/select/look.h"

/* Fills in what the candidate is predicted to take by its row, which the `measured` configuration
 * is of, and how far the model was off there, if it is of the row's device. */
tw_status tw_measured_predict(struct tw_ranking *ranking, struct tw_candidate *candidate,
                              const struct tw_configuration *measured, const struct tw_look *here,
                              struct tw_error *error);
/* Joins that with what the model says of it here, and how surely. */
void tw_measured_join(struct tw_candidate *candidate, double model_us, double uncertainty);

#endif

#ifndef TUNER_COMMANDS_PRINT_SELECTION_H
#define TUNER_COMMANDS_PRINT_SELECTION_H

#include "runtime/select/select.h"

/* Prints which rule chose, from which row, what was predicted of it and of the runners-up, and what
 * could not be used, in the lines of a table. TW_NO_MEMORY: none of it. */
tw_status print_selection(const struct tw_description *description,
                          const struct tw_selection *selection, struct tw_error *error);

#endif

#ifndef TUNER_COMMANDS_PRINT_SELECTION_H
#define TUNER_COMMANDS_PRINT_SELECTION_H

#include "runtime/select/select.h"

/* Prints which rule chose, from which row, and what could not be used, in the lines of a table. */
void print_selection(const struct tw_description *description,
                     const struct tw_selection *selection);

#endif

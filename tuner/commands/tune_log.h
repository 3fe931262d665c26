/* tune --from-log FILE: the time goes where it is expected to gain the most. */
#ifndef TUNER_COMMANDS_TUNE_LOG_H
#define TUNER_COMMANDS_TUNE_LOG_H

#include "tuner/commands/arguments.h"

/* Tunes what the log --from-log names asks for within the budget of all together, and says what it
 * did. Returns the exit status. */
int tune_log(struct arguments *arguments);

#endif

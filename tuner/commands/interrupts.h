/* Ctrl-C and SIGTERM, for commands that stop cleanly. */
#ifndef TUNER_COMMANDS_INTERRUPTS_H
#define TUNER_COMMANDS_INTERRUPTS_H

#include <signal.h>

/* From now on they set what this returns, to anything but 0; another one ends the program at once,
 * unless it comes so soon (a second) that it is the same: timeout(1) signals its command and
 * then the group that it is in. */
const volatile sig_atomic_t *interrupts_catch(void);

#endif

/* Ctrl-C and SIGTERM, for commands that stop cleanly. */
#ifndef TUNER_COMMANDS_INTERRUPTS_H
#define TUNER_COMMANDS_INTERRUPTS_H

#include <signal.h>

/* From now on they set what this returns, to anything but 0; a second one ends the program at once.
 */
const volatile sig_atomic_t *interrupts_catch(void);

#endif

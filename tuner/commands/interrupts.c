#include "tuner/commands/interrupts.h"

#include <stddef.h>

static volatile sig_atomic_t interrupted;

static void on_interrupt(int number) {
    /* A second Ctrl-C is meant: stop at once. Nothing recorded is lost. */
    if (interrupted != 0) {
        signal(number, SIG_DFL);
        raise(number);
    }
    interrupted = 1;
}

const volatile sig_atomic_t *interrupts_catch(void) {
    struct sigaction action = {.sa_handler = on_interrupt};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    return &interrupted;
}

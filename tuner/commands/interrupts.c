#include "tuner/commands/interrupts.h"

#include <stddef.h>

#include "runtime/base/clock.h"

/* Signals that come within it are one. */
static const double ONE_SECONDS = 1;

static volatile sig_atomic_t interrupted;
/* Of the first one; written and read by the handler alone, which nothing interrupts. */
static double first;

static void on_interrupt(int number) {
    const double now = tw_clock_now();
    if (interrupted == 0) {
        first = now;
        interrupted = 1;
    } else if (now - first > ONE_SECONDS) {
        /* Meant: stop at once. Nothing recorded is lost. */
        signal(number, SIG_DFL);
        raise(number);
    }
}

const volatile sig_atomic_t *interrupts_catch(void) {
    struct sigaction action = {.sa_handler = on_interrupt};
    sigemptyset(&action.sa_mask);
    sigaddset(&action.sa_mask, SIGINT);
    sigaddset(&action.sa_mask, SIGTERM);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    return &interrupted;
}

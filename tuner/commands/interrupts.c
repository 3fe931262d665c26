#include "tuner/commands/interrupts.h"

#include <stddef.h>
#include <time.h>

/* Signals that come within it are one. */
static const double ONE_SECONDS = 1;

static volatile sig_atomic_t interrupted;
/* Of the first one; written and read by the handler alone, which nothing interrupts. */
static struct timespec first;

static double seconds_between(const struct timespec *a, const struct timespec *b) {
    return (double)(b->tv_sec - a->tv_sec) + 1e-9 * (double)(b->tv_nsec - a->tv_nsec);
}

static void on_interrupt(int number) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (interrupted == 0) {
        first = now;
        interrupted = 1;
    } else if (seconds_between(&first, &now) > ONE_SECONDS) {
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

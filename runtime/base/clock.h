/* Time that only goes forward. */
#ifndef TW_BASE_CLOCK_H
#define TW_BASE_CLOCK_H

/* Seconds since some moment. */
double tw_clock_now(void);

#endif

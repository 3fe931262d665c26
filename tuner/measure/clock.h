#ifndef TUNER_MEASURE_CLOCK_H
#define TUNER_MEASURE_CLOCK_H

/* Seconds on a clock that never jumps. */
double clock_now(void);

#endif

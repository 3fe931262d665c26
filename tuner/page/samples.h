/* The trials of one implementation as a table: which value each parameter had, and the time. */
#ifndef TUNER_PAGE_SAMPLES_H
#define TUNER_PAGE_SAMPLES_H

#include "tuner/page/material.h"

enum { SAMPLES_FACTORS = 32, SAMPLES_LEVELS = 64 };

/* A parameter, and the values of it that were tried: numbers in rising order, before words. */
struct factor {
    char name[64];
    int level_count;
    char levels[SAMPLES_LEVELS][64];
};

struct sample {
    double time_us; /* 0: it failed */
    unsigned char levels[SAMPLES_FACTORS];
};

struct samples {
    int factor_count;
    struct factor factors[SAMPLES_FACTORS];
    int count, timed;
    struct sample *samples;
};

/* The trials of `implementation`. Those whose configuration does not have the parameters of the
 * first, or has more than there is room for, are left out: nobody but a stranger to the tuner
 * stored them. Free in every case. */
tw_status samples_take(struct samples *samples, const struct page_trials *trials,
                       const char *implementation, struct tw_error *error);
void samples_free(struct samples *samples);

/* The shortest time with a level of a factor, and with one of each of two; 0: none worked. */
double samples_best(const struct samples *samples, int factor, int level);
double samples_best_pair(const struct samples *samples, int a, int level_a, int b, int level_b);

/* How much of the variance of the logarithm of times a factor accounts for, from 0 to 1, less what
 * as many groups would account for by chance (epsilon squared: Kelley, "An unbiased correlation
 * ratio measure", 1935). 0 when it had one value only, there are too few trials, or no memory,
 * which json_lacked_memory then tells. */
double samples_effect(const struct samples *samples, int factor);
/* The same of what two factors do together beyond what each does alone: of what is left when the
 * effects of both, fitted beside each other, are taken away. */
double samples_interaction(const struct samples *samples, int a, int b);

#endif

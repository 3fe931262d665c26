/* When a variant's measurement stops because it has lost: it is proven to be more than a tenth
 * slower than the best so far.
 *
 * The proof is a sign test (Conover, "Practical Nonparametric Statistics", 3rd edition, section
 * 3.4), which assumes nothing of how times are distributed: if a variant's median were no more than
 * 1.1 times the best's, each repeat would be above that with a probability of one half at most. So
 * after 3 repeats that are all above it, the variant is stopped with an error of 1/8 at most, and
 * later with less: after 5 with 1/32, after 8 and after 12 with 1/64. That is for a variant that is
 * a tenth slower; half of the times of one as fast as the best would have to be a tenth above its
 * own median. The tenth is also there for what drifts between the best's measurement and this one.
 *
 * One that is hopeless, as the warm-up saw it, is stopped after two repeats that both take twice as
 * long as the best. One is not enough: the warm-up of a few microseconds is mostly its launch, and
 * a lone repeat may be disturbed. Of two variants that did the same, one was told to take 12.7
 * microseconds and the other 5.7 (docs/notes/2026-11-28-predicting-odd-sizes.md). */
#ifndef TUNER_STATISTICS_RACE_H
#define TUNER_STATISTICS_RACE_H

#include <stdbool.h>
#include <stddef.h>

/* Whether the variant of these times, in the order measured, has lost to `best`, all in one unit;
 * 0: there is no best yet. `warm` is what the warm-up saw of it. To be asked after every repeat. */
bool race_is_lost(const double *times, size_t count, double warm, double best);

#endif

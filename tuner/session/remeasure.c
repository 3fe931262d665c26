/* The best of a record of trials, measured again. What is asked of a record is how near others come
 * to its best: were that one whose only measurement fell into a lucky moment, all would be
 * told in proportion to luck. So the fastest play the rounds that a search ends with, and then
 * those who are near them with the times of one measurement, until none is.
 *
 * Times of two moments cannot be compared. So the fastest of those who have played plays again with
 * the next, what others take is known in proportion to it, and all get one scale at the end. */
#include <math.h>
#include <stdlib.h>

#include "tuner/session/finals.h"
#include "tuner/session/recorder_trials.h"

enum { MATCHES = 16 };
static const double MATCH_SECONDS = 10; /* of rounds, at most */

struct remeasured {
    struct session *s;
    int count; /* of who has played */
    struct trial *played;
    int match_count;
    double scales[MATCHES]; /* how long a match's times are, in those that `played` has */
};

static const struct trial *find(const struct remeasured *r,
                                const struct tw_configuration *configuration) {
    for (int i = 0; i < r->count; i++)
        if (tw_configuration_equal(r->s->problem->description, &r->played[i].configuration,
                                   configuration))
            return &r->played[i];
    return NULL;
}

static const struct trial *fastest(const struct remeasured *r) {
    const struct trial *best = NULL;
    for (int i = 0; i < r->count; i++)
        if (best == NULL || r->played[i].time_us < best->time_us)
            best = &r->played[i];
    return best;
}

static double scale(const struct remeasured *r) {
    double sorted[MATCHES];
    for (int i = 0; i < r->match_count; i++)
        sorted[i] = r->scales[i];
    statistics_sort(sorted, (size_t)r->match_count);
    return statistics_median(sorted, (size_t)r->match_count);
}

/* ---- Who plays ---- */

static void add_contender(struct session *s, const struct trial *trial) {
    int at = s->contender_count < FINALISTS ? s->contender_count++ : FINALISTS - 1;
    for (; at > 0 && s->contenders[at - 1].trial.time_us > trial->time_us; at--)
        s->contenders[at] = s->contenders[at - 1];
    s->contenders[at] = (struct contender){.trial = *trial};
}

/* One that lost a race against a lucky one is no slower for that. */
static void consider(void *context, const struct trial *trial) {
    struct remeasured *r = context;
    struct session *s = r->s;
    if (trial->status != TW_DB_TRIAL_OK || !session_allows(s, &trial->configuration) ||
        find(r, &trial->configuration) != NULL)
        return;
    if (r->count > 0 && trial->time_us > CONTENDER_NEAR * fastest(r)->time_us * scale(r))
        return;
    if (s->contender_count < FINALISTS ||
        trial->time_us < s->contenders[FINALISTS - 1].trial.time_us)
        add_contender(s, trial);
}

/* Leaves nobody where nobody new is to play. */
static tw_status gather(struct remeasured *r) {
    struct session *s = r->s;
    for (int i = 0; i < s->contender_count; i++)
        builds_release(&s->builds, s->contenders[i].build);
    s->contender_count = 0;
    s->recorder.newest_trial = 0; /* all are visited again */
    tw_status status = recorder_known(&s->recorder, consider, r, s->error);
    if (status == TW_OK && r->count > 0 && s->contender_count > 0) {
        struct trial anchor = *fastest(r);
        anchor.time_us *= scale(r);
        add_contender(s, &anchor);
    }
    return status;
}

/* ---- What they take ---- */

/* As the rounds beside the match's fastest have it, in the scale of those who have played. */
static struct trial timed(const struct finals *f, size_t entrant, size_t first, double in_scale) {
    struct playoff_standing standing = playoff_standing(f->playoff, entrant);
    struct trial trial = f->entrants[entrant].trial;
    trial.time_us = playoff_standing(f->playoff, first).median *
                    playoff_ratio(f->playoff, entrant, first) / in_scale;
    trial.has_interval = standing.interval.confidence >= STATISTICS_CONFIDENCE;
    trial.ci_low_us = standing.interval.low * trial.time_us / standing.median;
    trial.ci_high_us = standing.interval.high * trial.time_us / standing.median;
    return trial;
}

static tw_status take(struct remeasured *r, const struct finals *f, bool *any) {
    struct session *s = r->s;
    size_t first = playoff_winner(f->playoff);
    double in_scale = 1;
    *any = false;
    if (first == PLAYOFF_NONE)
        return TW_OK;
    struct trial *played = realloc(r->played, (size_t)(r->count + f->count) * sizeof *played);
    if (played == NULL)
        return tw_fail(s->error, TW_NO_MEMORY, "out of memory");
    r->played = played;
    for (int i = 0; i < f->count; i++) {
        const struct trial *before = find(r, &f->entrants[i].trial.configuration);
        if (before != NULL && playoff_standing(f->playoff, (size_t)i).rounds > 0)
            in_scale = timed(f, (size_t)i, first, 1).time_us / before->time_us;
    }
    r->scales[r->match_count++] = in_scale;
    for (int i = 0; i < f->count; i++) {
        if (playoff_standing(f->playoff, (size_t)i).rounds == 0 ||
            find(r, &f->entrants[i].trial.configuration) != NULL)
            continue;
        r->played[r->count++] = timed(f, (size_t)i, first, in_scale);
        *any = true;
    }
    return TW_OK;
}

static tw_status play(struct remeasured *r, bool *any) {
    struct finals *f;
    *any = false;
    tw_status status = finals_rounds(r->s, MATCH_SECONDS, &f);
    if (status == TW_OK && !session_interrupted(r->s))
        status = take(r, f, any);
    finals_free(f);
    return status;
}

static tw_status store(const struct remeasured *r) {
    struct session *s = r->s;
    tw_status status = recorder_begin(&s->recorder, s->error);
    if (status != TW_OK)
        return status;
    for (int i = 0; i < r->count && status == TW_OK; i++) {
        struct trial trial = r->played[i];
        trial.time_us *= scale(r);
        trial.ci_low_us *= scale(r);
        trial.ci_high_us *= scale(r);
        status = recorder_retime(&s->recorder, &trial, s->error);
    }
    return recorder_end(&s->recorder, status, s->error);
}

tw_status remeasure_best(struct session *s) {
    struct remeasured r = {.s = s};
    bool any = true;
    tw_status status = TW_OK;
    s->regular_count = 0; /* presets are trials like others here, and no guests */
    while (status == TW_OK && any && r.match_count < MATCHES && !session_interrupted(s)) {
        status = gather(&r);
        if (status != TW_OK || s->contender_count == 0)
            break;
        status = play(&r, &any);
    }
    if (status == TW_OK && r.count > 0 && !session_interrupted(s))
        status = store(&r);
    free(r.played);
    return status;
}

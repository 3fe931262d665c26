#include "tools/bench/contest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/clock.h"
#include "tools/bench/batch.h"
#include "tools/bench/tilewise.h"
#include "tuner/statistics/statistics.h"

/* What a contender's timed batches should add up to, and what the rounds of all may take, with what
 * goes before each batch. */
static const double ENOUGH_SECONDS = 50e-3, MOST_SECONDS = 2;

struct player {
    struct outcome *outcome;
    void *state;
    double batch_seconds; /* as timed */
    double whole_seconds; /* by the clock */
    double times[CONTEST_MOST_ROUNDS], queueing[CONTEST_MOST_ROUNDS];
};

bool outcome_timed(const struct outcome *outcome) {
    return outcome->failure.status == TW_OK;
}

bool outcome_is_wrong(const struct outcome *outcome) {
    return outcome->compared && !(outcome->errors.max < outcome->errors.limit);
}

static tw_status check_answer(const struct player *player, const struct errors *errors,
                              tw_error *error) {
    const struct contender *contender = player->outcome->entry->contender;
    tw_status status = errors_poison(errors, error);
    if (status == TW_OK)
        status = contender->call(player->state, 0, error);
    if (status == TW_OK)
        status = stage_settle(errors->data->stage, error);
    if (status == TW_OK && contender->publish != NULL)
        status = contender->publish(player->state, error);
    const enum role role = player->outcome->entry->role;
    const bool compares = role != ROLE_PART && role != ROLE_CEILING;
    if (status == TW_OK && compares)
        status = errors_compare(errors, &player->outcome->errors, error);
    player->outcome->compared = status == TW_OK && compares;
    return status;
}

/* Prepares, checks, warms up and chooses the batch. */
static tw_status enter(struct player *player, struct data *data, const struct errors *errors,
                       tw_error *error) {
    const struct contender *contender = player->outcome->entry->contender;
    struct batch batch;
    tw_status status = contender->create(&player->state, data, error);
    if (status == TW_OK)
        status = check_answer(player, errors, error);
    for (int i = 0; i < 2 && status == TW_OK; i++)
        status = batch_time(data, contender->call, player->state, 1, &batch, error);
    if (status == TW_OK) {
        double start = tw_clock_now();
        player->outcome->calls = batch_calls(data, batch.seconds);
        status =
            batch_time(data, contender->call, player->state, player->outcome->calls, &batch, error);
        player->batch_seconds = batch.seconds * player->outcome->calls;
        player->whole_seconds = tw_clock_now() - start;
    }
    if (status == TW_OK && contender->describe != NULL)
        contender->describe(player->state, &player->outcome->detail);
    return status;
}

static int choose_rounds(const struct player *players, int count) {
    double round = 0, least = INFINITY;
    for (int i = 0; i < count; i++) {
        round += players[i].whole_seconds;
        least = fmin(least, players[i].batch_seconds);
    }
    double rounds = fmin(ceil(ENOUGH_SECONDS / least), floor(MOST_SECONDS / round));
    return (int)fmax(CONTEST_LEAST_ROUNDS, fmin(rounds, CONTEST_MOST_ROUNDS));
}

static tw_status play_rounds(struct player *players, int count, int rounds, struct data *data,
                             tw_error *error) {
    for (int r = 0; r < rounds; r++) {
        for (int i = 0; i < count; i++) {
            struct player *player = &players[(r + i) % count];
            struct batch batch;
            tw_status status = batch_time(data, player->outcome->entry->contender->call,
                                          player->state, player->outcome->calls, &batch, error);
            player->times[r] = batch.seconds;
            player->queueing[r] = batch.queueing;
            player->outcome->late += batch.late;
            if (status != TW_OK)
                return tw_fail_within(error, status, "%s", player->outcome->entry->contender->name);
        }
    }
    return TW_OK;
}

static struct statistics_interval summarise(const double *times, int rounds, double *median) {
    double sorted[CONTEST_MOST_ROUNDS];
    memcpy(sorted, times, (size_t)rounds * sizeof *sorted);
    statistics_sort(sorted, (size_t)rounds);
    *median = statistics_median(sorted, (size_t)rounds);
    return statistics_median_interval(sorted, (size_t)rounds, STATISTICS_CONFIDENCE);
}

static void conclude(struct contest *contest, const struct player *players, int count) {
    const struct player *ours = NULL;
    for (int i = 0; i < count; i++) {
        struct outcome *o = players[i].outcome;
        struct statistics_interval interval =
            summarise(players[i].times, contest->rounds, &o->median);
        summarise(players[i].queueing, contest->rounds, &o->queueing);
        o->low = interval.low;
        o->high = interval.high;
        contest->confidence = interval.confidence;
        if (o->entry->role == ROLE_OURS)
            ours = &players[i];
        if (o->entry->role == ROLE_VENDOR && !outcome_is_wrong(o) &&
            (contest->vendor == NULL || o->median < contest->vendor->median))
            contest->vendor = o;
    }
    if (ours == NULL)
        return;
    contest->ours = ours->outcome;
    for (int i = 0; i < count; i++) {
        struct outcome *o = players[i].outcome;
        double ratios[CONTEST_MOST_ROUNDS];
        for (int r = 0; r < contest->rounds; r++)
            ratios[r] = players[i].times[r] / ours->times[r];
        /* Not that of the medians: where the clock falls within the rounds, each may be of another
         * part. */
        struct statistics_interval interval = summarise(ratios, contest->rounds, &o->ratio);
        o->ratio_low = interval.low;
        o->ratio_high = interval.high;
    }
}

/* Those that can play come to the front of `players`. */
static tw_status enter_all(struct contest *contest, struct player *players, int *playing,
                           struct data *data, const struct errors *errors, tw_error *error) {
    *playing = 0;
    for (int i = 0; i < contest->count; i++) {
        struct player *player = &players[*playing];
        *player = (struct player){.outcome = &contest->outcomes[i]};
        tw_error *failure = &player->outcome->failure;
        tw_status status = enter(player, data, errors, failure);
        failure->status = status;
        if (player->outcome->entry->role == ROLE_OURS)
            contest->plan = tilewise_explain(player->state);
        if (status == TW_OK) {
            ++*playing;
            continue;
        }
        player->outcome->entry->contender->free(player->state);
        if (status == TW_DEVICE_LOST)
            return tw_fail(error, status, "%s: %s", player->outcome->entry->contender->name,
                           failure->message);
        /* What it queued must be done before others go on. */
        status = stage_settle(data->stage, error);
        if (status != TW_OK)
            return status;
    }
    return TW_OK;
}

static tw_status play(struct contest *contest, struct data *data, int rounds, tw_error *error) {
    struct errors errors;
    int playing = 0;
    struct player *players = calloc(CONTENDERS_MAX, sizeof *players);
    if (players == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    tw_status status = errors_create(&errors, data, error);
    if (status == TW_OK) {
        contest->checked = errors_share(&errors);
        status = enter_all(contest, players, &playing, data, &errors, error);
    }
    if (status == TW_OK && playing > 0) {
        contest->rounds = rounds > 0 ? rounds : choose_rounds(players, playing);
        status = play_rounds(players, playing, contest->rounds, data, error);
    }
    if (status == TW_OK)
        conclude(contest, players, playing);
    for (int i = 0; i < playing; i++)
        players[i].outcome->entry->contender->free(players[i].state);
    errors_free(&errors);
    free(players);
    return status;
}

tw_status contest_run(struct contest *contest, struct stage *stage, bool cold, int rounds,
                      tw_error *error) {
    const struct entry *entries[CONTENDERS_MAX];
    contest->count = contenders_for(&contest->task, &stage->info, entries);
    for (int i = 0; i < contest->count; i++)
        contest->outcomes[i].entry = entries[i];
    struct data data;
    tw_status status = data_create(&data, stage, &contest->task, cold, error);
    contest->set_count = data.set_count;
    if (status == TW_OK)
        status = play(contest, &data, rounds, error);
    data_free(&data);
    return status;
}

void contest_free(struct contest *contest) {
    for (int i = 0; i < contest->count; i++)
        tw_text_free(&contest->outcomes[i].detail);
    task_free(&contest->task);
}

bool outcome_failed(const struct outcome *outcome) {
    return !outcome_timed(outcome) &&
           (outcome->entry->role == ROLE_OURS || outcome->failure.status != TW_UNAVAILABLE);
}

bool contest_failed(const struct contest *contest) {
    bool failed = false;
    for (int i = 0; i < contest->count; i++)
        failed |= outcome_is_wrong(&contest->outcomes[i]) || outcome_failed(&contest->outcomes[i]);
    return failed;
}

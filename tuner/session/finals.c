/* The playoff: the best contenders, the winners of before and the presets, measured again in
 * interleaved rounds. What is told and stored of them comes from there, so that it is comparable.
 */
#include <math.h>
#include <stdlib.h>

#include "tuner/session/finals.h"

#include "tuner/json/json.h"
#include "tuner/session/recorder_best.h"

static double median_us(const struct finals *f, int entrant) {
    return playoff_standing(f->playoff, (size_t)entrant).median;
}

/* An entrant's time as its rounds beside the winner have it. Medians would not do: who went out
 * early played in other rounds than the winner's. 0: it played none. */
static double comparable_us(const struct finals *f, int entrant) {
    return median_us(f, f->winner) * playoff_ratio(f->playoff, (size_t)entrant, (size_t)f->winner);
}

/* ---- What is stored ---- */

static char *tie_set(const struct finals *f, int *count) {
    const struct tw_description *d = f->s->problem->description;
    cJSON *ties = cJSON_CreateArray();
    *count = 1;
    for (int i = 0; i < f->count; i++) {
        if (!playoff_live(f->playoff, (size_t)i) || i == f->winner)
            continue;
        const struct tw_configuration *configuration = &f->entrants[i].trial.configuration;
        cJSON *tie = cJSON_CreateObject();
        cJSON_AddStringToObject(tie, "implementation",
                                d->implementations[configuration->implementation].name);
        json_add(tie, "configuration", json_configuration(d, configuration));
        cJSON_AddNumberToObject(tie, "time_us", median_us(f, i));
        json_append(ties, tie);
        ++*count;
    }
    return json_text(ties);
}

static char *baselines(const struct session *s) {
    cJSON *json = cJSON_CreateObject();
    for (int i = 0; i < s->result->preset_count; i++) {
        const struct session_preset *preset = &s->result->presets[i];
        if (preset->tried && preset->trial.status == TW_DB_TRIAL_OK)
            cJSON_AddNumberToObject(json, preset->name, preset->trial.time_us);
    }
    return json_text(json);
}

/* The row of an entrant that takes `time_us`, with its interval in proportion. */
static struct tw_db_best row_of(const struct finals *f, int entrant, double time_us) {
    struct playoff_standing standing = playoff_standing(f->playoff, (size_t)entrant);
    const struct trial *trial = &f->entrants[entrant].trial;
    double scale = time_us / standing.median;
    struct tw_db_best best = {.time_us = time_us,
                              .ci_low_us = standing.interval.low * scale,
                              .ci_high_us = standing.interval.high * scale,
                              .repeats = (int64_t)standing.rounds,
                              .has_error = trial->has_error,
                              .max_rel_error = trial->max_rel_error,
                              .rms_rel_error = trial->rms_rel_error,
                              .has_hard = trial->has_hard,
                              .hard_max_error = trial->hard_max_error,
                              .hard_rms_error = trial->hard_rms_error};
    best.rate = tw_work_rate(&f->s->work, time_us * 1e-6, &best.rate_unit);
    return best;
}

/* Winners of before, of other implementations than today's winner, stay for those who cannot use
 * that one; but with times of this playoff, or an application would compare times of two days. */
static tw_status store_again(const struct finals *f) {
    struct session *s = f->s;
    int won = f->entrants[f->winner].trial.configuration.implementation;
    tw_status status = TW_OK;
    for (int i = 0; i < s->regular_count && status == TW_OK; i++) {
        const struct tw_configuration *configuration = &s->regulars[i].configuration;
        if (!s->regulars[i].stored || configuration->implementation == won)
            continue;
        int entrant = entrants_find(f, configuration);
        double time = entrant >= 0 ? comparable_us(f, entrant) : 0;
        if (time <= 0)
            continue;
        /* Of two that tie, the winner is to be the one that applications find first. */
        double least = nextafter(median_us(f, f->winner), INFINITY);
        struct tw_db_best best = row_of(f, entrant, time > least ? time : least);
        best.tie_set = "[]";
        status = recorder_best(&s->recorder, &best, configuration, s->error);
    }
    return status;
}

static tw_status store_winner(const struct finals *f, const char *ties, const char *presets) {
    struct session *s = f->s;
    if (ties == NULL || presets == NULL)
        return tw_fail(s->error, TW_NO_MEMORY, "out of memory");
    struct tw_db_best best = row_of(f, f->winner, median_us(f, f->winner));
    best.tie_set = ties;
    best.baselines = presets;
    tw_status status = recorder_drop_provisional(&s->recorder, s->error);
    if (status == TW_OK)
        status = recorder_best(&s->recorder, &best, &f->entrants[f->winner].trial.configuration,
                               s->error);
    return status == TW_OK ? store_again(f) : status;
}

/* What a search of all the space has found does not give way to the best of a part of it, unless
 * that is faster. */
static tw_status look_up_known(const struct finals *f, bool *stays) {
    struct session_result *r = f->s->result;
    *stays = false;
    if (r->pins == NULL || r->pins->count == 0)
        return TW_OK;
    tw_status status = recorder_fastest(&f->s->recorder, &r->known_us, f->s->error);
    *stays = r->known_us > 0 && r->known_us <= median_us(f, f->winner);
    return status;
}

tw_status finals_store(const struct finals *f) {
    char *ties = tie_set(f, &f->s->result->tie_count);
    char *presets = baselines(f->s);
    bool stays;
    tw_status status = look_up_known(f, &stays);
    if (status == TW_OK && !stays)
        status = store_winner(f, ties, presets);
    cJSON_free(ties);
    cJSON_free(presets);
    return status;
}

/* ---- What is told ---- */

/* A preset that was too slow for the playoff is put in proportion: as far behind the winner as it
 * was behind the leader of the search. */
static void update_presets(const struct finals *f) {
    const struct session *s = f->s;
    for (int i = 0; i < s->result->preset_count; i++) {
        struct session_preset *preset = &s->result->presets[i];
        if (!preset->tried || preset->trial.status != TW_DB_TRIAL_OK)
            continue;
        int entrant = entrants_find(f, &preset->configuration);
        double time = entrant >= 0 ? comparable_us(f, entrant) : 0;
        preset->in_playoff = time > 0;
        if (!preset->in_playoff)
            time = median_us(f, f->winner) * preset->trial.time_us / f->leader_us;
        preset->trial.time_us = time;
    }
}

static void take_winner(struct finals *f) {
    struct session_result *r = f->s->result;
    struct playoff_standing standing = playoff_standing(f->playoff, (size_t)f->winner);
    r->has_best = true;
    r->best = f->entrants[f->winner].trial;
    r->best.time_us = standing.median;
    r->ci_low_us = standing.interval.low;
    r->ci_high_us = standing.interval.high;
    r->rounds = f->rounds;
    r->spread = standing.spread;
    r->decided = f->end == PLAYOFF_WON || f->end == PLAYOFF_TIED;
    r->rate = tw_work_rate(&f->s->work, r->best.time_us * 1e-6, &r->rate_unit);
    update_presets(f);
}

/* Without a playoff the best is the best of the search, as it has been stored. */
static void take_leader(struct session *s) {
    struct session_result *r = s->result;
    if (untuned_pending(s))
        return;
    r->has_best = true;
    r->best = s->contenders[0].trial;
    r->ci_low_us = r->best.ci_low_us;
    r->ci_high_us = r->best.ci_high_us;
    r->tie_count = 1;
    r->rate = tw_work_rate(&s->work, r->best.time_us * 1e-6, &r->rate_unit);
}

static tw_status decide(struct finals *f) {
    size_t winner = playoff_winner(f->playoff);
    if (winner == PLAYOFF_NONE && f->s->contender_count == 0)
        return tw_fail(f->s->error, TW_WRONG, "none of the best variants is right: %.900s",
                       f->last_failure);
    if (winner == PLAYOFF_NONE)
        return tw_fail(f->s->error, TW_DEVICE,
                       "none of the best variants could be measured again, so what is stored is of "
                       "the search: %.700s",
                       f->last_failure);
    f->winner = (int)winner;
    take_winner(f);
    return TW_OK;
}

tw_status finals_rounds(struct session *s, double seconds, struct finals **out) {
    struct finals *f = *out = calloc(1, sizeof *f);
    if (f == NULL)
        return tw_fail(s->error, TW_NO_MEMORY, "out of memory");
    f->s = s;
    f->leader_us = s->contenders[0].trial.time_us;
    s->playing = devices_choose(s);
    session_account(s);
    tw_status status = entrants_gather(f, seconds);
    return status == TW_OK ? rounds_play(f, seconds) : status;
}

tw_status finals_play(struct session *s, double seconds, struct finals **out) {
    *out = NULL;
    if (session_interrupted(s)) {
        take_leader(s);
        return TW_OK;
    }
    struct finals *f;
    tw_status status = finals_rounds(s, seconds, &f);
    if (status == TW_OK)
        status = calls_verify(f);
    const bool over = status == TW_OK && !session_interrupted(s);
    if (over)
        status = decide(f);
    else if (status == TW_OK && s->contender_count > 0)
        take_leader(s);
    if (over && status == TW_OK)
        *out = f;
    else
        finals_free(f);
    return status;
}

void finals_free(struct finals *f) {
    if (f == NULL)
        return;
    entrants_release(f);
    playoff_free(f->playoff);
    free(f);
}

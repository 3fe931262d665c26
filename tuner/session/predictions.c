/* A search's prior: what it begins with, what it puts off, and how right it was. Only for the
 * strategy `auto`: who names another wants to see that one. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/session/state.h"
#include "tuner/statistics/correlation.h"

/* So long the prior may put proposals off: then enough is measured to know better. And so many in a
 * row, since the strategy has its reasons. */
enum { START = 32, IN_A_ROW = 8 };
/* It is not believed any more once so many trials have shown that their order is hardly its own. */
enum { TELLING = 10 };
static const double DISAGREES = 0.2;

static tw_status queue_first(struct session *s) {
    size_t points[PRIOR_FIRST];
    int count = prior_first(s->prior, points);
    for (int i = 0; i < count; i++) {
        if (strategy_seen(s->strategy, points[i]) || session_queued(s, points[i]))
            continue;
        struct candidate *candidate = calloc(1, sizeof *candidate);
        if (candidate == NULL)
            return tw_fail(s->error, TW_NO_MEMORY, "out of memory");
        candidate->point = points[i];
        space_configuration(s->space, points[i], &candidate->configuration);
        queue_add(&s->first, candidate);
        s->hints[s->hint_count++] = points[i];
        s->result->prior.first++;
    }
    return TW_OK;
}

struct place {
    struct candidate *candidate;
    double time_us;
    int at;
};

static int compare(const void *left, const void *right) {
    const struct place *a = left, *b = right;
    if (a->time_us != b->time_us)
        return a->time_us < b->time_us ? -1 : 1;
    return a->at - b->at;
}

/* The fastest first, behind the very first, which is `default`: a user is to have an answer. */
static tw_status order_first(struct session *s) {
    int count = s->first.count - 1;
    if (count < 2)
        return TW_OK;
    struct candidate *head = queue_take(&s->first);
    struct place *places = calloc((size_t)count, sizeof *places);
    for (int i = 0; places != NULL && i < count; i++) {
        struct candidate *candidate = queue_take(&s->first);
        places[i] =
            (struct place){candidate, prior_time_us(s->prior, &candidate->configuration), i};
    }
    if (places != NULL)
        qsort(places, (size_t)count, sizeof *places, compare);
    queue_put_back(&s->first, head);
    for (int i = 0; places != NULL && i < count; i++)
        queue_add(&s->first, places[i].candidate);
    bool ordered = places != NULL;
    free(places);
    return ordered ? TW_OK : tw_fail(s->error, TW_NO_MEMORY, "out of memory");
}

static double expected_seconds(void *context, size_t point) {
    struct session *s = context;
    struct tw_configuration configuration;
    space_configuration(s->space, point, &configuration);
    return prior_time_us(s->prior, &configuration) * 1e-6;
}

static void traits(void *context, size_t point, double *values) {
    struct session *s = context;
    struct tw_configuration configuration;
    space_configuration(s->space, point, &configuration);
    prior_traits(s->prior, &configuration, values);
}

static tw_status find_model(const struct session *s, const struct tw_model **model) {
    const struct tw_catalogue *catalogues[] = {s->options->hints, s->options->models};
    tw_status status = TW_OK;
    *model = NULL;
    for (size_t i = 0; i < sizeof catalogues / sizeof *catalogues && status == TW_OK; i++)
        if (catalogues[i] != NULL && *model == NULL)
            status = prior_model(catalogues[i], s->problem, s->device, s->options->cache, model,
                                 s->error);
    return status;
}

tw_status predictions_begin(struct session *s, const struct strategy_expectation **expectation) {
    const struct session_options *o = s->options;
    const struct tw_model *model;
    *expectation = NULL;
    if (o->no_prior || strcmp(o->strategy.kind->name, "auto") != 0 || space_size(s->space) == 0)
        return TW_OK;
    tw_status status = find_model(s, &model);
    if (status == TW_OK)
        status = prior_create(&s->prior, s->problem, s->values, s->device, s->space, model, o->seed,
                              s->error);
    if (status != TW_OK)
        return status;
    s->result->prior.used = true;
    s->result->prior.of_model = model != NULL;
    s->expectation =
        (struct strategy_expectation){.seconds = model != NULL ? expected_seconds : NULL,
                                      .context = s,
                                      .trait_count = PRIOR_TRAITS,
                                      .traits = traits};
    *expectation = &s->expectation;
    return TW_OK;
}

tw_status predictions_queue(struct session *s) {
    if (s->prior == NULL)
        return TW_OK;
    tw_status status = queue_first(s);
    return status == TW_OK ? order_first(s) : status;
}

/* ---- Putting off ---- */

/* What is predicted and what is measured hardly agree. */
static tw_status is_refuted(struct session *s, bool *refuted) {
    tw_status status = predictions_sum_up(s);
    *refuted = s->pair_count >= TELLING && s->result->prior.rank_correlation < DISAGREES;
    return status;
}

tw_status predictions_put_off(struct session *s, size_t point, int in_a_row, bool *put_off) {
    bool refuted = false;
    *put_off = s->prior != NULL && s->result->trials_now < START && in_a_row < IN_A_ROW &&
               prior_doubts(s->prior, point);
    tw_status status = *put_off ? is_refuted(s, &refuted) : TW_OK;
    *put_off &= !refuted;
    if (status != TW_OK || !*put_off)
        return status;
    size_t *later = realloc(s->later, (s->later_count + 1) * sizeof *later);
    if (later == NULL)
        return tw_fail(s->error, TW_NO_MEMORY, "out of memory");
    s->later = later;
    s->later[s->later_count++] = point;
    s->result->prior.put_off++;
    return TW_OK;
}

size_t predictions_take_later(struct session *s) {
    return s->later_count > 0 ? s->later[--s->later_count] : SPACE_NONE;
}

/* ---- How right it was ---- */

tw_status predictions_note(struct session *s, const struct trial *trial) {
    if (s->prior == NULL || trial->status != TW_DB_TRIAL_OK)
        return TW_OK;
    double predicted = prior_time_us(s->prior, &trial->configuration);
    if (!isfinite(predicted))
        return TW_OK;
    double *pairs = realloc(s->pairs, (s->pair_count + 1) * 2 * sizeof *pairs);
    if (pairs == NULL)
        return tw_fail(s->error, TW_NO_MEMORY, "out of memory");
    s->pairs = pairs;
    pairs[2 * s->pair_count] = predicted;
    pairs[2 * s->pair_count++ + 1] = trial->time_us;
    return TW_OK;
}

tw_status predictions_sum_up(struct session *s) {
    size_t count = s->pair_count;
    double *room = calloc(5 * count + 1, sizeof *room);
    if (room == NULL)
        return tw_fail(s->error, TW_NO_MEMORY, "out of memory");
    for (size_t i = 0; i < count; i++) {
        room[i] = s->pairs[2 * i];
        room[count + i] = s->pairs[2 * i + 1];
    }
    s->result->prior.trials = (int64_t)count;
    s->result->prior.rank_correlation =
        correlation_ranks(room, room + count, count, room + 2 * count);
    free(room);
    return TW_OK;
}

void predictions_end(struct session *s) {
    prior_free(s->prior);
    free(s->later);
    free(s->pairs);
}

#include "runtime/select/ranked.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/select/ahead.h"
#include "runtime/select/together.h"

/* Where a dimension changes from one request to the next a compile is not the last one: there what
 * is preferred for its binary may be so much further from the best. */
static const double WHERE_SIZES_CHANGE = 2;

static void put_first(struct tw_ranking *ranking, size_t i) {
    const struct tw_candidate candidate = ranking->all[i];
    memmove(&ranking->all[1], &ranking->all[0], i * sizeof candidate);
    ranking->all[0] = candidate;
}

/* Whether one is predicted to be about as fast as the best, to within so many times what the query
 * tolerates, and about as surely: at one deviation to the worse to within that once more. Where
 * nothing is tolerated no other is close, however it is predicted. */
static bool is_close(const struct tw_ranking *ranking, const struct tw_candidate *candidate,
                     double times) {
    const struct tw_candidate *best = &ranking->all[0];
    const double most = 1 + times * ranking->search->query->tolerance;
    return candidate->predicted_us <= most * best->predicted_us &&
           tw_candidate_at_worst(candidate) <= most * most * tw_candidate_at_worst(best);
}

/* The first of those that are close and need no compiler; what is loaded is cheaper to find than
 * what is on the disk. */
static bool prefer_ready(struct tw_ranking *ranking) {
    const struct tw_query *query = ranking->search->query;
    const double times = query->settled         ? TW_TOGETHER_TIMES
                         : query->changing != 0 ? WHERE_SIZES_CHANGE
                                                : 1;
    for (enum tw_ready where = TW_READY_LOADED; where <= TW_READY_ON_DISK; where++)
        for (size_t i = 0; i < ranking->count; i++) {
            const struct tw_candidate *candidate = &ranking->all[i];
            if (!is_close(ranking, candidate, times) ||
                !query->ready(query->context, &candidate->configuration, where))
                continue;
            put_first(ranking, i);
            ranking->all[0].ready = i > 0;
            return true;
        }
    return false;
}

/* If one has to be compiled, it had better do for the sizes that are asked for next. */
static void prefer_lasting(struct tw_ranking *ranking) {
    bool close[TW_MOST_RANKED];
    for (size_t i = 0; i < ranking->count; i++)
        close[i] = is_close(ranking, &ranking->all[i], WHERE_SIZES_CHANGE);
    size_t best = tw_search_ahead(ranking, close);
    put_first(ranking, best);
    ranking->all[0].lasting = best > 0;
}

/* Puts one before all that saves compiling, if it is predicted to be about as fast as the best. */
static void prefer(struct tw_ranking *ranking) {
    const struct tw_query *query = ranking->search->query;
    if (query->ready != NULL && ranking->count > 1 && !prefer_ready(ranking) &&
        query->changing != 0)
        prefer_lasting(ranking);
}

static void note_others(const struct tw_ranking *ranking, size_t chosen,
                        struct tw_selection *selection) {
    for (size_t i = 0; i < ranking->count && selection->other_count < TW_SELECTION_OTHERS; i++) {
        const struct tw_candidate *other = &ranking->all[i];
        if (i != chosen)
            selection->others[selection->other_count++] = (struct tw_selection_other){
                .rule = other->rule,
                .row = other->rule != TW_SELECTED_PREDICTED ? other->row : NULL,
                .configuration = other->configuration,
                .predicted_us = other->predicted_us,
                .uncertainty = other->uncertainty};
    }
}

static bool choose(struct tw_ranking *ranking) {
    struct tw_search *search = ranking->search;
    struct tw_selection *selection = ranking->selection;
    for (size_t i = 0; i < ranking->count; i++) {
        const struct tw_candidate *candidate = &ranking->all[i];
        struct tw_error why;
        if (search->attempts >= TW_SELECT_ATTEMPTS || search->lack.status != TW_OK)
            return false;
        tw_status status = TW_OK;
        if (candidate->row != NULL)
            status =
                tw_search_note_lack(search, tw_search_current(search, candidate->row, &why), &why);
        if (status == TW_OK)
            status = tw_search_accept(search, &candidate->configuration, &why);
        if (status != TW_OK) {
            if (candidate->row != NULL && candidate->rule != TW_SELECTED_PREDICTED)
                tw_search_refuse(selection, candidate->row, &why);
            continue;
        }
        selection->rule = candidate->rule;
        selection->row = candidate->rule != TW_SELECTED_PREDICTED ? candidate->row : NULL;
        selection->distance = candidate->distance;
        selection->configuration = candidate->configuration;
        selection->predicted_us = candidate->predicted_us;
        selection->uncertainty = candidate->uncertainty;
        selection->ready = candidate->ready;
        selection->lasting = candidate->lasting;
        note_others(ranking, i, selection);
        return true;
    }
    return false;
}

tw_status tw_search_ranked(struct tw_search *search, struct tw_selection *selection, bool *found,
                           struct tw_error *error) {
    struct tw_ranking *ranking = malloc(sizeof *ranking);
    if (ranking == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    tw_status status = tw_ranking_fill(ranking, search, selection, error);
    if (status == TW_OK) {
        if (search->query->together != NULL)
            tw_together_note(search->query->together, ranking);
        else
            prefer(ranking);
        *found = choose(ranking);
        /* One that is further than what is chosen would not have been missed. */
        if (ranking->unfit.row != NULL &&
            (!*found || ranking->unfit.distance <= selection->distance))
            tw_search_refuse(selection, ranking->unfit.row, &ranking->why);
    }
    free(ranking);
    return status;
}

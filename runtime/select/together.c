#include "runtime/select/together.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/variant/made_of.h"

/* What a binary loses where it takes twice as long as the best, or cannot be had: no more is told
 * apart. As the logarithm of a time. */
static const double MOST_LOST = 0.7;
/* Binaries that are told apart; those of later problems that are none of them are not chosen. */
enum { MOST_BUILDS = 512, MOST_CHOSEN = 32 };
/* Times that each of the chosen is exchanged for what is better beside the others. */
enum { EXCHANGES = 3 };

struct build {
    char of[TW_HASH_SIZE];
    bool ready;
    struct tw_together_choice best; /* where it loses least */
    double least;
    double lost[TW_TOGETHER_PROBLEMS];
};

struct tw_together {
    size_t count, build_count;
    double alone, worth; /* of what is chosen now */
    struct build builds[MOST_BUILDS];
};

struct tw_together *tw_together_create(void) {
    return calloc(1, sizeof(struct tw_together));
}

void tw_together_free(struct tw_together *together) {
    free(together);
}

static struct build *build_of(struct tw_together *together, const struct tw_search *search,
                              const struct tw_configuration *configuration) {
    int64_t values[TW_MAX_SYMBOLS];
    char of[TW_HASH_SIZE];
    size_t i = 0;
    memcpy(values, search->values, sizeof values);
    if (tw_made_of(search->device, search->problem, configuration, values, of, NULL) != TW_OK)
        return NULL;
    while (i < together->build_count && strcmp(together->builds[i].of, of) != 0)
        i++;
    struct build *build = &together->builds[i];
    if (i == MOST_BUILDS)
        return NULL;
    if (i == together->build_count) {
        const struct tw_query *query = search->query;
        memcpy(build->of, of, sizeof of);
        build->least = INFINITY;
        build->ready =
            query->ready != NULL && query->ready(query->context, configuration, TW_READY_LOADED);
        for (size_t k = 0; k < TW_TOGETHER_PROBLEMS; k++)
            build->lost[k] = MOST_LOST;
        together->build_count++;
    }
    return build;
}

void tw_together_note(struct tw_together *together, const struct tw_ranking *ranking) {
    if (together->count == TW_TOGETHER_PROBLEMS || ranking->count == 0)
        return;
    for (size_t k = 0; k < ranking->count; k++) {
        const struct tw_candidate *candidate = &ranking->all[k];
        /* The first is the best at one deviation to the worse, and so are the others told apart. */
        const double lost =
            log(tw_candidate_at_worst(candidate) / tw_candidate_at_worst(&ranking->all[0]));
        struct build *build = lost < MOST_LOST
                                  ? build_of(together, ranking->search, &candidate->configuration)
                                  : NULL;
        if (build == NULL)
            continue;
        build->lost[together->count] = fmin(build->lost[together->count], lost);
        if (lost < build->least) {
            build->least = lost;
            build->best = (struct tw_together_choice){ranking->search->query->problem_index,
                                                      candidate->configuration};
        }
    }
    together->count++;
}

/* What loses so much gets a binary of its own when it is asked for, which costs as one that is
 * chosen does. */
static double cost_of(const struct tw_together *together, double lost) {
    return lost > together->alone ? fmax(lost, together->worth) : lost;
}

/* What the loss costs with what is there and the chosen, but for one of them. */
static void lost_with(const struct tw_together *together, const size_t *chosen, size_t count,
                      size_t without, double *lost) {
    for (size_t p = 0; p < together->count; p++) {
        lost[p] = MOST_LOST;
        for (size_t i = 0; i < together->build_count; i++)
            if (together->builds[i].ready)
                lost[p] = fmin(lost[p], together->builds[i].lost[p]);
        for (size_t i = 0; i < count; i++)
            if (i != without)
                lost[p] = fmin(lost[p], together->builds[chosen[i]].lost[p]);
        lost[p] = cost_of(together, lost[p]);
    }
}

/* The build that saves most of what is lost: of two alike the one that was noted first. */
static size_t best_beside(const struct tw_together *together, const double *lost, double *saved) {
    size_t best = 0;
    *saved = 0;
    for (size_t i = 0; i < together->build_count; i++) {
        double saves = 0;
        for (size_t p = 0; p < together->count; p++)
            saves += fmax(0, lost[p] - cost_of(together, together->builds[i].lost[p]));
        if (saves > *saved) {
            *saved = saves;
            best = i;
        }
    }
    return best;
}

size_t tw_together_choose(struct tw_together *together, double worth, double alone,
                          struct tw_together_choice *chosen, size_t room) {
    size_t of[MOST_CHOSEN], count = 0;
    double lost[TW_TOGETHER_PROBLEMS], saved;
    const size_t most = room < MOST_CHOSEN ? room : MOST_CHOSEN;
    together->alone = alone;
    together->worth = worth;
    while (count < most) {
        lost_with(together, of, count, count, lost);
        size_t best = best_beside(together, lost, &saved);
        if (saved <= 0 || saved < worth)
            break;
        of[count++] = best;
        for (size_t k = 0; k < EXCHANGES * count; k++) {
            lost_with(together, of, count, k % count, lost);
            best = best_beside(together, lost, &saved);
            if (saved > 0)
                of[k % count] = best;
        }
    }
    for (size_t i = 0; i < count; i++)
        chosen[i] = together->builds[of[i]].best;
    return count;
}

#include "runtime/select/ahead.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/variant/made_of.h"

/* Other sizes of a dimension: for most of them tiles end otherwise, but vectors divide them as they
 * divide this one. Growing sizes are what a choice has to last for. */
static const struct {
    int64_t times, by, more;
} elsewhere[] = {{1, 2, 0}, {2, 1, 16}, {4, 1, 0}, {8, 1, 16}};
enum { VECTORS = 16, TILES = 32 };

/* What a binary loses where it does not do at all, or takes far longer than the best: there another
 * will be compiled, whichever this one is. As the logarithm of a time. */
static const double MOST_LOST = 0.3;
/* Candidates whose sources are looked at. */
enum { MOST_LOOKED_AT = 64 };

typedef char key[TW_HASH_SIZE];

/* What is chosen from: the candidates that are close, and what is there. */
struct ahead {
    const struct tw_ranking *ranking;
    size_t count;
    struct {
        size_t index;
        bool ready;
        key of;
        double lost; /* over the sizes so far, beside what is ready */
    } all[MOST_LOOKED_AT];
};

static bool made_of(const struct tw_search *search, const struct tw_configuration *configuration,
                    key of) {
    int64_t values[TW_MAX_SYMBOLS];
    memcpy(values, search->values, sizeof values);
    return tw_made_of(search->device, search->problem, configuration, values, of, NULL) == TW_OK;
}

/* Whether it is there. On the disk nothing close is, or it would have been taken, and what else
 * lies there takes longer to find than it is worth. */
static bool is_ready(const struct tw_query *query, const struct tw_configuration *configuration) {
    return query->ready(query->context, configuration, TW_READY_LOADED);
}

static void gather(struct ahead *ahead, const bool *close) {
    const struct tw_ranking *ranking = ahead->ranking;
    for (size_t i = 0; i < ranking->count && ahead->count < MOST_LOOKED_AT; i++) {
        const struct tw_configuration *configuration = &ranking->all[i].configuration;
        bool ready = is_ready(ranking->search->query, configuration);
        if ((!close[i] && !ready) ||
            !made_of(ranking->search, configuration, ahead->all[ahead->count].of))
            continue;
        ahead->all[ahead->count].index = i;
        ahead->all[ahead->count].ready = ready;
        ahead->all[ahead->count++].lost = 0;
    }
}

/* What each would lose at a problem that was ranked. Parameters of a launch may differ there: it is
 * the binary that lasts. */
static void weigh(struct ahead *ahead, const struct tw_ranking *there) {
    double lost[MOST_LOOKED_AT], with_ready = MOST_LOST;
    for (size_t i = 0; i < ahead->count; i++)
        lost[i] = MOST_LOST;
    for (size_t k = 0; k < there->count; k++) {
        double here = log(there->all[k].predicted_us / there->all[0].predicted_us);
        key of;
        if (here >= MOST_LOST || !made_of(there->search, &there->all[k].configuration, of))
            continue;
        for (size_t i = 0; i < ahead->count; i++)
            if (here < lost[i] && strcmp(of, ahead->all[i].of) == 0)
                lost[i] = fmax(here, 0);
    }
    for (size_t i = 0; i < ahead->count; i++)
        if (ahead->all[i].ready)
            with_ready = fmin(with_ready, lost[i]);
    for (size_t i = 0; i < ahead->count; i++)
        ahead->all[i].lost += fmin(lost[i], with_ready);
}

static int64_t common(int64_t a, int64_t b) {
    return b == 0 ? a : common(b, a % b);
}

static int64_t size_of(int64_t here, size_t other) {
    const int64_t step = common(here, VECTORS);
    int64_t size = here * elsewhere[other].times / elsewhere[other].by / step * step;
    size += elsewhere[other].more;
    while (size % TILES == 0 && here % TILES != 0)
        size += step;
    return size;
}

/* Strides other than the default belong to the sizes of the query and to no others. */
static bool rank(struct tw_ranking *ranking, struct tw_search *search) {
    struct tw_selection selection = {0};
    for (int i = 0; i < search->problem->description->dimension_count; i++)
        search->log_dimensions[i] = log2((double)search->problem->dimensions[i]);
    return tw_problem_bind(search->problem, search->slots, NULL, search->values, NULL) == TW_OK &&
           tw_ranking_fill(ranking, search, &selection, NULL) == TW_OK && ranking->count > 0;
}

static void look_elsewhere(struct ahead *ahead, struct tw_ranking *there) {
    const struct tw_search *search = ahead->ranking->search;
    for (int i = 0; i < search->problem->description->dimension_count; i++)
        for (size_t k = 0; k < sizeof elsewhere / sizeof *elsewhere; k++) {
            struct tw_problem problem = *search->problem;
            struct tw_search other = *search;
            other.problem = &problem;
            problem.dimensions[i] = size_of(problem.dimensions[i], k);
            if ((search->query->changing >> i & 1) != 0 && problem.dimensions[i] >= 1 &&
                problem.dimensions[i] != search->problem->dimensions[i] && rank(there, &other))
                weigh(ahead, there);
        }
}

size_t tw_search_ahead(const struct tw_ranking *ranking, const bool *close) {
    struct ahead ahead = {.ranking = ranking};
    size_t best = 0, choices = 0;
    for (size_t i = 0; i < ranking->count; i++)
        choices += close[i];
    if (choices < 2) /* the first is close to itself */
        return 0;
    struct tw_ranking *there = malloc(sizeof *there);
    /* Without the room for it the first of them is as good as without looking. */
    if (there == NULL)
        return 0;
    gather(&ahead, close);
    weigh(&ahead, ranking);
    look_elsewhere(&ahead, there);
    free(there);
    for (size_t i = 0; i < ahead.count; i++)
        if (close[ahead.all[i].index] &&
            (!close[ahead.all[best].index] || ahead.all[i].lost < ahead.all[best].lost))
            best = i;
    return ahead.count > 0 && close[ahead.all[best].index] ? ahead.all[best].index : 0;
}

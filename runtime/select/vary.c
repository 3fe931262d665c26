#include "runtime/select/vary.h"

#include <math.h>

#include "runtime/select/look.h"

/* Of so many binaries that are near the best other launches are looked at, and taken where they are
 * predicted to be so much faster. */
static const double MAY_BE_BEST = 1.25, WORTH_VARYING = 0.96;
/* What is looked for among predictions is partly their errors: of what launches so found were
 * predicted to gain, as a logarithm, so much is there (docs/notes/2026-11-24-series.md). */
static const double IS_THERE = 0.75;

/* Whether the model knows the implementation with such a value, on problems of this kind. */
static bool is_usual(const struct tw_ranking *ranking, size_t count, int implementation,
                     int parameter, int64_t value) {
    for (size_t i = 0; i < count; i++)
        if (ranking->all[i].configuration.implementation == implementation &&
            ranking->all[i].configuration.values[parameter] == value)
            return true;
    return false;
}

/* So many values on either side are asked about before it is known where it goes on: as many as may
 * be worse before nothing is looked for behind them. */
enum { REACH = 2 };

/* The launches of a binary: one parameter after the other goes from value to value as long as the
 * time falls, first upwards. */
struct search {
    const struct tw_candidate *from;
    uint64_t held; /* of its constraints: what other launches change nothing of */
    struct tw_configuration best;
    double as_it_is; /* by the model alone, as all times here; infinite: not asked yet, or it cannot
                        be had */
    int parameter;   /* that is gone through; as many as there are: all were */
    int direction;
    int at;                       /* its value that is the best so far, at first the one it has:
                                     every configuration's is one that the description lists */
    double times[TW_MAX_CHOICES]; /* infinite for what cannot be had here, is passed over or was not
                                     asked about yet */
    bool are_usual[TW_MAX_CHOICES], are_asked[TW_MAX_CHOICES];
};

/* What all searches ask next, together: a model's trees lie far apart, and are gone through once.
 */
struct round {
    size_t count;
    struct tw_model_case cases[TW_MOST_VARIED * (2 * REACH + 1)];
    double *times[TW_MOST_VARIED * (2 * REACH + 1)]; /* where each answer goes */
};

static const struct tw_implementation *implementation_of(const struct tw_ranking *ranking,
                                                         const struct search *search) {
    return &ranking->search->problem->description
                ->implementations[search->from->configuration.implementation];
}

/* ---- Asking ---- */

static void ask(struct round *round, struct tw_ranking *ranking, struct search *search, int i) {
    struct tw_configuration other = search->best;
    struct tw_look here;
    search->are_asked[i] = true;
    other.values[search->parameter] =
        implementation_of(ranking, search)->parameters[search->parameter].values[i];
    if (tw_search_note_lack(ranking->search,
                            tw_look_here(&here, ranking, &other, search->held, NULL),
                            NULL) != TW_OK)
        return;
    tw_ranking_see_other(ranking, &other, &here, &round->cases[round->count]);
    round->times[round->count++] = &search->times[i];
}

static void ask_within_reach(struct round *round, struct tw_ranking *ranking,
                             struct search *search) {
    const int count = implementation_of(ranking, search)->parameters[search->parameter].count;
    for (int direction = -1; direction <= 1; direction += 2) {
        int at = search->at + direction;
        for (int left = REACH; at >= 0 && at < count && left > 0; at += direction) {
            if (!search->are_usual[at])
                continue;
            left--;
            if (!search->are_asked[at])
                ask(round, ranking, search, at);
        }
    }
}

static void answer(struct round *round, struct tw_ranking *ranking) {
    if (round->count > 0)
        tw_ranking_answer_others(ranking, round->cases, round->count);
    for (size_t i = 0; i < round->count; i++)
        *round->times[i] = round->cases[i].time_us;
    round->count = 0;
}

/* ---- Going on ---- */

/* Goes to the next parameter of the launch from where it stands; false: there is none. `count`
 * candidates tell which values are usual. */
static bool begin_next(const struct tw_ranking *ranking, size_t count, struct search *search,
                       double least) {
    const struct tw_implementation *in = implementation_of(ranking, search);
    while (++search->parameter < in->parameter_count && !in->parameters[search->parameter].launch)
        ;
    if (search->parameter == in->parameter_count)
        return false;
    const struct tw_parameter *of = &in->parameters[search->parameter];
    search->direction = 1;
    search->at = 0;
    for (int i = 0; i < of->count; i++) {
        const int64_t value = of->values[i];
        const bool is_best = value == search->best.values[search->parameter];
        search->times[i] = is_best ? least : INFINITY;
        search->are_asked[i] = is_best;
        search->are_usual[i] = is_best || is_usual(ranking, count, search->best.implementation,
                                                   search->parameter, value);
        if (is_best)
            search->at = i;
    }
    return true;
}

/* Goes to the first value in its direction that takes less, over one that does not; false: there is
 * none. */
static bool step(struct search *search, int value_count) {
    int worse = 0;
    for (int at = search->at + search->direction; at >= 0 && at < value_count && worse < REACH;
         at += search->direction) {
        if (!search->are_usual[at])
            continue;
        if (search->times[at] < search->times[search->at]) {
            search->at = at;
            return true;
        }
        worse++;
    }
    return false;
}

/* Goes as far as what was answered leads; false: it has ended. */
static bool go_on(const struct tw_ranking *ranking, size_t count, struct search *search) {
    const struct tw_parameter *of =
        &implementation_of(ranking, search)->parameters[search->parameter];
    if (isinf(search->as_it_is)) {
        search->as_it_is = search->times[search->at];
        if (isinf(search->as_it_is))
            return false;
    }
    while (!step(search, of->count)) {
        if (search->direction < 0) {
            search->best.values[search->parameter] = of->values[search->at];
            return begin_next(ranking, count, search, search->times[search->at]);
        }
        search->direction = -1;
    }
    return true;
}

/* ---- All of them ---- */

/* The binaries that are the best as they are, and have parameters of the launch. */
static size_t begin(const struct tw_ranking *ranking, struct search *searches) {
    const struct tw_description *d = ranking->search->problem->description;
    size_t of[TW_MOST_VARIED], binaries = 0, begun = 0;
    for (size_t i = 0; i < ranking->count && binaries < TW_MOST_VARIED; i++) {
        const struct tw_candidate *candidate = &ranking->all[i];
        size_t k = 0;
        if (tw_candidate_at_worst(candidate) > MAY_BE_BEST * tw_candidate_at_worst(ranking->all))
            break;
        while (k < binaries && !tw_configuration_same_binary(d, &candidate->configuration,
                                                             &ranking->all[of[k]].configuration))
            k++;
        if (candidate->row == NULL || k < binaries)
            continue;
        of[binaries++] = i;
        struct search *search = &searches[begun];
        const double known = candidate->model_us > 0 ? candidate->model_us : INFINITY;
        search->from = candidate;
        search->held = candidate->held & ~implementation_of(ranking, search)->launch_constraints;
        search->best = candidate->configuration;
        search->as_it_is = known;
        search->parameter = -1;
        begun += begin_next(ranking, ranking->count, search, known);
    }
    return begun;
}

/* The same binary with parameters of the launch that the model says are better here, as one more
 * candidate: a model knows a few values of each, and the best of them depends on the sizes. */
static void add(struct tw_ranking *ranking, const struct search *search, double least) {
    struct tw_candidate varied = *search->from;
    varied.configuration = search->best;
    if (isinf(search->as_it_is) || least > WORTH_VARYING * search->as_it_is ||
        tw_ranking_has(ranking, &varied.configuration))
        return;
    varied.rule = TW_SELECTED_PREDICTED;
    varied.predicted_us *= pow(least / search->as_it_is, IS_THERE);
    ranking->all[ranking->count++] = varied;
}

void tw_ranking_vary(struct tw_ranking *ranking) {
    struct search searches[TW_MOST_VARIED];
    struct round round = {.count = 0};
    const size_t count = ranking->count, begun = begin(ranking, searches);
    bool are_on[TW_MOST_VARIED];
    for (size_t i = 0; i < begun; i++) {
        are_on[i] = true;
        if (isinf(searches[i].as_it_is))
            ask(&round, ranking, &searches[i], searches[i].at);
    }
    for (bool is_any_on = begun > 0; is_any_on;) {
        for (size_t i = 0; i < begun; i++)
            if (are_on[i])
                ask_within_reach(&round, ranking, &searches[i]);
        answer(&round, ranking);
        is_any_on = false;
        for (size_t i = 0; i < begun; i++) {
            are_on[i] = are_on[i] && go_on(ranking, count, &searches[i]);
            is_any_on |= are_on[i];
        }
    }
    for (size_t i = 0; i < begun; i++)
        add(ranking, &searches[i], searches[i].times[searches[i].at]);
}

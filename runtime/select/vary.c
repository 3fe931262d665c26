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

static double ask_one(struct tw_ranking *ranking, const struct tw_candidate *candidate,
                      uint64_t held) {
    struct tw_look here;
    const tw_status status = tw_search_note_lack(
        ranking->search, tw_look_here(&here, ranking, &candidate->configuration, held, NULL), NULL);
    return status == TW_OK ? tw_ranking_ask(ranking, &candidate->configuration, &here) : INFINITY;
}

/* Launches of a binary that differ in one parameter. */
struct launches {
    struct tw_ranking *ranking;
    size_t count; /* candidates of the ranking that tell which values are usual */
    uint64_t held;
    struct tw_configuration best;
    int parameter;
    const struct tw_parameter *of;
    double times[TW_MAX_CHOICES]; /* by the model alone; infinite for what cannot be had here, is
                                     passed over or was not asked about yet */
    bool are_usual[TW_MAX_CHOICES], are_asked[TW_MAX_CHOICES];
    int at; /* the value that is the best so far */
};

static void begin(struct launches *launches, double least) {
    launches->of = &launches->ranking->search->problem->description
                        ->implementations[launches->best.implementation]
                        .parameters[launches->parameter];
    for (int i = 0; i < launches->of->count; i++) {
        const int64_t value = launches->of->values[i];
        const bool is_best = value == launches->best.values[launches->parameter];
        launches->times[i] = is_best ? least : INFINITY;
        launches->are_asked[i] = is_best;
        launches->are_usual[i] =
            is_best || is_usual(launches->ranking, launches->count, launches->best.implementation,
                                launches->parameter, value);
        if (is_best)
            launches->at = i;
    }
}

/* What the model is to be asked about a value; false: the launch cannot be had with it. */
static bool see(struct launches *launches, int i, struct tw_model_case *seen) {
    struct tw_configuration other = launches->best;
    struct tw_look here;
    launches->are_asked[i] = true;
    other.values[launches->parameter] = launches->of->values[i];
    if (tw_search_note_lack(launches->ranking->search,
                            tw_look_here(&here, launches->ranking, &other, launches->held, NULL),
                            NULL) != TW_OK)
        return false;
    tw_ranking_see_other(launches->ranking, &other, &here, seen);
    return true;
}

/* So many values on either side are asked about before it is known where it goes on: as many as may
 * be worse before nothing is looked for behind them. */
enum { REACH = 2 };

/* Asks about those within reach that were not, all together: a model's trees lie far apart, and are
 * gone through once. */
static void ask_within_reach(struct launches *launches) {
    struct tw_model_case cases[2 * REACH];
    int of[2 * REACH], asked = 0;
    for (int direction = -1; direction <= 1; direction += 2) {
        int at = launches->at + direction;
        for (int left = REACH; at >= 0 && at < launches->of->count && left > 0; at += direction) {
            if (!launches->are_usual[at])
                continue;
            left--;
            if (!launches->are_asked[at] && see(launches, at, &cases[asked]))
                of[asked++] = at;
        }
    }
    if (asked > 0)
        tw_ranking_answer_others(launches->ranking, cases, (size_t)asked);
    for (int i = 0; i < asked; i++)
        launches->times[of[i]] = cases[i].time_us;
}

/* Goes to the first value in a direction that takes less, over one that does not; false: there is
 * none. */
static bool step(struct launches *launches, int direction) {
    int worse = 0;
    for (int at = launches->at + direction; at >= 0 && at < launches->of->count && worse < REACH;
         at += direction) {
        if (!launches->are_usual[at])
            continue;
        if (launches->times[at] < launches->times[launches->at]) {
            launches->at = at;
            return true;
        }
        worse++;
    }
    return false;
}

/* Goes on from value to value as long as the time falls, first upwards. */
static void find_least(struct launches *launches) {
    for (int direction = 1; direction >= -1; direction -= 2)
        do {
            ask_within_reach(launches);
        } while (step(launches, direction));
}

/* The same binary with parameters of the launch that the model says are better here, as one more
 * candidate: a model knows a few values of each, and the best of them depends on the sizes. */
static void vary(struct tw_ranking *ranking, size_t count, const struct tw_candidate *from) {
    const struct tw_description *d = ranking->search->problem->description;
    const struct tw_implementation *in = &d->implementations[from->configuration.implementation];
    /* What other launches change nothing of. */
    const uint64_t held = from->held & ~in->launch_constraints;
    struct tw_candidate varied = *from;
    double as_it_is = INFINITY, least = INFINITY;
    for (int i = 0; i < in->parameter_count; i++) {
        if (!in->parameters[i].launch)
            continue;
        if (isinf(as_it_is))
            least = as_it_is = from->model_us > 0 ? from->model_us : ask_one(ranking, from, held);
        struct launches launches = {.ranking = ranking,
                                    .count = count,
                                    .held = held,
                                    .best = varied.configuration,
                                    .parameter = i};
        begin(&launches, least);
        find_least(&launches);
        least = launches.times[launches.at];
        varied.configuration.values[i] = in->parameters[i].values[launches.at];
    }
    if (isinf(as_it_is) || least > WORTH_VARYING * as_it_is)
        return;
    if (tw_ranking_has(ranking, &varied.configuration))
        return;
    varied.rule = TW_SELECTED_PREDICTED;
    varied.predicted_us *= pow(least / as_it_is, IS_THERE);
    ranking->all[ranking->count++] = varied;
}

/* Those that are the best as they are. */
void tw_ranking_vary(struct tw_ranking *ranking) {
    const size_t count = ranking->count;
    size_t of[TW_MOST_VARIED], binaries = 0;
    for (size_t i = 0; i < count && binaries < TW_MOST_VARIED; i++) {
        const struct tw_candidate *candidate = &ranking->all[i];
        size_t k = 0;
        if (tw_candidate_at_worst(candidate) > MAY_BE_BEST * tw_candidate_at_worst(ranking->all))
            return;
        while (k < binaries && !tw_configuration_same_binary(ranking->search->problem->description,
                                                             &candidate->configuration,
                                                             &ranking->all[of[k]].configuration))
            k++;
        if (candidate->row == NULL || k < binaries)
            continue;
        of[binaries++] = i;
        vary(ranking, count, candidate);
    }
}

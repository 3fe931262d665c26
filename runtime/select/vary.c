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
    const struct tw_parameter *parameter;
    int at;                         /* the value that is the best so far */
    double times[TW_MAX_CHOICES];   /* by the model alone; infinite for what cannot be had here */
    bool are_usual[TW_MAX_CHOICES]; /* others are passed over */
};

/* All values are asked about together: a model's trees lie far apart, and are gone through once. */
static void ask_about(struct tw_ranking *ranking, size_t count, int parameter, uint64_t held,
                      const struct tw_configuration *best, double least,
                      struct launches *launches) {
    const struct tw_search *search = ranking->search;
    struct tw_model_case cases[TW_MAX_CHOICES];
    int of[TW_MAX_CHOICES], asked = 0;
    struct tw_configuration other = *best;
    const struct tw_parameter *p = launches->parameter =
        &search->problem->description->implementations[best->implementation].parameters[parameter];
    for (int i = 0; i < p->count; i++) {
        struct tw_look here;
        const bool is_best = p->values[i] == best->values[parameter];
        launches->times[i] = is_best ? least : INFINITY;
        launches->are_usual[i] =
            is_best || is_usual(ranking, count, best->implementation, parameter, p->values[i]);
        if (is_best)
            launches->at = i;
        if (is_best || !launches->are_usual[i])
            continue;
        other.values[parameter] = p->values[i];
        if (tw_search_note_lack(ranking->search, tw_look_here(&here, ranking, &other, held, NULL),
                                NULL) != TW_OK)
            continue;
        tw_ranking_see_other(ranking, &other, &here, &cases[asked]);
        of[asked++] = i;
    }
    tw_ranking_answer_others(ranking, cases, (size_t)asked);
    for (int i = 0; i < asked; i++)
        launches->times[of[i]] = cases[i].time_us;
}

/* Goes on from value to value as long as the time falls; one that does not may be stepped over. */
static void step(struct launches *launches, int direction) {
    double least = launches->times[launches->at];
    int worse = 0;
    for (int at = launches->at + direction; at >= 0 && at < launches->parameter->count && worse < 2;
         at += direction) {
        if (!launches->are_usual[at])
            continue;
        worse = launches->times[at] < least ? 0 : worse + 1;
        if (launches->times[at] < least) {
            least = launches->times[at];
            launches->at = at;
        }
    }
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
    struct launches launches;
    for (int i = 0; i < in->parameter_count; i++) {
        if (!in->parameters[i].launch)
            continue;
        if (isinf(as_it_is))
            least = as_it_is = from->model_us > 0 ? from->model_us : ask_one(ranking, from, held);
        ask_about(ranking, count, i, held, &varied.configuration, least, &launches);
        step(&launches, 1);
        step(&launches, -1);
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

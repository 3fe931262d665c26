#include "runtime/select/vary.h"

#include <math.h>

#include "runtime/select/look.h"

/* Of so many binaries that are near the best other launches are looked at, and taken where they are
 * predicted to be so much faster. */
static const double MAY_BE_BEST = 1.25, WORTH_VARYING = 0.96;
/* What is looked for among predictions is partly their errors: of what launches so found were
 * predicted to gain, as a logarithm, so much is there (docs/notes/2026-11-24-series.md). */
static const double IS_THERE = 0.75;

/* By the model alone; infinite for what cannot be had here. */
static double ask_about(struct tw_ranking *ranking, const struct tw_configuration *configuration,
                        uint64_t held) {
    struct tw_look here;
    tw_status status = tw_search_note_lack(
        ranking->search, tw_look_here(&here, ranking, configuration, held, NULL), NULL);
    return status == TW_OK ? tw_ranking_ask(ranking, configuration, &here) : INFINITY;
}

/* Whether the model knows the implementation with such a value, on problems of this kind. */
static bool is_usual(const struct tw_ranking *ranking, size_t count, int implementation,
                     int parameter, int64_t value) {
    for (size_t i = 0; i < count; i++)
        if (ranking->all[i].configuration.implementation == implementation &&
            ranking->all[i].configuration.values[parameter] == value)
            return true;
    return false;
}

/* Goes on from value to value as long as the time falls; one that does not may be stepped over. */
static void step(struct tw_ranking *ranking, size_t count, int parameter, int direction,
                 uint64_t held, struct tw_configuration *best, double *least) {
    const int implementation = best->implementation;
    const struct tw_parameter *p =
        &ranking->search->problem->description->implementations[implementation]
             .parameters[parameter];
    struct tw_configuration other = *best;
    int at = 0, worse = 0;
    while (at < p->count && p->values[at] != best->values[parameter])
        at++;
    for (at += direction; at >= 0 && at < p->count && worse < 2; at += direction) {
        if (!is_usual(ranking, count, implementation, parameter, p->values[at]))
            continue;
        other.values[parameter] = p->values[at];
        double time = ask_about(ranking, &other, held);
        worse = time < *least ? 0 : worse + 1;
        if (time < *least) {
            *least = time;
            *best = other;
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
    for (int i = 0; i < in->parameter_count; i++) {
        if (!in->parameters[i].launch)
            continue;
        if (isinf(as_it_is))
            least = as_it_is = from->model_us > 0 ? from->model_us
                                                  : ask_about(ranking, &from->configuration, held);
        step(ranking, count, i, 1, held, &varied.configuration, &least);
        step(ranking, count, i, -1, held, &varied.configuration, &least);
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

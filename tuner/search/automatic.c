/* What searches unless another is asked for, by the space. Variable-neighbourhood descent and
 * Bayesian optimisation take turns, by chance, and each learns what came of the other's proposals:
 * the model soon sees hills that descent would not come to, and descent in the end finds needles
 * that the model smooths over. The more is known, the more trials go to best-first search: the best
 * of a space is mostly a neighbour of some other good point, and what tries all of those cannot
 * miss it by chance. What is expected of points beforehand is for the model.
 *
 * The shares move with the trials told, and not with how many there will be: shares chosen for
 * budgets of 25, 50, 100 and 400 trials were no better
 * (docs/notes/2026-11-22-strategies.md). */
#include <math.h>
#include <stdlib.h>

#include "tuner/search/rng.h"
#include "tuner/search/strategies.h"

enum {
    PARTS = 3,
    CENTRAL = 3, /* first proposals that are drawn from the middle, each of so many: */
    DRAWN = 16
};

/* Where there is one implementation the model takes no blind steps, which descent takes; of several
 * the others are climbed by those, and in such large spaces it leaves the last percent of a hill to
 * the others, who would else climb few. It weighs thousands of points however many are known: with
 * the few hundred that are usual a seed of a hundred stayed 6% from the best of 10,773. Descent's
 * patience counts the model's trials too. */
enum { DESCENT, PROCESS, COMPLETE };
static const char *const words[PARTS] = {
    [DESCENT] = "vnd:patience=16",
    [PROCESS] = "bayesian:blind=0,random=0.02,candidates=8192,work=1000000",
    [COMPLETE] = "bestfirst:initial=1"};
static const char several[] =
    "bayesian:random=0.02,margin=0.01,candidates=8192,work=1000000,strays=0.1";
/* There so much is left of the share of best-first search: a hill has hundreds of neighbours, and
 * the trials are better spent on finding another. */
static const double OF_SEVERAL = 0.25;

enum { MODEL, HALVED, NEIGHBOURS, LATER };
static const struct strategy_setting settings[] = {
    [MODEL] = {"model", 0.8, 0, 1, false, "share of proposals by Bayesian optimisation, at first"},
    [HALVED] = {"halved", 1000, 1, 1e6, false, "ok trials until half of that share"},
    [NEIGHBOURS] = {"neighbours", 0.4, 0, 1, false,
                    "share by best-first search in the long run; of several implementations a "
                    "quarter"},
    [LATER] = {"later", 200, 1, 1e6, false, "ok trials until half of that share"},
    {0},
};

struct automatic {
    const struct strategy *strategy;
    struct rng rng;
    size_t asked;
    double ok;         /* trials */
    double neighbours; /* best-first search's share in the long run */
    int count;
    struct strategy *parts[PARTS];
};

static void destroy(void *state) {
    struct automatic *a = state;
    if (a == NULL)
        return;
    for (int i = 0; i < a->count; i++)
        strategy_free(a->parts[i]);
    free(a);
}

/* Whether the points are of more than one implementation. */
static bool has_several(const struct space *space) {
    return space_size(space) > 0 &&
           space_range(space, space_implementation(space, 0)).count < space_size(space);
}

/* What part i is. */
static const char *part(const struct space *space, int i) {
    return i == PROCESS && has_several(space) ? several : words[i];
}

static tw_status create(void **state, const struct strategy *strategy, uint64_t seed,
                        struct tw_error *error) {
    const struct space *space = strategy_space(strategy);
    struct automatic *a = calloc(1, sizeof *a);
    *state = NULL;
    if (a == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    a->strategy = strategy;
    a->rng.state = seed;
    a->neighbours = strategy_value(strategy, NEIGHBOURS);
    if (has_several(space))
        a->neighbours *= OF_SEVERAL;
    tw_status status = TW_OK;
    while (status == TW_OK && a->count < PARTS) {
        struct strategy_choice choice;
        status = strategy_choose(&choice, part(space, a->count), error);
        if (status == TW_OK)
            status = strategy_create(&a->parts[a->count], &choice, space,
                                     strategy_expectation(strategy), rng_next(&a->rng), error);
        a->count += status == TW_OK;
    }
    if (status != TW_OK)
        destroy(a);
    else
        *state = a;
    return status;
}

/* Of a few points at random the one in the middle of most ranges, whose ends are seldom good. Of
 * one implementation only: to draw from several is more than to draw a point (sampler.h). */
static size_t central(struct automatic *a) {
    const struct space *space = strategy_space(a->strategy);
    size_t best = SPACE_NONE;
    double least = INFINITY;
    for (int i = 0; i < DRAWN; i++) {
        size_t point = rng_below(&a->rng, space_size(space));
        int implementation = space_implementation(space, point);
        const unsigned char *ranks = space_coordinates(space, point);
        double distance = 0;
        if (space_range(space, implementation).count < space_size(space))
            return SPACE_NONE;
        for (int axis = 0; axis < space_axes(space, implementation); axis++) {
            double x = (ranks[axis] + 0.5) / space_axis(space, implementation, axis)->count;
            distance += (x - 0.5) * (x - 0.5);
        }
        if (distance < least && !strategy_seen(a->strategy, point)) {
            best = point;
            least = distance;
        }
    }
    return best;
}

static size_t propose(void *state) {
    struct automatic *a = state;
    if (a->asked++ < CENTRAL) {
        size_t point = central(a);
        for (int i = 0; i < a->count && point != SPACE_NONE; i++)
            strategy_avoid(a->parts[i], point);
        if (point != SPACE_NONE)
            return point;
    }
    double halved = strategy_value(a->strategy, HALVED);
    double model = strategy_value(a->strategy, MODEL) * halved / (halved + a->ok);
    double later = strategy_value(a->strategy, LATER);
    double complete = a->neighbours * a->ok / (a->ok + later);
    int turn = DESCENT;
    if (rng_unit(&a->rng) < complete)
        turn = COMPLETE;
    else if (rng_unit(&a->rng) < model)
        turn = PROCESS;
    size_t point = SPACE_NONE;
    strategy_ask(a->parts[turn], &point);
    for (int i = 0; i < a->count && point != SPACE_NONE; i++)
        strategy_avoid(a->parts[i], point);
    return point;
}

static void learn(void *state, size_t point, const struct strategy_outcome *outcome) {
    struct automatic *a = state;
    a->ok += outcome->ok;
    for (int i = 0; i < a->count; i++)
        strategy_tell(a->parts[i], point, outcome);
}

const struct strategy_kind strategy_automatic = {
    .name = "auto",
    .summary = "descent and Bayesian optimisation in turns",
    .settings = settings,
    .create = create,
    .propose = propose,
    .learn = learn,
    .destroy = destroy,
};

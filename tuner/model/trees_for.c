#include "tuner/model/trees_for.h"

enum { MANY_TRIALS = 50000 };
/* A tree for so many trials: what is worth knowing of one more kind of problem takes more of them,
 * and each costs whoever reads the model. */
enum { TRIALS_A_TREE = 32, LEAST_TREES = 160, MOST_TREES = 400 };
/* What is grown on an earlier model has less to say, and every selection walks down all of them: of
 * 25,000 trials, 160 said no more than 80, and 300 less; of 55,000, 160 deep ones choose better,
 * and 240 as well as 160. Deep ones learn more slowly: of 64,000 trials they choose better so, and
 * 320 no better than 160. */
enum { TREES_MORE = 80, DEEP_TREES_MORE = 160 };
static const double DEEP_RATE_MORE = 0.05;

static const struct boost_options USUAL = {
    .depth = 6, .least = 5, .rate = 0.1, .ridge = 1, .samples = 0.7, .features = 0.7};
static const struct boost_options DEEP = {
    .depth = 8, .least = 8, .rate = 0.1, .ridge = 1, .samples = 0.7, .features = 0.5};

static int trees_by(int trials) {
    const int trees = trials / TRIALS_A_TREE;
    return trees < LEAST_TREES ? LEAST_TREES : trees < MOST_TREES ? trees : MOST_TREES;
}

bool trials_are_many(int trials) {
    return trials >= MANY_TRIALS;
}

struct boost_options trees_for(int trials, bool grows_on) {
    const bool many = trials_are_many(trials);
    struct boost_options options = many ? DEEP : USUAL;
    if (!grows_on) {
        options.trees = trees_by(trials);
        return options;
    }
    options.trees = many ? DEEP_TREES_MORE : TREES_MORE;
    options.rate = many ? DEEP_RATE_MORE : options.rate;
    /* The mean of what is new is not that of all that an earlier model speaks of. */
    options.from_zero = true;
    return options;
}

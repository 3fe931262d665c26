#include "tuner/search/prior.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/backend/devices.h"
#include "tuner/search/rng.h"
#include "tuner/search/step.h"

enum { SAMPLE = 2048 /* points, which take about 20 ms */ };
/* Of each implementation so many of the sample are climbed from, so many steps, by what a model
 * says: its best of a large space is in no sample of it. */
enum { CLIMBS = 16, STEPS = 24 };

/* Estimates are rough: what they put this far behind the best is seldom near it. */
static const double HOPELESS = 4;

struct guess {
    size_t point;
    double time_us;
};

struct prior {
    const struct tw_problem *problem;
    struct tw_problem asked; /* the problem in the model's words */
    int kind;                /* of it, among the model's */
    const struct tw_device_info *device;
    const struct space *space;
    const struct tw_model *model;   /* NULL: the estimate alone */
    int64_t values[TW_MAX_SYMBOLS]; /* bound for the problem */
    struct tw_model_view *views;    /* by implementation; NULL without a model */
    size_t count;                   /* of those that can be predicted */
    struct guess guesses[];         /* the fastest first */
};

/* ---- The model ---- */

tw_status prior_model(const struct tw_catalogue *catalogue, const struct tw_problem *problem,
                      const struct tw_device_info *device, const char *cache,
                      const struct tw_model **model, struct tw_error *error) {
    char fingerprint[256];
    tw_device_fingerprint(device, fingerprint);
    *model = NULL;
    for (int elsewhere = 0; elsewhere < 2; elsewhere++) {
        for (size_t i = 0; i < tw_catalogue_models(catalogue); i++) {
            const struct tw_model_subject *subject = tw_catalogue_model_subject(catalogue, i);
            const struct tw_catalogue_model *read;
            struct tw_error why;
            bool here = strcmp(subject->device, fingerprint) == 0;
            if (strcmp(subject->kernel, problem->description->kernel) != 0 ||
                strcmp(subject->cache, cache) != 0 || here != (elsewhere == 0))
                continue;
            tw_status status = tw_catalogue_model(catalogue, i, &read, &why);
            if (status == TW_NO_MEMORY)
                return tw_fail(error, status, "%s", why.message);
            /* One that cannot be read is told of by selection and by tune model show. */
            if (status != TW_OK)
                continue;
            bool alike = strcmp(read->model->backend, device->backend) == 0 &&
                         strcmp(read->model->architecture, device->architecture) == 0;
            if ((here || alike) && tw_model_kind(read->model, problem) >= 0) {
                *model = read->model;
                return TW_OK;
            }
        }
    }
    return TW_OK;
}

/* ---- Predictions ---- */

static bool work_out(const struct prior *prior, const struct tw_configuration *configuration,
                     struct tw_features *features, struct tw_estimate *estimate) {
    struct tw_error unknown;
    int64_t values[TW_MAX_SYMBOLS];
    memcpy(values, prior->values, sizeof values);
    if (tw_configuration_bind(prior->problem->description, configuration, values, &unknown) !=
            TW_OK ||
        tw_features_of(prior->problem, configuration, values, prior->device, 0, features,
                       &unknown) != TW_OK)
        return false;
    tw_estimate_of(features, prior->device, estimate);
    return true;
}

double prior_time_us(struct prior *prior, const struct tw_configuration *configuration) {
    struct tw_features features;
    struct tw_estimate estimate;
    double vector[TW_MODEL_MAX_FEATURES];
    if (!work_out(prior, configuration, &features, &estimate))
        return INFINITY;
    double time_us = tw_estimate_total(&estimate);
    if (prior->model != NULL) {
        tw_model_vector(prior->model, &prior->views[configuration->implementation], &prior->asked,
                        configuration, &features, &estimate, vector);
        time_us = tw_model_predict(prior->model, prior->kind, vector, &estimate);
    }
    return time_us > 0 ? time_us : INFINITY;
}

void prior_traits(struct prior *prior, const struct tw_configuration *configuration,
                  double traits[PRIOR_TRAITS]) {
    struct tw_features f;
    struct tw_estimate e;
    if (!work_out(prior, configuration, &f, &e)) {
        memset(traits, 0, PRIOR_TRAITS * sizeof *traits);
        return;
    }
    const double active = fmin(f.per_unit * f.balance, f.resident) * f.threads;
    const double all[] = {f.blocks,  f.threads, f.resident, f.use, f.per_unit,
                          f.balance, e.compute, e.memory,   active};
    _Static_assert(sizeof all / sizeof *all == PRIOR_TRAITS, "all of them");
    for (int i = 0; i < PRIOR_TRAITS; i++)
        traits[i] = log(fmax(all[i], 1e-12));
}

static double time_of(struct prior *prior, size_t point) {
    struct tw_configuration configuration;
    space_configuration(prior->space, point, &configuration);
    return prior_time_us(prior, &configuration);
}

static int compare(const void *left, const void *right) {
    const struct guess *a = left, *b = right;
    if (a->time_us != b->time_us)
        return a->time_us < b->time_us ? -1 : 1;
    return (a->point > b->point) - (a->point < b->point);
}

struct climb {
    struct prior *prior;
    struct guess best;
};

static void weigh(void *context, size_t point) {
    struct climb *climb = context;
    double time_us = time_of(climb->prior, point);
    if (time_us < climb->best.time_us)
        climb->best = (struct guess){point, time_us};
}

/* To where no neighbour should be faster. */
static struct guess climb_from(struct prior *prior, struct guess guess) {
    struct climb climb = {prior, guess};
    for (int step = 0; step < STEPS; step++) {
        size_t before = climb.best.point;
        step_neighbours(prior->space, before, weigh, &climb);
        if (climb.best.point == before)
            break;
    }
    return climb.best;
}

/* From the fastest of each implementation; the guesses are sorted. */
static void climb(struct prior *prior) {
    int climbed[TW_MAX_IMPLEMENTATIONS] = {0};
    size_t sampled = prior->count;
    for (size_t g = 0; g < sampled; g++) {
        const struct guess *guess = &prior->guesses[g];
        int implementation = space_implementation(prior->space, guess->point);
        if (climbed[implementation]++ < CLIMBS)
            prior->guesses[prior->count++] = climb_from(prior, *guess);
    }
    qsort(prior->guesses, prior->count, sizeof prior->guesses[0], compare);
}

/* All points of a space that is small enough; of a larger one as many of each implementation, for
 * the largest is not the likeliest. */
static void look(struct prior *prior, uint64_t seed) {
    struct rng rng = {seed};
    int implementations = space_implementations(prior->space), used = 0;
    for (int i = 0; i < implementations; i++)
        used += space_range(prior->space, i).count > 0;
    for (int i = 0; i < implementations; i++) {
        struct space_range range = space_range(prior->space, i);
        size_t most = SAMPLE / (size_t)(used > 0 ? used : 1);
        bool all = range.count <= most || space_size(prior->space) <= SAMPLE;
        for (size_t k = 0; k < (all ? range.count : most); k++) {
            size_t point = range.first + (all ? k : rng_below(&rng, range.count));
            double time_us = time_of(prior, point);
            if (isfinite(time_us))
                prior->guesses[prior->count++] = (struct guess){point, time_us};
        }
    }
    qsort(prior->guesses, prior->count, sizeof prior->guesses[0], compare);
}

tw_status prior_create(struct prior **out, const struct tw_problem *problem, const int64_t *values,
                       const struct tw_device_info *device, const struct space *space,
                       const struct tw_model *model, uint64_t seed, struct tw_error *error) {
    const struct tw_description *d = problem->description;
    *out = NULL;
    const size_t most = SAMPLE + CLIMBS * (size_t)d->implementation_count;
    struct prior *prior = calloc(1, sizeof *prior + most * sizeof prior->guesses[0]);
    if (prior == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    prior->problem = problem;
    prior->device = device;
    prior->space = space;
    prior->model = model;
    if (model != NULL) {
        prior->kind = tw_model_kind(model, problem);
        prior->asked = tw_model_problem(model, prior->kind, problem);
    }
    memcpy(prior->values, values, sizeof prior->values);
    if (model != NULL)
        prior->views = calloc((size_t)d->implementation_count, sizeof *prior->views);
    if (model != NULL && prior->views == NULL) {
        free(prior);
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    }
    for (int i = 0; model != NULL && i < d->implementation_count; i++)
        tw_model_look(model, d, i, &prior->views[i]);
    if (space != NULL)
        look(prior, seed);
    if (space != NULL && model != NULL)
        climb(prior);
    *out = prior;
    return TW_OK;
}

void prior_free(struct prior *prior) {
    if (prior != NULL)
        free(prior->views);
    free(prior);
}

/* ---- What follows from them ---- */

int prior_first(const struct prior *prior, size_t points[PRIOR_FIRST]) {
    struct {
        int implementation;
        double time_us;
    } taken[PRIOR_FIRST];
    int count = 0, used = 0;
    for (int i = 0; i < space_implementations(prior->space); i++)
        used += space_range(prior->space, i).count > 0;
    for (size_t g = 0; g < prior->count && count < PRIOR_FIRST; g++) {
        const struct guess *guess = &prior->guesses[g];
        int implementation = space_implementation(prior->space, guess->point), of_it = 0;
        bool known = false;
        for (int i = 0; i < count; i++) {
            of_it += taken[i].implementation == implementation;
            known |=
                taken[i].implementation == implementation && taken[i].time_us == guess->time_us;
        }
        if (known || (used > 1 && of_it >= PRIOR_FIRST / 2))
            continue;
        taken[count].implementation = implementation;
        taken[count].time_us = guess->time_us;
        points[count++] = guess->point;
    }
    return count;
}

bool prior_doubts(struct prior *prior, size_t point) {
    return prior->count > 0 && time_of(prior, point) > HOPELESS * prior->guesses[0].time_us;
}

#include "tuner/record/best_predicted.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "runtime/backend/devices.h"
#include "tuner/search/prior.h"

/* Of each problem so many, for each has to be compiled: what is hoped of one is measured on others
 * too. */
enum { OF_A_PROBLEM = 3, MOST_THREADS = 64 };

/* What is hoped of one problem. */
struct hopes {
    struct tw_configuration configurations[OF_A_PROBLEM];
    int count;
};

struct looking {
    const struct record_options *options;
    const struct tw_problem *problems;
    const struct tw_device_info *device;
    int problem_count;
    struct hopes *hopes; /* by problem */
    atomic_int next;
    atomic_bool failed;
    pthread_mutex_t lock; /* of the error */
    struct tw_error *error;
};

static tw_status find_model(const struct looking *l, const struct tw_problem *problem,
                            const struct tw_model **model, struct tw_error *error) {
    const struct tw_catalogue *catalogues[] = {l->options->models, l->options->other_models};
    tw_status status = TW_OK;
    *model = NULL;
    for (size_t i = 0; i < sizeof catalogues / sizeof *catalogues && status == TW_OK; i++)
        if (catalogues[i] != NULL && *model == NULL)
            status =
                prior_model(catalogues[i], problem, l->device, l->options->cache, model, error);
    return status;
}

static tw_status look_at(const struct looking *l, int index, struct tw_error *error) {
    const struct tw_problem *problem = &l->problems[index];
    struct hopes *hopes = &l->hopes[index];
    const struct tw_model *model;
    int64_t slots[TW_DEVICE_SLOTS], values[TW_MAX_SYMBOLS];
    struct space *space = NULL;
    struct prior *prior = NULL;
    size_t points[PRIOR_FIRST];
    tw_status status = find_model(l, problem, &model, error);
    if (status != TW_OK || model == NULL)
        return status;
    tw_device_values(l->device, slots);
    status = tw_problem_bind(problem, slots, NULL, values, error);
    if (status == TW_OK)
        status = space_create(&space, problem, l->device, NULL, error);
    if (status == TW_OK)
        status =
            prior_create(&prior, problem, values, l->device, space, model, l->options->seed, error);
    if (status == TW_OK)
        for (int count = prior_first(prior, points);
             hopes->count < count && hopes->count < OF_A_PROBLEM; hopes->count++)
            space_configuration(space, points[hopes->count], &hopes->configurations[hopes->count]);
    prior_free(prior);
    space_free(space);
    return status;
}

static void *look(void *context) {
    struct looking *l = context;
    int index;
    while (!atomic_load(&l->failed) && !*l->options->interrupted &&
           (index = atomic_fetch_add(&l->next, 1)) < l->problem_count) {
        struct tw_error error;
        if (look_at(l, index, &error) == TW_OK)
            continue;
        pthread_mutex_lock(&l->lock);
        if (!atomic_exchange(&l->failed, true))
            *l->error = error;
        pthread_mutex_unlock(&l->lock);
    }
    return NULL;
}

static void look_beside(struct looking *l) {
    pthread_t threads[MOST_THREADS];
    int count = 0;
    while (count < MOST_THREADS && count + 1 < l->options->jobs && count + 1 < l->problem_count &&
           pthread_create(&threads[count], NULL, look, l) == 0)
        count++;
    look(l);
    while (count > 0)
        pthread_join(threads[--count], NULL);
}

tw_status portfolio_add_best_predicted(struct portfolio *portfolio,
                                       const struct record_options *options,
                                       const struct tw_problem *problems, int problem_count,
                                       const struct tw_device_info *device,
                                       struct tw_error *error) {
    struct looking l = {.options = options,
                        .problems = problems,
                        .device = device,
                        .problem_count = problem_count,
                        .hopes = calloc((size_t)problem_count, sizeof *l.hopes),
                        .lock = PTHREAD_MUTEX_INITIALIZER,
                        .error = error};
    if (l.hopes == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    look_beside(&l);
    tw_status status = atomic_load(&l.failed) ? error->status : TW_OK;
    for (int i = 0; i < problem_count && status == TW_OK; i++)
        for (int k = 0; k < l.hopes[i].count && status == TW_OK; k++)
            status = portfolio_add(portfolio, problems[i].description,
                                   &l.hopes[i].configurations[k], error);
    free(l.hopes);
    return status;
}

#include "tuner/record/opinion.h"

#include <string.h>

tw_status opinion_open(struct opinion *opinion, const struct tw_catalogue *models,
                       const struct tw_problem *problem, const int64_t *values,
                       const struct tw_device_info *device, const char *cache,
                       struct tw_error *error) {
    *opinion = (struct opinion){.description = problem->description};
    tw_status status = TW_OK;
    if (models != NULL)
        status = prior_model(models, problem, device, cache, &opinion->model, error);
    if (status != TW_OK || opinion->model == NULL)
        return status;
    opinion->kind = tw_model_kind(opinion->model, problem);
    for (int i = 0; i < problem->description->implementation_count; i++)
        opinion->knows[i] = tw_model_knows(opinion->model, opinion->kind,
                                           problem->description->implementations[i].name);
    return prior_create(&opinion->prior, problem, values, device, NULL, opinion->model, 0, error);
}

void opinion_close(struct opinion *opinion) {
    prior_free(opinion->prior);
    *opinion = (struct opinion){0};
}

static bool is_familiar(const struct opinion *opinion, const char *implementation,
                        const char *configuration) {
    const struct tw_model *model = opinion->model;
    for (int i = 0; i < model->configuration_count; i++)
        if (strcmp(model->configurations[i].implementation, implementation) == 0 &&
            strcmp(model->configurations[i].configuration, configuration) == 0)
            return model->configurations[i].kinds >> opinion->kind & 1;
    return false;
}

double opinion_guess(const struct opinion *opinion, const struct tw_configuration *configuration) {
    return opinion->model != NULL ? prior_time_us(opinion->prior, configuration) : 0;
}

tw_status opinion_ask(const struct opinion *opinion, const struct tw_configuration *configuration,
                      double *predicted_us, struct tw_error *error) {
    const struct tw_description *d = opinion->description;
    struct tw_text text = {0};
    *predicted_us = 0;
    if (opinion->model == NULL)
        return TW_OK;
    tw_configuration_text(d, configuration, &text);
    tw_status status = text.failed ? tw_fail(error, TW_NO_MEMORY, "out of memory") : TW_OK;
    if (status == TW_OK &&
        is_familiar(opinion, d->implementations[configuration->implementation].name, text.data))
        *predicted_us = prior_time_us(opinion->prior, configuration);
    tw_text_free(&text);
    return status;
}

#include "tuner/model/reading.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/backend/devices.h"
#include "runtime/variant/geometry.h"

bool reading_lack(struct reading *r) {
    r->status = tw_fail(r->error, TW_NO_MEMORY, "out of memory");
    return false;
}

bool reading_grow(void **array, int count, int *room, size_t size) {
    if (count < *room)
        return true;
    int wanted = *room > 0 ? 2 * *room : 256;
    void *grown = realloc(*array, (size_t)wanted * size);
    if (grown == NULL)
        return false;
    *array = grown;
    *room = wanted;
    return true;
}

int reading_problem(struct reading *r, const char *key) {
    struct model_samples *s = r->samples;
    /* Trials come by problem, mostly. */
    for (int i = s->problem_count - 1; i >= 0; i--)
        if (strcmp(s->problems[i].key, key) == 0)
            return i;
    struct sampled_problem problem = {.best_us = INFINITY};
    if (tw_problem_read(&problem.problem, s->description, key, NULL) != TW_OK)
        return -1; /* of a description that it was then */
    problem.key = strdup(key);
    if (problem.key == NULL || !reading_grow((void **)&s->problems, s->problem_count,
                                             &r->problem_room, sizeof *s->problems)) {
        free(problem.key);
        reading_lack(r);
        return -1;
    }
    s->problems[s->problem_count] = problem;
    return s->problem_count++;
}

int reading_configuration(struct reading *r, const char *implementation, const char *text) {
    struct model_samples *s = r->samples;
    struct sampled_configuration added = {.nearest = INFINITY};
    int index = tw_description_implementation(s->description, implementation);
    if (index < 0 ||
        tw_configuration_parse(&added.configuration, s->description, index, text, NULL) != TW_OK)
        return -1;
    for (int i = 0; i < s->configuration_count; i++)
        if (tw_configuration_equal(s->description, &s->configurations[i].configuration,
                                   &added.configuration))
            return i;
    added.text = strdup(text);
    if (added.text == NULL || !reading_grow((void **)&s->configurations, s->configuration_count,
                                            &r->configuration_room, sizeof *s->configurations)) {
        free(added.text);
        reading_lack(r);
        return -1;
    }
    s->configurations[s->configuration_count] = added;
    return s->configuration_count++;
}

/* ---- As a model sees them ---- */

bool reading_look(const struct model_samples *s, struct sample *sample, double *vector) {
    const struct tw_problem *problem = &s->problems[sample->problem].problem;
    const struct tw_configuration *configuration =
        &s->configurations[sample->configuration].configuration;
    int64_t slots[TW_DEVICE_SLOTS], values[TW_MAX_SYMBOLS];
    struct tw_features features;
    struct tw_estimate estimate;
    tw_device_values(s->device, slots);
    if (tw_problem_bind(problem, slots, NULL, values, NULL) != TW_OK ||
        tw_configuration_bind(problem->description, configuration, values, NULL) != TW_OK ||
        tw_features_of(problem, configuration, values, s->device, 0, &features, NULL) != TW_OK)
        return false;
    tw_estimate_of(&features, s->device, &estimate);
    struct tw_model_view view;
    tw_model_look(&s->shape, problem->description, configuration->implementation, &view);
    tw_model_vector(&s->shape, &view, problem, configuration, &features, &estimate, vector);
    sample->estimate_us =
        model_grows_on(s)
            ? tw_model_predict(s->onto, tw_model_kind(s->onto, problem), vector, &estimate)
            : tw_estimate_total(&estimate);
    return true;
}

#include "tuner/model/places.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

/* ---- What was good ---- */

/* What came so near to the best of a problem is asked about around it, but no more than the best of
 * it: with a dozen each, a plan sees the configurations of few problems. */
static const double GOOD = 1.1;
enum { MOST_GOOD = 4 };

struct best_few {
    int count, samples[MOST_GOOD]; /* the fastest first */
};

static bool may_be_good(const struct model_samples *s, const struct model_choice *choice,
                        int sample) {
    const struct sample *one = &s->all[sample];
    const struct sampled_problem *problem = &s->problems[one->problem];
    return !problem->only_teaches && one->time_us <= GOOD * problem->best_us &&
           model_chooses(choice, choice->of_problem[one->problem], one->configuration);
}

static void put(const struct model_samples *s, struct best_few *few, int sample) {
    int at = few->count;
    while (at > 0 && s->all[sample].time_us < s->all[few->samples[at - 1]].time_us)
        at--;
    if (at == MOST_GOOD)
        return;
    few->count += few->count < MOST_GOOD;
    memmove(&few->samples[at + 1], &few->samples[at],
            (size_t)(few->count - 1 - at) * sizeof *few->samples);
    few->samples[at] = sample;
}

/* Marks those samples of which the problem is a place of the configuration: that is chosen for its
 * kind, and one of the best there. `used` NULL: of all. */
static bool mark_good(const struct model_samples *s, const struct model_choice *choice,
                      const bool *used, bool *good) {
    struct best_few *few = calloc((size_t)s->problem_count + 1, sizeof *few);
    if (few == NULL)
        return false;
    for (int i = 0; i < s->count; i++)
        if ((used == NULL || used[i]) && may_be_good(s, choice, i))
            put(s, &few[s->all[i].problem], i);
    for (int p = 0; p < s->problem_count; p++)
        for (int k = 0; k < few[p].count; k++)
            good[few[p].samples[k]] = true;
    free(few);
    return true;
}

/* ---- What a plan would ask about ---- */

/* A model of places and configurations alone, by which a plan finds what is near. */
static void free_asked(struct tw_model *model) {
    free(model->places);
    free(model->good);
    free(model->configurations);
    tw_model_free_map(model->map);
}

/* The earlier model's, where more is grown on it: a plan asks about what it says was good too. */
static int earlier_places(const struct model_samples *s) {
    return model_grows_on(s) ? s->onto->place_count : 0;
}

static bool take_earlier(struct tw_model *model, const struct model_samples *s, int *good) {
    const struct tw_model *onto = s->onto;
    const int places = earlier_places(s);
    int *numbers = calloc(places > 0 ? (size_t)onto->configuration_count : 1, sizeof *numbers);
    if (numbers == NULL)
        return false;
    for (int c = 0; c < s->configuration_count && places > 0; c++)
        if (s->configurations[c].earlier != NULL)
            numbers[s->configurations[c].earlier - onto->configurations] = c + 1;
    *good = 0;
    for (int p = 0; p < places; p++) {
        struct tw_model_place *place = &model->places[p];
        const int *from = &onto->good[onto->places[p].first_configuration];
        *place = onto->places[p];
        place->first_configuration = *good;
        for (int i = 0; i < onto->places[p].count; i++)
            if (numbers[from[i]] > 0)
                model->good[(*good)++] = numbers[from[i]] - 1;
        place->count = *good - place->first_configuration;
    }
    free(numbers);
    return true;
}

/* Samples lie by problem, mostly, but nothing says so: they are counted first. */
static bool make_asked(struct tw_model *model, const struct model_samples *s,
                       const struct model_choice *choice, const bool *good) {
    const int dimensions = s->description->dimension_count, earlier = earlier_places(s);
    const size_t places = (size_t)s->problem_count + (size_t)earlier + 1;
    const size_t most_good = (size_t)s->count + (earlier > 0 ? (size_t)s->onto->near_count : 0) + 1;
    int first;
    *model = (struct tw_model){.dimension_count = dimensions,
                               .place_count = earlier + s->problem_count,
                               .configuration_count = s->configuration_count};
    model->places = calloc(places, sizeof *model->places);
    model->good = calloc(most_good, sizeof *model->good);
    model->configurations =
        calloc((size_t)s->configuration_count + 1, sizeof *model->configurations);
    if (model->places == NULL || model->good == NULL || model->configurations == NULL ||
        !take_earlier(model, s, &first))
        return false;
    for (int c = 0; c < s->configuration_count; c++)
        for (int k = 0; k < choice->kind_count; k++)
            if (model_chooses(choice, k, c))
                model->configurations[c].kinds |= UINT64_C(1) << k;
    struct tw_model_place *of_problems = &model->places[earlier];
    for (int i = 0; i < s->count; i++)
        if (good[i])
            of_problems[s->all[i].problem].count++;
    for (int p = 0; p < s->problem_count; p++) {
        struct tw_model_place *place = &of_problems[p];
        tw_model_place_put(place, choice->of_problem[p], s->problems[p].problem.dimensions,
                           dimensions);
        place->first_configuration = first;
        first += place->count;
        place->count = 0;
    }
    for (int i = 0; i < s->count; i++)
        if (good[i]) {
            struct tw_model_place *place = &of_problems[s->all[i].problem];
            model->good[place->first_configuration + place->count++] = s->all[i].configuration;
        }
    return tw_model_draw_map(model);
}

/* Which problem's configurations are marked, so that they are worked out once for its samples. */
struct marks {
    int problem;
    bool *configurations;
};

static bool mark(struct marks *marks, const struct tw_model *model, const struct model_samples *s,
                 const struct model_choice *choice, int problem) {
    int near[TW_MODEL_MOST_NEAR];
    const int count =
        tw_model_near(model, choice->of_problem[problem], s->problems[problem].problem.dimensions,
                      TW_MODEL_MOST_NEAR, near);
    memset(marks->configurations, 0,
           (size_t)s->configuration_count * sizeof *marks->configurations);
    for (int i = 0; i < count; i++)
        marks->configurations[near[i]] = true;
    marks->problem = problem;
    return count >= 0;
}

tw_status model_places_ask(const struct model_samples *s, const struct model_choice *choice,
                           const bool *used, bool *asked, struct tw_error *error) {
    struct tw_model model;
    struct marks marks = {
        .problem = -1,
        .configurations = calloc((size_t)s->configuration_count + 1, sizeof *marks.configurations)};
    bool *good = calloc((size_t)s->count + 1, sizeof *good);
    bool there = good != NULL && mark_good(s, choice, used, good);
    there = make_asked(&model, s, choice, good) && there && marks.configurations != NULL;
    for (int i = 0; i < s->count && there; i++) {
        const int problem = s->all[i].problem;
        if (used[i])
            continue;
        if (choice->of_problem[problem] < 0)
            asked[i] = false;
        else if (!tw_model_has_places(&model, choice->of_problem[problem]))
            asked[i] = model_chooses(choice, choice->of_problem[problem], s->all[i].configuration);
        else {
            there = problem == marks.problem || mark(&marks, &model, s, choice, problem);
            asked[i] = there && marks.configurations[s->all[i].configuration];
        }
    }
    free_asked(&model);
    free(good);
    free(marks.configurations);
    return there ? TW_OK : tw_fail(error, TW_NO_MEMORY, "out of memory");
}

/* ---- As a file has them ---- */

static void begin_place(int number, struct tw_text *text) {
    tw_text_print(text, "%s  \"", number > 0 ? ",\n" : " \"places\": [\n");
}

/* As the earlier model's file has them. */
static int write_earlier(const struct model_samples *s, int *numbers, struct tw_text *text) {
    const cJSON *places =
        s->onto != NULL ? cJSON_GetObjectItemCaseSensitive(s->onto->json, "places") : NULL;
    const cJSON *place = places != NULL ? places->child : NULL;
    int count = 0;
    for (int p = 0; place != NULL; p++, place = place->next) {
        numbers[p] = -1;
        if (s->anew && (s->kept >> s->onto->places[p].kind & 1) == 0)
            continue;
        begin_place(count, text);
        tw_text_print(text, "%s\"", place->valuestring);
        numbers[p] = count++;
    }
    return count;
}

tw_status model_places_write(const struct model_samples *s, const struct model_choice *choice,
                             struct place_numbers *numbers, struct tw_text *text,
                             struct tw_error *error) {
    const size_t earlier = s->onto != NULL ? (size_t)s->onto->place_count : 0;
    numbers->of_problems = calloc((size_t)s->problem_count + 1, sizeof *numbers->of_problems);
    numbers->of_earlier = calloc(earlier + 1, sizeof *numbers->of_earlier);
    numbers->good = calloc((size_t)s->count + 1, sizeof *numbers->good);
    if (numbers->of_problems == NULL || numbers->of_earlier == NULL || numbers->good == NULL ||
        !mark_good(s, choice, NULL, numbers->good))
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    int count = write_earlier(s, numbers->of_earlier, text);
    for (int i = 0; i < s->count; i++)
        if (numbers->good[i])
            numbers->of_problems[s->all[i].problem] = 1;
    for (int p = 0; p < s->problem_count; p++) {
        const bool is_one = numbers->of_problems[p] == 1;
        numbers->of_problems[p] = -1;
        if (!is_one)
            continue;
        if (count == TW_MODEL_MAX_PLACES)
            return tw_fail(error, TW_INVALID,
                           "a model says of %d problems at most what was good there; fit it to the "
                           "trials of fewer",
                           TW_MODEL_MAX_PLACES);
        begin_place(count, text);
        tw_text_print(text, "%d", choice->of_problem[p]);
        for (int i = 0; i < s->description->dimension_count; i++)
            tw_text_print(text, " %" PRId64, s->problems[p].problem.dimensions[i]);
        tw_text_print(text, "\"");
        numbers->of_problems[p] = count++;
    }
    tw_text_print(text, "%s", count > 0 ? "\n ],\n" : "");
    return TW_OK;
}

void place_numbers_free(struct place_numbers *numbers) {
    free(numbers->of_problems);
    free(numbers->of_earlier);
    free(numbers->good);
    *numbers = (struct place_numbers){0};
}

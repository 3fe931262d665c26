#include "tuner/model/anchors.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "tuner/model/grown_forests.h"

/* ---- One of them ---- */

/* `time_us` 0: what the earlier model says. */
static bool add_anchor(struct reading *r, int problem, int configuration, double time_us) {
    struct model_samples *s = r->samples;
    const size_t width = (size_t)s->shape.feature_count;
    struct sample sample = {.problem = problem, .configuration = configuration, .time_us = time_us};
    if (!reading_grow((void **)&s->all, s->count, &r->room, sizeof *s->all))
        return reading_lack(r);
    double *vectors = realloc(s->vectors, ((size_t)s->count + 1) * width * sizeof *vectors);
    if (vectors == NULL)
        return reading_lack(r);
    s->vectors = vectors;
    if (!reading_look(s, &sample, &vectors[(size_t)s->count * width]))
        return true;
    s->all[s->count++] = sample;
    s->anchors++;
    s->problems[problem].only_teaches = true;
    return true;
}

/* ---- Of what the file says ---- */

static bool has_others(const struct model_samples *s) {
    for (int i = 0; i < s->problem_count; i++)
        if (tw_model_kind(s->onto, &s->problems[i].problem) < 0)
            return true;
    return false;
}

/* Trees know kinds of problems by the same features: of those that have no trials, where they get
 * trees all the same, the earlier model is held to what it says, of what it chooses from on the
 * problems that its file names. */
static void hold_kinds_without_trials(struct reading *r) {
    struct model_samples *s = r->samples;
    const uint64_t held = s->kept & kinds_of_grown(s->onto, s->kept, has_others(s));
    for (int p = 0; p < s->problem_count; p++) {
        const int kind = tw_model_kind(s->onto, &s->problems[p].problem);
        if (kind < 0 || (held >> kind & 1) == 0)
            continue;
        for (int c = 0; c < s->configuration_count && r->status == TW_OK; c++)
            if ((s->configurations[c].before >> kind & 1) != 0)
                add_anchor(r, p, c, 0);
    }
}

/* Of the others it is held to what its file says was measured there: the trials may be of sizes as
 * it knows few of, and trees say something of all. */
static void hold_to_measured(struct reading *r) {
    struct model_samples *s = r->samples;
    for (int c = 0; c < s->configuration_count && r->status == TW_OK; c++) {
        const struct tw_model_configuration *earlier = s->configurations[c].earlier;
        const int p = earlier != NULL ? reading_problem(r, earlier->problem) : -1;
        if (p < 0 || (isfinite(s->problems[p].best_us) && !s->problems[p].only_teaches))
            continue;
        const int kind = tw_model_kind(s->onto, &s->problems[p].problem);
        if (kind >= 0 && (s->kept >> kind & 1) == 0)
            add_anchor(r, p, c, earlier->time_us);
    }
}

/* ---- Where nothing was recorded ---- */

/* What was recorded says something of a place that is no further away, in doublings of all
 * dimensions together; of others, trees would say what they learnt elsewhere. 1 and 1.25 are as
 * good (docs/notes/2026-11-29-held-where-nothing-was-recorded.md). */
static const double REACH = 1.5;
/* Of what a plan would ask about there, so many, from all of its order. */
enum { HELD_AT_A_PLACE = 8 };

static double distance(const struct tw_model_place *place, const struct tw_problem *problem) {
    double sum = 0;
    for (int i = 0; i < problem->description->dimension_count; i++) {
        const double apart = place->logs[i] - log2((double)problem->dimensions[i]);
        sum += apart * apart;
    }
    return sqrt(sum);
}

struct far {
    struct reading *reading;
    int recorded;        /* problems, the samples' first */
    int *kinds;          /* of each, by the earlier model; -1: it has no trials */
    int *configurations; /* of each of the earlier model's, the samples' */
};

static bool is_far(const struct far *far, const struct tw_model_place *place) {
    const struct model_samples *s = far->reading->samples;
    for (int p = 0; p < far->recorded; p++)
        if (far->kinds[p] == place->kind && distance(place, &s->problems[p].problem) <= REACH)
            return false;
    return true;
}

/* Of what a plan would ask the earlier model about there trees learn that they have nothing to add.
 * What its file has a time of there is held to that already. */
static void hold_place(const struct far *far, const struct tw_model_place *place,
                       const int64_t *sizes, const char *key) {
    struct reading *r = far->reading;
    struct model_samples *s = r->samples;
    int near[TW_MODEL_MOST_NEAR];
    const int p = reading_problem(r, key);
    if (p < 0 || tw_model_kind(s->onto, &s->problems[p].problem) != place->kind)
        return;
    const int count = tw_model_near(s->onto, place->kind, sizes, TW_MODEL_MOST_NEAR, near);
    if (count < 0)
        reading_lack(r);
    for (int i = 0; i < HELD_AT_A_PLACE && i < count && r->status == TW_OK; i++) {
        const int c =
            far->configurations[near[count < HELD_AT_A_PLACE ? i : i * count / HELD_AT_A_PLACE]];
        if (c >= 0 && strcmp(s->configurations[c].earlier->problem, key) != 0)
            add_anchor(r, p, c, 0);
    }
}

/* A place's problem as the model's file has it, "3 1024 512 64", and as its key. */
static void read_place(const struct model_samples *s, const struct tw_model_place *place,
                       const char *text, int64_t *sizes, char key[TW_PROBLEM_KEY_SIZE]) {
    char *at = strchr(text, ' ');
    size_t length = 0;
    for (int i = 0; i < s->description->dimension_count; i++) {
        sizes[i] = strtoll(at, &at, 10);
        length += (size_t)snprintf(&key[length], TW_PROBLEM_KEY_SIZE - length, "%s%s=%" PRId64,
                                   i > 0 ? "," : "", s->description->dimensions[i].name, sizes[i]);
    }
    snprintf(&key[length], TW_PROBLEM_KEY_SIZE - length, "%s",
             s->onto->kinds[place->kind].attributes);
}

static void find_recorded(struct far *far) {
    const struct model_samples *s = far->reading->samples;
    for (int p = 0; p < far->recorded; p++) {
        const struct sampled_problem *problem = &s->problems[p];
        far->kinds[p] = isfinite(problem->best_us) && !problem->only_teaches
                            ? tw_model_kind(s->onto, &problem->problem)
                            : -1;
    }
    for (int c = 0; c < s->onto->configuration_count; c++)
        far->configurations[c] = -1;
    for (int c = 0; c < s->configuration_count; c++)
        if (s->configurations[c].earlier != NULL)
            far->configurations[s->configurations[c].earlier - s->onto->configurations] = c;
}

/* Trees that are added speak of all problems of their kinds. Where the earlier model knows problems
 * and none was recorded near by, it goes on to say what it says. */
static void hold_far_places(struct reading *r) {
    struct model_samples *s = r->samples;
    const struct tw_model *onto = s->onto;
    struct far far = {.reading = r, .recorded = s->problem_count};
    far.kinds = calloc((size_t)far.recorded + 1, sizeof *far.kinds);
    far.configurations = calloc((size_t)onto->configuration_count + 1, sizeof *far.configurations);
    if (far.kinds == NULL || far.configurations == NULL)
        reading_lack(r);
    else
        find_recorded(&far);
    const cJSON *text = cJSON_GetObjectItemCaseSensitive(onto->json, "places");
    text = text != NULL ? text->child : NULL;
    for (int i = 0; text != NULL && r->status == TW_OK; i++, text = text->next) {
        const struct tw_model_place *place = &onto->places[i];
        int64_t sizes[TW_MAX_DIMENSIONS];
        char key[TW_PROBLEM_KEY_SIZE];
        if ((s->kept >> place->kind & 1) != 0 || !is_far(&far, place))
            continue;
        read_place(s, place, text->valuestring, sizes, key);
        hold_place(&far, place, sizes, key);
    }
    free(far.kinds);
    free(far.configurations);
}

/* ---- What the earlier model makes of them ---- */

/* Where the earlier model has two forests of a problem, what it says is what both say together. */
static bool join_earlier(struct model_samples *s) {
    const size_t width = (size_t)s->shape.feature_count;
    struct tw_model_first *first = calloc((size_t)s->problem_count + 1, sizeof *first);
    double *beside = calloc((size_t)s->count + 1, sizeof *beside);
    const bool there = first != NULL && beside != NULL;
    for (int i = 0; i < s->count && there; i++) {
        const struct sample *sample = &s->all[i];
        const int kind = tw_model_kind(s->onto, &s->problems[sample->problem].problem);
        if (!tw_model_has_both(s->onto, kind))
            continue;
        beside[i] = tw_model_predict_beside(s->onto, kind, &s->vectors[(size_t)i * width]);
        tw_model_note_first(&first[sample->problem], sample->estimate_us, beside[i]);
    }
    for (int i = 0; i < s->count && there; i++)
        s->all[i].estimate_us =
            tw_model_joined_us(&first[s->all[i].problem], s->all[i].estimate_us, beside[i]);
    free(first);
    free(beside);
    return there;
}

static void time_anchors(struct model_samples *s) {
    for (int i = s->count - s->anchors; i < s->count; i++) {
        struct sample *anchor = &s->all[i];
        struct sampled_problem *problem = &s->problems[anchor->problem];
        if (anchor->time_us == 0)
            anchor->time_us = anchor->estimate_us;
        problem->best_us = fmin(problem->best_us, anchor->time_us);
    }
}

tw_status anchors_add(struct reading *r) {
    hold_kinds_without_trials(r);
    hold_to_measured(r);
    hold_far_places(r);
    if (r->status == TW_OK && !join_earlier(r->samples))
        reading_lack(r);
    time_anchors(r->samples);
    return r->status;
}

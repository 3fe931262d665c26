#include "tuner/model/anchors.h"

#include <math.h>
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

static double distance(const struct tw_model_place *a, const struct tw_model_place *b,
                       int dimensions) {
    double sum = 0;
    for (int i = 0; i < dimensions; i++) {
        const double apart = a->logs[i] - b->logs[i];
        sum += apart * apart;
    }
    return sqrt(sum);
}

struct far {
    struct reading *reading;
    int count;
    struct tw_model_place *recorded; /* where the problems lie that have trials */
    int *configurations;             /* of each of the earlier model's, the samples'; or -1 */
};

static bool is_far(const struct far *far, const struct tw_model_place *place) {
    const int dimensions = far->reading->samples->description->dimension_count;
    for (int i = 0; i < far->count; i++)
        if (far->recorded[i].kind == place->kind &&
            distance(place, &far->recorded[i], dimensions) <= REACH)
            return false;
    return true;
}

/* A place as the model's file has it, "3 1024 512 64". False: today there is no such problem. */
static bool read_place(const struct model_samples *s, const char *text, int kind,
                       struct tw_problem *problem) {
    char *at = strchr(text, ' ');
    *problem = (struct tw_problem){.description = s->description};
    for (int i = 0; i < s->description->dimension_count; i++)
        problem->dimensions[i] = strtoll(at, &at, 10);
    return tw_problem_words(s->description, s->onto->kinds[kind].attributes, problem->words) &&
           tw_model_kind(s->onto, problem) == kind;
}

/* Of what a plan would ask the earlier model about there trees learn that they have nothing to add.
 * What its file has a time of there is held to that already. */
static void hold_place(const struct far *far, const struct tw_problem *problem, int kind) {
    struct reading *r = far->reading;
    struct model_samples *s = r->samples;
    int near[TW_MODEL_MOST_NEAR];
    char key[TW_PROBLEM_KEY_SIZE];
    tw_problem_key(problem, key);
    const int p = reading_problem(r, key);
    const int count =
        p < 0 ? 0 : tw_model_near(s->onto, kind, problem->dimensions, TW_MODEL_MOST_NEAR, near);
    if (count < 0)
        reading_lack(r);
    const int held = count < HELD_AT_A_PLACE ? count : HELD_AT_A_PLACE;
    for (int i = 0; i < held && r->status == TW_OK; i++) {
        const int c = far->configurations[near[i * count / held]];
        if (c >= 0 && strcmp(s->configurations[c].earlier->problem, key) != 0)
            add_anchor(r, p, c, 0);
    }
}

static void find_recorded(struct far *far) {
    const struct model_samples *s = far->reading->samples;
    for (int p = 0; p < s->problem_count; p++) {
        const struct sampled_problem *problem = &s->problems[p];
        if (isfinite(problem->best_us) && !problem->only_teaches)
            tw_model_place_put(&far->recorded[far->count++],
                               tw_model_kind(s->onto, &problem->problem),
                               problem->problem.dimensions, s->description->dimension_count);
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
    struct far far = {.reading = r};
    far.recorded = calloc((size_t)s->problem_count + 1, sizeof *far.recorded);
    far.configurations = calloc((size_t)onto->configuration_count + 1, sizeof *far.configurations);
    if (far.recorded == NULL || far.configurations == NULL)
        reading_lack(r);
    else
        find_recorded(&far);
    const cJSON *text = cJSON_GetObjectItemCaseSensitive(onto->json, "places");
    text = text != NULL ? text->child : NULL;
    for (int i = 0; text != NULL && r->status == TW_OK; i++, text = text->next) {
        const struct tw_model_place *place = &onto->places[i];
        struct tw_problem problem;
        if ((s->kept >> place->kind & 1) == 0 && is_far(&far, place) &&
            read_place(s, text->valuestring, place->kind, &problem))
            hold_place(&far, &problem, place->kind);
    }
    free(far.recorded);
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

#include "tuner/model/anchors.h"

#include <math.h>
#include <stdlib.h>

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
    if (r->status == TW_OK && !join_earlier(r->samples))
        reading_lack(r);
    time_anchors(r->samples);
    return r->status;
}

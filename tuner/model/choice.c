#include "tuner/model/choice.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A configuration is one more that may be mistaken for the best, and costs each plan its time. It
 * has to be worth that: over what is chosen already, it has to save so much of the time of one
 * problem, or of several together. */
static const double LEAST_GAIN = 0.01;
/* What was chosen for problems of another kind is for this one where it took at most so many times
 * what the best of a problem did. */
static const double AS_GOOD = 1.5;
/* What a problem takes where nothing was chosen that was measured there, over its best. */
static const double NOTHING_YET = 2;

/* The attributes of a problem's key that are words. */
static void words_of(const struct tw_problem *problem, char words[TW_PROBLEM_KEY_SIZE]) {
    const struct tw_description *d = problem->description;
    struct tw_problem without = *problem;
    char key[TW_PROBLEM_KEY_SIZE];
    for (int i = 0; i < d->attribute_count; i++)
        if (d->attributes[i].is_number)
            without.words[i] = d->attributes[i].default_word;
    tw_problem_key(&without, key);
    strcpy(words, &key[strcspn(key, ";")]);
}

static void widen(struct tw_model_kind *kind, const struct tw_problem *problem) {
    const struct tw_description *d = problem->description;
    for (int i = 0; i < d->attribute_count; i++) {
        const int64_t number = problem->words[i];
        int at = 0;
        if (!d->attributes[i].is_number)
            continue;
        while (at < kind->range_count && strcmp(kind->ranges[at].name, d->attributes[i].name) != 0)
            at++;
        if (at == kind->range_count)
            kind->ranges[kind->range_count++] =
                (struct tw_model_range){d->attributes[i].name, number, number};
        kind->ranges[at].least = number < kind->ranges[at].least ? number : kind->ranges[at].least;
        kind->ranges[at].most = number > kind->ranges[at].most ? number : kind->ranges[at].most;
    }
}

/* What is the default in all problems needs no range: it is what a key without it says. An earlier
 * model's may be of an attribute that the description has no more. */
static void drop_defaults(struct tw_model_kind *kind, const struct tw_description *d) {
    int kept = 0;
    for (int at = 0; at < kind->range_count; at++) {
        const struct tw_model_range range = kind->ranges[at];
        int i = 0;
        while (i < d->attribute_count && strcmp(d->attributes[i].name, range.name) != 0)
            i++;
        if (i < d->attribute_count &&
            (range.least != range.most || range.least != d->attributes[i].default_word))
            kind->ranges[kept++] = range;
    }
    kind->range_count = kept;
}

/* Those that the earlier model is about. */
static bool take_kinds(struct model_choice *choice, const struct tw_model *onto,
                       const struct tw_description *d) {
    for (int i = 0; i < onto->kind_count; i++) {
        struct tw_model_kind *kind = &choice->kinds[i];
        *kind = onto->kinds[i];
        kind->attributes = strdup(onto->kinds[i].attributes);
        if (kind->attributes == NULL)
            return false;
        choice->kind_count++;
        drop_defaults(kind, d);
    }
    return true;
}

static bool find_kinds(struct model_choice *choice, const struct model_samples *s) {
    if (s->onto != NULL && !take_kinds(choice, s->onto, s->description))
        return false;
    for (int i = 0; i < s->problem_count; i++) {
        char words[TW_PROBLEM_KEY_SIZE];
        int kind = 0;
        choice->of_problem[i] = -1;
        words_of(&s->problems[i].problem, words);
        while (kind < choice->kind_count && strcmp(choice->kinds[kind].attributes, words) != 0)
            kind++;
        if (kind == TW_MODEL_MAX_WORDS)
            continue;
        if (kind == choice->kind_count) {
            choice->kinds[kind] = (struct tw_model_kind){.attributes = strdup(words)};
            if (choice->kinds[kind].attributes == NULL)
                return false;
            choice->kind_count++;
        }
        widen(&choice->kinds[kind], &s->problems[i].problem);
        choice->of_problem[i] = kind;
    }
    for (int kind = 0; kind < choice->kind_count; kind++)
        drop_defaults(&choice->kinds[kind], s->description);
    return true;
}

/* What is chosen from: the samples of a kind that are used. A search's trials are of tens of
 * thousands of configurations, an earlier model chose thousands, and going through all samples for
 * each of these takes longer than the fit, so that they are ordered by configuration. */
struct chosen_from {
    const struct model_samples *samples;
    const int *of_problem;
    const bool *used; /* NULL: all */
    int kind;
    int *ordered;   /* those of configuration c from first[c] up to first[c + 1] */
    double *behind; /* the logarithm of each one's time over its problem's best */
    int *first;
};

static bool is_from(const struct chosen_from *from, int sample) {
    const int problem = from->samples->all[sample].problem;
    return from->of_problem[problem] == from->kind &&
           !from->samples->problems[problem].only_teaches &&
           (from->used == NULL || from->used[sample]);
}

static bool make_room(struct chosen_from *from) {
    const size_t samples = (size_t)from->samples->count + 1;
    const size_t configurations = (size_t)from->samples->configuration_count + 1;
    from->ordered = calloc(samples, sizeof *from->ordered);
    from->behind = calloc(samples, sizeof *from->behind);
    from->first = calloc(configurations, sizeof *from->first);
    return from->ordered != NULL && from->behind != NULL && from->first != NULL;
}

static void free_room(struct chosen_from *from) {
    free(from->ordered);
    free(from->behind);
    free(from->first);
}

static void put_in_order(struct chosen_from *from) {
    const struct model_samples *s = from->samples;
    memset(from->first, 0, ((size_t)s->configuration_count + 1) * sizeof *from->first);
    for (int i = 0; i < s->count; i++)
        from->first[s->all[i].configuration] += is_from(from, i);
    for (int c = 1; c <= s->configuration_count; c++)
        from->first[c] += from->first[c - 1];
    for (int i = s->count - 1; i >= 0; i--) {
        const struct sample *sample = &s->all[i];
        if (!is_from(from, i))
            continue;
        const int at = --from->first[sample->configuration];
        from->ordered[at] = i;
        from->behind[at] = log(sample->time_us / s->problems[sample->problem].best_us);
    }
}

static void cover(const struct chosen_from *from, int configuration, double *over) {
    for (int at = from->first[configuration]; at < from->first[configuration + 1]; at++) {
        const int problem = from->samples->all[from->ordered[at]].problem;
        over[problem] = fmin(over[problem], from->behind[at]);
    }
}

/* The one that saves most is chosen, again and again. `over` is how much longer than its best, as a
 * logarithm, a problem takes with what is chosen; `gain` is room for a number a configuration. */
static void choose_for(const struct chosen_from *from, bool *chosen, double *over, double *gain) {
    const struct model_samples *s = from->samples;
    for (int c = 0; c < s->configuration_count; c++) {
        chosen[c] = (s->configurations[c].before >> from->kind & 1) != 0;
        if (chosen[c])
            cover(from, c, over);
    }
    for (;;) {
        int best = 0;
        memset(gain, 0, (size_t)s->configuration_count * sizeof *gain);
        for (int at = 0; at < from->first[s->configuration_count]; at++) {
            const struct sample *sample = &s->all[from->ordered[at]];
            gain[sample->configuration] += fmax(0, over[sample->problem] - from->behind[at]);
        }
        for (int c = 1; c < s->configuration_count; c++)
            best = gain[c] > gain[best] ? c : best;
        if (gain[best] < LEAST_GAIN)
            return;
        chosen[best] = true;
        cover(from, best, over);
    }
}

/* What few problems of a kind leave out others may show to be good: what is chosen for any kind is
 * for this one too where it came so near to the best of a problem. */
static void borrow(struct model_choice *choice, const struct chosen_from *from) {
    const struct model_samples *s = from->samples;
    bool *chosen = &choice->chosen[from->kind * s->configuration_count];
    for (int i = 0; i < s->count; i++) {
        const struct sample *sample = &s->all[i];
        if (is_from(from, i) && !chosen[sample->configuration] &&
            sample->time_us <= AS_GOOD * s->problems[sample->problem].best_us &&
            model_chooses_any(choice, sample->configuration))
            chosen[sample->configuration] = true;
    }
}

/* Whether problems of two kinds take as long, as the description says of their words. */
static bool kinds_are_alike(const struct model_choice *choice, const struct tw_description *d,
                            int a, int b) {
    int first[TW_MAX_ATTRIBUTES], second[TW_MAX_ATTRIBUTES];
    bool alike = tw_problem_words(d, choice->kinds[a].attributes, first) &&
                 tw_problem_words(d, choice->kinds[b].attributes, second);
    for (int i = 0; i < d->attribute_count && alike; i++)
        alike = tw_words_alike(&d->attributes[i], first[i], second[i]);
    return alike;
}

/* Whether an earlier model goes on to speak of the kind, and of nothing else. */
static bool is_kept(const struct model_samples *s, int kind) {
    return s->anew && (s->kept >> kind & 1) != 0;
}

/* What is chosen for a kind is for those that are alike: bf16's for f16. Not where one of them is
 * left to an earlier model, which knows nothing of what is chosen now. */
static void share(struct model_choice *choice, const struct model_samples *s) {
    const int count = choice->configuration_count;
    for (int a = 0; a < choice->kind_count; a++)
        for (int b = 0; b < a; b++)
            if (is_kept(s, a) == is_kept(s, b) && kinds_are_alike(choice, s->description, a, b))
                for (int c = 0; c < count; c++) {
                    bool *here = &choice->chosen[a * count + c];
                    bool *there = &choice->chosen[b * count + c];
                    *here = *there = *here || *there;
                }
}

/* What was wrong on one problem of a kind may be on others, which an application is not told. */
static void leave_out_mistakes(struct model_choice *choice, const struct model_samples *s) {
    for (int i = 0; i < s->mistake_count; i++) {
        const int kind = choice->of_problem[s->mistakes[i].problem];
        if (kind >= 0)
            choice->chosen[kind * s->configuration_count + s->mistakes[i].configuration] = false;
    }
}

tw_status model_choose(struct model_choice *choice, const struct model_samples *s, const bool *used,
                       struct tw_error *error) {
    const size_t problems = (size_t)s->problem_count,
                 configurations = (size_t)s->configuration_count;
    *choice = (struct model_choice){.configuration_count = s->configuration_count};
    choice->of_problem = calloc(problems + 1, sizeof *choice->of_problem);
    choice->chosen = calloc(TW_MODEL_MAX_WORDS * (configurations + 1), sizeof *choice->chosen);
    double *over = calloc(problems + 1, sizeof *over);
    double *gain = calloc(configurations + 1, sizeof *gain);
    struct chosen_from from = {.samples = s, .of_problem = choice->of_problem, .used = used};
    bool there = choice->of_problem != NULL && choice->chosen != NULL && over != NULL &&
                 gain != NULL && make_room(&from) && find_kinds(choice, s);
    if (there) {
        for (size_t i = 0; i < problems; i++)
            over[i] = log(NOTHING_YET);
        for (; from.kind < choice->kind_count; from.kind++) {
            put_in_order(&from);
            choose_for(&from, &choice->chosen[(size_t)from.kind * configurations], over, gain);
        }
        for (from.kind = 0; from.kind < choice->kind_count; from.kind++)
            borrow(choice, &from);
        share(choice, s);
        leave_out_mistakes(choice, s);
    }
    free_room(&from);
    free(over);
    free(gain);
    return there ? TW_OK : tw_fail(error, TW_NO_MEMORY, "out of memory");
}

void model_choice_free(struct model_choice *choice) {
    for (int i = 0; i < choice->kind_count; i++)
        free((char *)choice->kinds[i].attributes);
    free(choice->of_problem);
    free(choice->chosen);
    *choice = (struct model_choice){0};
}

bool model_chooses(const struct model_choice *choice, int kind, int configuration) {
    return kind >= 0 && choice->chosen[kind * choice->configuration_count + configuration];
}

bool model_chooses_any(const struct model_choice *choice, int configuration) {
    bool chosen = false;
    for (int kind = 0; kind < choice->kind_count && !chosen; kind++)
        chosen = model_chooses(choice, kind, configuration);
    return chosen;
}

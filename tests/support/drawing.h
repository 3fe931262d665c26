/* Which problems and variants of a kernel a GPU tries: few, so that they differ as much as
 * possible.
 *
 * All presets on all problems would be an hour of NVRTC, and most of it alike. What finds mistakes
 * is two things that meet for the first time: a tile's width and a type, a way to store and an odd
 * row, an activation and a batch. So a variant is described by facets (shape, padding, every
 * attribute's word, every parameter's value) and is worth the pairs of them that its implementation
 * has not met, and what of the problem its preset has not met. The worthiest come first; where all
 * that is left brings less than a small share of its pairs, the drawing ends. It is the same in
 * every piece of a test. */
#ifndef TESTS_SUPPORT_DRAWING_H
#define TESTS_SUPPORT_DRAWING_H

#include "runtime/backend/devices.h"
#include "tests/support/problems.h"

struct drawn_problem {
    struct tw_problem problem;
    int shape; /* which */
    enum padding padding;
    int piece;                       /* that tries it, from 0 */
    int first_candidate, candidates; /* its variants, taken or not */
    bool taken;
};

struct drawn_variant {
    struct tw_configuration configuration;
    int preset; /* its number, or SAMPLE */
    bool taken;
};

enum { SAMPLE = -1 };

struct drawing {
    int problem_count, variant_count, room; /* for so many variants */
    struct drawn_problem *problems;
    struct drawn_variant *variants;
};

/* What is drawn from. */
struct drawn_from {
    const struct tw_description *description;
    const struct tw_device_info *device;
    const int64_t (*shapes)[TW_MAX_DIMENSIONS];
    int shape_count;
    int pieces;
    uint64_t seed;
};

/* Strides that a padding makes of a problem, and values that are bound for both. */
SUPPORT void bind_padded(const struct tw_problem *problem, const struct tw_device_info *device,
                         enum padding padding, int64_t strides[TW_MAX_ARGUMENTS],
                         int64_t values[TW_MAX_SYMBOLS]) {
    struct tw_error error;
    int64_t slots[TW_DEVICE_SLOTS];
    tw_device_values(device, slots);
    must(tw_problem_bind(problem, slots, NULL, values, &error), error);
    pad_strides(problem, values, padding, strides);
    must(tw_problem_bind(problem, slots, strides, values, &error), error);
}

/* ---- Pairs of facets ---- */

enum { PAIR_SLOTS = 1 << 20, MOST_FACETS = 2 + TW_MAX_ATTRIBUTES + TW_MAX_PARAMETERS };

/* Those that were met: an open-addressing table of their hashes. */
struct pairs {
    uint64_t *hashes; /* 0: free */
    int count;
};

SUPPORT uint64_t pair_hash(int subject, int one, int64_t value, int other, int64_t other_value) {
    uint64_t hash = (uint64_t)subject;
    const int64_t parts[] = {one, value, other, other_value};
    for (int i = 0; i < 4; i++) {
        uint64_t mixed = hash ^ (uint64_t)parts[i] * UINT64_C(0x94D049BB133111EB);
        hash = draw(&mixed);
    }
    return hash == 0 ? 1 : hash;
}

/* Whether it is new; with `meet` it is not any more. */
SUPPORT bool is_new_pair(struct pairs *pairs, uint64_t hash, bool meet) {
    size_t slot = hash % PAIR_SLOTS;
    for (; pairs->hashes[slot] != 0; slot = (slot + 1) % PAIR_SLOTS)
        if (pairs->hashes[slot] == hash)
            return false;
    if (meet) {
        assert_true(++pairs->count < PAIR_SLOTS * 3 / 4);
        pairs->hashes[slot] = hash;
    }
    return true;
}

SUPPORT int problem_facets(const struct drawn_problem *drawn, int64_t facets[MOST_FACETS]) {
    const struct tw_description *d = drawn->problem.description;
    int count = 0;
    facets[count++] = drawn->shape;
    facets[count++] = drawn->padding;
    for (int i = 0; i < d->attribute_count; i++)
        facets[count++] = drawn->problem.words[i];
    return count;
}

/* What there is new, of how many pairs. */
struct news {
    int fresh, all;
};

SUPPORT void count_pairs(struct pairs *pairs, int implementation, const int64_t *facets, int count,
                         bool meet, struct news *news) {
    for (int i = 0; i < count; i++)
        for (int j = 0; j < i; j++, news->all++)
            news->fresh +=
                is_new_pair(pairs, pair_hash(implementation, j, facets[j], i, facets[i]), meet);
}

SUPPORT struct news variant_news(struct pairs *pairs, const struct drawn_problem *drawn,
                                 const struct drawn_variant *variant, bool meet) {
    const struct tw_configuration *c = &variant->configuration;
    struct news news = {0};
    int64_t facets[MOST_FACETS];
    const int of_problem = problem_facets(drawn, facets);
    int count = of_problem;
    for (int i = 0;
         i < drawn->problem.description->implementations[c->implementation].parameter_count; i++)
        facets[count++] = c->values[i];
    count_pairs(pairs, c->implementation, facets, count, meet, &news);
    for (int i = 0; i < of_problem && variant->preset != SAMPLE; i++, news.all++)
        news.fresh += is_new_pair(
            pairs, pair_hash(TW_MAX_IMPLEMENTATIONS + variant->preset, i, facets[i], 0, 0), meet);
    return news;
}

/* Of every implementation that has candidates. */
SUPPORT struct news problem_news(struct pairs *pairs, const struct drawing *drawing,
                                 const struct drawn_problem *drawn, bool meet) {
    struct news news = {0};
    int64_t facets[MOST_FACETS];
    const int count = problem_facets(drawn, facets);
    const struct drawn_variant *variants = &drawing->variants[drawn->first_candidate];
    for (int i = 0; i < drawn->candidates; i++) /* presets of an implementation stand together */
        if (i == 0 || variants[i].configuration.implementation !=
                          variants[i - 1].configuration.implementation)
            count_pairs(pairs, variants[i].configuration.implementation, facets, count, meet,
                        &news);
    return news;
}

/* ---- Drawing ---- */

/* The least share of its pairs that a problem, or a variant, has to bring. */
enum { LEAST_SHARE = 32 };

SUPPORT bool brings(struct news news, int share) {
    return news.fresh > 0 && (int64_t)news.fresh * share >= news.all;
}

SUPPORT void add_candidate(struct drawing *drawing, struct drawn_problem *drawn,
                           const struct tw_configuration *c, int preset) {
    if (drawing->variant_count == drawing->room) {
        drawing->room = 2 * drawing->room + 1000;
        drawing->variants =
            realloc(drawing->variants, (size_t)drawing->room * sizeof *drawing->variants);
        assert_non_null(drawing->variants);
    }
    drawing->variants[drawing->variant_count++] =
        (struct drawn_variant){.configuration = *c, .preset = preset};
    drawn->candidates++;
}

SUPPORT void add_presets(struct drawing *drawing, struct drawn_problem *drawn,
                         const struct tw_device_info *device) {
    const struct tw_description *d = drawn->problem.description;
    int64_t strides[TW_MAX_ARGUMENTS], values[TW_MAX_SYMBOLS];
    bind_padded(&drawn->problem, device, drawn->padding, strides, values);
    drawn->first_candidate = drawing->variant_count;
    drawn->candidates = 0;
    for (int i = 0; i < preset_count(d); i++) {
        const char *name;
        const struct tw_configuration c = preset_number(d, i, &name);
        if (is_allowed(d, &c, values, device, NULL) == TW_OK)
            add_candidate(drawing, drawn, &c, i);
    }
}

/* From an allowed configuration to another: again and again one or two parameters are drawn anew,
 * and kept where that is allowed. (Draws of all at once would be thousands for each that is.) */
SUPPORT void walk(const struct tw_description *d, const int64_t *values,
                  const struct tw_device_info *device, uint64_t *seed, struct tw_configuration *c) {
    const struct tw_implementation *in = &d->implementations[c->implementation];
    for (int step = 0; step < 4 * in->parameter_count; step++) {
        struct tw_configuration next = *c;
        for (int i = draw(seed) % 2 == 0 ? 1 : 2; i > 0; i--) {
            const int number = (int)(draw(seed) % (uint64_t)in->parameter_count);
            const struct tw_parameter *parameter = &in->parameters[number];
            next.values[number] = parameter->values[draw(seed) % (uint64_t)parameter->count];
        }
        if (is_allowed(d, &next, values, device, NULL) == TW_OK)
            *c = next;
    }
}

/* A sample for each of some allowed presets, in turn. */
SUPPORT void add_samples(struct drawing *drawing, struct drawn_problem *drawn,
                         const struct tw_device_info *device, uint64_t *seed) {
    enum { MOST = 4 }; /* of an implementation */
    int64_t strides[TW_MAX_ARGUMENTS], values[TW_MAX_SYMBOLS];
    const int presets = drawn->candidates;
    bind_padded(&drawn->problem, device, drawn->padding, strides, values);
    for (int i = 0, of_this = 0, last = -1; i < presets; i++) {
        struct tw_configuration c = drawing->variants[drawn->first_candidate + i].configuration;
        of_this = c.implementation == last ? of_this + 1 : 1;
        last = c.implementation;
        if (of_this > MOST)
            continue;
        walk(drawn->problem.description, values, device, seed, &c);
        add_candidate(drawing, drawn, &c, SAMPLE);
    }
}

/* Every choice of words with every shape, and where that is little, with every padding. */
SUPPORT void add_problems(struct drawing *drawing, const struct drawn_from *from) {
    enum { LITTLE = 400 };
    const int choices = attribute_choices(from->description);
    const int rounds = choices * from->shape_count > LITTLE ? 1 : PADDINGS;
    drawing->problems = calloc((size_t)from->shape_count * (size_t)choices * (size_t)rounds,
                               sizeof *drawing->problems);
    assert_non_null(drawing->problems);
    for (int shape = 0; shape < from->shape_count; shape++)
        for (int i = 0; i < choices * rounds; i++) {
            struct drawn_problem *drawn = &drawing->problems[drawing->problem_count++];
            drawn->problem = problem_of(from->description, from->shapes[shape], i);
            drawn->shape = shape;
            drawn->padding = (enum padding)((i + i / choices + shape) % PADDINGS);
            add_presets(drawing, drawn, from->device);
        }
}

/* The worthiest first, by halves. */
SUPPORT void take_problems(struct drawing *drawing) {
    struct pairs pairs = {.hashes = calloc(PAIR_SLOTS, sizeof *pairs.hashes)};
    assert_non_null(pairs.hashes);
    for (int share = 1; share <= LEAST_SHARE; share *= 2)
        for (int i = 0; i < drawing->problem_count; i++) {
            struct drawn_problem *drawn = &drawing->problems[i];
            if (drawn->taken || !brings(problem_news(&pairs, drawing, drawn, false), share))
                continue;
            problem_news(&pairs, drawing, drawn, true);
            drawn->taken = true;
        }
    free(pairs.hashes);
}

SUPPORT void take_variants(struct drawing *drawing) {
    struct pairs pairs = {.hashes = calloc(PAIR_SLOTS, sizeof *pairs.hashes)};
    assert_non_null(pairs.hashes);
    for (int share = 1; share <= LEAST_SHARE; share *= 2)
        for (int i = 0; i < drawing->problem_count; i++) {
            const struct drawn_problem *drawn = &drawing->problems[i];
            for (int j = 0; j < drawn->candidates; j++) {
                struct drawn_variant *variant = &drawing->variants[drawn->first_candidate + j];
                if (variant->taken || !brings(variant_news(&pairs, drawn, variant, false), share))
                    continue;
                variant_news(&pairs, drawn, variant, true);
                variant->taken = true;
            }
        }
    free(pairs.hashes);
}

SUPPORT int variants_taken(const struct drawing *drawing, const struct drawn_problem *drawn) {
    int taken = 0;
    for (int i = 0; i < drawn->candidates; i++)
        taken += drawing->variants[drawn->first_candidate + i].taken;
    return taken;
}

/* Each problem to the piece that has the fewest variants. */
SUPPORT void deal(struct drawing *drawing, int pieces) {
    int *dealt = calloc((size_t)pieces, sizeof *dealt);
    assert_non_null(dealt);
    for (int i = 0; i < drawing->problem_count; i++) {
        struct drawn_problem *drawn = &drawing->problems[i];
        for (int piece = 0; piece < pieces; piece++)
            if (dealt[piece] < dealt[drawn->piece])
                drawn->piece = piece;
        dealt[drawn->piece] += variants_taken(drawing, drawn);
    }
    free(dealt);
}

SUPPORT void leave_out_others(struct drawing *drawing) {
    int kept = 0;
    for (int i = 0; i < drawing->problem_count; i++)
        if (drawing->problems[i].taken)
            drawing->problems[kept++] = drawing->problems[i];
    drawing->problem_count = kept;
}

SUPPORT void drawing_make(struct drawing *drawing, const struct drawn_from *from) {
    uint64_t seed = from->seed;
    *drawing = (struct drawing){0};
    add_problems(drawing, from);
    take_problems(drawing);
    leave_out_others(drawing);
    drawing->variant_count = 0;
    for (int i = 0; i < drawing->problem_count; i++) {
        add_presets(drawing, &drawing->problems[i], from->device);
        add_samples(drawing, &drawing->problems[i], from->device, &seed);
    }
    take_variants(drawing);
    for (int i = 0; i < drawing->problem_count; i++)
        drawing->problems[i].taken = variants_taken(drawing, &drawing->problems[i]) > 0;
    leave_out_others(drawing);
    deal(drawing, from->pieces);
}

SUPPORT void drawing_free(struct drawing *drawing) {
    free(drawing->problems);
    free(drawing->variants);
    *drawing = (struct drawing){0};
}

#endif

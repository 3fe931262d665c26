/* Problems and configurations to try a kernel with: every attribute word, odd shapes, padded
 * strides, and a seeded sample of what its description allows. */
#ifndef TESTS_SUPPORT_PROBLEMS_H
#define TESTS_SUPPORT_PROBLEMS_H

#include "runtime/description/configuration.h"
#include "runtime/description/problem.h"
#include "runtime/variant/geometry.h"
#include "tests/support/support.h"

/* Whether a kernel is of images and filters, whose sizes are others than those of matrices. */
SUPPORT bool is_of_images(const struct tw_description *d) {
    return d->dimension_count > 3;
}

/* splitmix64 (Steele, Lea and Flood 2014). */
SUPPORT uint64_t draw(uint64_t *seed) {
    uint64_t z = *seed += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

/* Attributes of which problems get a mixture: all their combinations would be more than can be
 * tried. */
SUPPORT bool is_mixed_in(const struct tw_attribute *attribute) {
    return attribute->is_number || attribute->quiet;
}

/* The words of number `number` of all ways to choose one for each of the other attributes. */
SUPPORT void take_words(struct tw_problem *problem, int number) {
    const struct tw_description *d = problem->description;
    for (int i = 0; i < d->attribute_count; i++) {
        const struct tw_attribute *attribute = &d->attributes[i];
        problem->words[i] = attribute->default_word;
        if (is_mixed_in(attribute))
            continue;
        problem->words[i] = attribute->words[number % attribute->word_count];
        number /= attribute->word_count;
    }
}

/* How many ways there are to choose these words, of those that are not refused. With `problem`, its
 * words become those of number `choice`. */
SUPPORT int count_choices(const struct tw_description *d, struct tw_problem *problem, int choice) {
    int ways = 1, count = 0;
    for (int i = 0; i < d->attribute_count; i++)
        ways *= is_mixed_in(&d->attributes[i]) ? 1 : d->attributes[i].word_count;
    for (int way = 0; way < ways; way++) {
        struct tw_problem tried = {.description = d};
        take_words(&tried, way);
        if (tw_problem_refusal(&tried) != NULL)
            continue;
        if (problem != NULL && count == choice)
            memcpy(problem->words, tried.words, sizeof tried.words);
        count++;
    }
    return count;
}

SUPPORT int attribute_choices(const struct tw_description *d) {
    return count_choices(d, NULL, 0);
}

/* Numbers that are small, and any words; where the problem would be refused, words from the last on
 * have their default, as many as it takes. */
SUPPORT void mix(struct tw_problem *problem, uint64_t seed) {
    const struct tw_description *d = problem->description;
    for (int i = 0; i < d->attribute_count; i++) {
        const struct tw_attribute *a = &d->attributes[i];
        if (a->is_number)
            problem->words[i] = a->least + (int)(draw(&seed) % 3);
        else if (is_mixed_in(a))
            problem->words[i] = a->words[draw(&seed) % (uint64_t)a->word_count];
        if (a->is_number && problem->words[i] > a->most)
            problem->words[i] = a->most;
    }
    for (int i = d->attribute_count - 1; i >= 0 && tw_problem_refusal(problem) != NULL; i--)
        if (is_mixed_in(&d->attributes[i]) && !d->attributes[i].is_number)
            problem->words[i] = d->attributes[i].default_word;
}

/* A problem of the first dimensions of `sizes`, with choice `choice` of words, which begin again
 * where there are no more. Every other problem has a mixture of the other attributes as well. */
SUPPORT struct tw_problem problem_of(const struct tw_description *d, const int64_t *sizes,
                                     int choice) {
    struct tw_problem problem = {.description = d}, mixed;
    uint64_t seed = (uint64_t)choice * 1000003 + (uint64_t)sizes[0] * 1009 + (uint64_t)sizes[1];
    memcpy(problem.dimensions, sizes, (size_t)d->dimension_count * sizeof *sizes);
    count_choices(d, &problem, choice % attribute_choices(d));
    mixed = problem;
    mix(&mixed, seed);
    return draw(&seed) % 2 == 0 && tw_problem_refusal(&mixed) == NULL ? mixed : problem;
}

SUPPORT void default_words(struct tw_problem *problem) {
    for (int i = 0; i < problem->description->attribute_count; i++)
        problem->words[i] = problem->description->attributes[i].default_word;
}

enum padding { PADDING_NONE, PADDING_ODD, PADDING_WIDE, PADDINGS };

/* Strides as tw_problem_bind takes them, from values bound without: as they are, a few elements
 * longer, or a multiple of 16 that leaves a gap. */
SUPPORT void pad_strides(const struct tw_problem *problem, const int64_t *values,
                         enum padding padding, int64_t strides[TW_MAX_ARGUMENTS]) {
    const struct tw_description *d = problem->description;
    int64_t longer[TW_MAX_SYMBOLS];
    memcpy(longer, values, sizeof longer);
    for (int i = 0; i < d->argument_count; i++) {
        const int64_t dense = tw_problem_stride(problem, i, longer);
        strides[i] = 0;
        if (dense == 0 || padding == PADDING_NONE)
            continue;
        strides[i] = padding == PADDING_ODD ? dense + 3 + 2 * i : (dense + 31) / 16 * 16;
        longer[d->arguments[i].slot] = strides[i];
    }
}

/* Whether the description and the device allow a configuration; `values` are bound for the problem.
 */
SUPPORT tw_status is_allowed(const struct tw_description *d, const struct tw_configuration *c,
                             const int64_t *values, const struct tw_device_info *device,
                             struct tw_error *error) {
    int64_t bound[TW_MAX_SYMBOLS];
    memcpy(bound, values, sizeof bound);
    tw_status status = tw_configuration_bind(d, c, bound, error);
    if (status == TW_OK)
        status = tw_configuration_check(d, c, bound, error);
    if (status == TW_OK)
        status =
            tw_implementation_fits(&d->implementations[c->implementation], bound, device, error);
    return status;
}

/* Whether an implementation is for the device at all. */
SUPPORT bool is_for(const struct tw_implementation *in, const struct tw_device_info *device) {
    struct tw_implementation requirements = *in;
    requirements.launch_count = 0;
    return tw_implementation_fits(&requirements, NULL, device, NULL) == TW_OK;
}

/* Whether what constraints say of the problem alone holds: else no configuration is allowed. */
SUPPORT bool may_serve(const struct tw_implementation *in, const int64_t *values) {
    for (int i = 0; i < in->constraint_count; i++) {
        bool is_of_parameters = false;
        int64_t holds = 0;
        for (int p = 0; p < in->parameter_count; p++)
            is_of_parameters |= tw_expression_uses(in->constraints[i], in->parameters[p].slot);
        if (!is_of_parameters &&
            (tw_expression_evaluate(in->constraints[i], values, &holds) != TW_EVALUATED ||
             holds == 0))
            return false;
    }
    return true;
}

/* Draws until a configuration is allowed; false when that does not happen. The sparsest of spaces
 * has one in some thousands. */
SUPPORT bool draw_configuration(const struct tw_description *d, int implementation,
                                const int64_t *values, const struct tw_device_info *device,
                                uint64_t *seed, struct tw_configuration *c) {
    const struct tw_implementation *in = &d->implementations[implementation];
    if (!is_for(in, device))
        return false;
    for (int tries = 0; tries < 50000; tries++) {
        *c = (struct tw_configuration){.implementation = implementation};
        for (int i = 0; i < in->parameter_count; i++)
            c->values[i] = in->parameters[i].values[draw(seed) % (uint64_t)in->parameters[i].count];
        if (is_allowed(d, c, values, device, NULL) == TW_OK)
            return true;
    }
    return false;
}

/* ---- What a CPU's compiler takes long for ---- */

/* It unrolls what a thread has: two to forty seconds where a big tile's elements are converted or
 * go through an activation, or where the tile is huge. */
enum { BIG_TILE = 32, HUGE_TILE = 128 };

SUPPORT int64_t parameter_of(const struct tw_implementation *in, const struct tw_configuration *c,
                             const char *name) {
    for (int i = 0; i < in->parameter_count; i++)
        if (strcmp(in->parameters[i].name, name) == 0)
            return c->values[i];
    return 1;
}

/* What a thread has of the answer, or of an operand. */
SUPPORT int64_t tile_elements(const struct tw_problem *problem, const struct tw_configuration *c) {
    const struct tw_implementation *in = &problem->description->implementations[c->implementation];
    const int64_t answer = parameter_of(in, c, "TM") * parameter_of(in, c, "TN"),
                  operand = parameter_of(in, c, "ROWS") * parameter_of(in, c, "DEPTH");
    return answer > operand ? answer : operand;
}

/* Nothing is converted, and what is summed is stored. */
SUPPORT bool is_plain(const struct tw_problem *problem) {
    const struct tw_description *d = problem->description;
    bool plain = true;
    for (int i = 0; i < d->attribute_count; i++) {
        const struct tw_attribute *a = &d->attributes[i];
        if (strcmp(a->name, "dtype") == 0) {
            const char *word = d->symbols.words[problem->words[i]];
            plain &= strcmp(word, "f32") == 0 || strcmp(word, "f64") == 0;
        } else if (strcmp(a->name, "activation") == 0 || strcmp(a->name, "compute") == 0) {
            plain &= problem->words[i] == a->default_word;
        }
    }
    return plain;
}

SUPPORT bool unrolls_much(const struct tw_problem *problem, const struct tw_configuration *c) {
    return tile_elements(problem, c) >= (is_plain(problem) ? HUGE_TILE : BIG_TILE);
}

/* The presets of a description, one after the other. */
SUPPORT int preset_count(const struct tw_description *d) {
    int count = 0;
    for (int i = 0; i < d->implementation_count; i++)
        count += d->implementations[i].preset_count;
    return count;
}

SUPPORT struct tw_configuration preset_number(const struct tw_description *d, int number,
                                              const char **name) {
    struct tw_configuration c = {0};
    while (number >= d->implementations[c.implementation].preset_count)
        number -= d->implementations[c.implementation++].preset_count;
    const struct tw_preset *preset = &d->implementations[c.implementation].presets[number];
    memcpy(c.values, preset->values, sizeof c.values);
    *name = preset->name;
    return c;
}

/* "naive {...}": what a failure is reported with. */
SUPPORT void describe_variant(const struct tw_description *d, const struct tw_configuration *c,
                              char *out, size_t size) {
    struct tw_text text = {0};
    tw_configuration_text(d, c, &text);
    snprintf(out, size, "%s %s", d->implementations[c->implementation].name, text.data);
    tw_text_free(&text);
}

#endif

#include "tuner/page/samples.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

/* ---- The table ---- */

/* A value as a word; false when it is none that a parameter can have. */
static bool value_text(const cJSON *value, char out[64]) {
    int length = -1;
    if (cJSON_IsNumber(value))
        length = snprintf(out, 64, "%.15g", value->valuedouble);
    else if (cJSON_IsString(value))
        length = snprintf(out, 64, "%s", value->valuestring);
    return length >= 0 && length < 64;
}

static int factor_index(const struct samples *s, const char *name) {
    for (int i = 0; i < s->factor_count; i++)
        if (strcmp(s->factors[i].name, name) == 0)
            return i;
    return -1;
}

/* The parameters, as the first configuration names them. */
static bool take_factors(struct samples *s, const cJSON *configuration) {
    const cJSON *value;
    cJSON_ArrayForEach(value, configuration) {
        if (s->factor_count == SAMPLES_FACTORS || strlen(value->string) >= 64)
            return false;
        strcpy(s->factors[s->factor_count++].name, value->string);
    }
    return s->factor_count > 0;
}

static int level_index(struct factor *factor, const char *text) {
    for (int i = 0; i < factor->level_count; i++)
        if (strcmp(factor->levels[i], text) == 0)
            return i;
    if (factor->level_count == SAMPLES_LEVELS)
        return -1;
    strcpy(factor->levels[factor->level_count], text);
    return factor->level_count++;
}

static bool take_levels(struct samples *s, const cJSON *configuration, struct sample *sample) {
    if (cJSON_GetArraySize(configuration) != s->factor_count)
        return false;
    const cJSON *value;
    cJSON_ArrayForEach(value, configuration) {
        char text[64];
        int factor = factor_index(s, value->string);
        int level =
            factor >= 0 && value_text(value, text) ? level_index(&s->factors[factor], text) : -1;
        if (level < 0)
            return false;
        sample->levels[factor] = (unsigned char)level;
    }
    return true;
}

static void take_trial(struct samples *s, const struct page_trial *trial) {
    cJSON *configuration = cJSON_Parse(trial->configuration);
    struct sample sample = {.time_us = trial->status == TW_DB_TRIAL_OK ? trial->time_us : 0};
    if (cJSON_IsObject(configuration) && (s->factor_count > 0 || take_factors(s, configuration)) &&
        take_levels(s, configuration, &sample)) {
        s->samples[s->count++] = sample;
        s->timed += sample.time_us > 0;
    }
    cJSON_Delete(configuration);
}

/* Numbers before words, the least first. */
static int by_value(const char *a, const char *b) {
    char *end_a, *end_b;
    double x = strtod(a, &end_a), y = strtod(b, &end_b);
    bool number_a = *end_a == '\0' && end_a != a, number_b = *end_b == '\0' && end_b != b;
    if (number_a && number_b)
        return (x > y) - (x < y);
    return number_a != number_b ? (number_a ? -1 : 1) : strcmp(a, b);
}

static void sort_levels(struct samples *s, int index) {
    struct factor *f = &s->factors[index];
    char sorted[SAMPLES_LEVELS][64];
    unsigned char place[SAMPLES_LEVELS];
    for (int i = 0; i < f->level_count; i++) {
        int before = 0;
        for (int j = 0; j < f->level_count; j++)
            before += by_value(f->levels[j], f->levels[i]) < 0;
        place[i] = (unsigned char)before;
        strcpy(sorted[before], f->levels[i]);
    }
    memcpy(f->levels, sorted, sizeof f->levels);
    for (int i = 0; i < s->count; i++)
        s->samples[i].levels[index] = place[s->samples[i].levels[index]];
}

tw_status samples_take(struct samples *s, const struct page_trials *trials,
                       const char *implementation, struct tw_error *error) {
    *s = (struct samples){.samples = calloc((size_t)trials->count + 1, sizeof *s->samples)};
    if (s->samples == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    for (int i = 0; i < trials->count; i++)
        if (strcmp(trials->trials[i].implementation, implementation) == 0)
            take_trial(s, &trials->trials[i]);
    for (int i = 0; i < s->factor_count; i++)
        sort_levels(s, i);
    return TW_OK;
}

void samples_free(struct samples *s) {
    free(s->samples);
    *s = (struct samples){0};
}

double samples_best(const struct samples *s, int factor, int level) {
    return samples_best_pair(s, factor, level, factor, level);
}

double samples_best_pair(const struct samples *s, int a, int level_a, int b, int level_b) {
    double best = 0;
    for (int i = 0; i < s->count; i++) {
        const struct sample *sample = &s->samples[i];
        if (sample->levels[a] == level_a && sample->levels[b] == level_b && sample->time_us > 0 &&
            (best == 0 || sample->time_us < best))
            best = sample->time_us;
    }
    return best;
}

#include "tuner/cluster/job_words.h"

#include <inttypes.h>
#include <stdio.h>

#include "tuner/json/json.h"

static void add(cJSON *words, const char *option, const char *value) {
    if (option != NULL)
        json_append(words, cJSON_CreateString(option));
    json_append(words, cJSON_CreateString(value));
}

static void add_number(cJSON *words, const char *option, int64_t number) {
    char text[32];
    snprintf(text, sizeof text, "%" PRId64, number);
    add(words, option, text);
}

/* Digits enough for the same number to be read back. */
static void add_seconds(cJSON *words, const char *option, double seconds) {
    char text[40];
    snprintf(text, sizeof text, "%.17gs", seconds);
    add(words, option, text);
}

static void add_all(cJSON *words, const char *option, const struct word_list *list) {
    for (int i = 0; i < list->count; i++)
        add(words, option, list->words[i]);
}

static cJSON *common(const struct arguments *a) {
    cJSON *words = cJSON_CreateArray();
    if (a->kernel != NULL)
        add(words, NULL, a->kernel);
    add_all(words, "--config", &a->configs);
    for (int i = 0; i < a->attribute_count; i++)
        add(words, "--attr", a->attributes[i]);
    if (a->budget_trials > 0)
        add_number(words, "--budget", a->budget_trials);
    else
        add_seconds(words, "--budget", a->budget_seconds);
    if (a->strategy != NULL)
        add(words, "--strategy", a->strategy);
    add_number(words, "--seed", a->seed);
    add_all(words, "--fix", &a->fixes);
    add(words, "--cache", a->cache);
    if (a->trial_limit_s > 0)
        add_seconds(words, "--trial-limit", a->trial_limit_s);
    add_seconds(words, "--compile-limit", a->compile_limit_s);
    return words;
}

cJSON *job_words(const struct arguments *a) {
    cJSON *words = common(a);
    if (a->jobs_given)
        add_number(words, "--jobs", a->jobs);
    return words;
}

cJSON *shape_words(const struct shape_argument *shape) {
    cJSON *words = cJSON_CreateArray();
    add(words, "--shape", shape->shape);
    for (int i = 0; i < shape->attribute_count; i++)
        add(words, "--attr", shape->attributes[i]);
    return words;
}

void job_command(const struct arguments *a, struct tw_text *text) {
    char *words = json_text(common(a));
    if (words != NULL)
        tw_text_print(text, "%s", words);
    else
        text->failed = true;
    cJSON_free(words);
}

/* Strategies with their settings, as words and back: greedy:elite=8. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/search/strategy.h"

enum { MOST_WORDS = 512 };

static int count_of(const struct strategy_setting *settings) {
    int count = 0;
    while (settings != NULL && settings[count].name != NULL)
        count++;
    return count;
}

struct strategy_choice strategy_usual(const struct strategy_kind *kind) {
    struct strategy_choice choice = {.kind = kind};
    for (int i = 0; i < count_of(kind->settings); i++)
        choice.values[i] = kind->settings[i].value;
    return choice;
}

static tw_status unknown(const struct strategy_kind *kind, const char *name,
                         struct tw_error *error) {
    const char *names[STRATEGY_MAX_SETTINGS];
    int count = count_of(kind->settings);
    if (count == 0)
        return tw_fail(error, TW_INVALID, "strategy %s has no settings", kind->name);
    struct tw_text known = {0};
    for (int i = 0; i < count; i++) {
        names[i] = kind->settings[i].name;
        tw_text_print(&known, "%s%s", i > 0 ? ", " : "", names[i]);
    }
    const char *nearest = tw_nearest(name, names, (size_t)count);
    tw_fail(error, TW_INVALID, "strategy %s has no setting \"%s\"; %s %s%s", kind->name, name,
            nearest != NULL ? "did you mean" : "there are",
            nearest != NULL ? nearest : tw_text_or(&known, ""), nearest != NULL ? "?" : "");
    tw_text_free(&known);
    return TW_INVALID;
}

/* "elite=8" */
static tw_status set(struct strategy_choice *choice, char *words, struct tw_error *error) {
    const struct strategy_kind *kind = choice->kind;
    char *number = strchr(words, '='), *end;
    if (number == NULL)
        return tw_fail(error, TW_INVALID, "strategy %s: expected SETTING=NUMBER, not \"%s\"",
                       kind->name, words);
    *number++ = '\0';
    int at = 0;
    for (; at < count_of(kind->settings); at++)
        if (strcmp(kind->settings[at].name, words) == 0)
            break;
    if (at == count_of(kind->settings))
        return unknown(kind, words, error);
    const struct strategy_setting *setting = &kind->settings[at];
    double value = strtod(number, &end);
    if (end == number || *end != '\0' || !(value >= setting->least && value <= setting->most) ||
        (setting->whole && value != floor(value)))
        return tw_fail(error, TW_INVALID, "strategy %s: %s is %s from %g to %g, not \"%s\"",
                       kind->name, setting->name, setting->whole ? "an integer" : "a number",
                       setting->least, setting->most, number);
    choice->values[at] = value;
    return TW_OK;
}

tw_status strategy_choose(struct strategy_choice *choice, const char *words,
                          struct tw_error *error) {
    char copy[MOST_WORDS];
    if (words != NULL && strlen(words) >= sizeof copy)
        return tw_fail(error, TW_INVALID, "--strategy has more than %d letters", MOST_WORDS - 1);
    strcpy(copy, words != NULL ? words : "");
    char *rest = strchr(copy, ':');
    if (rest != NULL)
        *rest++ = '\0';
    const struct strategy_kind *kind = strategy_find(words != NULL ? copy : NULL, error);
    if (kind == NULL)
        return TW_NOT_FOUND;
    *choice = strategy_usual(kind);
    tw_status status = TW_OK;
    for (char *word; status == TW_OK && (word = strsep(&rest, ",")) != NULL;)
        status = set(choice, word, error);
    return status;
}

void strategy_words(const struct strategy_choice *choice, struct tw_text *text) {
    const struct strategy_kind *kind = choice->kind;
    const char *before = ":";
    tw_text_print(text, "%s", kind->name);
    for (int i = 0; i < count_of(kind->settings); i++) {
        if (choice->values[i] == kind->settings[i].value)
            continue;
        tw_text_print(text, "%s%s=%.10g", before, kind->settings[i].name, choice->values[i]);
        before = ",";
    }
}

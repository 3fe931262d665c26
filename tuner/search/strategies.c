/* The table of strategies. A new one is one C file and one line here (and its declaration in
 * strategies.h). */
#include <string.h>

#include "tuner/search/strategies.h"

static const struct strategy_kind *const kinds[] = {
    &strategy_automatic, /* the default */
    &strategy_vnd,          &strategy_bayesian,
    &strategy_local,        &strategy_best_first,
    &strategy_annealing,    &strategy_genetic,
    &strategy_differential, &strategy_random,
    &strategy_exhaustive,   NULL,
};

const struct strategy_kind *const *strategy_kinds(void) {
    return kinds;
}

const struct strategy_kind *strategy_find(const char *name, struct tw_error *error) {
    const char *names[sizeof kinds / sizeof *kinds];
    size_t count = 0;
    struct tw_text known = {0};
    if (name == NULL)
        return kinds[0];
    /* What it was called before there were others that are greedy. */
    if (strcmp(name, "greedy") == 0)
        return &strategy_bayesian;
    for (; kinds[count] != NULL; count++) {
        if (strcmp(name, kinds[count]->name) == 0) {
            tw_text_free(&known);
            return kinds[count];
        }
        names[count] = kinds[count]->name;
        tw_text_print(&known, "%s%s", count > 0 ? ", " : "", names[count]);
    }
    const char *nearest = tw_nearest(name, names, count);
    tw_fail(error, TW_NOT_FOUND, "unknown strategy \"%s\"; %s %s%s", name,
            nearest != NULL ? "did you mean" : "there are", nearest != NULL ? nearest : known.data,
            nearest != NULL ? "?" : "");
    tw_text_free(&known);
    return NULL;
}

static void list_settings(struct tw_text *text, const struct strategy_setting *settings) {
    for (; settings != NULL && settings->name != NULL; settings++)
        tw_text_print(text, "      %-11s  %s; %g to %g, default %g\n", settings->name,
                      settings->summary, settings->least, settings->most, settings->value);
}

void strategy_list(struct tw_text *text, bool settings) {
    for (size_t i = 0; kinds[i] != NULL; i++) {
        tw_text_print(text, "  %-12s  %s%s\n", kinds[i]->name, kinds[i]->summary,
                      i == 0 ? " (the default)" : "");
        if (settings)
            list_settings(text, kinds[i]->settings);
    }
}

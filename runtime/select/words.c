/* What is said of a selection. */
#include <math.h>
#include <stdio.h>

#include "runtime/select/select.h"

static const struct {
    const char *word;
    const char *text;
} rules[] = {
#define TW_SELECTION_ROW(name, word, text) {word, text},
    TW_SELECTION_RULES(TW_SELECTION_ROW)
#undef TW_SELECTION_ROW
};

const char *tw_selection_word(enum tw_selection_rule rule) {
    return rules[rule].word;
}

const char *tw_selection_text(enum tw_selection_rule rule) {
    return rules[rule].text;
}

void tw_selection_problem(const struct tw_description *description,
                          const struct tw_catalogue_row *row, char text[TW_PROBLEM_KEY_SIZE]) {
    struct tw_problem problem;
    if (tw_problem_read(&problem, description, row->problem, NULL) == TW_OK)
        tw_problem_text(&problem, text);
    else
        snprintf(text, TW_PROBLEM_KEY_SIZE, "%s", row->problem);
}

void tw_selection_prediction(double predicted_us, double uncertainty, struct tw_text *text) {
    /* All in one unit, of the size that the time has. */
    const bool s = predicted_us >= 1e6, ms = predicted_us >= 1000;
    const double time = predicted_us * (s ? 1e-6 : ms ? 1e-3 : 1);
    const double low = time * exp(-uncertainty), high = time * exp(uncertainty);
    const char *unit = s ? "s" : ms ? "ms" : "us";
    const int digits = high < 10 ? 2 : high < 100 ? 1 : 0;
    tw_text_print(text, "%.4g %s (%.3g to %.*f)", time, unit, low, digits, high);
}

void tw_selection_other(const struct tw_description *d, const struct tw_selection_other *other,
                        struct tw_text *text) {
    char key[TW_PROBLEM_KEY_SIZE];
    tw_selection_prediction(other->predicted_us, other->uncertainty, text);
    tw_text_print(text, " %s ", d->implementations[other->configuration.implementation].name);
    tw_configuration_text(d, &other->configuration, text);
    if (other->row == NULL) {
        tw_text_print(text, ", %s", tw_selection_word(other->rule));
        return;
    }
    tw_selection_problem(d, other->row, key);
    tw_text_print(text, " from %s on %s", key, other->row->device_name);
}

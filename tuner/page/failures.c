/* What failed, by its cause. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/page/figures.h"
#include "tuner/page/html.h"
#include "tuner/page/store.h"

enum { MOST_CAUSES = 12, CAUSE_SIZE = 120 };

struct cause {
    enum tw_db_trial_status status;
    char kind[CAUSE_SIZE]; /* the message without its numbers */
    const struct page_trial *example;
    int count;
};

/* Messages that differ in numbers only are of one cause. */
static void kind_of(const char *message, char out[CAUSE_SIZE]) {
    int length = 0;
    for (const char *at = message; *at != '\0' && length < CAUSE_SIZE - 1; at++) {
        bool number = isdigit((unsigned char)*at) != 0;
        if (number && length > 0 && out[length - 1] == '#')
            continue;
        out[length++] = number ? '#' : *at;
    }
    out[length] = '\0';
}

static bool count_cause(struct cause **causes, int *count, const struct page_trial *trial) {
    char kind[CAUSE_SIZE];
    kind_of(trial->message, kind);
    for (int i = 0; i < *count; i++)
        if ((*causes)[i].status == trial->status && strcmp((*causes)[i].kind, kind) == 0) {
            (*causes)[i].count++;
            return true;
        }
    struct cause *grown = store_grow(*causes, *count, sizeof **causes);
    if (grown == NULL)
        return false;
    *causes = grown;
    grown[*count] = (struct cause){.status = trial->status, .example = trial, .count = 1};
    memcpy(grown[(*count)++].kind, kind, sizeof kind);
    return true;
}

static int by_count(const void *a, const void *b) {
    const struct cause *x = a, *y = b;
    return x->count != y->count ? y->count - x->count : strcmp(x->kind, y->kind);
}

static void print_cause(const struct cause *cause, struct tw_text *out) {
    tw_text_print(out, "<tr>");
    html_element(out, "td class=bad", tw_db_trial_status_text(cause->status));
    html_print(out, "td class=n", "%d", cause->count);
    tw_text_print(out, "<td>");
    html_text(out, cause->example->message[0] != '\0' ? cause->example->message : "no message");
    tw_text_print(out, "<br><small><code>");
    html_text(out, cause->example->implementation);
    tw_text_print(out, " ");
    html_code(out, cause->example->configuration);
    tw_text_print(out, "</code></small></td></tr>\n");
}

/* All outcomes side by side, as long as they are many. */
static void draw_outcomes(const int counts[], int screened, int all, struct tw_text *out) {
    double x = 0;
    tw_text_print(out,
                  "<svg class=\"strip\" viewBox=\"0 0 720 22\" preserveAspectRatio=\"none\" "
                  "role=\"img\" aria-label=\"Outcomes of %d trials\">",
                  all);
    for (int i = -1; i < TW_DB_TRIAL_STATUS_COUNT; i++) {
        int count = i < 0                 ? counts[TW_DB_TRIAL_OK] - screened
                    : i == TW_DB_TRIAL_OK ? screened
                                          : counts[i];
        double width = 720.0 * count / all;
        if (count > 0)
            tw_text_print(out,
                          "<rect x=\"%.1f\" y=\"0\" width=\"%.1f\" height=\"22\" class=\"%s%d\"/>",
                          x, width,
                          i < 0                 ? "sound s"
                          : i == TW_DB_TRIAL_OK ? "screened s"
                                                : "out o",
                          i < 0 ? 0 : i);
        x += width;
    }
    tw_text_print(out, "</svg>\n");
}

void figure_failures(const struct page_trials *trials, struct tw_text *out) {
    int counts[TW_DB_TRIAL_STATUS_COUNT] = {0}, screened = 0, cause_count = 0;
    struct cause *causes = NULL;
    for (int i = 0; i < trials->count; i++) {
        const struct page_trial *t = &trials->trials[i];
        counts[t->status]++;
        screened += t->screened_out;
        if (t->status != TW_DB_TRIAL_OK && !count_cause(&causes, &cause_count, t))
            out->failed = true;
    }
    if (trials->count == 0)
        return;
    tw_text_print(out, "<h3>What came of the trials</h3>\n");
    draw_outcomes(counts, screened, trials->count, out);
    tw_text_print(out, "<p class=\"key\"><span class=\"k sound\"></span>&nbsp;%d measured",
                  counts[TW_DB_TRIAL_OK] - screened);
    if (screened > 0)
        tw_text_print(out,
                      " <span class=\"k screened\"></span>&nbsp;%d dropped early as clearly slower",
                      screened);
    for (int i = 1; i < TW_DB_TRIAL_STATUS_COUNT; i++)
        if (counts[i] > 0)
            tw_text_print(out, " <span class=\"k out o%d\"></span>&nbsp;%d %s", i, counts[i],
                          tw_db_trial_status_text((enum tw_db_trial_status)i));
    tw_text_print(out, "%s</p>\n",
                  counts[TW_DB_TRIAL_OK] == trials->count ? "; nothing failed" : "");
    if (cause_count > 0) {
        qsort(causes, (size_t)cause_count, sizeof *causes, by_count);
        tw_text_print(out, "<div class=\"wide\"><table><thead><tr><th>status<th class=n>trials"
                           "<th>message, and one that has it</tr></thead><tbody>\n");
        for (int i = 0; i < cause_count && i < MOST_CAUSES; i++)
            print_cause(&causes[i], out);
        tw_text_print(out, "</tbody></table></div>\n");
    }
    if (cause_count > MOST_CAUSES)
        tw_text_print(out,
                      "<p class=\"quiet\">%d rarer causes are left out; tune trials has them "
                      "all.</p>\n",
                      cause_count - MOST_CAUSES);
    free(causes);
}

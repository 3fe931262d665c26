/* The parts of a page: each appends a heading with its pictures and tables, or nothing where there
 * is nothing to show. */
#ifndef TUNER_PAGE_FIGURES_H
#define TUNER_PAGE_FIGURES_H

#include <cjson/cJSON.h>

#include "runtime/base/text.h"
#include "tuner/page/material.h"
#include "tuner/page/samples.h"
#include "tuner/page/setting.h"

void figure_convergence(const struct page_subject *subject, const struct page_trials *trials,
                        struct tw_text *out);
/* Each parameter of the winner's implementation, and the pairs that interact. */
void figure_parameters(const struct page_subject *subject, const struct samples *samples,
                       struct tw_text *out);
void figure_pairs(const struct samples *samples, struct tw_text *out);
void figure_failures(const struct page_trials *trials, struct tw_text *out);
/* The winner, what ties with it, and their intervals. */
void figure_ties(const struct page_subject *subject, const struct page_trials *trials,
                 struct tw_text *out);
/* What the device allows, the presets on the way there, and the winner. */
void figure_roofline(const struct page_subject *subject, const struct setting *setting,
                     struct tw_text *out);
/* Of the winner, or why there is none. */
void figure_code(const struct page_subject *subject, const struct setting *setting,
                 struct tw_text *out);

#endif

/* Which configuration should a problem run with on a device?
 *
 * The result stored for exactly this problem on this device. Else the candidate that is predicted
 * to be the fastest on this problem: candidates are what won on other problems, on this device and
 * on others of its architecture, with equal attributes and cache policy, the nearest of them; and
 * the preset of the first of the description's `fallback` rules that holds, or `default` where none
 * does.
 * What a candidate took where it was measured is put in proportion by the analytic estimates of
 * both problems (runtime/predict), or by what a model of that device says of both. Where there is
 * a model for the device, or one of its architecture, and these attributes, the configurations that
 * it was fitted with are candidates too, and its prediction counts, with the other by how sure they
 * are, and one that was measured far away, or on another device, or never, has to be so much
 * better. Of those that come close to the best one that needs no compiler is preferred. Problems
 * are near by their dimensions: the distance is the Euclidean norm of log2 of the ratios, so 1
 * means twice as large along one dimension. What is chosen so takes the values that the description
 * has for what was not tuned (`untuned`). Where nothing was measured, it is the fallback's preset,
 * then `default`.
 *
 * A row counts only when its template is today's, the description allows its parameters, and the
 * configuration is valid for the problem at hand on the device at hand. */
#ifndef TW_SELECT_SELECT_H
#define TW_SELECT_SELECT_H

#include "runtime/select/query.h"

/* Chooses. Fails only when the problem cannot be bound or `default` itself does not fit or is not
 * accepted. */
tw_status tw_select(const struct tw_query *query, struct tw_selection *selection,
                    struct tw_error *error);

/* The problem of a row for people, with all attributes that the description has today. */
void tw_selection_problem(const struct tw_description *description,
                          const struct tw_catalogue_row *row, char text[TW_PROBLEM_KEY_SIZE]);

/* Appends a prediction, "12.3 us (10.1 to 15)": one standard deviation to either side. */
void tw_selection_prediction(double predicted_us, double uncertainty, struct tw_text *text);
/* Appends a runner-up: its prediction, its configuration, where it won. */
void tw_selection_other(const struct tw_description *description,
                        const struct tw_selection_other *other, struct tw_text *text);

/* The rule as a word ("exact") and as a sentence. */
const char *tw_selection_word(enum tw_selection_rule rule);
const char *tw_selection_text(enum tw_selection_rule rule);

#endif

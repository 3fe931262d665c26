/* Where what a model chooses from was good: the problems that it was fitted to, with what a plan
 * near one of them is to ask about. */
#ifndef TUNER_MODEL_PLACES_H
#define TUNER_MODEL_PLACES_H

#include "tuner/model/choice.h"

/* Of the samples that are not `used`, which a plan would ask about: `asked` has an entry a sample,
 * of which those are set. `choice` is by those that are used. TW_NO_MEMORY is the only failure. */
tw_status model_places_ask(const struct model_samples *samples, const struct model_choice *choice,
                           const bool *used, bool *asked, struct tw_error *error);

/* Places as a model's file numbers them; -1: it is none there. */
struct place_numbers {
    int *of_problems; /* of the samples */
    int *of_earlier;  /* of the earlier model's places */
    bool *good;       /* of each sample: its problem is a place of its configuration */
};

/* " \"places\": [...]" of all, the earlier model's that are kept first. Free the numbers with
 * place_numbers_free in every case. */
tw_status model_places_write(const struct model_samples *samples, const struct model_choice *choice,
                             struct place_numbers *numbers, struct tw_text *text,
                             struct tw_error *error);
void place_numbers_free(struct place_numbers *numbers);

#endif

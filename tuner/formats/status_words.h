/* The words that other tools have for what came of a configuration. */
#ifndef TUNER_FORMATS_STATUS_WORDS_H
#define TUNER_FORMATS_STATUS_WORDS_H

#include <stdbool.h>

#include "db/store.h"

/* Kernel Tuner's and T4's word for a status. Kernel Tuner has none for "ok": NULL. */
const char *status_word_kernel_tuner(enum tw_db_trial_status status);
const char *status_word_t4(enum tw_db_trial_status status);

/* The status that a word stands for: of several the one that says least. False when the word is
 * none of theirs. */
bool status_word_read_kernel_tuner(const char *word, enum tw_db_trial_status *status);
bool status_word_read_t4(const char *word, enum tw_db_trial_status *status);
/* Tilewise's own words. */
bool status_word_read(const char *word, enum tw_db_trial_status *status);

#endif

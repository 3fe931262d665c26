#include "tuner/formats/status_words.h"

#include <string.h>

/* Kernel Tuner calls invalid what it refuses before a launch for want of threads or memory; a wrong
 * answer ends its run, so it has no word for one. */
static const struct word {
    const char *kernel_tuner, *t4;
} words[] = {
    [TW_DB_TRIAL_OK] = {NULL, "correct"},
    [TW_DB_TRIAL_COMPILE_ERROR] = {"CompilationFailedConfig", "compile"},
    [TW_DB_TRIAL_COMPILE_TIMEOUT] = {"CompilationFailedConfig", "timeout"},
    [TW_DB_TRIAL_LAUNCH_ERROR] = {"RuntimeFailedConfig", "runtime"},
    [TW_DB_TRIAL_RESOURCE] = {"InvalidConfig", "constraints"},
    [TW_DB_TRIAL_WRONG] = {"RuntimeFailedConfig", "correctness"},
    [TW_DB_TRIAL_TIMEOUT] = {"RuntimeFailedConfig", "timeout"},
    [TW_DB_TRIAL_CRASH] = {"RuntimeFailedConfig", "runtime"},
};
enum { COUNT = sizeof words / sizeof *words };

const char *status_word_kernel_tuner(enum tw_db_trial_status status) {
    return words[status].kernel_tuner;
}

const char *status_word_t4(enum tw_db_trial_status status) {
    return words[status].t4;
}

bool status_word_read_kernel_tuner(const char *word, enum tw_db_trial_status *status) {
    /* What Kernel Tuner writes when it knows no more. */
    if (strcmp(word, "ErrorConfig") == 0) {
        *status = TW_DB_TRIAL_LAUNCH_ERROR;
        return true;
    }
    for (int i = 0; i < COUNT; i++)
        if (words[i].kernel_tuner != NULL && strcmp(words[i].kernel_tuner, word) == 0) {
            *status = (enum tw_db_trial_status)i;
            return true;
        }
    return false;
}

bool status_word_read_t4(const char *word, enum tw_db_trial_status *status) {
    /* A timeout that is nowhere said to be the compiler's is the kernel's. */
    for (int i = 0; i < COUNT; i++)
        if (i != TW_DB_TRIAL_COMPILE_TIMEOUT && strcmp(words[i].t4, word) == 0) {
            *status = (enum tw_db_trial_status)i;
            return true;
        }
    return false;
}

bool status_word_read(const char *word, enum tw_db_trial_status *status) {
    for (int i = 0; i < COUNT; i++)
        if (strcmp(tw_db_trial_status_text((enum tw_db_trial_status)i), word) == 0) {
            *status = (enum tw_db_trial_status)i;
            return true;
        }
    return false;
}

/* The command line of a job on a cluster, as words for the `tune` of each rank. */
#ifndef TUNER_CLUSTER_JOB_WORDS_H
#define TUNER_CLUSTER_JOB_WORDS_H

#include <cjson/cJSON.h>

#include "runtime/base/text.h"
#include "tuner/commands/arguments.h"

/* What is the same for all problems; NULL for want of memory. */
cJSON *job_words(const struct arguments *arguments);
/* What is of one problem. */
cJSON *shape_words(const struct shape_argument *shape);
/* What a job is known by when it is started again: the words that say how a problem is tuned, on
 * one line. Which problems, and with how many compilers, may change. */
void job_command(const struct arguments *arguments, struct tw_text *text);

#endif

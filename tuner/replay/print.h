/* What replayed searches came to, as tables or JSON. */
#ifndef TUNER_REPLAY_PRINT_H
#define TUNER_REPLAY_PRINT_H

#include <stdbool.h>

#include <cjson/cJSON.h>

#include "tuner/replay/assessment.h"
#include "tuner/replay/foresight.h"

/* A recording and what each of the strategies came to on it. */
struct replayed {
    const struct recording *recording;
    const struct baseline *baseline;
    const struct foresight *foresight;
    const struct assessment *assessments; /* one a strategy */
};

/* What was asked for. */
struct replay_request {
    const char *const *names; /* of the strategies */
    int strategies;
    size_t seeds;
    struct replay_options options; /* no trials: as many as a space has */
};

/* To standard output: a recording, and what all of them say together. */
void replay_print_file(const struct replayed *replayed, const struct replay_request *request);
void replay_print_summary(const struct replayed *replayed, int files,
                          const struct replay_request *request);
/* The caller frees it; json_lacked_memory says whether it is whole. */
cJSON *replay_json(const struct replayed *replayed, int files,
                   const struct replay_request *request);

#endif

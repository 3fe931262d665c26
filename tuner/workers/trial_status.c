#include "tuner/workers/trial_status.h"

#include <string.h>

enum tw_db_trial_status trial_status_parse(const char *name) {
#define MATCH(status, text)                                                                        \
    if (strcmp(name, text) == 0)                                                                   \
        return TW_DB_TRIAL_##status;
    TW_DB_TRIAL_STATUSES(MATCH)
#undef MATCH
    return TW_DB_TRIAL_LAUNCH_ERROR;
}

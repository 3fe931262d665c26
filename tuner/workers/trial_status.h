#ifndef TUNER_WORKERS_TRIAL_STATUS_H
#define TUNER_WORKERS_TRIAL_STATUS_H

#include "db/store.h"

/* The status of this name; a name that is none is a worker's bug and counts as launch_error. */
enum tw_db_trial_status trial_status_parse(const char *name);

#endif

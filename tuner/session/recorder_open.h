/* A recorder for a problem on a device. */
#ifndef TUNER_SESSION_RECORDER_OPEN_H
#define TUNER_SESSION_RECORDER_OPEN_H

#include "tuner/session/recorder.h"

/* Makes sure that device, problem and implementations are on record. What was stored under other
 * code and is of today's all the same goes under today's from now on. `db` and what else is pointed
 * to is borrowed. */
tw_status recorder_open(struct recorder *recorder, tw_db *db, const char *path,
                        const struct tw_problem *problem, const struct tw_device_info *device,
                        const char *cache_policy, struct tw_error *error);

#endif

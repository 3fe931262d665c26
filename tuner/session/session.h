/* A tuning session: one problem on one device, from its space to a stored winner.
 *
 * The coordinator. It never touches a device or a compiler itself: workers do, and may fail. */
#ifndef TUNER_SESSION_SESSION_H
#define TUNER_SESSION_SESSION_H

#include "tuner/session/options.h"
#include "tuner/session/result.h"

/* Runs the session and fills in `result`. `progress` (may be NULL) is called a few times a second.
 * TW_OK also when interrupted, and when every variant failed: then has_best is false. */
tw_status session_run(const struct session_options *options, const struct tw_problem *problem,
                      const struct tw_device_info *device, tw_db *db, const char *db_path,
                      void (*progress)(void *context, const struct session_progress *progress),
                      void *context, struct session_result *result, struct tw_error *error);

#endif

/* What came of trying a configuration. */
#ifndef TUNER_SESSION_TRIAL_H
#define TUNER_SESSION_TRIAL_H

#include "db/store.h"
#include "runtime/description/configuration.h"

/* A trial as the session sees it. */
struct trial {
    struct tw_configuration configuration;
    enum tw_db_trial_status status;
    char message[512];
    double time_us, ci_low_us, ci_high_us; /* when ok */
    bool has_interval;
    int repeats;
    bool screened_out;
    bool has_error;
    double max_rel_error, rms_rel_error;
    bool has_hard;
    double hard_max_error, hard_rms_error;
    bool has_compile_ms;
    double compile_ms;
    bool has_resources;
    int64_t registers, spill_bytes;
    double verify_s, measure_s; /* that it took the device worker; not stored */
};

#endif

/* One variant, compiled, verified and timed by workers as in a search: it may crash or hang, and
 * the caller goes on. Nothing is recorded. */
#ifndef TUNER_SESSION_ONE_VARIANT_H
#define TUNER_SESSION_ONE_VARIANT_H

#include "runtime/variant/executable.h"
#include "tuner/session/trial.h"

struct one_variant_options {
    uint32_t seed;        /* of the inputs */
    const char *cache;    /* "cold" or "warm" */
    double trial_limit_s; /* 0: from the reference's own time */
    double compile_limit_s;
};

struct one_variant {
    struct trial trial; /* what came of it */
    int log_count;      /* launches that were compiled, the one that failed included */
    struct tw_text logs[TW_MAX_LAUNCHES]; /* what the compiler said of each */
};

/* `sources` are the executable's, a text a launch. TW_OK also when the variant failed: the trial
 * says how. Free with one_variant_free in every case. */
tw_status one_variant_run(const struct one_variant_options *options,
                          const struct tw_device_info *device,
                          const struct tw_executable *executable, const struct tw_text *sources,
                          struct one_variant *out, struct tw_error *error);
void one_variant_free(struct one_variant *one);

#endif

/* What applications asked for: the log of shapes that libtilewise writes
 * (runtime/library/shape_log), read and added up. */
#ifndef TUNER_AUDIT_ASKED_H
#define TUNER_AUDIT_ASKED_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/base/error.h"

/* A problem, as it is written. */
struct asked {
    char *kernel, *shape, *attributes; /* "gemm", "64x32x16", "dtype=f32,trans=nn" or "" */
    int64_t launches;
    int64_t refused;    /* requests that got no plan */
    double expected_us; /* of a launch, as the application's library had it last; 0: not known */
    int line;           /* where it was first asked for */
};

struct asked_log {
    int count;
    struct asked *all; /* in order of kernel, shape and attributes */
    int cut; /* lines that are cut short, as by a crash, or otherwise no JSON: passed over */
    /* None of it was asked for on the device and with the cache policy that were wanted: then all
     * of it counts. */
    bool elsewhere;
};

/* Whether the file's first line begins as a log's does, or it is empty, as a log is at first. */
tw_status asked_is_log(const char *path, bool *is_log, struct tw_error *error);

/* Reads what was asked for on a device (its fingerprint) under a cache policy, or all where that is
 * nothing. A line that is JSON and not of a log is TW_INVALID, with file and line. Free with
 * asked_free in every case. */
tw_status asked_read(struct asked_log *log, const char *path, const char *fingerprint,
                     const char *cache, struct tw_error *error);
void asked_free(struct asked_log *log);

#endif

/* A recorded space: what came of every configuration that somebody tried once, in a file of Kernel
 * Tuner's cache format, packed or not. Read for replaying searches (tuner/replay), which needs no
 * description: the space is the configurations that are listed. Immutable once read, and may then
 * be used from many threads. */
#ifndef TUNER_FORMATS_RECORDING_H
#define TUNER_FORMATS_RECORDING_H

#include <stdbool.h>

#include "runtime/base/error.h"
#include "tuner/space/space.h"

struct recorded {
    bool ok;
    double seconds;            /* when ok: of one call */
    double compiling, running; /* seconds that compiling took; that verifying and timing did */
    size_t entry;              /* of the file's configurations, from 0 */
};

struct recording {
    char *origin, *kernel, *device; /* plain text; the last two may be empty */
    struct space *space;            /* listed: see space_create_listed */
    struct recorded *points;        /* by number in the space */
    size_t ok;                      /* how many of them were */
    double best;                    /* the least seconds */
};

/* TW_BAD_DESCRIPTION for what is no JSON or no result; TW_INVALID when the file is no cache, has no
 * configuration that worked, or a parameter with more than TW_MAX_CHOICES values. On failure *out
 * is NULL. */
tw_status recording_read(struct recording **out, const char *path, struct tw_error *error);
/* The same of text in memory; `origin` stands for the file in messages. */
tw_status recording_parse(struct recording **out, const char *text, size_t length,
                          const char *origin, struct tw_error *error);
/* NULL is fine. */
void recording_free(struct recording *recording);

#endif

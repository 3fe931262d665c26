/* Is a stored result one of today's code?
 *
 * It is when what it belongs to (variant/identity.h) is what today's description, templates and
 * prelude make of its own problem and configuration on its own device. */
#ifndef TW_SELECT_CURRENT_H
#define TW_SELECT_CURRENT_H

#include "runtime/base/hash.h"
#include "runtime/description/configuration.h"
#include "runtime/description/problem.h"

/* What a database says of a result. */
struct tw_stored {
    const char *backend;
    const int64_t *device; /* its TW_DEVICE_SLOTS values; NULL: not known */
    const char *implementation;
    const char *template_hash;
    const char *source, *judge; /* NULL or "": not known */
    const char *configuration;
};

/* What there is of a description today, worked out when first needed, and which results were found
 * to be of it, or not. Safe from many threads. */
struct tw_today;

struct tw_known;

/* The description is borrowed. NULL: out of memory. */
struct tw_today *tw_today_create(const struct tw_description *description);
void tw_today_free(struct tw_today *today);
/* What selections worked out of results (known.h); as safe, and lives as long. */
struct tw_known *tw_today_known(struct tw_today *today);

/* The `code` of an implementation on a backend; borrowed. */
tw_status tw_today_code(struct tw_today *today, int implementation, const char *backend,
                        const char **code, struct tw_error *error);

/* TW_OK when a result is current: `problem` is the one that it was measured on, of the same
 * description. TW_NOT_FOUND when its code has changed since, TW_WRONG when only what judged it has.
 */
tw_status tw_today_check(struct tw_today *today, const struct tw_problem *problem,
                         const struct tw_stored *stored, struct tw_error *error);
/* The same, but for what does not depend on who judged: compiling, crashing. */
tw_status tw_today_check_code(struct tw_today *today, const struct tw_problem *problem,
                              const struct tw_stored *stored, struct tw_error *error);

#endif

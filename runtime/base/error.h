/* Filling in the tw_error that functions take last; status codes are in tilewise.h.
 *
 * On failure it holds one line: what is wrong, where, and what to do. It may be NULL where the
 * caller needs no words. */
#ifndef TW_BASE_ERROR_H
#define TW_BASE_ERROR_H

#include <stdarg.h>

#include "runtime/tilewise.h"

/* Fills `error` (if not NULL) and returns `status`, so that callers write `return tw_fail(...)`.
 * Longer text is cut. The arguments may point into `error` itself. */
tw_status tw_fail(struct tw_error *error, tw_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Puts "context: " before the message that is there and returns its status. */
tw_status tw_fail_within(struct tw_error *error, tw_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif

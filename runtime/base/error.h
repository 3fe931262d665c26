/* Status codes and the error that functions fill in.
 *
 * Functions that can fail return a `tw_status` and take a `struct tw_error *` last. On failure it
 * holds one line: what is wrong, where, and what to do. It may be NULL where the caller needs no
 * words. */
#ifndef TW_BASE_ERROR_H
#define TW_BASE_ERROR_H

#include <stdarg.h>

/* name, what it means to a user */
#define TW_STATUSES(X)                                                                             \
    X(OK, "success")                                                                               \
    X(INVALID, "invalid input")                                                                    \
    X(BAD_DESCRIPTION, "invalid kernel description")                                               \
    X(NOT_FOUND, "not found")                                                                      \
    X(UNAVAILABLE, "backend or device not available")                                              \
    X(NO_MEMORY, "out of memory")                                                                  \
    X(RESOURCE, "needs more than the device has")                                                  \
    X(COMPILE, "kernel source does not compile")                                                   \
    X(LAUNCH, "launch failed")                                                                     \
    X(DEVICE, "device error")                                                                      \
    X(DEVICE_LOST, "device context unusable")                                                      \
    X(WRONG, "wrong answer")                                                                       \
    X(DATABASE, "database error")                                                                  \
    X(IO, "input or output failed")                                                                \
    X(INTERRUPTED, "interrupted")

typedef enum tw_status {
#define TW_STATUS_ENUM(name, text) TW_##name,
    TW_STATUSES(TW_STATUS_ENUM)
#undef TW_STATUS_ENUM
} tw_status;

enum { TW_ERROR_SIZE = 1024 };

struct tw_error {
    tw_status status;
    char message[TW_ERROR_SIZE];
};

/* What a status means, in a few words; never NULL. */
const char *tw_status_text(tw_status status);

/* Fills `error` (if not NULL) and returns `status`, so that callers write `return tw_fail(...)`.
 * Longer text is cut. The arguments may point into `error` itself. */
tw_status tw_fail(struct tw_error *error, tw_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Puts "context: " before the message that is there and returns its status. */
tw_status tw_fail_within(struct tw_error *error, tw_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif

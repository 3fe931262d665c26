#include "runtime/base/error.h"

#include <stdio.h>
#include <string.h>

const char *tw_status_text(tw_status status) {
    static const char *const texts[] = {
#define TW_STATUS_STRING(name, text) [TW_##name] = text,
        TW_STATUSES(TW_STATUS_STRING)
#undef TW_STATUS_STRING
    };
    if ((unsigned)status >= sizeof texts / sizeof *texts)
        return "unknown status";
    return texts[status];
}

tw_status tw_fail(struct tw_error *error, tw_status status, const char *format, ...) {
    if (error == NULL)
        return status;
    char text[TW_ERROR_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    /* One line, whatever was put into it: names from callers, files and databases may hold
     * anything, and messages go to terminals. */
    for (char *at = text; *at != '\0'; at++)
        if ((unsigned char)*at < ' ' || *at == 0x7f)
            *at = '?';
    error->status = status;
    memcpy(error->message, text, sizeof text);
    return status;
}

tw_status tw_fail_within(struct tw_error *error, tw_status status, const char *format, ...) {
    if (error == NULL)
        return status;
    char context[TW_ERROR_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(context, sizeof context, format, arguments);
    va_end(arguments);
    return tw_fail(error, status, "%.400s: %.600s", context, error->message);
}

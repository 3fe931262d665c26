#include <stdio.h>

#include "runtime/base/printable.h"
#include "tuner/commands/command.h"

tw_status command_names_file(tw_status status, struct tw_error *error) {
    return status == TW_IO ? tw_fail(error, TW_INVALID, "%s", error->message) : status;
}

int command_failed(tw_status status, const struct tw_error *error) {
    char line[TW_ERROR_SIZE + 8];
    fprintf(stderr, "tune: %s\n", tw_printable_copy(error->message, line, sizeof line));
    return status == TW_INVALID || status == TW_BAD_DESCRIPTION || status == TW_NOT_FOUND
               ? EXIT_USAGE
               : EXIT_FAILED;
}

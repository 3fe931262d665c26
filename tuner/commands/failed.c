#include <stdio.h>

#include "tuner/commands/command.h"
#include "tuner/exchange/plain.h"

int command_failed(tw_status status, const struct tw_error *error) {
    char line[TW_ERROR_SIZE + 8];
    fprintf(stderr, "tune: %s\n", plain_copy(error->message, line, sizeof line));
    return status == TW_INVALID || status == TW_BAD_DESCRIPTION || status == TW_NOT_FOUND
               ? EXIT_USAGE
               : EXIT_FAILED;
}

#include <stdio.h>

#include "tuner/commands/command.h"

int command_failed(tw_status status, const struct tw_error *error) {
    fprintf(stderr, "tune: %s\n", error->message);
    return status == TW_INVALID || status == TW_BAD_DESCRIPTION || status == TW_NOT_FOUND
               ? EXIT_USAGE
               : EXIT_FAILED;
}

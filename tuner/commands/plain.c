#include "tuner/commands/plain.h"

#include <stdio.h>

#include "tuner/commands/command.h"

int command_plain(int count, char **words, option_set options, const char *help,
                  tw_status (*run)(const struct arguments *arguments, struct tw_error *error)) {
    struct arguments arguments;
    struct tw_error error;
    tw_status status = arguments_parse(&arguments, count, words, options, &error);
    if (status == TW_OK && arguments.help)
        fputs(help, stdout);
    else if (status == TW_OK)
        status = run(&arguments, &error);
    arguments_free(&arguments);
    return status == TW_OK ? EXIT_FINE : command_failed(status, &error);
}

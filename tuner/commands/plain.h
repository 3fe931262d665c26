/* What most subcommands do around what they do. */
#ifndef TUNER_COMMANDS_PLAIN_H
#define TUNER_COMMANDS_PLAIN_H

#include "tuner/commands/arguments.h"

/* Reads the words as `options` allow, then prints `help` if that was asked for, else calls `run`.
 * Prints an error, and returns the exit status. */
int command_plain(int count, char **words, option_set options, const char *help,
                  tw_status (*run)(const struct arguments *arguments, struct tw_error *error));

#endif

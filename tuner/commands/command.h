/* Subcommands: one C file and one line in the table of commands.c each. */
#ifndef TUNER_COMMANDS_COMMAND_H
#define TUNER_COMMANDS_COMMAND_H

#include "runtime/base/error.h"

/* Exit statuses. */
enum {
    EXIT_FINE = 0,
    EXIT_FAILED = 1,       /* it ran, and did not do what was asked */
    EXIT_USAGE = 2,        /* the command line or a file it names is wrong */
    EXIT_INTERRUPTED = 130 /* as shells say it for SIGINT */
};

/* `words` begins with the subcommand's own name. Returns the exit status. */
int command_tune(int count, char **words);
int command_new(int count, char **words);
int command_devices(int count, char **words);
int command_show(int count, char **words);
int command_trials(int count, char **words);
int command_retry(int count, char **words);
int command_model(int count, char **words);
int command_record(int count, char **words);
/* What it does where --output is given; command_record calls it. */
int command_record_space(int count, char **words);
int command_run(int count, char **words);
int command_audit(int count, char **words);
int command_apply(int count, char **words);
int command_db(int count, char **words);
int command_cache(int count, char **words);
int command_ladder(int count, char **words);
int command_explain(int count, char **words);
int command_inspect(int count, char **words);
int command_lint(int count, char **words);
int command_report(int count, char **words);
int command_simulate(int count, char **words);
int command_compare(int count, char **words);
int command_doctor(int count, char **words);

/* What was built in, on standard output. */
int command_version(void);
/* For shells, and not told of: what the last of the words may become. */
int command_complete(int count, char **words);
/* The same for a program of its own that takes the options which `help` tells of: the words are
 * "complete" and those that follow the program's name. */
int complete_for(const char *help, int count, char **words);

struct command {
    const char *name;
    int (*run)(int count, char **words);
    const char *summary;
};
/* In the order in which they are listed; ends with a NULL name. */
extern const struct command commands[];
const struct command *command_find(const char *name); /* NULL: there is none */

/* For reading a file that the command line names: when that fails the command line is wrong.
 * Returns the status that then fits. */
tw_status command_names_file(tw_status status, struct tw_error *error);

/* Prints "tune: MESSAGE" to standard error, on one line whatever a file has put into it, and
 * returns the exit status that fits. */
int command_failed(tw_status status, const struct tw_error *error);

#endif

/* The subcommands that are told of. */
#include <string.h>

#include "tuner/commands/command.h"

/* name, function, what it does */
#define COMMANDS(X)                                                                                \
    X(new, command_new, "write a small kernel to begin from")                                      \
    X(devices, command_devices, "list the devices of this machine")                                \
    X(show, command_show, "show the best stored configurations")                                   \
    X(trials, command_trials, "show what a run tried")                                             \
    X(report, command_report, "write a page about what is stored, to look at in a browser")        \
    X(record, command_record, "measure good configurations on many problems, for models")          \
    X(model, command_model, "fit, show, check or import what chooses for shapes never tuned")      \
    X(explain, command_explain, "say which configuration an application would get, and why")       \
    X(audit, command_audit, "say what shapes cost that were not tuned, and which to tune first")   \
    X(retry, command_retry, "forget the failures of a problem, try them again and go on")          \
    X(run, command_run, "run one variant, check and time it, print its source")                    \
    X(apply, command_apply, "load the best stored configuration, run it once and check it")        \
    X(ladder, command_ladder, "show what each classic optimisation brings on a device")            \
    X(doctor, command_doctor, "say how far times that are measured here can be trusted")           \
    X(compare, command_compare, "measure two sets of results again, together")                     \
    X(lint, command_lint, "check a description of a kernel of your own, without a device")         \
    X(inspect, command_inspect, "show a kernel's machine code, occupancy and roofline")            \
    X(simulate, command_simulate, "replay search strategies on recorded spaces, without a device") \
    X(db, command_db, "merge, export, import, check, list or prune databases")                     \
    X(cache, command_cache, "list or clear the compiled kernels that applications keep")

const struct command commands[] = {
#define COMMAND_ROW(name, function, summary) {#name, function, summary},
    COMMANDS(COMMAND_ROW)
#undef COMMAND_ROW
        {NULL, NULL, NULL}};

const struct command *command_find(const char *name) {
    for (const struct command *command = commands; command->name != NULL; command++)
        if (strcmp(command->name, name) == 0)
            return command;
    return NULL;
}

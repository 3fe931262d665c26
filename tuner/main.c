/* tune: the command-line program. Finds the subcommand and runs it. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "runtime/base/text.h"
#include "runtime/description/builtin.h"
#include "tuner/commands/command.h"
#include "tuner/json/json.h"
#include "tuner/workers/compile_worker.h"
#include "tuner/workers/device_worker.h"
#include "tuner/workers/process.h"

/* name, function, what it does */
#define COMMANDS(X)                                                                                \
    X(new, command_new, "write a small kernel to begin from")                                      \
    X(devices, command_devices, "list the devices of this machine")                                \
    X(show, command_show, "show the best stored configurations")                                   \
    X(trials, command_trials, "show what a run tried")                                             \
    X(report, command_report, "write a page about what is stored, to look at in a browser")        \
    X(explain, command_explain, "say which configuration an application would get, and why")       \
    X(retry, command_retry, "forget the failures of a problem, try them again and go on")          \
    X(run, command_run, "run one variant, check and time it, print its source")                    \
    X(apply, command_apply, "load the best stored configuration, run it once and check it")        \
    X(ladder, command_ladder, "show what each classic optimisation brings on a device")            \
    X(lint, command_lint, "check a description of a kernel of your own, without a device")         \
    X(inspect, command_inspect, "show a kernel's machine code, occupancy and roofline")            \
    X(simulate, command_simulate, "replay search strategies on recorded spaces, without a device") \
    X(db, command_db, "merge, export, import, check, list or prune databases")                     \
    X(cache, command_cache, "list or clear the compiled kernels that applications keep")

static const struct command {
    const char *name;
    int (*run)(int count, char **words);
    const char *summary;
} commands[] = {
#define COMMAND_ROW(name, function, summary) {#name, function, summary},
    COMMANDS(COMMAND_ROW)
#undef COMMAND_ROW
};

static void list_commands(void) {
    printf(
        "tune [KERNEL] --shape MxN[xK] [OPTIONS]   tune a kernel; tune --help for the options\n");
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        printf("tune %-8s %s\n", commands[i].name, commands[i].summary);
    printf("tune --version\n");
}

/* Misspelt subcommands would otherwise pass as kernels: `tune device` has no shape. */
static int no_command(const char *word) {
    char path[64];
    snprintf(path, sizeof path, "configs/%.40s.json", word);
    if (tw_builtin_file(path) != NULL)
        return 0; /* a kernel, whose shape is missing */
    const char *names[sizeof commands / sizeof *commands];
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        names[i] = commands[i].name;
    const char *nearest = tw_nearest(word, names, sizeof names / sizeof *names);
    if (nearest == NULL)
        return 0;
    fprintf(stderr, "tune: \"%s\" is no subcommand; did you mean %s?\n", word, nearest);
    return EXIT_USAGE;
}

static int run(int count, char **words) {
    if (count < 2) {
        list_commands();
        return EXIT_USAGE;
    }
    if (strcmp(words[1], "compile-worker") == 0)
        return compile_worker();
    if (strcmp(words[1], "device-worker") == 0)
        return device_worker();
    if (strcmp(words[1], "--version") == 0) {
        printf("tune %s\n", TW_VERSION);
        return EXIT_FINE;
    }
    if (strcmp(words[1], "help") == 0) {
        list_commands();
        return EXIT_FINE;
    }
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (strcmp(words[1], commands[i].name) == 0)
            return commands[i].run(count - 1, words + 1);
    if (count == 2 && words[1][0] != '-' && no_command(words[1]) != 0)
        return EXIT_USAGE;
    return command_tune(count, words);
}

/* What was not printed was not done. A reader who has seen enough, as head, needs no word of it. */
static int finish(int code) {
    if (fflush(stdout) == 0 && ferror(stdout) == 0)
        return code;
    if (errno != EPIPE && code == EXIT_FINE)
        fprintf(stderr, "tune: standard output cannot be written: %s\n", strerror(errno));
    return code != EXIT_FINE ? code : EXIT_FAILED;
}

int main(int count, char **words) {
    worker_keep_environment();
    signal(SIGPIPE, SIG_IGN);
    json_watch_memory();
    return finish(run(count, words));
}

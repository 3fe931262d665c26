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

enum { MOST_COMMANDS = 64 };

static void list_commands(void) {
    printf(
        "tune [KERNEL] --shape MxN[xK] [OPTIONS]   tune a kernel; tune --help for the options\n");
    for (const struct command *command = commands; command->name != NULL; command++)
        printf("tune %-8s %s\n", command->name, command->summary);
    printf("tune --version, tune help SUBCOMMAND\n");
}

/* Misspelt subcommands would otherwise pass as kernels: `tune device` has no shape, and `tune aply
 * gemm` a word too many. */
static int no_command(const char *word) {
    char path[64];
    snprintf(path, sizeof path, "configs/%.40s.json", word);
    if (tw_builtin_file(path) != NULL)
        return 0; /* a kernel, whose shape is missing */
    const char *names[MOST_COMMANDS];
    size_t count = 0;
    while (count < MOST_COMMANDS && commands[count].name != NULL) {
        names[count] = commands[count].name;
        count++;
    }
    const char *nearest = tw_nearest(word, names, count);
    if (nearest != NULL)
        fprintf(stderr, "tune: \"%s\" is no subcommand; did you mean %s?\n", word, nearest);
    else
        fprintf(stderr, "tune: \"%s\" is neither a subcommand nor a kernel; see tune --help\n",
                word);
    return EXIT_USAGE;
}

/* tune help SUBCOMMAND is tune SUBCOMMAND --help. */
static int help(int count, char **words) {
    const struct command *command = count == 2 ? command_find(words[1]) : NULL;
    char option[] = "--help";
    if (command != NULL)
        return command->run(2, (char *[]){words[1], option, NULL});
    list_commands();
    return EXIT_FINE;
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
    if (strcmp(words[1], "--version") == 0)
        return command_version();
    if (strcmp(words[1], "help") == 0)
        return help(count - 1, words + 1);
    if (strcmp(words[1], "complete") == 0)
        return command_complete(count - 1, words + 1);
    const struct command *command = command_find(words[1]);
    if (command != NULL)
        return command->run(count - 1, words + 1);
    if (words[1][0] != '-' && (count == 2 || words[2][0] != '-') && no_command(words[1]) != 0)
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
    signal(SIGXFSZ, SIG_IGN); /* a limit of files' sizes is told as a full disk is */
    json_watch_memory();
    return finish(run(count, words));
}

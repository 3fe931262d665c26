/* The command line: options that subcommands share, parsed and checked. */
#ifndef TUNER_COMMANDS_ARGUMENTS_H
#define TUNER_COMMANDS_ARGUMENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/base/error.h"

enum { ARGUMENTS_MAX_SHAPES = 4096, ARGUMENTS_MAX_ATTRIBUTES = 16 };

/* Every option, for the one table: name, letter used inside, takes a value? */
#define OPTIONS(X)                                                                                 \
    X("shape", 's', true)                                                                          \
    X("shapes", 'f', true)                                                                         \
    X("dtype", 't', true)                                                                          \
    X("trans", 'r', true)                                                                          \
    X("attr", 'a', true)                                                                           \
    X("device", 'd', true)                                                                         \
    X("budget", 'b', true)                                                                         \
    X("strategy", 'g', true)                                                                       \
    X("seed", 'e', true)                                                                           \
    X("jobs", 'j', true)                                                                           \
    X("db", 'D', true)                                                                             \
    X("cache", 'c', true)                                                                          \
    X("config", 'C', true)                                                                         \
    X("trial-limit", 'l', true)                                                                    \
    X("compile-limit", 'L', true)                                                                  \
    X("run", 'R', true)                                                                            \
    X("output", 'o', true)                                                                         \
    X("binaries", 'B', false)                                                                      \
    X("directory", 'p', true)                                                                      \
    X("format", 'F', true)                                                                         \
    X("kernel", 'k', true)                                                                         \
    X("implementation", 'i', true)                                                                 \
    X("preset", 'P', true)                                                                         \
    X("arch", 'A', true)                                                                           \
    X("json", 'J', false)                                                                          \
    X("quiet", 'q', false)                                                                         \
    X("verbose", 'v', false)                                                                       \
    X("help", 'h', false)

/* A shape to tune, with attributes of its own from a --shapes file. */
struct shape_argument {
    char *shape;
    char *origin; /* "list.txt:3"; NULL for one of the command line */
    int attribute_count;
    char *attributes[ARGUMENTS_MAX_ATTRIBUTES]; /* "dtype=f64" */
};

struct arguments {
    const char *kernel; /* NULL: not given */
    int file_count;
    const char **files; /* for subcommands that take files instead of a kernel */
    int shape_count;
    struct shape_argument *shapes;
    int attribute_count;
    char *attributes[ARGUMENTS_MAX_ATTRIBUTES]; /* "dtype=f64", of --dtype, --trans and --attr */
    const char *device;
    double budget_seconds; /* 0: limited by trials */
    int64_t budget_trials; /* 0: limited by time */
    const char *strategy;
    uint64_t seed;
    int jobs;
    const char *db;
    const char *cache; /* "cold" unless given */
    bool cache_given;
    const char *config;
    double trial_limit_s; /* 0: the tuner decides */
    double compile_limit_s;
    int64_t run;           /* 0: not given */
    const char *output;    /* NULL: not given; likewise the next three */
    const char *directory; /* of binaries */
    const char *format;
    const char *implementation;
    const char *preset;
    const char *arch;
    bool binaries, json, quiet, verbose, help;
};

/* Parses what follows the subcommand. `allowed` has the letters of the options it takes; with a '*'
 * in it, plain words are files and not a kernel. A mistake is TW_INVALID with a line that says
 * which word and what to do. Free with arguments_free in every case. */
tw_status arguments_parse(struct arguments *arguments, int count, char **words, const char *allowed,
                          struct tw_error *error);
void arguments_free(struct arguments *arguments);

#endif

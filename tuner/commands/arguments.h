/* The command line: options that subcommands share, parsed and checked. */
#ifndef TUNER_COMMANDS_ARGUMENTS_H
#define TUNER_COMMANDS_ARGUMENTS_H

#include <stdbool.h>

#include "tuner/commands/argument_values.h"

/* Every option. What each takes and which member it fills is in the table of arguments.c. */
enum option_id {
    OPTION_SHAPE,
    OPTION_SHAPES,
    OPTION_DTYPE,
    OPTION_TRANS,
    OPTION_COMPUTE,
    OPTION_ATTR,
    OPTION_DEVICE,
    OPTION_DEVICES,
    OPTION_BUDGET,
    OPTION_STRATEGY,
    OPTION_PRIOR,
    OPTION_SEED,
    OPTION_SEEDS,
    OPTION_TRIALS,
    OPTION_OUTSTANDING,
    OPTION_ROUNDS,
    OPTION_JOBS,
    OPTION_LOCAL,
    OPTION_LOST_AFTER,
    OPTION_DB,
    OPTION_CACHE,
    OPTION_CONFIG,
    OPTION_TRIAL_LIMIT,
    OPTION_COMPILE_LIMIT,
    OPTION_RUN,
    OPTION_OUTPUT,
    OPTION_BINARIES,
    OPTION_DIRECTORY,
    OPTION_FORMAT,
    OPTION_BENCH,
    OPTION_KERNEL,
    OPTION_IMPLEMENTATION,
    OPTION_PRESET,
    OPTION_ARCH,
    OPTION_FIX,
    OPTION_STATUS,
    OPTION_KEEP,
    OPTION_FROM,
    OPTION_ANEW,
    OPTION_LEAVE,
    OPTION_FROM_LOG,
    OPTION_CONFIGURATION,
    OPTION_SOURCE,
    OPTION_LOG,
    OPTION_JSON,
    OPTION_QUIET,
    OPTION_VERBOSE,
    OPTION_HELP,
    OPTION_COUNT
};

/* The options that a subcommand takes, a bit each; --help is always one of them. */
typedef uint64_t option_set;
#define OPTION(id) (UINT64_C(1) << OPTION_##id)
/* With it, plain words are files and not a kernel. */
#define WORDS_ARE_FILES (UINT64_C(1) << 63)

/* One problem of a kernel, and a problem on a device as applications see it. */
#define OPTIONS_PROBLEM                                                                            \
    (OPTION(SHAPE) | OPTION(DTYPE) | OPTION(TRANS) | OPTION(COMPUTE) | OPTION(ATTR) |              \
     OPTION(CONFIG))
#define OPTIONS_SUBJECT (OPTIONS_PROBLEM | OPTION(DEVICE) | OPTION(CACHE) | OPTION(DB))

struct arguments {
    const char *kernel;     /* NULL: not given */
    struct word_list files; /* for subcommands that take files instead of a kernel */
    int shape_count;
    struct shape_argument *shapes;
    int attribute_count;
    char *attributes[ARGUMENTS_MAX_ATTRIBUTES]; /* "dtype=f64", of --dtype, --trans, --compute and
                                                   --attr */
    const char *device;
    const char *devices;   /* NULL: not given */
    double budget_seconds; /* 0: limited by trials */
    int64_t budget_trials; /* 0: limited by time */
    bool budget_given;
    const char *strategy;        /* the last that was given */
    struct word_list strategies; /* all of them */
    int64_t seed;
    int64_t seeds, outstanding; /* of searches that are replayed */
    int64_t trials;             /* of each of them, or of a recording; 0: not given */
    int64_t rounds;             /* of interleaved measurements */
    int64_t jobs;
    bool jobs_given;
    const char *local;   /* of a cluster: where ranks keep databases; NULL: not given */
    double lost_after_s; /* likewise: of a silent rank */
    const char *db;
    const char *cache; /* "cold" unless given */
    bool cache_given;
    struct word_list configs; /* owned, unlike other words */
    struct word_list fixes;   /* "BK=8" */
    struct word_list leave;   /* kinds of problems */
    unsigned statuses;        /* of trials, a bit each (db/store.h); 0: not given */
    double trial_limit_s;     /* 0: the tuner decides */
    double compile_limit_s;
    int64_t run;           /* 0: not given */
    const char *output;    /* NULL: not given; likewise the next seven */
    const char *directory; /* of binaries */
    const char *format;
    const char *bench;
    const char *implementation;
    const char *preset;
    const char *arch;
    const char *configuration;
    const char *from;     /* a model */
    const char *from_log; /* of shapes */
    bool no_prior;        /* --prior off */
    bool keep, anew, binaries, source, log, json, quiet, verbose, help;
};

/* Parses what follows the subcommand, which takes the options in `allowed`. A mistake is TW_INVALID
 * with a line that says which word and what to do. Free with arguments_free in every case. */
tw_status arguments_parse(struct arguments *arguments, int count, char **words, option_set allowed,
                          struct tw_error *error);
void arguments_free(struct arguments *arguments);

/* Whether a word asks for help, in the place of what a subcommand would do. */
bool arguments_ask_help(const char *word);

/* Whether a word is an option that the next word is the value of. */
bool arguments_takes_value(const char *word);

#endif

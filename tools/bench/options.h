/* The command line of the bench, and the lists of shapes that it names. */
#ifndef TOOLS_BENCH_OPTIONS_H
#define TOOLS_BENCH_OPTIONS_H

#include <stdbool.h>

#include "runtime/base/error.h"

enum { OPTIONS_MAX_ATTRIBUTES = 16, OPTIONS_MAX_DATABASES = 16 };

/* A problem as it was written. */
struct wanted {
    char *kernel;
    char *shape;
    char *origin; /* "list.txt:3"; NULL for one of the command line */
    int attribute_count;
    char *attributes[OPTIONS_MAX_ATTRIBUTES]; /* NAME=WORD */
};

enum format { FORMAT_TABLE, FORMAT_CSV, FORMAT_JSON };

struct options {
    const char *kernel; /* NULL: not given */
    int wanted_count;
    struct wanted *wanted;
    int attribute_count;
    char *attributes[OPTIONS_MAX_ATTRIBUTES]; /* of --dtype and --trans: for every problem */
    const char *device;                       /* NULL: the default one */
    int database_count;
    const char *databases[OPTIONS_MAX_DATABASES + 1]; /* ended by NULL; none: the library's own */
    const char *cache;                                /* "cold" or "warm" */
    int rounds;                                       /* 0: as many as the times need */
    enum format format;
    const char *output; /* NULL: standard output */
    bool help;
};

/* A mistake is TW_INVALID with one line. Free with options_free in every case. */
tw_status options_parse(struct options *options, int count, char **words, tw_error *error);
void options_free(struct options *options);

void options_help(void);

#endif

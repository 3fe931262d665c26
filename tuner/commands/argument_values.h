/* What options take: numbers, times, shapes, attributes, lists. */
#ifndef TUNER_COMMANDS_ARGUMENT_VALUES_H
#define TUNER_COMMANDS_ARGUMENT_VALUES_H

#include <stdint.h>

#include "runtime/base/error.h"

enum { ARGUMENTS_MAX_SHAPES = 4096, ARGUMENTS_MAX_ATTRIBUTES = 16 };

/* A shape to tune, with attributes of its own from a --shapes file. */
struct shape_argument {
    char *shape;
    char *origin; /* "list.txt:3"; NULL for one of the command line */
    int attribute_count;
    char *attributes[ARGUMENTS_MAX_ATTRIBUTES]; /* "dtype=f64" */
};

/* What an option that may be repeated was given; the words are main's. */
struct word_list {
    int count;
    const char **words;
};

tw_status parse_integer(const char *option, const char *word, int64_t least, int64_t most,
                        int64_t *number, struct tw_error *error);
/* 90s, 5m, 1h; a plain number is of seconds. */
tw_status parse_seconds(const char *option, const char *word, double *seconds,
                        struct tw_error *error);

/* Adds to the `count` shapes at `shapes`, which it moves. Each is the caller's to free. */
tw_status add_shape(struct shape_argument **shapes, int *count, const char *shape,
                    struct tw_error *error);
/* Adds the shapes of a file: SHAPE [NAME=WORD ...] a line, # before comments. */
tw_status add_shapes(struct shape_argument **shapes, int *count, const char *path,
                     struct tw_error *error);
/* Adds NAME=WORD; `name` NULL: the word has it all. */
tw_status add_attribute(char **attributes, int *count, const char *name, const char *word,
                        struct tw_error *error);
tw_status add_word(struct word_list *list, const char *word, struct tw_error *error);
/* Adds a description, or all of a folder's: its files that end in .json, by name. What is added is
 * a copy of one's own. */
tw_status add_descriptions(struct word_list *list, const char *path, struct tw_error *error);

#endif

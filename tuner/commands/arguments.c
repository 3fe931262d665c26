#include "tuner/commands/arguments.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/base/file.h"
#include "runtime/base/text.h"

#define OPTION_ROW(name, letter, takes_value)                                                      \
    {name, takes_value ? required_argument : no_argument, NULL, letter},
static const struct option options[] = {OPTIONS(OPTION_ROW){NULL, 0, NULL, 0}};

static tw_status add_shape(struct arguments *a, const char *shape, struct shape_argument **added,
                           struct tw_error *error) {
    if (a->shape_count == ARGUMENTS_MAX_SHAPES)
        return tw_fail(error, TW_INVALID, "more than %d shapes", ARGUMENTS_MAX_SHAPES);
    struct shape_argument *shapes =
        realloc(a->shapes, (size_t)(a->shape_count + 1) * sizeof *shapes);
    if (shapes == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    a->shapes = shapes;
    *added = &shapes[a->shape_count];
    **added = (struct shape_argument){.shape = strdup(shape)};
    if ((*added)->shape == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    a->shape_count++;
    return TW_OK;
}

static tw_status add_attribute(char **attributes, int *count, const char *name, const char *word,
                               struct tw_error *error) {
    struct tw_text text = {0};
    if (*count == ARGUMENTS_MAX_ATTRIBUTES)
        return tw_fail(error, TW_INVALID, "more than %d attributes", ARGUMENTS_MAX_ATTRIBUTES);
    if (name != NULL)
        tw_text_print(&text, "%s=%s", name, word);
    else
        tw_text_print(&text, "%s", word);
    if (text.failed)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    const char *equals = strchr(text.data, '=');
    if (equals == NULL || equals == text.data || equals[1] == '\0') {
        tw_fail(error, TW_INVALID, "\"%s\": an attribute is written NAME=WORD, as in dtype=f64",
                text.data);
        tw_text_free(&text);
        return TW_INVALID;
    }
    attributes[(*count)++] = text.data;
    return TW_OK;
}

/* A line: SHAPE [NAME=WORD ...], with # before comments. */
static tw_status read_shapes_line(struct arguments *a, const char *path, int number, char *line,
                                  struct tw_error *error) {
    line[strcspn(line, "#")] = '\0';
    struct shape_argument *shape = NULL;
    char *rest = NULL;
    for (char *word = strtok_r(line, " \t\r", &rest); word != NULL;
         word = strtok_r(NULL, " \t\r", &rest)) {
        tw_status status = shape == NULL ? add_shape(a, word, &shape, error)
                                         : add_attribute(shape->attributes, &shape->attribute_count,
                                                         NULL, word, error);
        if (status != TW_OK)
            return tw_fail_within(error, status, "%s:%d", path, number);
    }
    struct tw_text origin = {0};
    if (shape != NULL)
        tw_text_print(&origin, "%s:%d", path, number);
    if (origin.failed)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    if (shape != NULL)
        shape->origin = origin.data;
    return TW_OK;
}

static tw_status read_shapes(struct arguments *a, const char *path, struct tw_error *error) {
    struct tw_text text = {0};
    tw_status status = tw_file_read(&text, path, error);
    int before = a->shape_count, number = 1;
    if (status == TW_OK && text.length > 0 && strlen(text.data) != text.length) {
        for (const char *at = text.data; *at != '\0'; at++)
            number += *at == '\n';
        status = tw_fail(error, TW_INVALID, "%s:%d: a NUL byte; this is no text", path, number);
    }
    char *rest = text.data;
    for (char *line; status == TW_OK && (line = strsep(&rest, "\n")) != NULL; number++)
        status = read_shapes_line(a, path, number, line, error);
    tw_text_free(&text);
    if (status == TW_OK && a->shape_count == before)
        return tw_fail(error, TW_INVALID, "%s: has no shapes; write one a line, as in 64x32x16",
                       path);
    return status;
}

static tw_status parse_integer(const char *option, const char *word, int64_t least, int64_t most,
                               int64_t *number, struct tw_error *error) {
    char *end;
    errno = 0;
    *number = strtoll(word, &end, 10);
    if (!isdigit((unsigned char)word[0]) || *end != '\0' || errno != 0 || *number < least ||
        *number > most)
        return tw_fail(error, TW_INVALID,
                       "--%s %s: expected a whole number from %" PRId64 " to %" PRId64, option,
                       word, least, most);
    return TW_OK;
}

static tw_status parse_seconds(const char *option, const char *word, double *seconds,
                               struct tw_error *error) {
    char *end;
    double number = strtod(word, &end);
    double unit = strcmp(end, "s") == 0 || *end == '\0' ? 1
                  : strcmp(end, "m") == 0               ? 60
                  : strcmp(end, "h") == 0               ? 3600
                                                        : 0;
    if (end == word || unit == 0 || !isfinite(number) || !(number > 0) || number > 1e7)
        return tw_fail(error, TW_INVALID, "--%s %s: expected a time, as in 90s, 5m or 1h", option,
                       word);
    *seconds = number * unit;
    return TW_OK;
}

static tw_status parse_budget(struct arguments *a, const char *word, struct tw_error *error) {
    a->budget_seconds = 0;
    a->budget_trials = 0;
    if (word[0] != '\0' && isalpha((unsigned char)word[strlen(word) - 1]))
        return parse_seconds("budget", word, &a->budget_seconds, error);
    if (parse_integer("budget", word, 1, 1000000000, &a->budget_trials, error) != TW_OK)
        return tw_fail(error, TW_INVALID,
                       "--budget %s: expected a time (90s, 5m, 1h) or a number of trials (500)",
                       word);
    return TW_OK;
}

static tw_status add_file(struct arguments *a, const char *file, struct tw_error *error) {
    const char **files = realloc(a->files, (size_t)(a->file_count + 1) * sizeof *files);
    if (files == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    a->files = files;
    files[a->file_count++] = file;
    return TW_OK;
}

static tw_status take_word(struct arguments *a, const char *word, bool is_file,
                           struct tw_error *error) {
    if (is_file)
        return add_file(a, word, error);
    if (a->kernel != NULL)
        return tw_fail(error, TW_INVALID, "unexpected \"%s\"; see --help", word);
    a->kernel = word;
    return TW_OK;
}

static tw_status take_option(struct arguments *a, int letter, const char *value,
                             struct tw_error *error) {
    struct shape_argument *shape;
    int64_t number;
    tw_status status = TW_OK;
    switch (letter) {
    case 's':
        return add_shape(a, value, &shape, error);
    case 'f':
        return read_shapes(a, value, error);
    case 't':
        return add_attribute(a->attributes, &a->attribute_count, "dtype", value, error);
    case 'r':
        return add_attribute(a->attributes, &a->attribute_count, "trans", value, error);
    case 'a':
        return add_attribute(a->attributes, &a->attribute_count, NULL, value, error);
    case 'd':
        a->device = value;
        return TW_OK;
    case 'b':
        return parse_budget(a, value, error);
    case 'g':
        a->strategy = value;
        return TW_OK;
    case 'e':
        status = parse_integer("seed", value, 0, 4294967295, &number, error);
        a->seed = (uint64_t)number;
        return status;
    case 'j':
        status = parse_integer("jobs", value, 1, 512, &number, error);
        a->jobs = (int)number;
        return status;
    case 'D':
        a->db = value;
        return TW_OK;
    case 'c':
        if (strcmp(value, "cold") != 0 && strcmp(value, "warm") != 0)
            return tw_fail(error, TW_INVALID, "--cache %s: expected cold or warm", value);
        a->cache = value;
        a->cache_given = true;
        return TW_OK;
    case 'C':
        a->config = value;
        return TW_OK;
    case 'l':
        return parse_seconds("trial-limit", value, &a->trial_limit_s, error);
    case 'L':
        return parse_seconds("compile-limit", value, &a->compile_limit_s, error);
    case 'R':
        return parse_integer("run", value, 1, INT64_MAX, &a->run, error);
    case 'o':
        a->output = value;
        return TW_OK;
    case 'p':
        a->directory = value;
        return TW_OK;
    case 'B':
        a->binaries = true;
        return TW_OK;
    case 'F':
        a->format = value;
        return TW_OK;
    case 'k':
        a->kernel = value;
        return TW_OK;
    case 'i':
        a->implementation = value;
        return TW_OK;
    case 'P':
        a->preset = value;
        return TW_OK;
    case 'A':
        a->arch = value;
        return TW_OK;
    case 'J':
        a->json = true;
        return TW_OK;
    case 'q':
        a->quiet = true;
        return TW_OK;
    case 'v':
        a->verbose = true;
        return TW_OK;
    default:
        a->help = true;
        return TW_OK;
    }
}

/* Only the options that this subcommand takes. */
static size_t select_options(const char *allowed, struct option *selected, const char **names) {
    size_t count = 0;
    for (const struct option *o = options; o->name != NULL; o++) {
        if (strchr(allowed, o->val) == NULL && o->val != 'h')
            continue;
        selected[count] = *o;
        names[count++] = o->name;
    }
    selected[count] = (struct option){NULL, 0, NULL, 0};
    return count;
}

static tw_status bad_option(const char *word, const char *const *names, size_t count,
                            struct tw_error *error) {
    char name[64] = "";
    strncpy(name, word + strspn(word, "-"), sizeof name - 1);
    name[strcspn(name, "=")] = '\0';
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return tw_fail(error, TW_INVALID, "%s: %s", word,
                           strchr(word, '=') != NULL ? "takes no value" : "needs a value");
    const char *nearest = tw_nearest(name, names, count);
    if (nearest != NULL)
        return tw_fail(error, TW_INVALID, "unknown option %s; did you mean --%s?", word, nearest);
    return tw_fail(error, TW_INVALID, "unknown option %s; see --help", word);
}

tw_status arguments_parse(struct arguments *a, int count, char **words, const char *allowed,
                          struct tw_error *error) {
    struct option selected[sizeof options / sizeof *options];
    const char *names[sizeof options / sizeof *options];
    size_t name_count = select_options(allowed, selected, names);
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    *a = (struct arguments){.budget_seconds = 60,
                            .seed = 1,
                            .jobs = cores > 0 ? (int)(cores < 512 ? cores : 512) : 1,
                            .cache = "cold",
                            .compile_limit_s = 60};
    optind = 0; /* start over: subcommands may have parsed before */
    opterr = 0;
    int letter;
    /* "-": plain words come as option 1, wherever they stand; ":": a missing value is told apart.
     * --output is the one option with a short form. */
    const char *brief = strchr(allowed, 'o') != NULL ? "-:o:" : "-:";
    while ((letter = getopt_long(count, words, brief, selected, NULL)) != -1) {
        if (letter == '?' || letter == ':')
            return bad_option(words[optind - 1], names, name_count, error);
        tw_status status = letter == 1 ? take_word(a, optarg, strchr(allowed, '*') != NULL, error)
                                       : take_option(a, letter, optarg, error);
        if (status != TW_OK)
            return status;
    }
    return TW_OK;
}

void arguments_free(struct arguments *a) {
    for (int i = 0; i < a->shape_count; i++) {
        free(a->shapes[i].shape);
        free(a->shapes[i].origin);
        for (int j = 0; j < a->shapes[i].attribute_count; j++)
            free(a->shapes[i].attributes[j]);
    }
    free(a->shapes);
    free(a->files);
    for (int i = 0; i < a->attribute_count; i++)
        free(a->attributes[i]);
    *a = (struct arguments){0};
}

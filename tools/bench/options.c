#include "tools/bench/options.h"

#include <ctype.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/base/file.h"
#include "runtime/base/text.h"
#include "tools/bench/contest.h"

static const struct option long_options[] = {{"shape", required_argument, NULL, 's'},
                                             {"shapes", required_argument, NULL, 'f'},
                                             {"dtype", required_argument, NULL, 't'},
                                             {"trans", required_argument, NULL, 'r'},
                                             {"compute", required_argument, NULL, 'p'},
                                             {"attr", required_argument, NULL, 'a'},
                                             {"device", required_argument, NULL, 'd'},
                                             {"db", required_argument, NULL, 'D'},
                                             {"cache", required_argument, NULL, 'c'},
                                             {"rounds", required_argument, NULL, 'n'},
                                             {"csv", no_argument, NULL, 'C'},
                                             {"json", no_argument, NULL, 'J'},
                                             {"output", required_argument, NULL, 'o'},
                                             {"help", no_argument, NULL, 'h'},
                                             {NULL, 0, NULL, 0}};

void options_help(void) {
    printf("usage: bench [KERNEL] --shape SHAPE ... [--shapes FILE ...] [options]\n"
           "\n"
           "Compares the best kernel that Tilewise has stored with the vendor's libraries, on the\n"
           "same data, in interleaved rounds. KERNEL is gemm (unless given),\n"
           "gemm_grouped, conv2d, conv2d_backward_data, conv2d_backward_weights, aat, transpose\n"
           "or copy.\n"
           "\n"
           "  --shape SHAPE    as in 4096x4096x1024; may be repeated\n"
           "  --shapes FILE    a problem a line: [KERNEL] SHAPE [NAME=WORD ...]; with KERNEL on "
           "the\n"
           "                   command line, only that one's\n"
           "  --dtype TYPE     f32 (default), f64, f16, bf16, e4m3, e5m2, i8, u8, u16: what the\n"
           "                   kernel has\n"
           "  --trans WORD     nn (default), nt, tn or tt\n"
           "  --compute WORD   what is promised of errors: gemm's tf32, f32_split and others\n"
           "  --attr NAME=WORD any other attribute of the kernel; may be repeated\n"
           "  --device ID      as `tune devices` lists them\n"
           "  --db FILE        a database of results; may be repeated (default: the user's own, "
           "then\n"
           "                   the one that was installed)\n"
           "  --cache POLICY   cold (default) or warm\n"
           "  --rounds N       %d to %d (default: as many as the times need)\n"
           "  --csv, --json    instead of a table\n"
           "  -o, --output FILE\n",
           CONTEST_LEAST_ROUNDS, CONTEST_MOST_ROUNDS);
}

static tw_status out_of_memory(tw_error *error) {
    return tw_fail(error, TW_NO_MEMORY, "out of memory");
}

static tw_status add_attribute(char **attributes, int *count, const char *name, const char *word,
                               tw_error *error) {
    struct tw_text text = {0};
    if (*count == OPTIONS_MAX_ATTRIBUTES)
        return tw_fail(error, TW_INVALID, "more than %d attributes", OPTIONS_MAX_ATTRIBUTES);
    tw_text_print(&text, "%s%s%s", name != NULL ? name : "", name != NULL ? "=" : "", word);
    if (text.failed)
        return out_of_memory(error);
    attributes[(*count)++] = text.data;
    if (strchr(text.data, '=') == NULL)
        return tw_fail(error, TW_INVALID, "%s: an attribute is written NAME=WORD, as in dtype=f64",
                       word);
    return TW_OK;
}

static tw_status add_wanted(struct options *o, const char *kernel, const char *shape,
                            const char *origin, tw_error *error) {
    struct wanted *wanted = realloc(o->wanted, (size_t)(o->wanted_count + 1) * sizeof *o->wanted);
    if (wanted == NULL)
        return out_of_memory(error);
    o->wanted = wanted;
    wanted += o->wanted_count++;
    *wanted = (struct wanted){.kernel = kernel != NULL ? strdup(kernel) : NULL,
                              .shape = strdup(shape),
                              .origin = origin != NULL ? strdup(origin) : NULL};
    return wanted->shape != NULL ? TW_OK : out_of_memory(error);
}

/* [KERNEL] SHAPE [NAME=WORD ...], with # before comments. */
static tw_status read_line(struct options *o, const char *origin, char *line, tw_error *error) {
    char *rest = NULL, *kernel = NULL;
    line[strcspn(line, "#")] = '\0';
    char *word = strtok_r(line, " \t\r", &rest);
    if (word != NULL && isalpha((unsigned char)word[0])) {
        kernel = word;
        word = strtok_r(NULL, " \t\r", &rest);
        if (word == NULL)
            return tw_fail(error, TW_INVALID, "%s has no shape", kernel);
    }
    if (word == NULL)
        return TW_OK;
    tw_status status = add_wanted(o, kernel, word, origin, error);
    while (status == TW_OK && (word = strtok_r(NULL, " \t\r", &rest)) != NULL) {
        struct wanted *wanted = &o->wanted[o->wanted_count - 1];
        status = add_attribute(wanted->attributes, &wanted->attribute_count, NULL, word, error);
    }
    return status;
}

static tw_status read_shapes(struct options *o, const char *path, tw_error *error) {
    struct tw_text text = {0};
    tw_status status = tw_file_read(&text, path, error);
    int number = 1, before = o->wanted_count;
    char *rest = text.data;
    for (char *line; status == TW_OK && (line = strsep(&rest, "\n")) != NULL; number++) {
        struct tw_text origin = {0};
        tw_text_print(&origin, "%s:%d", path, number);
        status = origin.failed ? out_of_memory(error) : read_line(o, origin.data, line, error);
        if (status != TW_OK)
            tw_fail_within(error, status, "%s:%d", path, number);
        tw_text_free(&origin);
    }
    tw_text_free(&text);
    if (status == TW_OK && o->wanted_count == before)
        return tw_fail(error, TW_INVALID,
                       "%s: has no shapes; write one a line, as in gemm 64x32x16", path);
    return status;
}

static tw_status add_database(struct options *o, const char *path, tw_error *error) {
    if (o->database_count == OPTIONS_MAX_DATABASES)
        return tw_fail(error, TW_INVALID, "--db: more than %d databases", OPTIONS_MAX_DATABASES);
    /* To the library a missing database is an empty one; here it would be a comparison with
     * something else than was meant. */
    if (access(path, R_OK) != 0)
        return tw_fail(error, TW_NOT_FOUND, "--db %s: there is no such file", path);
    o->databases[o->database_count++] = path;
    return TW_OK;
}

static tw_status take(struct options *o, int letter, char *value, tw_error *error) {
    char *end;
    switch (letter) {
    case 1:
        if (o->kernel != NULL)
            return tw_fail(error, TW_INVALID, "unexpected \"%s\"; see --help", value);
        o->kernel = value;
        return TW_OK;
    case 's':
        return add_wanted(o, NULL, value, NULL, error);
    case 'f':
        return read_shapes(o, value, error);
    case 't':
        return add_attribute(o->attributes, &o->attribute_count, "dtype", value, error);
    case 'r':
        return add_attribute(o->attributes, &o->attribute_count, "trans", value, error);
    case 'p':
        return add_attribute(o->attributes, &o->attribute_count, "compute", value, error);
    case 'a':
        return add_attribute(o->attributes, &o->attribute_count, NULL, value, error);
    case 'd':
        o->device = value;
        return TW_OK;
    case 'D':
        return add_database(o, value, error);
    case 'c':
        if (strcmp(value, "cold") != 0 && strcmp(value, "warm") != 0)
            return tw_fail(error, TW_INVALID, "--cache %s: expected cold or warm", value);
        o->cache = value;
        return TW_OK;
    case 'n':
        o->rounds = (int)strtol(value, &end, 10);
        if (*end != '\0' || o->rounds < CONTEST_LEAST_ROUNDS || o->rounds > CONTEST_MOST_ROUNDS)
            return tw_fail(error, TW_INVALID, "--rounds %s: expected a whole number from %d to %d",
                           value, CONTEST_LEAST_ROUNDS, CONTEST_MOST_ROUNDS);
        return TW_OK;
    case 'C':
        o->format = FORMAT_CSV;
        return TW_OK;
    case 'J':
        o->format = FORMAT_JSON;
        return TW_OK;
    case 'o':
        o->output = value;
        return TW_OK;
    default:
        o->help = true;
        return TW_OK;
    }
}

static void free_wanted(struct wanted *wanted) {
    free(wanted->kernel);
    free(wanted->shape);
    free(wanted->origin);
    for (int i = 0; i < wanted->attribute_count; i++)
        free(wanted->attributes[i]);
}

/* A kernel on the command line is that of shapes without one, and leaves out the others'. */
static tw_status settle_kernels(struct options *o, tw_error *error) {
    int kept = 0;
    for (int i = 0; i < o->wanted_count; i++) {
        struct wanted *wanted = &o->wanted[i];
        if (wanted->kernel == NULL)
            wanted->kernel = strdup(o->kernel != NULL ? o->kernel : "gemm");
        if (wanted->kernel == NULL)
            return out_of_memory(error);
        if (o->kernel == NULL || strcmp(o->kernel, wanted->kernel) == 0) {
            struct wanted swapped = o->wanted[kept];
            o->wanted[kept++] = *wanted;
            *wanted = swapped;
        }
    }
    if (o->wanted_count == 0)
        return tw_fail(error, TW_INVALID,
                       "which shape? give --shape 4096x4096x1024 or --shapes FILE; see --help");
    if (kept == 0)
        return tw_fail(error, TW_INVALID, "no shape is of the kernel %s", o->kernel);
    for (int i = kept; i < o->wanted_count; i++)
        free_wanted(&o->wanted[i]);
    o->wanted_count = kept;
    return TW_OK;
}

static tw_status bad_option(const char *word, tw_error *error) {
    const char *names[sizeof long_options / sizeof *long_options];
    char name[64] = "";
    size_t count = 0;
    strncpy(name, word + strspn(word, "-"), sizeof name - 1);
    name[strcspn(name, "=")] = '\0';
    for (const struct option *option = long_options; option->name != NULL; option++) {
        names[count++] = option->name;
        if (strcmp(option->name, name) == 0)
            return tw_fail(error, TW_INVALID, "%s: %s", word,
                           strchr(word, '=') != NULL ? "takes no value" : "needs a value");
    }
    const char *nearest = tw_nearest(name, names, count);
    return nearest != NULL
               ? tw_fail(error, TW_INVALID, "unknown option %s; did you mean --%s?", word, nearest)
               : tw_fail(error, TW_INVALID, "unknown option %s; see --help", word);
}

tw_status options_parse(struct options *o, int count, char **words, tw_error *error) {
    *o = (struct options){.cache = "cold"};
    opterr = 0;
    int letter;
    /* "-": plain words come as option 1; ":": a missing value is told apart. */
    while ((letter = getopt_long(count, words, "-:ho:", long_options, NULL)) != -1) {
        if (letter == '?' || letter == ':')
            return bad_option(words[optind - 1], error);
        tw_status status = take(o, letter, optarg, error);
        if (status != TW_OK)
            return status;
    }
    return o->help ? TW_OK : settle_kernels(o, error);
}

void options_free(struct options *o) {
    for (int i = 0; i < o->wanted_count; i++)
        free_wanted(&o->wanted[i]);
    free(o->wanted);
    for (int i = 0; i < o->attribute_count; i++)
        free(o->attributes[i]);
    *o = (struct options){0};
}

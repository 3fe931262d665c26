/* tune compare A B: two sets of configurations, or more, measured again together. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/commands/command.h"
#include "tuner/commands/database.h"
#include "tuner/commands/interrupts.h"
#include "tuner/commands/resolve.h"
#include "tuner/compare/compare.h"
#include "tuner/space/given.h"

static const char help[] =
    "tune compare SIDE SIDE... [OPTIONS]\n"
    "\n"
    "Measures what the sides have again, together, and says which is faster on which problem. On\n"
    "each problem that two of them have, every configuration is verified, and then all are timed\n"
    "in rounds, one after the other: what is told is the median over the rounds of the ratio of\n"
    "two times in one round, with its 95% interval between order statistics (Conover, Practical\n"
    "Nonparametric Statistics, section 3.2), so that what drifts meanwhile does not count. Faster\n"
    "or slower is said where the interval leaves 1 out, \"as fast\" where it is within half a\n"
    "percent of 1. Means over problems are geometric, of each round, and the median over rounds.\n"
    "Two sides are held against each other, more of them against the best of each problem. What\n"
    "only one side has is named, and nothing is stored.\n"
    "\n"
    "A side, of which there may be 26, is one of\n"
    "  FILE                 a database: what an application would find in it, exactly, for each\n"
    "                       problem on this device\n"
    "  FILE@N               what run N of a database has found\n"
    "  NAME                 a preset of the kernel, for the problems of --shape\n"
    "  {\"BM\":64,...}        a configuration, likewise, as tune show prints it; "
    "IMPLEMENTATION{...}\n"
    "                       where several have such parameters\n"
    "\n"
    "  --shape MxN[xK]      only this problem; may be repeated; --shapes FILE has a list\n"
    "  --kernel NAME        of this kernel; for --shape the default is as for tune\n"
    "  --rounds N           rounds a problem; default 31, at least 6\n"
    "  --dtype, --trans, --attr, --device, --cache, --config, --seed: as for tune\n"
    "  --json               print one JSON object\n"
    "  --quiet              no progress\n"
    "\n"
    "Fails when something that a side has is wrong or cannot be run. Ctrl-C stops after the "
    "round.\n";

struct task {
    struct known_kernels kernels;
    struct tw_device_info device;
    const struct tw_description *description; /* of the problems of --shape; NULL: there are none */
    struct compare_sides sides;
    struct comparison_result result;
};

/* ---- What is compared ---- */

/* The problems that were asked for, of the description that rows of databases are read with. */
static tw_status add_problems(const struct arguments *a, struct task *task,
                              struct tw_error *error) {
    struct tw_description *description = NULL;
    struct tw_problem problem;
    if (a->shape_count == 0 && a->attribute_count > 0)
        return tw_fail(error, TW_INVALID, "attributes go with a --shape");
    if (a->shape_count == 0)
        return TW_OK;
    tw_status status = resolve_description(a, &description, error);
    if (status == TW_OK)
        task->description = known_kernels_find(&task->kernels, description->kernel)->description;
    for (int i = 0; i < a->shape_count && status == TW_OK; i++) {
        status = resolve_problem(a, i, task->description, &problem, error);
        if (status == TW_OK)
            status = compare_add_problem(&task->sides, &problem, error);
    }
    task->sides.fixed = true;
    tw_description_free(description);
    return status;
}

static bool is_file(const char *path) {
    FILE *file = fopen(path, "rb");
    if (file != NULL)
        fclose(file);
    return file != NULL;
}

/* FILE@N: *run is N, and `path`, which the caller frees, the rest; else *run is 0. */
static tw_status split_run(const char *word, char **path, int64_t *run, struct tw_error *error) {
    const char *at = strrchr(word, '@');
    char *end = NULL;
    *run = at != NULL && !is_file(word) ? strtoll(at + 1, &end, 10) : 0;
    bool numbered = end != NULL && end != at + 1 && *end == '\0' && *run > 0;
    if (!numbered)
        *run = 0;
    *path = numbered ? strndup(word, (size_t)(at - word)) : strdup(word);
    return *path != NULL ? TW_OK : tw_fail(error, TW_NO_MEMORY, "out of memory");
}

static tw_status add_file(struct task *task, const char *word, struct tw_error *error) {
    char *path = NULL;
    int64_t run;
    tw_db *db = NULL;
    tw_status status = split_run(word, &path, &run, error);
    if (status == TW_OK && task->description == NULL && strpbrk(path, "/.") == NULL &&
        !is_file(path))
        status =
            tw_fail(error, TW_INVALID,
                    "%s is no file; to compare presets, give the --shape to compare them on", path);
    if (status == TW_OK)
        status = database_open(path, TW_DB_READ, &db, error);
    if (status == TW_OK)
        status = run > 0 ? compare_add_run(&task->sides, db, run, error)
                         : compare_add_database(&task->sides, db, error);
    if (status != TW_OK && run > 0)
        status = tw_fail_within(error, status, "%s", word);
    tw_db_close(db);
    free(path);
    return status;
}

static tw_status add_given(struct task *task, const char *word, struct tw_error *error) {
    struct tw_configuration configuration;
    const char *brace = strchr(word, '{');
    char name[TW_NAME_SIZE];
    tw_status status;
    if (task->description == NULL)
        return tw_fail(error, TW_INVALID,
                       "%s is a configuration: give the --shape to compare it on", word);
    snprintf(name, sizeof name, "%.*s", brace != NULL ? (int)(brace - word) : 0, word);
    if (brace != NULL)
        status = given_configuration(task->description, name[0] != '\0' ? name : NULL, brace,
                                     &configuration, error);
    else
        status = given_preset(task->description, word, &configuration, error);
    return status == TW_OK ? compare_add_given(&task->sides, &configuration, error) : status;
}

/* A word without anything of a path is a preset, unless there is such a file. */
static bool is_given(const struct task *task, const char *word) {
    int implementation;
    const struct tw_preset *preset;
    if (is_file(word))
        return false;
    return strchr(word, '{') != NULL ||
           (task->description != NULL &&
            (strpbrk(word, "/.@") == NULL ||
             tw_description_preset(task->description, word, &implementation, &preset)));
}

static tw_status prepare(const struct arguments *a, struct task *task, struct tw_error *error) {
    if (a->files.count < 2)
        return tw_fail(error, TW_INVALID,
                       "give two sides or more, as in tune compare old.db new.db; see --help");
    tw_status status = command_names_file(
        known_kernels_open(&task->kernels, a->configs.words, a->configs.count, error), error);
    if (status == TW_OK)
        status = resolve_device(a, &task->device, error);
    task->sides = (struct compare_sides){
        .kernels = &task->kernels, .device = &task->device, .cache = a->cache, .kernel = a->kernel};
    if (status == TW_OK)
        status = add_problems(a, task, error);
    for (int i = 0; i < a->files.count && status == TW_OK; i++)
        status = is_given(task, a->files.words[i]) ? add_given(task, a->files.words[i], error)
                                                   : add_file(task, a->files.words[i], error);
    if (status == TW_OK && task->sides.problem_count == 0)
        status = tw_fail(error, TW_NOT_FOUND,
                         "none of the sides has a result for %s with a %s cache; tune db list --db "
                         "FILE says what there is",
                         task->device.name, a->cache);
    return status;
}

/* ---- The command ---- */

static void print_progress(void *context, int problem, int count) {
    (void)context;
    fprintf(stderr, "tune: problem %d of %d\n", problem + 1, count);
}

static tw_status compare(const struct arguments *a, struct task *task, struct tw_error *error) {
    tw_status status = prepare(a, task, error);
    if (status != TW_OK)
        return status;
    const struct compare_options options = {.rounds = (int)a->rounds,
                                            .seed = (uint32_t)a->seed,
                                            .interrupted = interrupts_catch(),
                                            .progress = a->quiet ? NULL : print_progress};
    status = compare_measure(&task->sides, &options, &task->result, error);
    if (status != TW_OK)
        return status;
    if (a->json)
        return compare_print_json(&task->sides, a->files.words, &task->result, error);
    compare_print_table(&task->sides, a->files.words, &task->result);
    return TW_OK;
}

int command_compare(int count, char **words) {
    struct arguments arguments;
    struct tw_error error;
    struct task task = {0};
    tw_status status = arguments_parse(
        &arguments, count, words,
        OPTIONS_PROBLEM | OPTION(SHAPES) | OPTION(KERNEL) | OPTION(DEVICE) | OPTION(CACHE) |
            OPTION(ROUNDS) | OPTION(SEED) | OPTION(JSON) | OPTION(QUIET) | WORDS_ARE_FILES,
        &error);
    if (status == TW_OK && arguments.help)
        fputs(help, stdout);
    else if (status == TW_OK)
        status = compare(&arguments, &task, &error);
    int code = task.result.interrupted ? EXIT_INTERRUPTED
               : task.result.failed    ? EXIT_FAILED
                                       : EXIT_FINE;
    compare_free(&task.result);
    compare_sides_free(&task.sides);
    known_kernels_close(&task.kernels);
    arguments_free(&arguments);
    return status == TW_OK ? code : command_failed(status, &error);
}

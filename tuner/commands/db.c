/* tune db: databases as a whole. Each verb is a function and a line in the table. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "runtime/base/printable.h"
#include "db/merge.h"
#include "db/upkeep.h"
#include "runtime/base/text.h"
#include "tuner/commands/command.h"
#include "tuner/commands/database.h"
#include "tuner/commands/db_forget.h"
#include "tuner/commands/db_formats.h"
#include "tuner/exchange/check.h"
#include "tuner/exchange/export.h"
#include "tuner/exchange/import.h"
#include "tuner/exchange/merge.h"
#include "tuner/exchange/output.h"
#include "tuner/exchange/prune.h"
#include "tuner/exchange/export_binaries.h"

static const char help[] =
    "tune db merge OTHER.db... [--db FILE]        bring the best rows of other databases into one\n"
    "tune db export [KERNEL] [-o FILE]            write the best rows and models as JSON\n"
    "tune db export --binaries -o FILE.db         write them with their compiled kernels\n"
    "tune db export --format F [--run N]          write a run's trials for another tool\n"
    "tune db import FILE.json... [--db FILE]      take such JSON in\n"
    "tune db check [--db FILE]                    say what is wrong with a database\n"
    "tune db list [--db FILE]                     say what is in it\n"
    "tune db prune [--db FILE]                    drop what is no longer useful\n"
    "tune db forget [KERNEL] [OPTIONS]            drop trials, so that they are tried again\n"
    "\n"
    "Of two rows about the same, merge and import keep the better measured one. They take all or, "
    "when\n"
    "something is wrong, nothing. check exits with 1 when it finds an error. prune drops trials of "
    "templates\n"
    "that have changed, best rows that a newer template's has replaced or that can no longer be "
    "used, and\n"
    "what nothing refers to then.\n"
    "\n"
    "  --db FILE            the database; default: tilewise/tilewise.db under XDG_DATA_HOME\n"
    "  -o, --output FILE    export: write to FILE instead of standard output\n"
    "  --binaries           export: a database with the compiled kernels of the devices in this\n"
    "                       machine, for machines that have no compiler\n"
    "  --config FILE        the description of a kernel of your own, or a folder of them; may be "
    "repeated\n"
    "\n"
    "forget drops the trials that all of its options name, and nothing else: best rows and runs "
    "stay.\n"
    "\n"
    "  --status S           with this status (timeout, wrong, ...), or failed: all but ok; may be\n"
    "                       given more than once\n"
    "  --run N              of this run\n"
    "  --shape MxN[xK]      of this problem; with --dtype, --trans, --attr, --config as for tune\n"
    "  --device ID, --cache cold|warm  measured so\n"
    "\n"
    "For Kernel Tuner, and what reads its files; import sees by itself what a file is:\n"
    "\n"
    "  --format F           export: json (default), kernel-tuner (a cache) or t4 (results)\n"
    "  --run N              export: the run; default: the latest (of KERNEL)\n"
    "  --implementation I   the one implementation that a file is of; needed where there are more\n"
    "  --kernel K           import: the kernel, where Tilewise did not write the file\n"
    "  --shape MxN[xK]      import: the problem, likewise; with --dtype, --trans, --attr\n"
    "  --device NAME        import: where it was measured, when the file does not say\n"
    "  --cache cold|warm    import: how it was measured; default: warm\n"
    "\n"
    "Trials that are imported are a run to look at, as measured elsewhere: they become no best "
    "rows, "
    "and\n"
    "tuning here tries their configurations itself.\n";

static const char *plural(int64_t count) {
    return count == 1 ? "" : "s";
}

static void print_merged(const char *path, const struct tw_db_merged *merged) {
    tw_printable_line(stdout,
                      "%s: %" PRId64 " new, %" PRId64 " better measured, %" PRId64
                      " no better than those there",
                      path, merged->added, merged->replaced, merged->kept);
}

/* The built-in kernels, and those of --config. */
static tw_status open_known(const struct arguments *a, struct known_kernels *known,
                            struct tw_error *error) {
    return command_names_file(known_kernels_open(known, a->configs.words, a->configs.count, error),
                              error);
}

static tw_status expect_files(const struct arguments *a, const char *what, struct tw_error *error) {
    return a->files.count > 0 ? TW_OK
                              : tw_fail(error, TW_INVALID, "which %s? see tune db --help", what);
}

/* Those that have something in them. A tune that is killed as it begins leaves an empty file. */
static tw_status open_others(const struct arguments *a, tw_db **others, int *count,
                             struct tw_error *error) {
    tw_status status = TW_OK;
    *count = 0;
    for (int i = 0; i < a->files.count && status == TW_OK; i++) {
        struct stat file;
        const char *path = a->files.words[i];
        if (stat(path, &file) == 0 && S_ISREG(file.st_mode) && file.st_size == 0)
            tw_printable_line(stderr, "tune: %s: is empty, so there is nothing to take from it",
                              path);
        else
            status = database_open(path, TW_DB_READ, &others[(*count)++], error);
    }
    return status;
}

static tw_status merge(const struct arguments *a, const char *path, struct tw_error *error) {
    tw_status status = expect_files(a, "databases", error);
    if (status != TW_OK)
        return status;
    tw_db *db = NULL, **others = calloc((size_t)a->files.count, sizeof *others);
    struct tw_db_merged merged;
    int count = 0;
    /* Others first: a misspelt one must not leave a new database behind. */
    status = others != NULL ? open_others(a, others, &count, error)
                            : tw_fail(error, TW_NO_MEMORY, "out of memory");
    if (status == TW_OK)
        status = database_open(path, TW_DB_WRITE, &db, error);
    if (status == TW_OK)
        status = merge_databases(db, others, count, &merged, error);
    if (status == TW_OK)
        status = database_adopt(a, db, error);
    if (status == TW_OK)
        print_merged(path, &merged);
    for (int i = 0; i < count; i++)
        tw_db_close(others[i]);
    free(others);
    tw_db_close(db);
    return status;
}

/* Compiled kernels go with a database, not with JSON, which is for reviewing. */
static tw_status export_binaries(const struct arguments *a, const char *path,
                                 struct tw_error *error) {
    struct known_kernels known;
    struct shipment s = {0};
    tw_db *from = NULL, *to = NULL;
    if (a->output == NULL || strcmp(a->output, path) == 0)
        return tw_fail(error, TW_INVALID,
                       "--binaries writes a database of its own: name it with -o FILE.db");
    tw_status status = open_known(a, &known, error);
    if (status == TW_OK)
        status = database_open(path, TW_DB_READ, &from, error);
    if (status == TW_OK)
        status = database_open(a->output, TW_DB_WRITE, &to, error);
    if (status == TW_OK)
        status = export_with_binaries(to, from, a->kernel, &known, &s, error);
    if (status == TW_OK)
        status = database_adopt(a, to, error);
    if (status == TW_OK) {
        tw_printable_line(stdout, "%s: %" PRId64 " best row%s with %" PRId64 " compiled kernel%s",
                          a->output, s.rows, plural(s.rows), s.binaries, plural(s.binaries));
        if (s.absent > 0)
            printf("%" PRId64 " without: their devices are not in this machine\n", s.absent);
        if (s.unknown > 0)
            tw_printable_line(
                stdout,
                "%" PRId64 " without: there is no description here of %s; name it with "
                "--config",
                s.unknown, s.unknown_kernels.data != NULL ? s.unknown_kernels.data : "the kernel");
        if (s.stale > 0)
            printf("%" PRId64 " without: measured with other templates than today's\n", s.stale);
    }
    tw_text_free(&s.unknown_kernels);
    tw_db_close(to);
    tw_db_close(from);
    known_kernels_close(&known);
    return status;
}

static tw_status export(const struct arguments *a, const char *path, struct tw_error *error) {
    if (a->binaries)
        return export_binaries(a, path, error);
    if (a->format != NULL && strcmp(a->format, "json") != 0)
        return db_export_results_file(a, path, error);
    if (a->run != 0 || a->implementation != NULL)
        return tw_fail(error, TW_INVALID,
                       "--run and --implementation go with --format kernel-tuner or t4");
    tw_db *db = NULL;
    struct tw_text text = {0};
    int64_t count = 0;
    tw_status status = database_open(path, TW_DB_READ, &db, error);
    if (status == TW_OK)
        status = export_best(db, a->kernel, &text, &count, error);
    if (status == TW_OK && a->kernel != NULL && count == 0)
        status = tw_fail(error, TW_NOT_FOUND, "%s: has no best rows or models of the kernel %s",
                         path, a->kernel);
    if (status == TW_OK)
        status = output_write(&text, a->output, error);
    tw_text_free(&text);
    tw_db_close(db);
    return status;
}

static tw_status import(const struct arguments *a, const char *path, struct tw_error *error) {
    bool is_results_file = false;
    tw_status status = expect_files(a, "files", error);
    if (status == TW_OK)
        status = command_names_file(db_is_results_file(a, &is_results_file, error), error);
    if (status == TW_OK && is_results_file)
        return db_import_results_file(a, path, error);
    if (status != TW_OK)
        return status;
    struct known_kernels known;
    tw_db *db = NULL;
    struct tw_db_merged merged;
    struct import **imports = calloc((size_t)a->files.count, sizeof *imports);
    int64_t count = 0, stale = 0;
    int models = 0, others = 0;
    status = open_known(a, &known, error);
    if (imports == NULL)
        status = tw_fail(error, TW_NO_MEMORY, "out of memory");
    for (int i = 0; i < a->files.count && status == TW_OK; i++) {
        status =
            command_names_file(import_open(&imports[i], a->files.words[i], &known, error), error);
        count += status == TW_OK ? import_count(imports[i]) : 0;
        stale += status == TW_OK ? import_stale(imports[i]) : 0;
        int other = 0;
        models += status == TW_OK ? import_models(imports[i], &other) : 0;
        others += other;
    }
    if (status == TW_OK)
        status = database_open(path, TW_DB_WRITE, &db, error);
    if (status == TW_OK)
        status = merge_imports(db, imports, a->files.count, &merged, error);
    if (status == TW_OK)
        status = database_adopt(a, db, error);
    if (status == TW_OK)
        print_merged(path, &merged);
    if (status == TW_OK && stale > 0)
        printf("%" PRId64 " of %" PRId64 " measured with other templates than today's: hints, not "
               "results\n",
               stale, count);
    if (status == TW_OK && models > others)
        printf("%d model%s, where none that is newer was there\n", models - others,
               plural(models - others));
    if (status == TW_OK && others > 0)
        printf("%d model%s not taken: fitted to other templates than today's; tune model fit makes "
               "one\n",
               others, plural(others));
    for (int i = 0; imports != NULL && i < a->files.count; i++)
        import_close(imports[i]);
    free(imports);
    tw_db_close(db);
    known_kernels_close(&known);
    return status;
}

static void print_finding(void *context, bool is_error, const char *line) {
    (void)context;
    printf("%s: %s\n", is_error ? "error" : "note", line);
}

static tw_status check(const struct arguments *a, const char *path, struct tw_error *error) {
    tw_db *db = NULL;
    struct known_kernels known;
    struct checked checked = {0};
    tw_status status = open_known(a, &known, error);
    if (status == TW_OK)
        status = database_open(path, TW_DB_READ, &db, error);
    if (status == TW_OK)
        status = check_database(db, &known, print_finding, NULL, &checked, error);
    if (status == TW_OK && checked.errors + checked.notes == 0)
        tw_printable_line(stdout, "%s: nothing wrong", path);
    else if (status == TW_OK)
        tw_printable_line(stdout, "%s: %" PRId64 " error%s, %" PRId64 " note%s", path,
                          checked.errors, plural(checked.errors), checked.notes,
                          plural(checked.notes));
    tw_db_close(db);
    known_kernels_close(&known);
    /* Told already, a line each. */
    error->message[0] = status == TW_OK ? '\0' : error->message[0];
    return status == TW_OK && checked.errors > 0 ? TW_DATABASE : status;
}

static bool list_device(void *context, const struct tw_db_device *device) {
    const char *architecture = device->architecture;
    (void)context;
    if (device->compute_units == 0) {
        tw_printable_line(stdout, "device %s: %s", device->name, device->backend);
        return true;
    }
    tw_printable_line(stdout, "device %s: %s%s%s, %" PRId64 " units, %.1f GB", device->name,
                      device->backend, architecture != NULL ? ", " : "",
                      architecture != NULL ? architecture : "", device->compute_units,
                      (double)device->memory_bytes * 1e-9);
    return true;
}

static bool list_kernel(void *context, const struct tw_db_kernel_row *row) {
    (void)context;
    tw_printable_line(stdout,
                      "kernel %s: %" PRId64 " problem%s, %" PRId64 " best row%s, %" PRId64
                      " trial%s, %" PRId64 " run%s",
                      row->kernel, row->problems, plural(row->problems), row->best,
                      plural(row->best), row->trials, plural(row->trials), row->runs,
                      plural(row->runs));
    return true;
}

static tw_status list(const struct arguments *a, const char *path, struct tw_error *error) {
    tw_db *db = NULL;
    struct stat info;
    (void)a;
    tw_status status = database_open(path, TW_DB_READ, &db, error);
    if (status != TW_OK)
        return status;
    int64_t bytes = stat(path, &info) == 0 ? (int64_t)info.st_size : 0;
    tw_printable_line(stdout, "%s: %.1f kB, schema version %d", path, (double)bytes * 1e-3,
                      tw_db_file_version(db));
    if (tw_db_device_each(db, list_device, NULL) != TW_DB_OK ||
        tw_db_kernel_each(db, list_kernel, NULL) != TW_DB_OK)
        status = tw_fail(error, TW_DATABASE, "%s", tw_db_message(db));
    tw_db_close(db);
    return status;
}

static tw_status forget(const struct arguments *a, const char *path, struct tw_error *error) {
    return db_forget(a, path, error);
}

static tw_status prune(const struct arguments *a, const char *path, struct tw_error *error) {
    tw_db *db = NULL;
    struct known_kernels known;
    struct pruned p;
    tw_status status = open_known(a, &known, error);
    if (status == TW_OK)
        status = database_open_existing(path, &db, error);
    if (status == TW_OK)
        status = database_adopt(a, db, error);
    if (status == TW_OK)
        status = prune_database(db, &known, &p, error);
    if (status == TW_OK)
        tw_printable_line(stdout,
                          "%s: dropped %" PRId64
                          " trial%s of other templates than today's, %" PRId64
                          " best row%s that newer ones replace, %" PRId64
                          " that cannot be used; and unused: %" PRId64 " run%s, %" PRId64
                          " implementation%s, %" PRId64 " problem%s, %" PRId64 " device%s",
                          path, p.trials, plural(p.trials), p.outdated, plural(p.outdated),
                          p.unusable, p.swept.runs, plural(p.swept.runs), p.swept.implementations,
                          plural(p.swept.implementations), p.swept.problems,
                          plural(p.swept.problems), p.swept.devices, plural(p.swept.devices));
    tw_db_close(db);
    known_kernels_close(&known);
    return status;
}

/* name, options it takes */
#define VERBS(X)                                                                                   \
    X(merge, OPTION(DB) | WORDS_ARE_FILES)                                                         \
    X(export, OPTION(DB) | OPTION(OUTPUT) | OPTION(BINARIES) | OPTION(CONFIG) | OPTION(FORMAT) |   \
                  OPTION(RUN) | OPTION(IMPLEMENTATION))                                            \
    X(import, OPTIONS_SUBJECT | OPTION(KERNEL) | OPTION(IMPLEMENTATION) | WORDS_ARE_FILES)         \
    X(check, OPTION(DB) | OPTION(CONFIG))                                                          \
    X(list, OPTION(DB))                                                                            \
    X(prune, OPTION(DB) | OPTION(CONFIG))                                                          \
    X(forget, DB_FORGET_OPTIONS)

static const struct verb {
    const char *name;
    option_set allowed;
    tw_status (*run)(const struct arguments *arguments, const char *path, struct tw_error *error);
} verbs[] = {
#define VERB_ROW(name, allowed) {#name, allowed, name},
    VERBS(VERB_ROW)
#undef VERB_ROW
};
enum { VERB_COUNT = sizeof verbs / sizeof *verbs };

static tw_status unknown_verb(const char *word, struct tw_error *error) {
    const char *names[VERB_COUNT];
    for (size_t i = 0; i < VERB_COUNT; i++)
        names[i] = verbs[i].name;
    const char *nearest = tw_nearest(word, names, VERB_COUNT);
    return tw_fail(error, TW_INVALID, "tune db has no \"%s\"; %s%s%s", word,
                   nearest != NULL ? "did you mean " : "see tune db --help",
                   nearest != NULL ? nearest : "", nearest != NULL ? "?" : "");
}

static tw_status run_verb(const struct verb *verb, int count, char **words,
                          struct tw_error *error) {
    struct arguments arguments;
    tw_status status = arguments_parse(&arguments, count, words, verb->allowed, error);
    if (status == TW_OK && arguments.help) {
        fputs(help, stdout);
    } else if (status == TW_OK && arguments.kernel != NULL && verb->run != export &&
               verb->run != import && verb->run != forget) {
        status = tw_fail(error, TW_INVALID, "unexpected \"%s\"; a database is named with --db",
                         arguments.kernel);
    } else if (status == TW_OK) {
        char *path = database_path(&arguments, error);
        status = path != NULL ? verb->run(&arguments, path, error) : error->status;
        free(path);
    }
    arguments_free(&arguments);
    return status;
}

int command_db(int count, char **words) {
    struct tw_error error = {0};
    tw_status status = TW_INVALID;
    if (count < 2 || arguments_ask_help(words[1])) {
        fputs(help, stdout);
        return count < 2 ? EXIT_USAGE : EXIT_FINE;
    }
    const struct verb *verb = verbs;
    while (verb < verbs + VERB_COUNT && strcmp(verb->name, words[1]) != 0)
        verb++;
    status = verb < verbs + VERB_COUNT ? run_verb(verb, count - 1, words + 1, &error)
                                       : unknown_verb(words[1], &error);
    if (status == TW_OK)
        return EXIT_FINE;
    return error.message[0] != '\0' ? command_failed(status, &error) : EXIT_FAILED;
}

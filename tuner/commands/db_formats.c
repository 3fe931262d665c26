#include "tuner/commands/db_formats.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/printable.h"
#include "tuner/commands/database.h"
#include "tuner/commands/resolve.h"
#include "tuner/exchange/output.h"
#include "tuner/formats/trial_export.h"
#include "tuner/formats/trial_import.h"

/* A file, and what its results are of. */
struct subject {
    struct results_file *file;
    struct tw_description *description;
    struct tw_problem problem;
    int implementation;
    const char *device, *cache;
};

tw_status db_is_results_file(const struct arguments *a, bool *is, struct tw_error *error) {
    const char *other = NULL, *ours = NULL;
    for (int i = 0; i < a->files.count; i++) {
        enum results_file_format format;
        tw_status status = results_file_detect(a->files.words[i], &format, error);
        if (status != TW_OK)
            return status;
        if (format != RESULTS_FILE_NONE)
            other = a->files.words[i];
        else
            ours = a->files.words[i];
    }
    *is = other != NULL;
    if (other != NULL && ours != NULL)
        return tw_fail(error, TW_INVALID,
                       "%s is no Kernel Tuner cache and no T4 file, as %s is; import files of one "
                       "kind at a time",
                       ours, other);
    bool about = a->kernel != NULL || a->shape_count > 0 || a->attribute_count > 0 ||
                 a->device != NULL || a->cache_given || a->implementation != NULL;
    if (!*is && about)
        return tw_fail(error, TW_INVALID,
                       "%s says itself what its rows are about; --kernel, --shape and the like "
                       "are for the results of other tools",
                       a->files.words[0]);
    return TW_OK;
}

/* ---- Importing ---- */

/* What another tool calls the kernel is a name of ours only by accident, unless we wrote it. */
static tw_status find_description(const struct arguments *a, struct subject *s,
                                  struct tw_error *error) {
    const struct results_file_header *header = &s->file->header;
    struct arguments with = *a;
    if (header->is_ours && a->kernel != NULL && header->kernel != NULL &&
        strcmp(a->kernel, header->kernel) != 0)
        return tw_fail(error, TW_INVALID, "%s: has results of the kernel %s, not %s",
                       s->file->origin, header->kernel, a->kernel);
    if (header->is_ours && header->kernel != NULL)
        with.kernel = header->kernel;
    if (with.kernel == NULL && with.configs.count == 0)
        return tw_fail(error, TW_INVALID,
                       "%s: does not say which of the kernels here it is about; name one with "
                       "--kernel or --config",
                       s->file->origin);
    tw_status status = resolve_description(&with, &s->description, error);
    return status == TW_OK ? TW_OK : tw_fail_within(error, status, "%s", s->file->origin);
}

static tw_status find_problem(const struct arguments *a, struct subject *s,
                              struct tw_error *error) {
    const struct results_file_header *header = &s->file->header;
    bool given = a->shape_count > 0;
    if (a->shape_count > 1 || (!given && header->shape == NULL))
        return tw_fail(error, TW_INVALID,
                       "%s: give the one --shape that its results are of, as in --shape "
                       "4096x4096x1024",
                       s->file->origin);
    if (!given && a->attribute_count > 0)
        return tw_fail(error, TW_INVALID, "%s: attributes are given, but no --shape",
                       s->file->origin);
    struct tw_problem written;
    char asked[TW_PROBLEM_KEY_SIZE], said[TW_PROBLEM_KEY_SIZE];
    tw_status status = TW_OK;
    if (header->shape != NULL)
        status = results_file_problem(s->file, s->description, &written, error);
    if (status == TW_OK && given)
        status = resolve_problem(a, 0, s->description, &s->problem, error);
    else if (status == TW_OK)
        s->problem = written;
    if (status != TW_OK || !given || header->shape == NULL)
        return status;
    tw_problem_text(&s->problem, asked);
    tw_problem_text(&written, said);
    return strcmp(asked, said) == 0
               ? TW_OK
               : tw_fail(error, TW_INVALID, "%s: has results of %.300s, not of %.300s",
                         s->file->origin, said, asked);
}

static tw_status find_device(const struct arguments *a, struct subject *s, struct tw_error *error) {
    const struct results_file_header *header = &s->file->header;
    s->device = a->device != NULL ? a->device : header->device;
    /* Kernel Tuner calls a kernel time and again with the same data. */
    s->cache = a->cache_given ? a->cache : header->cache != NULL ? header->cache : "warm";
    if (s->device == NULL || s->device[0] == '\0')
        return tw_fail(error, TW_INVALID,
                       "%s: does not say on which device it was measured; name it with --device",
                       s->file->origin);
    if (!tw_is_printable(s->device))
        return tw_fail(error, TW_INVALID, "--device: too long, or not plain text");
    return TW_OK;
}

static tw_status open_subject(const struct arguments *a, const char *path, struct subject *s,
                              struct tw_error *error) {
    tw_status status = results_file_open(&s->file, path, error);
    if (status == TW_OK)
        status = find_description(a, s, error);
    if (status == TW_OK)
        status = find_problem(a, s, error);
    if (status == TW_OK)
        status = find_device(a, s, error);
    if (status != TW_OK)
        return status;
    const char *name =
        a->implementation != NULL ? a->implementation : s->file->header.implementation;
    status = results_file_implementation(s->file, s->description, name, &s->implementation, error);
    return status == TW_OK ? results_file_read(s->file, &s->problem, s->implementation, error)
                           : status;
}

static tw_status store(const char *path, const struct subject *subjects, int count,
                       struct trial_import_counts *taken, struct tw_error *error) {
    tw_db *db = NULL;
    tw_status status = database_open(path, TW_DB_WRITE, &db, error);
    if (status == TW_OK && tw_db_begin(db) != TW_DB_OK)
        status = tw_fail(error, TW_DATABASE, "%s", tw_db_message(db));
    for (int i = 0; i < count && status == TW_OK; i++) {
        const struct subject *s = &subjects[i];
        const struct trial_import what = {.file = s->file,
                                          .problem = &s->problem,
                                          .implementation = s->implementation,
                                          .device = s->device,
                                          .cache_policy = s->cache};
        status = trial_import_store(db, &what, taken, error);
    }
    if (status == TW_OK && tw_db_commit(db) != TW_DB_OK)
        status = tw_fail(error, TW_DATABASE, "%s", tw_db_message(db));
    tw_db_close(db);
    return status;
}

static void remark(const struct results_file *file) {
    if (file->cut)
        tw_printable_line(stderr, "tune: %s: ends within an entry, which is left out",
                          file->origin);
    if (file->repeated > 0)
        tw_printable_line(stderr,
                          "tune: %s: %zu of its results are of configurations that came before, "
                          "and are left out",
                          file->origin, file->repeated);
}

tw_status db_import_results_file(const struct arguments *a, const char *path,
                                 struct tw_error *error) {
    struct subject *subjects = calloc((size_t)a->files.count, sizeof *subjects);
    struct trial_import_counts taken = {0};
    tw_status status = subjects != NULL ? TW_OK : tw_fail(error, TW_NO_MEMORY, "out of memory");
    for (int i = 0; i < a->files.count && status == TW_OK; i++)
        status = open_subject(a, a->files.words[i], &subjects[i], error);
    if (status == TW_OK)
        status = store(path, subjects, a->files.count, &taken, error);
    for (int i = 0; i < a->files.count && status == TW_OK; i++)
        remark(subjects[i].file);
    if (status == TW_OK)
        tw_printable_line(stdout,
                          "%s: %" PRId64 " new trials, measured elsewhere; %" PRId64
                          " of configurations that were there already",
                          path, taken.added, taken.there);
    for (int i = 0; subjects != NULL && i < a->files.count; i++) {
        results_file_close(subjects[i].file);
        tw_description_free(subjects[i].description);
    }
    free(subjects);
    return status;
}

/* ---- Exporting ---- */

tw_status db_export_results_file(const struct arguments *a, const char *path,
                                 struct tw_error *error) {
    bool is_cache = strcmp(a->format, RESULTS_FILE_KERNEL_TUNER) == 0;
    if (!is_cache && strcmp(a->format, RESULTS_FILE_T4) != 0)
        return tw_fail(error, TW_INVALID, "--format %s: expected json, %s or %s", a->format,
                       RESULTS_FILE_KERNEL_TUNER, RESULTS_FILE_T4);
    const struct trial_export what = {
        .run = a->run, .kernel = a->kernel, .implementation = a->implementation};
    tw_db *db = NULL;
    struct tw_text text = {0};
    int64_t left_out = 0;
    tw_status status = database_open(path, TW_DB_READ, &db, error);
    if (status == TW_OK)
        status = is_cache ? trial_export_kernel_tuner(db, &what, &text, &left_out, error)
                          : trial_export_t4(db, &what, &text, &left_out, error);
    if (status == TW_OK)
        status = output_write(&text, a->output, error);
    if (status == TW_OK && left_out > 0)
        fprintf(stderr, "tune: %" PRId64 " trials of an older template are left out\n", left_out);
    tw_text_free(&text);
    tw_db_close(db);
    return status;
}

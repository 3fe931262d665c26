/* A file of results that another tool wrote, or Tilewise for such tools: a Kernel Tuner cache or T4
 * results, in memory.
 *
 * Reading is in two steps, for a description must say what the configurations mean, and the file
 * may say which it is: results_file_open reads what the file says of itself, results_file_read its
 * results. Either all of them are good or the file is refused, with one line that names the file
 * and the place. */
#ifndef TUNER_FORMATS_RESULTS_FILE_H
#define TUNER_FORMATS_RESULTS_FILE_H

#include <cjson/cJSON.h>

#include "db/store.h"
#include "runtime/base/error.h"
#include "runtime/description/json.h"
#include "runtime/description/problem.h"

#define RESULTS_FILE_KERNEL_TUNER "kernel-tuner"
#define RESULTS_FILE_T4 "t4"
/* The member where Tilewise says what the other tools' formats have no place for. */
#define RESULTS_FILE_MEMBER "tilewise"

enum results_file_format { RESULTS_FILE_NONE, RESULTS_FILE_IS_KERNEL_TUNER, RESULTS_FILE_IS_T4 };

/* What a file says of itself; NULL where it does not. All of it is plain text. */
struct results_file_header {
    const char *kernel, *device;
    /* The rest only files that Tilewise wrote. */
    bool is_ours;
    const char *shape, *implementation, *cache, *template_hash, *measured_by, *driver, *compiler;
    const cJSON *attributes;       /* an object of strings */
    const cJSON *described_device; /* an object (device_text.h) */
};

struct results_file {
    char *origin;
    enum results_file_format format;
    cJSON *json;
    struct results_file_header header;
    const cJSON *results; /* an object or array */
    bool cut;             /* the file ends within an entry, which is left out */
    double unit_ms;       /* T4: of its times */
    /* Set by results_file_read: trials without ids, in the file's order. */
    struct tw_db_trial *trials;
    size_t count;
    size_t repeated; /* T4: results for a configuration that came before; left out */
    bool continued;  /* Tilewise wrote the file, and another tool went on with it */
};

/* The format of a file: RESULTS_FILE_NONE when it is neither. */
tw_status results_file_detect(const char *path, enum results_file_format *format,
                              struct tw_error *error);

/* On failure *out is NULL. */
tw_status results_file_open(struct results_file **out, const char *path, struct tw_error *error);
/* The same of text in memory; `origin` stands for the file in messages. */
tw_status results_file_parse(struct results_file **out, const char *text, size_t length,
                             const char *origin, struct tw_error *error);
/* NULL is fine. */
void results_file_close(struct results_file *file);

/* The implementation that the results are of: the one named, or when `name` is NULL the only one
 * that has the file's parameters. */
tw_status results_file_implementation(const struct results_file *file,
                                      const struct tw_description *description, const char *name,
                                      int *implementation, struct tw_error *error);
/* The problem that a file of ours says that its results are of. */
tw_status results_file_problem(const struct results_file *file,
                               const struct tw_description *description, struct tw_problem *problem,
                               struct tw_error *error);
/* Reads the results, of that implementation for that problem. */
tw_status results_file_read(struct results_file *file, const struct tw_problem *problem,
                            int implementation, struct tw_error *error);

/* ---- For the readers of each format ---- */

/* A result: all of its trial but the configuration, which is the members of *configuration that are
 * named like parameters. */
void kernel_tuner_read(const struct tw_json *entry, struct tw_db_trial *trial,
                       struct tw_json *configuration);
void t4_read(const struct tw_json *result, double unit_ms, struct tw_db_trial *trial,
             struct tw_json *configuration);

#endif

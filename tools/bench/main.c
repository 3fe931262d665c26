/* bench: the tuned kernels of libtilewise against the vendor's libraries; see --help. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/bench/options.h"
#include "tools/bench/report.h"
#include "tools/bench/tilewise.h"

static tw_status fail_with_origin(const struct wanted *wanted, tw_status status, tw_error *error) {
    return wanted->origin != NULL ? tw_fail_within(error, status, "%s", wanted->origin) : status;
}

/* The tasks first: a mistake in the last line of a list must not cost the time of the others. */
static tw_status make_tasks(struct contest *contests, const struct options *options,
                            const struct stage *stage, tw_error *error) {
    for (int i = 0; i < options->wanted_count; i++) {
        const struct wanted *wanted = &options->wanted[i];
        char *attributes[2 * OPTIONS_MAX_ATTRIBUTES];
        int count = 0;
        for (int j = 0; j < options->attribute_count; j++)
            attributes[count++] = options->attributes[j];
        for (int j = 0; j < wanted->attribute_count; j++)
            attributes[count++] = wanted->attributes[j];
        tw_status status = task_create(&contests[i].task, &stage->info, wanted->kernel,
                                       wanted->shape, attributes, count, error);
        if (status != TW_OK)
            return fail_with_origin(wanted, status, error);
    }
    return TW_OK;
}

/* Makes our plans of all tasks on several threads, as compilers take longer than contests do. What
 * there is no plan of is told where it is played. */
static tw_status prepare(const struct contest *contests, int count, struct stage *stage,
                         tw_error *error) {
    tw_request *requests = calloc((size_t)count, sizeof *requests);
    tw_error ignored;
    if (requests == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    for (int i = 0; i < count; i++)
        requests[i] = tilewise_request(&contests[i].task);
    tw_prepare(stage->library, requests, (size_t)count, 0, NULL, NULL, &ignored);
    free(requests);
    return TW_OK;
}

static tw_status play(struct contest *contests, const struct options *options, struct stage *stage,
                      tw_error *error) {
    bool terminal = isatty(STDERR_FILENO) != 0;
    tw_status status = TW_OK;
    for (int i = 0; i < options->wanted_count && status == TW_OK; i++) {
        if (terminal)
            fprintf(stderr, "\r\033[K%d of %d: %s %s", i + 1, options->wanted_count,
                    contests[i].task.description->kernel, contests[i].task.key);
        status = contest_run(&contests[i], stage, strcmp(options->cache, "cold") == 0,
                             options->rounds, error);
        if (status != TW_OK)
            fail_with_origin(&options->wanted[i],
                             tw_fail_within(error, status, "%s %s",
                                            contests[i].task.description->kernel,
                                            contests[i].task.key),
                             error);
    }
    if (terminal)
        fprintf(stderr, "\r\033[K");
    return status;
}

static tw_status write_report(const struct report *report, const struct options *options,
                              tw_error *error) {
    FILE *file = options->output != NULL ? fopen(options->output, "w") : stdout;
    if (file == NULL)
        return tw_fail(error, TW_IO, "--output %s: cannot be written", options->output);
    tw_status status = TW_OK;
    if (options->format == FORMAT_JSON)
        status = report_as_json(report, file, error);
    else if (options->format == FORMAT_CSV)
        report_as_csv(report, file);
    else
        report_as_table(report, file);
    bool failed = ferror(file) != 0;
    failed |= (options->output != NULL ? fclose(file) : fflush(file)) != 0;
    if (failed && status == TW_OK)
        return tw_fail(error, TW_IO, "the results could not be written");
    return status;
}

/* A table says it where it is read; what is written for programs may be read by none. */
static void tell_failures(const struct contest *contest) {
    const struct task *task = &contest->task;
    for (int i = 0; i < contest->count; i++) {
        const struct outcome *o = &contest->outcomes[i];
        const char *name = o->entry->contender->name;
        if (outcome_is_wrong(o))
            fprintf(stderr,
                    "bench: %s %s: %s is wrong by up to %.3g, and %.3g is what is allowed\n",
                    task->description->kernel, task->key, name, o->errors.max, o->errors.limit);
        else if (outcome_failed(o))
            fprintf(stderr, "bench: %s %s: %s: %s\n", task->description->kernel, task->key, name,
                    o->failure.message);
    }
}

static tw_status run(const struct options *options, struct stage *stage, struct contest *contests,
                     bool *failed, tw_error *error) {
    const char *const *databases = options->database_count > 0 ? options->databases : NULL;
    tw_status status = stage_open(stage, options->device, databases, options->cache, error);
    if (status == TW_OK)
        status = make_tasks(contests, options, stage, error);
    if (status == TW_OK)
        status = prepare(contests, options->wanted_count, stage, error);
    if (status == TW_OK)
        status = play(contests, options, stage, error);
    struct tw_text conditions = {0};
    if (status == TW_OK)
        stage->library->backend->conditions(stage->library->device, &conditions);
    const struct report report = {.stage = stage,
                                  .cache = options->cache,
                                  .conditions = conditions.data != NULL ? conditions.data : "{}",
                                  .count = options->wanted_count,
                                  .contests = contests};
    if (status == TW_OK)
        status = write_report(&report, options, error);
    tw_text_free(&conditions);
    for (int i = 0; i < options->wanted_count; i++) {
        *failed |= contest_failed(&contests[i]);
        if (options->format != FORMAT_TABLE || options->output != NULL)
            tell_failures(&contests[i]);
    }
    return status;
}

/* Exit status: 0; 1 when something could not be compared or was wrong; 2 for a mistake of the
 * user's. */
int main(int count, char **words) {
    struct options options;
    struct stage stage = {0};
    tw_error error;
    bool failed = false;
    tw_status status = options_parse(&options, count, words, &error);
    if (status == TW_OK && options.help) {
        options_help();
    } else if (status == TW_OK) {
        struct contest *contests = calloc((size_t)options.wanted_count, sizeof *contests);
        status = contests != NULL ? run(&options, &stage, contests, &failed, &error)
                                  : tw_fail(&error, TW_NO_MEMORY, "out of memory");
        for (int i = 0; contests != NULL && i < options.wanted_count; i++)
            contest_free(&contests[i]);
        free(contests);
        stage_close(&stage);
    }
    if (status != TW_OK)
        fprintf(stderr, "bench: %s\n", error.message);
    options_free(&options);
    return status == TW_INVALID || status == TW_NOT_FOUND ? 2 : status != TW_OK || failed;
}

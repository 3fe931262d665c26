/* tune audit SHAPES: what applications would get, held against a short tuning. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/base/file.h"
#include "runtime/base/printable.h"
#include "tuner/audit/audit.h"
#include "tuner/commands/audit_subject.h"
#include "tuner/commands/command.h"
#include "tuner/commands/database.h"
#include "tuner/commands/interrupts.h"

static const char help[] =
    "tune audit SHAPES [OPTIONS]\n"
    "\n"
    "Says what shapes that were not tuned cost. For each problem it takes what an application "
    "would\n"
    "get from the databases now, tunes the problem for a short time, and measures the two again "
    "in\n"
    "interleaved rounds. The regret is the time of the first over the second, 1 where tuning "
    "finds\n"
    "nothing better. Prints it for each problem and in all (geometric mean, 95th percentile, "
    "worst),\n"
    "those first whose tuning saves the most time by how often they are launched. What the tuning\n"
    "finds is forgotten unless --keep is given: the database stays as it is.\n"
    "\n"
    "SHAPES is a log that an application wrote with TILEWISE_LOG_SHAPES, or a list: a shape a\n"
    "line, then NAME=WORD attributes if any; # comments.\n"
    "\n"
    "  --budget B           of each problem's tuning: a time (30s) or a number of trials; default "
    "10s\n"
    "  --keep               store what is tuned in the database\n"
    "  --kernel NAME        only this kernel; for a list the default is as for tune\n"
    "  --rounds N           rounds that both are measured in; default 31, at least 6\n"
    "  --bench FILE         the vendor's times of these problems, as bench --json wrote them: the\n"
    "                       column vendor is the vendor's time over ours\n"
    "  --dtype, --trans, --attr, --device, --strategy, --seed, --jobs, --cache, --db, --config,\n"
    "  --trial-limit, --compile-limit: as for tune\n"
    "  --json               print one JSON object\n"
    "  --quiet              no progress\n"
    "\n"
    "Fails when something could not be measured, or what an application gets is wrong. Ctrl-C "
    "stops\n"
    "and prints what was measured by then.\n";

static const double SECONDS = 10;

struct task {
    struct audit_subject subject;
    struct audited *all;
    int count;        /* that were audited */
    char folder[512]; /* of the database that is forgotten; "" */
    char *db_path;
    tw_db *db;
    cJSON *vendor; /* NULL: nothing is known of it */
    bool interrupted;
};

/* ---- Where tuning stores what it finds ---- */

static tw_status open_database(const struct arguments *a, struct task *task,
                               struct tw_error *error) {
    if (a->keep) {
        task->db_path = database_path(a, error);
    } else {
        const char *parent = getenv("TMPDIR");
        struct tw_text path = {0};
        snprintf(task->folder, sizeof task->folder, "%.400s/tilewise-audit-XXXXXX",
                 parent != NULL && parent[0] != '\0' ? parent : "/tmp");
        if (mkdtemp(task->folder) == NULL) {
            task->folder[0] = '\0';
            return tw_fail(error, TW_IO, "no folder for what is tried can be made in %.400s",
                           parent != NULL ? parent : "/tmp");
        }
        tw_text_print(&path, "%s/audit.db", task->folder);
        task->db_path = path.data;
        if (path.failed)
            return tw_fail(error, TW_NO_MEMORY, "out of memory");
    }
    if (task->db_path == NULL)
        return error->status;
    tw_status status = database_open(task->db_path, TW_DB_WRITE, &task->db, error);
    return status == TW_OK && a->keep ? database_adopt(a, task->db, error) : status;
}

static void close_database(struct task *task) {
    static const char *const files[] = {"audit.db", "audit.db-wal", "audit.db-shm",
                                        "audit.db-journal"};
    tw_db_close(task->db);
    free(task->db_path);
    for (size_t i = 0; i < sizeof files / sizeof *files && task->folder[0] != '\0'; i++) {
        char path[600];
        snprintf(path, sizeof path, "%s/%s", task->folder, files[i]);
        unlink(path);
    }
    if (task->folder[0] != '\0')
        rmdir(task->folder);
}

/* ---- ---- */

static void print_progress(const struct arguments *a, const struct wanted *wanted, int place,
                           int count) {
    char text[TW_PROBLEM_KEY_SIZE];
    tw_problem_text(&wanted->problem, text);
    if (!a->quiet)
        tw_printable_line(stderr, "tune: %d of %d, %s %s", place + 1, count,
                          wanted->problem.description->kernel, text);
}

/* Sizes that an application prepared and never launched: nothing is lost there, and nothing saved.
 */
static bool is_idle(const struct wanted *wanted) {
    return wanted_launches(wanted) == 0;
}

static int tell_idle(const struct arguments *a, const struct demand *demand) {
    int idle = 0;
    for (int i = 0; i < demand->count; i++)
        idle += is_idle(&demand->all[i]);
    if (idle > 0 && !a->quiet)
        fprintf(stderr, "tune: %d prepared and never launched, passed over\n", idle);
    return idle;
}

static tw_status measure(const struct arguments *a, struct task *task, struct tw_error *error) {
    const struct audit_subject *s = &task->subject;
    struct audit_options options = {
        .session = {.seed = (uint64_t)a->seed,
                    .budget_seconds = a->budget_given ? a->budget_seconds : SECONDS,
                    .budget_trials = a->budget_trials,
                    .jobs = (int)a->jobs,
                    .cache = a->cache,
                    .trial_limit_s = a->trial_limit_s,
                    .compile_limit_s = a->compile_limit_s,
                    .interrupted = interrupts_catch()},
        .rounds = (int)a->rounds,
        .device = &s->device,
        .catalogue = s->catalogue,
        .db = task->db,
        .db_path = task->db_path};
    tw_status status = strategy_choose(&options.session.strategy, a->strategy, error);
    const int idle = tell_idle(a, &s->demand);
    for (int i = 0; i < s->demand.count && status == TW_OK; i++) {
        if (is_idle(&s->demand.all[i]))
            continue;
        task->interrupted = *options.session.interrupted != 0;
        if (task->interrupted)
            return TW_OK;
        print_progress(a, &s->demand.all[i], task->count, s->demand.count - idle);
        status = audit_problem(&options, &s->demand.all[i], &task->all[task->count], error);
        task->count += status == TW_OK;
    }
    task->interrupted = status == TW_INTERRUPTED;
    return task->interrupted ? TW_OK : status;
}

/* Before anything is measured, which takes long: a name that is mistyped is to be told at once. */
static tw_status read_vendor(const struct arguments *a, struct task *task, struct tw_error *error) {
    struct tw_text text = {0};
    tw_status status = tw_file_read(&text, a->bench, error);
    if (status == TW_OK)
        status = audit_read_vendor(&task->vendor, a->bench, tw_text_or(&text, ""), error);
    tw_text_free(&text);
    return command_names_file(status, error);
}

static tw_status print(const struct arguments *a, struct task *task, struct audit_summary *summary,
                       struct tw_error *error) {
    double *room = calloc((size_t)task->count + 1, sizeof *room);
    if (room == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    audit_sort(task->all, task->count);
    *summary = audit_sum_up(task->all, task->count, room);
    free(room);
    const struct audit_subject *s = &task->subject;
    if (a->json)
        return audit_print_json(task->all, task->count, summary, &s->device, s->counted, error);
    audit_print_table(task->all, task->count, summary, &s->device, s->counted);
    return TW_OK;
}

static tw_status audit(struct arguments *a, struct task *task, struct audit_summary *summary,
                       struct tw_error *error) {
    if (a->files.count != 1)
        return tw_fail(error, TW_INVALID,
                       "name one file: a log of shapes, or a list; see tune audit --help");
    tw_status status = a->bench != NULL ? read_vendor(a, task, error) : TW_OK;
    if (status == TW_OK)
        status = audit_subject_open(a, a->files.words[0], true, &task->subject, error);
    if (status == TW_OK)
        status = open_database(a, task, error);
    if (status == TW_OK) {
        task->all = calloc((size_t)task->subject.demand.count, sizeof *task->all);
        if (task->all == NULL)
            status = tw_fail(error, TW_NO_MEMORY, "out of memory");
    }
    if (status != TW_OK)
        return status;
    /* What was measured before a device was lost is told all the same. */
    tw_status measured = measure(a, task, error);
    struct tw_error why = *error;
    if (measured != TW_OK && task->count == 0)
        return measured;
    if (task->vendor != NULL)
        audit_add_vendor(task->all, task->count, task->vendor);
    status = print(a, task, summary, error);
    if (status == TW_OK && measured != TW_OK)
        *error = why;
    return status == TW_OK ? measured : status;
}

int command_audit(int count, char **words) {
    struct arguments arguments;
    struct tw_error error;
    struct audit_summary summary = {0};
    struct task *task = calloc(1, sizeof *task);
    if (task == NULL) {
        tw_fail(&error, TW_NO_MEMORY, "out of memory");
        return command_failed(TW_NO_MEMORY, &error);
    }
    tw_status status =
        arguments_parse(&arguments, count, words,
                        (OPTIONS_SUBJECT & ~OPTION(SHAPE)) | OPTION(KERNEL) | OPTION(BUDGET) |
                            OPTION(STRATEGY) | OPTION(SEED) | OPTION(JOBS) | OPTION(ROUNDS) |
                            OPTION(TRIAL_LIMIT) | OPTION(COMPILE_LIMIT) | OPTION(BENCH) |
                            OPTION(KEEP) | OPTION(JSON) | OPTION(QUIET) | WORDS_ARE_FILES,
                        &error);
    if (status == TW_OK && arguments.help)
        fputs(help, stdout);
    else if (status == TW_OK)
        status = audit(&arguments, task, &summary, &error);
    int code = status != TW_OK      ? command_failed(status, &error)
               : task->interrupted  ? EXIT_INTERRUPTED
               : summary.failed > 0 ? EXIT_FAILED
                                    : EXIT_FINE;
    close_database(task);
    cJSON_Delete(task->vendor);
    free(task->all);
    audit_subject_close(&task->subject);
    free(task);
    arguments_free(&arguments);
    return code;
}

#include "tuner/commands/tune_teams.h"

#include <stdio.h>
#include <stdlib.h>

#include "runtime/base/text.h"
#include "tuner/commands/command.h"
#include "tuner/commands/database.h"
#include "tuner/commands/resolve.h"
#include "tuner/json/json.h"
#include "tuner/workers/compile_pool.h"

/* A team whose devices were lost over so many problems in a row takes no more. */
enum { LOSSES = 3 };

struct crew; /* a team that works beside others */

/* A problem, for one kind of device. */
struct item {
    enum { ITEM_OPEN, ITEM_TAKEN, ITEM_DONE } state;
    uint64_t lost_by; /* teams whose devices were lost over it, a bit each */
    struct tw_error error;
    cJSON *report;
};

/* Devices of one kind, their compilers and what they have to do. */
struct kind {
    struct compile_pool *pool;
    struct item *items; /* by shape */
};

struct work {
    const struct task *task;
    pthread_mutex_t lock; /* of items, crews' losses and the code */
    pthread_cond_t changed;
    int kind_count, crew_count;
    struct kind kinds[DEVICE_LIST_MOST];
    struct crew *crews;
    int left; /* items that are not done */
    int code;
    int before; /* items that an earlier command had done */
    struct progress_board board;
};

struct crew {
    struct work *work;
    int kind;
    uint64_t bit; /* in lost_by */
    int losses;   /* in a row */
    struct team team;
    pthread_t thread;
};

/* ---- What there is to do ---- */

static bool may_take(const struct crew *crew, const struct item *item) {
    return crew->losses < LOSSES && (item->lost_by & crew->bit) == 0;
}

static struct item *next_item(struct crew *crew) {
    struct work *work = crew->work;
    struct item *items = work->kinds[crew->kind].items;
    bool stop = *work->task->interrupted != 0;
    for (int i = 0; i < work->task->arguments.shape_count && !stop; i++)
        if (items[i].state == ITEM_OPEN && may_take(crew, &items[i]))
            return &items[i];
    return NULL;
}

static void set_done(struct work *work, struct item *item, int code) {
    item->state = ITEM_DONE;
    work->left--;
    work->code = code != EXIT_FINE ? code : work->code;
}

/* What no team is left for is not done. */
static void close_hopeless(struct crew *crew) {
    struct work *work = crew->work;
    struct item *items = work->kinds[crew->kind].items;
    for (int i = 0; i < work->task->arguments.shape_count; i++) {
        bool hope = items[i].state != ITEM_OPEN;
        for (int j = 0; j < work->crew_count && !hope; j++)
            hope = work->crews[j].kind == crew->kind && may_take(&work->crews[j], &items[i]);
        if (hope)
            continue;
        if (items[i].lost_by == 0)
            tw_fail(&items[i].error, TW_DEVICE, "%s: no device is left to tune it on",
                    work->task->arguments.shapes[i].shape);
        set_done(work, &items[i], tune_failed(&crew->team, TW_DEVICE, &items[i].error));
    }
}

static void note_loss(struct crew *crew, struct item *item, const struct tw_error *why) {
    struct tw_text line = {0};
    item->state = ITEM_OPEN;
    item->lost_by |= crew->bit;
    tw_fail(&item->error, why->status, "%s", why->message);
    crew->losses++;
    tw_text_print(&line, "%s is left to other devices: %s", crew->team.printer.label, why->message);
    if (crew->losses == LOSSES)
        tw_text_print(&line, " (the %drd in a row: no more are tried there)", LOSSES);
    progress_notice(&crew->team.printer, tw_text_or(&line, why->message));
    tw_text_free(&line);
    close_hopeless(crew);
}

/* ---- A team at work ---- */

/* With the lock, which it lets go of for as long as it tunes. */
static void do_item(struct crew *crew, tw_db *db, struct item *item) {
    struct work *work = crew->work;
    const struct arguments *a = &work->task->arguments;
    int index = (int)(item - work->kinds[crew->kind].items);
    struct tw_text label = {0};
    struct tuned tuned;
    item->state = ITEM_TAKEN;
    pthread_mutex_unlock(&work->lock);
    tw_text_print(&label, "%s %s", crew->team.devices[0].id, a->shapes[index].shape);
    progress_join(&crew->team.printer, &work->board, tw_text_or(&label, ""));
    tune_problem(work->task, &crew->team, db, index, &tuned);
    progress_leave(&crew->team.printer, !tuned.lost);
    pthread_mutex_lock(&work->lock);
    if (tuned.lost) {
        note_loss(crew, item, &tuned.error);
    } else {
        crew->losses = 0;
        item->report = tuned.report;
        work->before += tuned.before;
        set_done(work, item, tuned.code);
    }
    tw_text_free(&label);
    pthread_cond_broadcast(&work->changed);
}

/* Threads wait for each other: a compiler dies with the thread that started it, and may be at work
 * for another. */
static void *run_crew(void *context) {
    struct crew *crew = context;
    struct work *work = crew->work;
    struct tw_error error;
    tw_db *db = NULL;
    tw_status status = database_open(work->task->db_path, TW_DB_WRITE, &db, &error);
    pthread_mutex_lock(&work->lock);
    if (status != TW_OK) {
        crew->losses = LOSSES;
        work->code = command_failed(status, &error);
        close_hopeless(crew);
    }
    while (work->left > 0 && *work->task->interrupted == 0) {
        struct item *item = next_item(crew);
        if (item != NULL)
            do_item(crew, db, item);
        else
            pthread_cond_wait(&work->changed, &work->lock);
    }
    pthread_cond_broadcast(&work->changed);
    pthread_mutex_unlock(&work->lock);
    tw_db_close(db);
    return NULL;
}

/* ---- All of them ---- */

/* No team without a problem: `count` devices of a kind for the shapes there are. */
static void add_crews(struct work *work, const struct tw_device_info *devices, int count) {
    int shapes = work->task->arguments.shape_count;
    int crews = shapes < count ? shapes : count;
    for (int i = 0; i < crews; i++) {
        int first = i * count / crews, next = (i + 1) * count / crews;
        work->crews[work->crew_count++] =
            (struct crew){.work = work,
                          .kind = work->kind_count,
                          .bit = UINT64_C(1) << i,
                          .team = {.devices = devices + first, .count = next - first}};
    }
    work->kind_count++;
}

static tw_status open_kinds(struct work *work, struct tw_error *error) {
    const struct arguments *a = &work->task->arguments;
    int jobs = (int)a->jobs / work->kind_count;
    tw_status status = TW_OK;
    for (int i = 0; i < work->crew_count && status == TW_OK; i++) {
        struct crew *crew = &work->crews[i];
        struct kind *kind = &work->kinds[crew->kind];
        if (kind->items == NULL) {
            kind->items = calloc((size_t)a->shape_count, sizeof *kind->items);
            work->left += a->shape_count;
            status = kind->items != NULL
                         ? compile_pool_create(&kind->pool, &crew->team.devices[0],
                                               jobs > 0 ? jobs : 1, a->compile_limit_s, error)
                         : tw_fail(error, TW_NO_MEMORY, "out of memory");
        }
        crew->team.pool = kind->pool;
    }
    return status;
}

static void start(struct work *work) {
    int started = 0;
    pthread_mutex_lock(&work->lock);
    for (int i = 0; i < work->crew_count; i++)
        if (pthread_create(&work->crews[i].thread, NULL, run_crew, &work->crews[i]) == 0)
            started++;
        else
            break;
    /* Fewer teams do it too, unless there is none at all of a kind. */
    for (int i = started; i < work->crew_count; i++) {
        work->crews[i].losses = LOSSES;
        close_hopeless(&work->crews[i]);
    }
    pthread_mutex_unlock(&work->lock);
    for (int i = 0; i < started; i++)
        pthread_join(work->crews[i].thread, NULL);
}

static void append_reports(struct work *work, cJSON *reports) {
    for (int i = 0; i < work->task->arguments.shape_count; i++)
        for (int k = 0; k < work->kind_count; k++)
            if (work->kinds[k].items[i].report != NULL)
                json_append(reports, work->kinds[k].items[i].report);
}

static int tune_beside(struct work *work, cJSON *reports) {
    struct tw_error error;
    pthread_mutex_init(&work->lock, NULL);
    pthread_cond_init(&work->changed, NULL);
    tw_status status = open_kinds(work, &error);
    progress_board_begin(&work->board, work->left);
    if (status == TW_OK) {
        start(work);
        append_reports(work, reports);
    } else {
        work->code = command_failed(status, &error);
    }
    progress_board_end(&work->board);
    for (int i = 0; i < work->kind_count; i++) {
        compile_pool_free(work->kinds[i].pool);
        free(work->kinds[i].items);
    }
    pthread_cond_destroy(&work->changed);
    pthread_mutex_destroy(&work->lock);
    bool interrupted = *work->task->interrupted != 0 && work->left > 0;
    return interrupted && work->code == EXIT_FINE ? EXIT_INTERRUPTED : work->code;
}

/* One team has it all. */
static int tune_in_turn(const struct task *task, struct team *team, tw_db *db, int *before,
                        cJSON *reports) {
    int code = EXIT_FINE;
    for (int i = 0; i < task->arguments.shape_count; i++) {
        struct tuned tuned;
        progress_begin(&team->printer);
        tune_problem(task, team, db, i, &tuned);
        if (tuned.lost)
            tuned.code = tune_failed(team, tuned.error.status, &tuned.error);
        if (tuned.report != NULL)
            json_append(reports, tuned.report);
        *before += tuned.before;
        /* A list goes on after a shape that failed; the exit status remembers. */
        code = tuned.code != EXIT_FINE ? tuned.code : code;
        if (*task->interrupted != 0)
            break;
    }
    return code;
}

int tune_teams(const struct task *task, const struct device_list *devices, tw_db *db, int *before,
               cJSON *reports) {
    struct work *work = calloc(1, sizeof *work);
    struct crew *crews = calloc((size_t)devices->count, sizeof *crews);
    int code = EXIT_FAILED;
    if (work == NULL || crews == NULL) {
        struct tw_error error;
        tw_fail(&error, TW_NO_MEMORY, "out of memory");
        code = command_failed(TW_NO_MEMORY, &error);
    } else {
        work->task = task;
        work->crews = crews;
        for (int i = 0; i < devices->count;) {
            int count = device_list_alike(devices, i);
            add_crews(work, &devices->devices[i], count);
            i += count;
        }
        code = work->crew_count == 1 ? tune_in_turn(task, &crews[0].team, db, before, reports)
                                     : tune_beside(work, reports);
        *before += work->before;
    }
    free(crews);
    free(work);
    return code;
}

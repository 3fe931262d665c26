#include "tuner/cluster/schedule.h"

#include <stdlib.h>
#include <string.h>

/* A problem that so many ranks could not do is not given to another. */
enum { MOST_FAILURES = 2 };

enum task_state { TASK_OPEN, TASK_HELD, TASK_DONE, TASK_FAILED };

struct task {
    enum task_state state;
    int failures;
    int failed_by; /* the last rank that could not do it, plus 1; 0: none */
    int preferred; /* the rank that has a part of it, plus 1; 0: none */
};

enum rank_state { RANK_AWAITED, RANK_HERE, RANK_GONE };

struct place {
    enum rank_state state;
    int kind;
    int held; /* a problem; SCHEDULE_NONE: none */
};

struct schedule {
    int problems, ranks, kinds;
    char *fingerprints[SCHEDULE_MOST_KINDS];
    struct task *tasks[SCHEDULE_MOST_KINDS]; /* by problem */
    struct place places[];
};

tw_status schedule_create(struct schedule **out, int problems, int ranks, struct tw_error *error) {
    *out = calloc(1, sizeof **out + (size_t)ranks * sizeof(struct place));
    if (*out == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    (*out)->problems = problems;
    (*out)->ranks = ranks;
    for (int i = 0; i < ranks; i++)
        (*out)->places[i].held = SCHEDULE_NONE;
    return TW_OK;
}

void schedule_free(struct schedule *schedule) {
    if (schedule == NULL)
        return;
    for (int i = 0; i < schedule->kinds; i++) {
        free(schedule->fingerprints[i]);
        free(schedule->tasks[i]);
    }
    free(schedule);
}

int schedule_kind(struct schedule *s, const char *fingerprint) {
    for (int i = 0; i < s->kinds; i++)
        if (strcmp(s->fingerprints[i], fingerprint) == 0)
            return i;
    if (s->kinds == SCHEDULE_MOST_KINDS)
        return SCHEDULE_NONE;
    char *name = strdup(fingerprint);
    struct task *tasks = calloc((size_t)s->problems, sizeof *tasks);
    if (name == NULL || tasks == NULL) {
        free(name);
        free(tasks);
        return SCHEDULE_NONE;
    }
    s->fingerprints[s->kinds] = name;
    s->tasks[s->kinds] = tasks;
    return s->kinds++;
}

const char *schedule_fingerprint(const struct schedule *s, int kind) {
    return s->fingerprints[kind];
}

int schedule_kinds(const struct schedule *s) {
    return s->kinds;
}

void schedule_join(struct schedule *s, int rank, int kind) {
    s->places[rank].state = RANK_HERE;
    s->places[rank].kind = kind;
}

void schedule_prefer(struct schedule *s, int rank, int problem) {
    s->tasks[s->places[rank].kind][problem].preferred = rank + 1;
}

static struct task *held_task(struct schedule *s, int rank) {
    const struct place *place = &s->places[rank];
    return place->held == SCHEDULE_NONE ? NULL : &s->tasks[place->kind][place->held];
}

void schedule_leave(struct schedule *s, int rank) {
    struct task *task = held_task(s, rank);
    /* Another may have done it by now. */
    if (task != NULL && task->state == TASK_HELD)
        task->state = TASK_OPEN;
    s->places[rank].held = SCHEDULE_NONE;
    s->places[rank].state = RANK_GONE;
}

/* How gladly a rank is given a task: what it has a part of, what nobody else has a part of, the
 * rest; 0: not at all. */
static int fitness(const struct schedule *s, const struct task *task, int rank) {
    if (task->state != TASK_OPEN || task->failed_by == rank + 1)
        return 0;
    if (task->preferred == rank + 1)
        return 3;
    bool another = task->preferred != 0 && s->places[task->preferred - 1].state == RANK_HERE;
    return another ? 1 : 2;
}

int schedule_next(struct schedule *s, int rank) {
    struct place *place = &s->places[rank];
    int best = SCHEDULE_NONE, most = 0;
    if (place->state != RANK_HERE || place->held != SCHEDULE_NONE)
        return SCHEDULE_NONE;
    for (int i = 0; i < s->problems; i++) {
        int fits = fitness(s, &s->tasks[place->kind][i], rank);
        if (fits > most) {
            most = fits;
            best = i;
        }
    }
    place->held = best;
    if (best != SCHEDULE_NONE)
        s->tasks[place->kind][best].state = TASK_HELD;
    return best;
}

int schedule_held(const struct schedule *s, int rank) {
    return s->places[rank].held;
}

void schedule_done(struct schedule *s, int kind, int problem) {
    s->tasks[kind][problem].state = TASK_DONE;
    for (int i = 0; i < s->ranks; i++)
        if (s->places[i].kind == kind && s->places[i].held == problem)
            s->places[i].held = SCHEDULE_NONE;
}

bool schedule_is_done(const struct schedule *s, int kind, int problem) {
    return s->tasks[kind][problem].state == TASK_DONE;
}

/* Whether there is, or may yet come, a rank of the kind that has not failed at the task. */
static bool has_hope(const struct schedule *s, int kind, const struct task *task) {
    for (int i = 0; i < s->ranks; i++) {
        const struct place *place = &s->places[i];
        if (place->state == RANK_AWAITED)
            return true;
        if (place->state == RANK_HERE && place->kind == kind && task->failed_by != i + 1)
            return true;
    }
    return false;
}

bool schedule_failed(struct schedule *s, int rank) {
    struct task *task = held_task(s, rank);
    int kind = s->places[rank].kind;
    s->places[rank].held = SCHEDULE_NONE;
    if (task == NULL || task->state != TASK_HELD)
        return true;
    task->failed_by = rank + 1;
    bool again = ++task->failures < MOST_FAILURES && has_hope(s, kind, task);
    task->state = again ? TASK_OPEN : TASK_FAILED;
    return again;
}

static int count(const struct schedule *s, enum task_state state) {
    int found = 0;
    for (int k = 0; k < s->kinds; k++)
        for (int i = 0; i < s->problems; i++)
            found += s->tasks[k][i].state == state;
    return found;
}

int schedule_count_done(const struct schedule *s) {
    return count(s, TASK_DONE);
}

int schedule_count_failed(const struct schedule *s) {
    return count(s, TASK_FAILED);
}

int schedule_total(const struct schedule *s) {
    return s->kinds * s->problems;
}

bool schedule_over(const struct schedule *s) {
    for (int i = 0; i < s->ranks; i++)
        if (s->places[i].state == RANK_AWAITED)
            return false;
    for (int k = 0; k < s->kinds; k++)
        for (int i = 0; i < s->problems; i++) {
            const struct task *task = &s->tasks[k][i];
            if ((task->state == TASK_OPEN || task->state == TASK_HELD) && has_hope(s, k, task))
                return false;
        }
    return true;
}

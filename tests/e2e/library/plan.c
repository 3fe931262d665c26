/* Makes a plan under a miss policy and tells its rule and where its binary came from.
 *
 *     plan DEVICE nearest|tune|together|background|hurry|fail SECONDS [TUNE]
 *
 * The kernel is copy, or double when TW_DESCRIPTION in the environment is its description's path.
 * `together` is `tune` from several threads at once, which must all get the same plan.
 * After `background` it waits for a better plan and tells of that one too; `hurry` is the same
 * without waiting, in an application that blocks signals. Both plans must be right. */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tilewise.h>
#include <time.h>

enum { M = 50, N = 40, WAITS = 1200, THREADS = 4 };

static const char *description; /* NULL: copy */
static tw_library *library;
static _Thread_local tw_error error;

static void check(tw_status status) {
    if (status == TW_OK)
        return;
    fprintf(stderr, "%s\n", error.message);
    exit(1);
}

static tw_miss policy(const char *word) {
    if (strcmp(word, "tune") == 0 || strcmp(word, "together") == 0)
        return TW_MISS_TUNE;
    if (strcmp(word, "background") == 0 || strcmp(word, "hurry") == 0)
        return TW_MISS_TUNE_BACKGROUND;
    return strcmp(word, "fail") == 0 ? TW_MISS_FAIL : TW_MISS_NEAREST;
}

static const tw_plan *make_plan(void) {
    const tw_request request = {.kernel = description != NULL ? "double" : "copy",
                                .dimensions = {M, N}};
    const tw_plan *plan;
    check(tw_plan_create(&plan, library, &request, &error));
    return plan;
}

static void *make_in_thread(void *plan) {
    *(const tw_plan **)plan = make_plan();
    return NULL;
}

static void make_together(void) {
    pthread_t threads[THREADS];
    const tw_plan *plans[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, make_in_thread, &plans[i]);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        if (plans[i] != plans[0]) {
            fprintf(stderr, "two plans\n");
            exit(1);
        }
    }
}

static void launch(const tw_plan *plan) {
    static float from[M * N], to[M * N];
    void *a, *b;
    for (int i = 0; i < M * N; i++)
        from[i] = (float)i;
    check(tw_allocate(&a, library, sizeof from, &error));
    check(tw_allocate(&b, library, sizeof to, &error));
    check(tw_write(library, a, from, sizeof from, &error));
    const tw_binding bindings[] = {{.name = "A", .buffer = a}, {.name = "B", .buffer = b}};
    check(tw_launch(plan, NULL, bindings, 2, &error));
    check(tw_read(library, NULL, to, b, sizeof to, &error));
    for (int i = 0; i < M * N; i++)
        if (to[i] != (description != NULL ? 2 : 1) * from[i]) {
            fprintf(stderr, "a wrong answer\n");
            exit(1);
        }
    tw_release(library, a);
    tw_release(library, b);
}

static void tell(const tw_plan *plan) {
    const tw_explanation *explanation = tw_plan_explain(plan);
    printf("%s %s\n", explanation->rule, explanation->binary);
    fflush(stdout);
}

int main(int count, char **words) {
    if (count < 4)
        return 2;
    description = getenv("TW_DESCRIPTION");
    const char *const descriptions[] = {description, NULL};
    const tw_options options = {.device = words[1],
                                .descriptions = descriptions,
                                .on_miss = policy(words[2]),
                                .tune_seconds = atof(words[3]),
                                .tune_program = count > 4 ? words[4] : NULL};
    if (strcmp(words[2], "hurry") == 0) {
        sigset_t all;
        sigfillset(&all);
        sigprocmask(SIG_BLOCK, &all, NULL);
    }
    check(tw_open(&library, &options, &error));
    if (strcmp(words[2], "together") == 0)
        make_together();
    const tw_plan *plan = make_plan(), *later = plan;
    tell(plan);
    if (strcmp(words[2], "background") == 0) {
        for (int i = 0; i < WAITS && later == plan; i++) {
            nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
            later = make_plan();
        }
        tell(later);
    }
    launch(plan);
    launch(later);
    tw_close(library);
    return 0;
}

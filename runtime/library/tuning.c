#include "runtime/library/tuning.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/library/library.h"
#include "runtime/library/paths.h"
#include "runtime/library/plan_make.h"
#include "runtime/library/request.h"

extern char **environ;

enum { MAX_WORDS = 64 };

struct job {
    struct job *next;
    tw_request request; /* its text is the job's own */
};

struct tw_tuning {
    tw_library *library;
    char *program;
    double seconds;
    pthread_mutex_t turn; /* held while `tune` runs: one device cannot be measured twice at once */
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t work;
    bool has_thread;
    pthread_t thread;
    bool stopping;
    pid_t child; /* 0: none */
    struct job *first;
};

tw_status tw_tuning_create(struct tw_tuning **out, tw_library *library, const tw_options *options,
                           tw_error *error) {
    struct tw_text program = {0};
    *out = NULL;
    if (library->databases[0] == NULL)
        return tw_fail(error, TW_INVALID,
                       "tuning on a miss needs a database to store what it finds; name one");
    if (!(options->tune_seconds >= 0 && options->tune_seconds <= 1e9))
        return tw_fail(error, TW_INVALID, "tune_seconds is %g; it must be a time, 0 for 30 s",
                       options->tune_seconds);
    if (options->tune_program == NULL)
        tw_path_tune(&program);
    else if (strchr(options->tune_program, '/') != NULL)
        tw_path_absolute(&program, options->tune_program);
    else
        tw_text_print(&program, "%s", options->tune_program);
    struct tw_tuning *tuning = calloc(1, sizeof *tuning);
    if (tuning == NULL || program.failed) {
        free(tuning);
        tw_text_free(&program);
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    }
    tuning->library = library;
    tuning->program = program.data;
    tuning->seconds = options->tune_seconds > 0 ? options->tune_seconds : 30;
    pthread_mutex_init(&tuning->turn, NULL);
    pthread_mutex_init(&tuning->lock, NULL);
    pthread_cond_init(&tuning->work, NULL);
    *out = tuning;
    return TW_OK;
}

/* ---- Running the program ---- */

struct command {
    int count;
    char *words[MAX_WORDS];
    bool failed;
};

__attribute__((format(printf, 2, 3))) static void add(struct command *command, const char *format,
                                                      ...) {
    va_list arguments;
    char *word = NULL;
    va_start(arguments, format);
    if (command->count + 1 == MAX_WORDS || vasprintf(&word, format, arguments) < 0)
        command->failed = true;
    else
        command->words[command->count++] = word;
    va_end(arguments);
}

static void free_command(struct command *command) {
    for (int i = 0; i < command->count; i++)
        free(command->words[i]);
}

static tw_status build(const struct tw_tuning *tuning, const tw_request *request,
                       struct command *command, tw_error *error) {
    const tw_library *library = tuning->library;
    const int64_t milliseconds = (int64_t)ceil(tuning->seconds * 1e3);
    struct tw_problem problem;
    int64_t strides[TW_MAX_ARGUMENTS];
    const char *file;
    char shape[TW_PROBLEM_KEY_SIZE];
    tw_status status = tw_plan_problem(tuning->library, request, &problem, strides, &file, error);
    if (status != TW_OK)
        return status;
    const struct tw_description *d = problem.description;
    tw_problem_shape(&problem, shape);
    add(command, "%s", tuning->program);
    add(command, "%s", d->kernel);
    add(command, "--shape");
    add(command, "%s", shape);
    for (int i = 0; i < d->attribute_count; i++) {
        add(command, "--attr");
        char number[TW_NUMBER_SIZE];
        add(command, "%s=%s", d->attributes[i].name, tw_problem_attribute(&problem, i, number));
    }
    if (file != NULL) {
        add(command, "--config");
        add(command, "%s", file);
    }
    add(command, "--device");
    add(command, "%s", library->info.id);
    add(command, "--cache");
    add(command, "%s", library->cache_policy);
    add(command, "--budget");
    /* Not as a floating-point number, which has a comma in some applications' locales. */
    add(command, "%" PRId64 ".%03ds", milliseconds / 1000, (int)(milliseconds % 1000));
    add(command, "--db");
    add(command, "%s", library->databases[0]);
    add(command, "--quiet");
    return command->failed ? tw_fail(error, TW_NO_MEMORY, "out of memory") : TW_OK;
}

/* Starts the program with nothing on its standard input and output, and its words of complaint in
 * *complaints. */
static tw_status start(struct tw_tuning *tuning, const struct command *command, int *complaints,
                       pid_t *child, tw_error *error) {
    int ends[2];
    posix_spawn_file_actions_t actions;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return tw_fail(error, TW_IO, "cannot start %s: %s", tuning->program, strerror(errno));
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
    /* The application's signals are its own: a mask that it set would keep SIGINT from `tune`, and
     * an ignored SIGCHLD the ends of its workers. */
    posix_spawnattr_t attributes;
    sigset_t none, usual;
    sigemptyset(&none);
    sigfillset(&usual);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &usual);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    int result = posix_spawnp(child, tuning->program, &actions, &attributes,
                              (char *const *)command->words, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    if (result != 0) {
        close(ends[0]);
        return tw_fail(error, TW_UNAVAILABLE, "cannot start %s to tune with: %s", tuning->program,
                       strerror(result));
    }
    *complaints = ends[0];
    return TW_OK;
}

/* Reads all, keeps the end: the last line says what went wrong. */
static void read_complaints(int fd, char *out, size_t room) {
    char bytes[512];
    size_t length = 0;
    bool ended = false; /* a line, which another one may replace */
    ssize_t count;
    while ((count = read(fd, bytes, sizeof bytes)) > 0 || (count < 0 && errno == EINTR)) {
        for (ssize_t i = 0; i < count; i++) {
            if (ended)
                length = 0;
            ended = bytes[i] == '\n';
            if (!ended && length + 1 < room)
                out[length++] = bytes[i];
        }
    }
    out[length] = '\0';
}

/* Its own last words, or what the system says of a program that had none. */
static tw_status tell_failure(const char *program, const char *said, int outcome, tw_error *error) {
    if (said[0] != '\0')
        return tw_fail(error, TW_UNAVAILABLE, "%s failed: %s", program, said);
    if (WIFEXITED(outcome))
        return tw_fail(
            error, TW_UNAVAILABLE,
            "%s failed with the exit status %d and said nothing; is it the program tune?", program,
            WEXITSTATUS(outcome));
    return tw_fail(error, TW_UNAVAILABLE, "%s was ended by signal %d", program, WTERMSIG(outcome));
}

static tw_status finish(struct tw_tuning *tuning, pid_t child, int complaints, tw_error *error) {
    char said[512];
    int outcome = 0;
    read_complaints(complaints, said, sizeof said);
    close(complaints);
    while (waitpid(child, &outcome, 0) < 0 && errno == EINTR)
        ;
    pthread_mutex_lock(&tuning->lock);
    tuning->child = 0;
    bool stopping = tuning->stopping;
    pthread_mutex_unlock(&tuning->lock);
    if (stopping)
        return tw_fail(error, TW_INTERRUPTED, "the library is being closed");
    if (WIFEXITED(outcome) && WEXITSTATUS(outcome) == 0)
        return TW_OK;
    return tell_failure(tuning->program, said, outcome, error);
}

static tw_status run_program(struct tw_tuning *tuning, const tw_request *request, tw_error *error) {
    struct command command = {0};
    int complaints = -1;
    pid_t child = 0;
    tw_status status = build(tuning, request, &command, error);
    if (status == TW_OK) {
        /* Under the lock, so that stopping either prevents the child or sees it. */
        pthread_mutex_lock(&tuning->lock);
        status = tuning->stopping ? tw_fail(error, TW_INTERRUPTED, "the library is being closed")
                                  : start(tuning, &command, &complaints, &child, error);
        if (status == TW_OK)
            tuning->child = child;
        pthread_mutex_unlock(&tuning->lock);
    }
    free_command(&command);
    return status == TW_OK ? finish(tuning, child, complaints, error) : status;
}

static tw_status tune(struct tw_tuning *tuning, const tw_request *request, tw_error *error) {
    /* Somebody may have tuned it while this one waited. */
    bool tuned;
    tw_status status = tw_plan_is_tuned(tuning->library, request, &tuned, error);
    if (status != TW_OK || tuned)
        return status;
    status = run_program(tuning, request, error);
    if (status == TW_OK)
        status = tw_library_read_results(tuning->library, error);
    /* How a process ended is not always told: an application may ignore SIGCHLD. */
    if (status == TW_OK)
        status = tw_plan_is_tuned(tuning->library, request, &tuned, error);
    if (status == TW_OK && !tuned)
        status = tw_fail(error, TW_UNAVAILABLE, "%s ended without a result for this problem",
                         tuning->program);
    return status;
}

tw_status tw_tuning_run(struct tw_tuning *tuning, const tw_request *request, tw_error *error) {
    pthread_mutex_lock(&tuning->turn);
    tw_status status = tune(tuning, request, error);
    pthread_mutex_unlock(&tuning->turn);
    return status;
}

/* ---- In the background ---- */

static void free_job(struct job *job) {
    if (job == NULL)
        return;
    free((char *)job->request.kernel);
    free((char *)job->request.attributes);
    free(job);
}

static struct job *next_job(struct tw_tuning *tuning) {
    pthread_mutex_lock(&tuning->lock);
    while (tuning->first == NULL && !tuning->stopping)
        pthread_cond_wait(&tuning->work, &tuning->lock);
    struct job *job = tuning->stopping ? NULL : tuning->first;
    if (job != NULL)
        tuning->first = job->next;
    pthread_mutex_unlock(&tuning->lock);
    return job;
}

static void *work(void *context) {
    struct tw_tuning *tuning = context;
    for (struct job *job; (job = next_job(tuning)) != NULL; free_job(job)) {
        struct tw_plan_key key;
        tw_plan *plan;
        const tw_plan *kept;
        /* Nobody waits for the outcome: the plan that there is goes on serving. */
        if (tw_tuning_run(tuning, &job->request, NULL) == TW_OK &&
            tw_plan_make(&plan, tuning->library, &job->request, 0, NULL) == TW_OK &&
            tw_plan_key_of(&key, &job->request) &&
            tw_plan_table_add(tuning->library->plans, &key, plan, true, &kept, NULL) == TW_OK)
            tw_plan_table_release(tuning->library->plans, kept);
    }
    return NULL;
}

static struct job *create_job(const tw_request *request) {
    struct job *job = calloc(1, sizeof *job);
    if (job == NULL)
        return NULL;
    job->request = *request;
    job->request.kernel = strdup(request->kernel);
    job->request.attributes = request->attributes != NULL ? strdup(request->attributes) : NULL;
    if (job->request.kernel == NULL ||
        (request->attributes != NULL && job->request.attributes == NULL)) {
        free_job(job);
        return NULL;
    }
    return job;
}

tw_status tw_tuning_queue(struct tw_tuning *tuning, const tw_request *request, tw_error *error) {
    struct job *job = create_job(request);
    if (job == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    tw_status status = TW_OK;
    pthread_mutex_lock(&tuning->lock);
    if (!tuning->has_thread) {
        /* The application's signal handlers are not to run in a thread that it knows nothing of. */
        sigset_t all, before;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before);
        int result = pthread_create(&tuning->thread, NULL, work, tuning);
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        tuning->has_thread = result == 0;
        if (result != 0)
            status = tw_fail(error, TW_NO_MEMORY, "no thread to tune in: %s", strerror(result));
    }
    if (status == TW_OK) {
        struct job **last = &tuning->first;
        while (*last != NULL)
            last = &(*last)->next;
        *last = job;
        pthread_cond_signal(&tuning->work);
    } else {
        free_job(job);
    }
    pthread_mutex_unlock(&tuning->lock);
    return status;
}

void tw_tuning_free(struct tw_tuning *tuning) {
    if (tuning == NULL)
        return;
    pthread_mutex_lock(&tuning->lock);
    tuning->stopping = true;
    /* As by Ctrl-C: it keeps what it has found so far. */
    if (tuning->child != 0)
        kill(tuning->child, SIGINT);
    pthread_cond_signal(&tuning->work);
    pthread_mutex_unlock(&tuning->lock);
    if (tuning->has_thread)
        pthread_join(tuning->thread, NULL);
    while (tuning->first != NULL) {
        struct job *next = tuning->first->next;
        free_job(tuning->first);
        tuning->first = next;
    }
    pthread_cond_destroy(&tuning->work);
    pthread_mutex_destroy(&tuning->lock);
    pthread_mutex_destroy(&tuning->turn);
    free(tuning->program);
    free(tuning);
}

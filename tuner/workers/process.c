#include "tuner/workers/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STUCK_MS = 10000 }; /* a process that was killed has ended by then */

static char **kept_environment;

void worker_keep_environment(void) {
    size_t count = 0;
    while (environ[count] != NULL)
        count++;
    char **copy = calloc(count + 1, sizeof *copy);
    for (size_t i = 0; copy != NULL && i < count; i++)
        copy[i] = strdup(environ[i]);
    kept_environment = copy;
}

/* Only what is safe between fork and exec. */
static void become_worker(int fd, const char *subcommand, pid_t parent) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) /* it died before we asked */
        _exit(127);
    signal(SIGINT, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
    if (fd == WORKER_FD)
        fcntl(fd, F_SETFD, 0);
    else if (dup2(fd, WORKER_FD) < 0)
        _exit(127);
#ifndef __SANITIZE_ADDRESS__
    /* Compilers chat on standard error; what matters of it travels in messages. */
    int nowhere = open("/dev/null", O_WRONLY);
    if (nowhere >= 0)
        dup2(nowhere, STDERR_FILENO);
#endif
    char *const arguments[] = {"tune", (char *)subcommand, NULL};
    execve("/proc/self/exe", arguments, kept_environment != NULL ? kept_environment : environ);
    _exit(127);
}

tw_status worker_start(struct worker *worker, const char *subcommand, struct tw_error *error) {
    *worker = (struct worker){.fd = -1};
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return tw_fail(error, TW_IO, "cannot start a worker: %s", strerror(errno));
    pid_t parent = getpid();
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0)
        become_worker(ends[1], subcommand, parent);
    close(ends[1]);
    if (pid < 0) {
        close(ends[0]);
        return tw_fail(error, TW_IO, "cannot start a worker: %s", strerror(errno));
    }
    *worker = (struct worker){.pid = pid, .fd = ends[0]};
    return TW_OK;
}

bool worker_said(const struct worker *worker) {
    struct pollfd one = {.fd = worker->fd, .events = POLLIN};
    return poll(&one, 1, 0) > 0;
}

void worker_stop(struct worker *worker, struct worker_end *end) {
    if (end != NULL)
        *end = (struct worker_end){0};
    if (worker->pid == 0)
        return;
    close(worker->fd);
    int status = 0;
    /* Give one that is dying by itself the moment it needs to leave its own status behind. */
    pid_t ended = 0;
    for (int i = 0; i < 20 && ended == 0; i++) {
        ended = waitpid(worker->pid, &status, WNOHANG);
        if (ended == 0)
            usleep(1000);
    }
    if (ended == 0)
        kill(worker->pid, SIGKILL);
    for (int i = 0; i < STUCK_MS && ended == 0; i++) {
        usleep(1000);
        ended = waitpid(worker->pid, &status, WNOHANG);
    }
    /* One that hangs within the driver, whose device has gone, is left to the system. */
    if (end != NULL && ended == 0) {
        end->signal = SIGKILL;
        snprintf(end->words, sizeof end->words, "killed, and does not end");
    } else if (end != NULL && WIFSIGNALED(status)) {
        end->signal = WTERMSIG(status);
        snprintf(end->words, sizeof end->words, "killed by signal %d (%s)", end->signal,
                 strsignal(end->signal));
    } else if (end != NULL && WEXITSTATUS(status) == WORKER_NO_MEMORY) {
        end->no_memory = true;
        snprintf(end->words, sizeof end->words, "ended for lack of memory");
    } else if (end != NULL) {
        snprintf(end->words, sizeof end->words, "ended with exit status %d", WEXITSTATUS(status));
    }
    *worker = (struct worker){.fd = -1};
}

int worker_blame(const struct worker_end *end) {
    return end->signal == SIGKILL || end->no_memory ? 1 : 2;
}

static void *wait_for_hangup(void *unused) {
    (void)unused;
    struct pollfd end = {.fd = WORKER_FD}; /* a hang-up is told without being asked for */
    while (poll(&end, 1, -1) < 0 && errno == EINTR)
        ;
    _exit(0);
}

void worker_begin(void) {
    fcntl(WORKER_FD, F_SETFD, FD_CLOEXEC);
    /* Without a thread to spare, the signal that a parent's death sends has to do. */
    pthread_t thread;
    if (pthread_create(&thread, NULL, wait_for_hangup, NULL) == 0)
        pthread_detach(thread);
}

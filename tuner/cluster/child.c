#include "tuner/cluster/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATH_SIZE = 4096 };

static tw_status find_program(char path[PATH_SIZE], struct tw_error *error) {
    ssize_t length = readlink("/proc/self/exe", path, PATH_SIZE - sizeof "/tune");
    char *slash = length > 0 ? memrchr(path, '/', (size_t)length) : NULL;
    if (slash == NULL)
        return tw_fail(error, TW_IO, "/proc/self/exe: %s", strerror(errno));
    strcpy(slash, "/tune");
    if (access(path, X_OK) != 0)
        return tw_fail(error, TW_IO, "%s: %s; tune-mpi starts the tune that lies beside it", path,
                       strerror(errno));
    return TW_OK;
}

/* Only what is safe between fork and exec. */
static void become(const char *program, char *const *words, int out, int err, pid_t parent) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(127);
    int nowhere = open("/dev/null", O_RDONLY);
    if (nowhere < 0 || dup2(nowhere, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0 ||
        dup2(err, STDERR_FILENO) < 0)
        _exit(127);
    execv(program, words);
    _exit(127);
}

tw_status child_start(struct child *child, char *const *words, struct tw_error *error) {
    char program[PATH_SIZE];
    int out[2], err[2];
    *child = (struct child){.out = -1, .err = -1};
    tw_status status = find_program(program, error);
    if (status != TW_OK)
        return status;
    if (pipe2(out, O_CLOEXEC | O_NONBLOCK) != 0)
        return tw_fail(error, TW_IO, "cannot start tune: %s", strerror(errno));
    if (pipe2(err, O_CLOEXEC | O_NONBLOCK) != 0) {
        status = tw_fail(error, TW_IO, "cannot start tune: %s", strerror(errno));
        close(out[0]);
        close(out[1]);
        return status;
    }
    /* What it writes to waits for the rank to read. */
    fcntl(out[1], F_SETFL, 0);
    fcntl(err[1], F_SETFL, 0);
    pid_t parent = getpid();
    fflush(NULL);
    child->pid = fork();
    if (child->pid == 0)
        become(program, words, out[1], err[1], parent);
    close(out[1]);
    close(err[1]);
    child->out = out[0];
    child->err = err[0];
    if (child->pid > 0)
        return TW_OK;
    child->pid = 0;
    status = tw_fail(error, TW_IO, "cannot start tune: %s", strerror(errno));
    child_stop(child);
    return status;
}

static void take_out(struct child *child) {
    char bytes[4096];
    for (ssize_t got; (got = read(child->out, bytes, sizeof bytes)) > 0;)
        tw_text_add(&child->said, bytes, (size_t)got);
}

/* A line takes the place of the one before when it begins. */
static void take_err(struct child *child) {
    char bytes[4096];
    for (ssize_t got; (got = read(child->err, bytes, sizeof bytes)) > 0;)
        for (ssize_t i = 0; i < got; i++) {
            if (bytes[i] == '\n') {
                child->complaint_length = 0;
                continue;
            }
            if (child->complaint_length + 1 < sizeof child->complaint) {
                child->complaint[child->complaint_length++] = bytes[i];
                child->complaint[child->complaint_length] = '\0';
            }
        }
}

bool child_step(struct child *child, int *end) {
    /* Asked first: what it has said by its end is there by then. */
    bool ended = waitpid(child->pid, end, WNOHANG) == child->pid;
    take_out(child);
    take_err(child);
    if (!ended)
        return false;
    static const char prefix[] = "tune: ";
    if (strncmp(child->complaint, prefix, sizeof prefix - 1) == 0)
        memmove(child->complaint, child->complaint + sizeof prefix - 1,
                strlen(child->complaint) + 2 - sizeof prefix);
    child->pid = 0;
    return true;
}

void child_stop(struct child *child) {
    int end;
    if (child->pid > 0) {
        kill(child->pid, SIGKILL);
        while (waitpid(child->pid, &end, 0) < 0 && errno == EINTR)
            ;
    }
    if (child->out >= 0)
        close(child->out);
    if (child->err >= 0)
        close(child->err);
    tw_text_free(&child->said);
    *child = (struct child){.out = -1, .err = -1};
}

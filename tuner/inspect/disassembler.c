/* The cubin and all that the program prints are files in memory, so that whatever ends this process
 * leaves nothing behind. */
#include "tuner/inspect/disassembler.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/base/file.h"

static const struct {
    const char *name, *option;
} programs[] = {{"nvdisasm", "-c"}, {"cuobjdump", "-sass"}};

/* ---- Finding ---- */

static bool is_in(const char *directory, size_t length, const char *below, const char *name,
                  char path[4096]) {
    struct stat info;
    int written = snprintf(path, 4096, "%.*s%s/%s", (int)length, directory, below, name);
    return length > 0 && written < 4096 && stat(path, &info) == 0 && S_ISREG(info.st_mode) &&
           access(path, X_OK) == 0;
}

static bool find(const char *name, char path[4096]) {
    const char *directories = getenv("PATH");
    for (const char *at = directories != NULL ? directories : ""; *at != '\0';) {
        size_t length = strcspn(at, ":");
        if (is_in(at, length, "", name, path))
            return true;
        at += length + (at[length] == ':');
    }
    const char *const toolkits[] = {getenv("CUDA_PATH"), getenv("CUDA_HOME"), "/usr/local/cuda"};
    for (size_t i = 0; i < sizeof toolkits / sizeof *toolkits; i++)
        if (toolkits[i] != NULL && is_in(toolkits[i], strlen(toolkits[i]), "/bin", name, path))
            return true;
    return false;
}

tw_status disassembler_find(struct disassembler *disassembler, struct tw_error *error) {
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        disassembler->option = programs[i].option;
        if (find(programs[i].name, disassembler->path))
            return TW_OK;
    }
    return tw_fail(error, TW_UNAVAILABLE,
                   "there is neither nvdisasm nor cuobjdump on PATH or in CUDA_PATH/bin; install "
                   "the CUDA toolkit's package cuda-nvdisasm");
}

/* ---- Running ---- */

struct run {
    int cubin, out, words; /* files in memory; -1: not open */
};

static void close_run(const struct run *run) {
    const int files[] = {run->cubin, run->out, run->words};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (files[i] >= 0)
            close(files[i]);
}

static tw_status open_run(struct run *run, const char *cubin, size_t size, struct tw_error *error) {
    /* Only the cubin's is inherited under its own number. */
    *run = (struct run){.cubin = memfd_create("cubin", 0),
                        .out = memfd_create("listing", MFD_CLOEXEC),
                        .words = memfd_create("words", MFD_CLOEXEC)};
    if (run->cubin < 0 || run->out < 0 || run->words < 0)
        return tw_fail(error, TW_IO, "cannot make a file in memory: %s", strerror(errno));
    while (size > 0) {
        ssize_t written = write(run->cubin, cubin, size);
        if (written < 0 && errno != EINTR)
            return tw_fail(error, TW_IO, "cannot write to memory: %s", strerror(errno));
        if (written > 0) {
            cubin += written;
            size -= (size_t)written;
        }
    }
    return TW_OK;
}

/* Only what is safe between fork and exec. */
static void become(const struct disassembler *disassembler, const struct run *run,
                   const char *cubin, pid_t parent) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) /* it died before we asked */
        _exit(127);
    if (dup2(run->out, STDOUT_FILENO) < 0 || dup2(run->words, STDERR_FILENO) < 0)
        _exit(127);
    char *const arguments[] = {(char *)disassembler->path, (char *)disassembler->option,
                               (char *)cubin, NULL};
    execv(disassembler->path, arguments);
    _exit(127);
}

static tw_status wait_for(pid_t pid, int *status, struct tw_error *error) {
    while (waitpid(pid, status, 0) < 0)
        if (errno != EINTR)
            return tw_fail(error, TW_IO, "cannot wait for a process: %s", strerror(errno));
    return TW_OK;
}

static tw_status read_back(int file, struct tw_text *text, struct tw_error *error) {
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    return tw_file_read(text, path, error);
}

static tw_status complain(const struct disassembler *disassembler, const struct run *run,
                          int status, struct tw_error *error) {
    struct tw_text words = {0};
    tw_status read = read_back(run->words, &words, error);
    if (read == TW_OK) {
        const char *said = words.data != NULL ? words.data : "";
        if (WIFSIGNALED(status))
            tw_fail(error, TW_IO, "%s was killed by signal %d", disassembler->path,
                    WTERMSIG(status));
        else
            tw_fail(error, TW_IO, "%s fails with exit status %d: %.*s", disassembler->path,
                    WEXITSTATUS(status), (int)strcspn(said, "\n"), said);
    }
    tw_text_free(&words);
    return error->status;
}

static tw_status run_on(const struct disassembler *disassembler, const struct run *run,
                        struct tw_text *listing, struct tw_error *error) {
    char cubin[64];
    int status = 0;
    snprintf(cubin, sizeof cubin, "/proc/self/fd/%d", run->cubin);
    pid_t parent = getpid();
    fflush(NULL);
    pid_t pid = fork();
    if (pid < 0)
        return tw_fail(error, TW_IO, "cannot start %s: %s", disassembler->path, strerror(errno));
    if (pid == 0)
        become(disassembler, run, cubin, parent);
    tw_status waited = wait_for(pid, &status, error);
    if (waited != TW_OK)
        return waited;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        return complain(disassembler, run, status, error);
    return read_back(run->out, listing, error);
}

tw_status disassembler_run(const struct disassembler *disassembler, const void *cubin, size_t size,
                           struct tw_text *listing, struct tw_error *error) {
    struct run run;
    tw_status status = open_run(&run, cubin, size, error);
    if (status == TW_OK)
        status = run_on(disassembler, &run, listing, error);
    close_run(&run);
    return status;
}

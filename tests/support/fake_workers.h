/* Workers for tests of the coordinator: processes that speak the messages of the real ones, compile
 * nothing, touch no device, and take times from a rule. Faults are planned in a file.
 *
 * The test program starts itself as its workers: its main calls fake_worker first. */
#ifndef TESTS_SUPPORT_FAKE_WORKERS_H
#define TESTS_SUPPORT_FAKE_WORKERS_H

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/wait.h>

#include "tests/support/support.h"
#include "tuner/workers/process.h"
#include "tuner/workers/protocol.h"

static const char fake_home[] = "FAKE_WORKERS_HOME"; /* the variable that names the directory */

/* The plan has a fault a line: "REQUEST ACTION TIMES WORDS". A worker that gets such a request
 * ("ready" is its start) with WORDS in it (a configuration's, or "device cuda:1", none: any) does
 * ACTION, TIMES times in all: a signal's number to die of it, "hang", "slow" to take 0.3 s, "await"
 * to wait for a file "go" beside the plan, "lost" or "wrong" to answer so, "memory" to end for lack
 * of it, a factor such as "x3" for the times it tells, "out3" for that of a trial that was stopped
 * as a loser, or "load1.5" for a driver that takes so many
 * seconds for the first launch. */
SUPPORT void plan_faults(const char *home, const char *plan) {
    char path[1024];
    struct scratch scratch;
    snprintf(scratch.path, sizeof scratch.path, "%s", home);
    scratch_write(&scratch, "plan", plan, path);
    for (int line = 0; line < 16; line++) {
        snprintf(path, sizeof path, "%s/used%d", home, line);
        unlink(path);
    }
}

/* Takes a fault of the plan, if there is one left for this request. */
SUPPORT bool take_fault(const char *request, const char *words, char action[32]) {
    char path[1024], line[256];
    snprintf(path, sizeof path, "%s/plan", getenv(fake_home));
    FILE *plan = fopen(path, "r");
    bool taken = false;
    for (int number = 0; plan != NULL && !taken && fgets(line, sizeof line, plan) != NULL;
         number++) {
        char kind[32] = "", match[128] = "";
        int times = 0;
        sscanf(line, "%31s %31s %d %127[^\n]", kind, action, &times, match);
        if (strcmp(kind, request) != 0 || strstr(words, match) == NULL)
            continue;
        snprintf(path, sizeof path, "%s/used%d", getenv(fake_home), number);
        int used = open(path, O_WRONLY | O_APPEND | O_CREAT, 0600);
        flock(used, LOCK_EX);
        taken = lseek(used, 0, SEEK_END) < times && write(used, ".", 1) == 1;
        close(used);
    }
    if (plan != NULL)
        fclose(plan);
    return taken;
}

/* A line of the log that tests read what workers did from. */
SUPPORT void fake_log(const char *what, const char *words) {
    char path[1024], line[600];
    snprintf(path, sizeof path, "%s/log", getenv(fake_home));
    int length = snprintf(line, sizeof line, "%s %s\n", what, words);
    int log = open(path, O_WRONLY | O_APPEND | O_CREAT, 0600);
    if (write(log, line, (size_t)length) != length)
        _exit(3);
    close(log);
}

SUPPORT void await_go(void) {
    char path[1024];
    snprintf(path, sizeof path, "%s/go", getenv(fake_home));
    for (int i = 0; i < 30000 && access(path, F_OK) != 0; i++)
        usleep(10000);
}

/* Does what is planned, unless that is a way to answer. */
SUPPORT void suffer(const char *request, const char *words, char action[32]) {
    if (!take_fault(request, words, action))
        action[0] = '\0';
    while (strcmp(action, "hang") == 0)
        ; /* in the midst of a computation */
    if (strcmp(action, "slow") == 0)
        usleep(300000);
    if (strcmp(action, "await") == 0)
        await_go();
    if (strcmp(action, "memory") == 0)
        _exit(WORKER_NO_MEMORY);
    int number = atoi(action);
    if (number == 0)
        return;
    signal(number, SIG_DFL);
    kill(getpid(), number);
    pause();
}

/* 10, 11 and 12 us by BLOCK_X, 5 more by columns, half more by GROUP, and 20 more for naive. */
SUPPORT double fake_time_us(const char *configuration) {
    const char *block = strstr(configuration, "\"BLOCK_X\":");
    int size = block != NULL ? atoi(block + 10) : 0;
    double time = size == 32 ? 10 : size == 64 ? 11 : 12;
    time += strstr(configuration, "columns") != NULL ? 5 : 0;
    return time + (strstr(configuration, "\"GROUP\":4") != NULL ? 0.5 : 0);
}

SUPPORT bool fake_answer(const struct message *answer) {
    struct tw_error error;
    return message_send(WORKER_FD, answer, &error) == TW_OK;
}

SUPPORT bool fake_load(double seconds) {
    struct message loading = device_progress_pack(DEVICE_SAYS_LOADING),
                   running = device_progress_pack(DEVICE_SAYS_RUNNING);
    bool fine = fake_answer(&loading);
    usleep((useconds_t)(seconds * 1e6));
    fine = fine && fake_answer(&running);
    message_free(&loading);
    message_free(&running);
    return fine;
}

SUPPORT int fake_compile_worker(void) {
    struct message message;
    struct tw_error error;
    char action[32];
    bool fine = message_receive(WORKER_FD, &message, &error) == TW_OK;
    message_free(&message);
    suffer("ready", "compile", action);
    while (fine && message_receive(WORKER_FD, &message, &error) == TW_OK) {
        const char *words = message_text(&message, "configuration", "");
        fake_log("begin", words);
        usleep(20000);
        suffer("compile", words, action);
        const struct compiled compiled = {.id = (uint64_t)message_number(&message, "id", 0),
                                          .status = TW_DB_TRIAL_OK,
                                          .compile_ms = 1};
        unsigned char code[] = "code";
        struct tw_binaries binaries = {
            .count = cJSON_GetArraySize(cJSON_GetObjectItem(message.json, "launches"))};
        for (int i = 0; i < binaries.count; i++)
            binaries.launches[i] = (struct tw_binary){.bytes = code, .size = 4};
        struct message answer = compiled_pack(&compiled, &binaries);
        fake_log("end", words);
        fine = fake_answer(&answer);
        message_free(&answer);
        message_free(&message);
    }
    return 0;
}

SUPPORT int fake_device_worker(void) {
    struct message message;
    struct tw_error error;
    char action[32], finalists[128][160], place[64] = "device ";
    struct tw_device_info device;
    int count = 0;
    bool fine = message_receive(WORKER_FD, &message, &error) == TW_OK &&
                message_get_bytes(&message, &device, sizeof device, &error) == TW_OK;
    message_free(&message);
    if (fine)
        strcat(place, device.id);
    suffer("ready", place, action);
    struct message answer =
        device_ready_pack(&(struct device_ready){.copy_us = 1, .conditions = "{}"});
    fine = fine && fake_answer(&answer);
    message_free(&answer);
    while (fine && message_receive(WORKER_FD, &message, &error) == TW_OK) {
        const char *kind = message_kind(&message);
        int which = (int)message_number(&message, "finalist", 0);
        char words[160], here[256];
        snprintf(words, sizeof words, "%s",
                 strcmp(kind, "round") == 0 ? finalists[which]
                                            : message_text(&message, "configuration", ""));
        if (cJSON_IsTrue(cJSON_GetObjectItem(message.json, "first")))
            count = 0;
        if (strcmp(kind, "finalist") == 0)
            strcpy(finalists[count++], words);
        snprintf(here, sizeof here, "%s on %s", words, place);
        fake_log(kind, here);
        suffer(kind, here, action);
        if (strncmp(action, "load", 4) == 0)
            fine = fake_load(atof(action + 4));
        bool lost = strcmp(action, "lost") == 0;
        bool out = strncmp(action, "out", 3) == 0;
        double time = fake_time_us(words) * (action[0] == 'x' ? atof(action + 1)
                                             : out            ? atof(action + 3)
                                                              : 1);
        bool wrong = strcmp(action, "wrong") == 0;
        struct device_answer told = {.status = lost    ? TW_DB_TRIAL_CRASH
                                               : wrong ? TW_DB_TRIAL_WRONG
                                                       : TW_DB_TRIAL_OK,
                                     .lost = lost,
                                     .time_count = strcmp(kind, "trial") != 0 ? 1
                                                   : out                      ? 3
                                                                              : 7,
                                     .screened_out = out};
        if (lost || wrong)
            strcpy(told.message, lost ? "the context is lost" : "element 3 is wrong");
        for (int i = 0; i < told.time_count; i++)
            told.times_us[i] = time;
        answer = device_answer_pack(&told);
        fine = fine && fake_answer(&answer) && !lost;
        message_free(&answer);
        message_free(&message);
    }
    return 0;
}

/* For main: is this process a worker, then be one. */
SUPPORT void fake_worker(int count, char **words) {
    if (count < 2)
        return;
    worker_begin();
    if (strcmp(words[1], "compile-worker") == 0)
        exit(fake_compile_worker());
    if (strcmp(words[1], "device-worker") == 0)
        exit(fake_device_worker());
}

#endif

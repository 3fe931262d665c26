/* Which process owns a run, and whether it is still alive. */
#define _POSIX_C_SOURCE 200809L

#include "db/internal.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <unistd.h>

/* How long a process that cannot be seen from here is believed to live after its last update. */
enum { UNSEEN_OWNER_TIMEOUT_S = 15 * 60 };

/* The boot and the pid namespace: where a pid means the same process. "" where /proc has neither.
 */
static void read_place(char *place, size_t size) {
    char boot[64] = "";
    char space[64] = "";
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
    if (file != NULL) {
        if (fgets(boot, sizeof boot, file) != NULL) {
            boot[strcspn(boot, "\n")] = '\0';
        }
        fclose(file);
    }
    ssize_t length = readlink("/proc/self/ns/pid", space, sizeof space - 1);
    space[length > 0 ? length : 0] = '\0';
    bool known = boot[0] != '\0' && space[0] != '\0';
    snprintf(place, size, "%s%s%s", known ? boot : "", known ? " " : "", known ? space : "");
}

/* When the process started, in ticks since boot. False when there is none, or only its zombie. */
static bool read_start(int64_t pid, char *start, size_t size) {
    char path[64];
    char line[1024];
    snprintf(path, sizeof path, "/proc/%lld/stat", (long long)pid);
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        return false;
    }
    size_t length = fread(line, 1, sizeof line - 1, file);
    fclose(file);
    line[length] = '\0';

    /* The second field is the program's name in parentheses and may hold anything; the state is the
     * third and the start the twenty-second. */
    char *field = strrchr(line, ')');
    if (field == NULL || strlen(field) < 3 || field[2] == 'Z') {
        return false;
    }
    for (int number = 2; number < 22 && field != NULL; number++) {
        field = strchr(field + 1, ' ');
    }
    if (field == NULL) {
        return false;
    }
    field++;
    snprintf(start, size, "%.*s", (int)strcspn(field, " "), field);
    return true;
}

void tw_db_owner_self(struct tw_db_owner *owner) {
    char place[160];
    char start[24] = "";
    memset(owner, 0, sizeof *owner);
    if (gethostname(owner->host, sizeof owner->host - 1) != 0) {
        owner->host[0] = '\0';
    }
    owner->pid = getpid();
    read_place(place, sizeof place);
    if (place[0] != '\0' && read_start(owner->pid, start, sizeof start)) {
        snprintf(owner->token, sizeof owner->token, "%s %s", place, start);
    }
}

static bool seen_alive(int64_t pid, const char *start_then) {
    char start[24];
    if (read_start(pid, start, sizeof start)) {
        return strcmp(start, start_then) == 0;
    }
    /* /proc may hide the processes of other users. */
    return kill((pid_t)pid, 0) != 0 && errno == EPERM;
}

bool tw_db_owner_alive(const char *host, int64_t pid, const char *token, int64_t last_seen) {
    struct tw_db_owner self;
    tw_db_owner_self(&self);
    const char *start_here = strrchr(self.token, ' ');
    const char *start_then = strrchr(token, ' ');
    if (start_here != NULL && start_then != NULL) {
        size_t length = (size_t)(start_here - self.token);
        bool same_place =
            (size_t)(start_then - token) == length && strncmp(self.token, token, length) == 0;
        if (same_place) {
            return seen_alive(pid, start_then + 1);
        }
        /* The same host with another boot has been restarted since. */
        size_t boot = strcspn(self.token, " ");
        if (strcmp(self.host, host) == 0 && strncmp(self.token, token, boot + 1) != 0) {
            return false;
        }
    }
    return (int64_t)time(NULL) - last_seen < UNSEEN_OWNER_TIMEOUT_S;
}

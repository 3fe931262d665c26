/* The host's processors, as Linux tells. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "runtime/base/clock.h"
#include "tuner/doctor/doctor.h"

/* Seconds that all processors have spent on anything; -1 when nobody tells. */
static double busy_seconds(void) {
    unsigned long long user, nice, system, idle, waiting, hard, soft, stolen;
    FILE *file = fopen("/proc/stat", "r");
    if (file == NULL)
        return -1;
    int read = fscanf(file, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &user, &nice, &system,
                      &idle, &waiting, &hard, &soft, &stolen);
    fclose(file);
    long ticks = sysconf(_SC_CLK_TCK);
    if (read != 8 || ticks <= 0)
        return -1;
    return (double)(user + nice + system + hard + soft + stolen) / (double)ticks;
}

static double seconds_of(const struct timeval *time) {
    return (double)time->tv_sec + (double)time->tv_usec * 1e-6;
}

static double own_seconds(void) {
    struct rusage own, children;
    if (getrusage(RUSAGE_SELF, &own) != 0 || getrusage(RUSAGE_CHILDREN, &children) != 0)
        return -1;
    return seconds_of(&own.ru_utime) + seconds_of(&own.ru_stime) + seconds_of(&children.ru_utime) +
           seconds_of(&children.ru_stime);
}

static void read_governor(char *governor, size_t size) {
    FILE *file = fopen("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "r");
    governor[0] = '\0';
    if (file == NULL)
        return;
    if (fgets(governor, (int)size, file) != NULL)
        governor[strcspn(governor, "\n")] = '\0';
    fclose(file);
}

/* What a control group allows, as containers have it. */
static double read_quota(void) {
    double quota = -1, period = 0;
    FILE *file = fopen("/sys/fs/cgroup/cpu.max", "r");
    if (file == NULL)
        return -1;
    /* "max 100000": no limit. */
    bool limited = fscanf(file, "%lf %lf", &quota, &period) == 2 && period > 0;
    fclose(file);
    return limited ? quota / period : -1;
}

void host_begin(struct host_mark *mark) {
    /* First, as it is last at the end: who is kept waiting in between sees less, and not more. */
    mark->at_s = tw_clock_now();
    mark->busy_s = busy_seconds();
    mark->own_s = own_seconds();
}

void host_end(const struct host_mark *mark, struct host_load *load) {
    double busy = busy_seconds(), own = own_seconds(), passed = tw_clock_now() - mark->at_s;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    *load = (struct host_load){.cores = cores > 0 ? (int)cores : 1, .load = -1, .other_cores = -1};
    if (getloadavg(&load->load, 1) != 1)
        load->load = -1;
    if (busy >= 0 && own >= 0 && mark->busy_s >= 0 && mark->own_s >= 0 && passed > 0) {
        double others = ((busy - mark->busy_s) - (own - mark->own_s)) / passed;
        load->other_cores = others > 0 ? others : 0;
    }
    load->quota_cores = read_quota();
    read_governor(load->governor, sizeof load->governor);
}

/* How far times that are measured on this machine can be trusted: the noise of a device, and what
 * disturbs it. Nothing is set. */
#ifndef TUNER_DOCTOR_DOCTOR_H
#define TUNER_DOCTOR_DOCTOR_H

#include "runtime/backend/backend.h"
#include "runtime/description/configuration.h"
#include "runtime/description/problem.h"
#include "tuner/statistics/ratio.h"

/* What the machine's processors did while the device was measured; -1 is not known. */
struct host_load {
    int cores;
    double load;        /* of the last minute: processes that ran or wanted to */
    double other_cores; /* that other processes kept busy */
    double quota_cores; /* that this process may use; -1 also: all */
    char governor[32];  /* of the clocks; "" is not known */
};

/* Microseconds a launch of a kernel with next to nothing to do. */
struct launch_cost {
    double one_by_one_us;
    double in_graph_us;   /* 0: the backend has no graphs, or the driver takes none */
    double round_trip_us; /* until the host knows that it is done */
};

enum { DOCTOR_MOST_FINDINGS = 12 };

struct finding {
    bool serious;   /* results are not to be trusted because of it */
    char what[200]; /* is wrong */
    const char *to_do;
};

struct diagnosis {
    struct tw_problem problem; /* set by the caller, with all to `rounds` */
    struct tw_configuration configuration;
    struct tw_device_info device;
    const char *cache; /* "cold" or "warm" */
    uint32_t seed;
    int rounds;
    double time_us;    /* of a call */
    struct ratio same; /* of a binary to itself, loaded twice */
    double spread;     /* of the ratios, between quartiles: 0.01 is 1% */
    struct launch_cost launch;
    double resolution_us; /* the least step that the device's timer was seen to take */
    bool has_health;
    struct tw_device_health health;
    struct host_load host;
    /* What follows. */
    double noise; /* how far from 1 the interval of `same` reaches: 0.01 is 1% */
    bool trusted;
    int finding_count;
    struct finding findings[DOCTOR_MOST_FINDINGS]; /* serious ones first */
};

/* Measures and judges. The configuration must be valid for the problem and right. */
tw_status doctor_examine(struct diagnosis *diagnosis, struct tw_error *error);

/* Fills in what follows from what was seen: pure. */
void doctor_judge(struct diagnosis *diagnosis);
/* Appends the verdict, in one line: whether results can be trusted, and what to do. */
void doctor_verdict(const struct diagnosis *diagnosis, struct tw_text *text);

/* ---- host.c ---- */

/* The processors' work so far; for host_end. */
struct host_mark {
    double busy_s, own_s, at_s; /* negative: not known */
};

void host_begin(struct host_mark *mark);
/* What they did since. */
void host_end(const struct host_mark *mark, struct host_load *load);

/* ---- print.c ---- */

void doctor_print_table(const struct diagnosis *diagnosis);
tw_status doctor_print_json(const struct diagnosis *diagnosis, struct tw_error *error);

#endif

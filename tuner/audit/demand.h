/* Problems that are wanted, how often, what an application would get for each, and what tuning them
 * may bring: predicted, nothing is measured. */
#ifndef TUNER_AUDIT_DEMAND_H
#define TUNER_AUDIT_DEMAND_H

#include "runtime/select/select.h"
#include "tuner/audit/asked.h"
#include "tuner/exchange/known_kernels.h"

struct wanted {
    struct tw_problem problem;     /* its description is a known kernel's */
    int place;                     /* among those that were added */
    int64_t launches, refused;     /* as struct asked's; of a list: 1 and 0 */
    struct tw_selection selection; /* borrows from the catalogue */
    /* Of a launch: what it took where it was tuned, what is predicted, what the log says, or else
     * what is estimated. */
    double expected_us;
    bool estimated; /* nothing measured is behind it: it is good for comparing, and for no more */
    /* Of all launches, in microseconds: what tuning is expected to save. 0 where it was tuned to
     * the end. */
    double gain_us;
};

struct demand {
    int count;
    struct wanted *all;
    int unknown; /* problems of the log whose kernel is not known, or that its description refuses
                  */
    char first_unknown[TW_ERROR_SIZE]; /* why, of the first */
};

/* How often it was asked to run, whether it could or not; 0 where it was prepared and no more. */
double wanted_launches(const struct wanted *wanted);

/* Adds what a log has; `kernel` NULL: of any. Free with demand_free in every case. */
tw_status demand_add_log(struct demand *demand, const struct asked_log *log, const char *path,
                         const char *kernel, const struct known_kernels *known,
                         struct tw_error *error);
/* Adds a problem that is wanted once. */
tw_status demand_add(struct demand *demand, const struct tw_problem *problem,
                     struct tw_error *error);
void demand_free(struct demand *demand);

/* What an application would get now, and what tuning may bring. The catalogue is borrowed by the
 * selections. */
tw_status demand_expect(struct demand *demand, const struct tw_catalogue *catalogue,
                        const struct tw_device_info *device, const char *cache,
                        struct tw_error *error);
/* Those that are expected to save the most come first; equal ones stay as they are. */
void demand_sort(struct demand *demand);

/* How much of a budget each of the first of `count` problems is given, which are in order of gain:
 * at least `least` each, and what is left over in proportion to their gains. As many get something
 * as have a gain, as there is budget for, and as it takes for all but a hundredth of the gains; one
 * at least, if it has any. Returns how many. */
int demand_split(const struct wanted *all, int count, double budget, double least, double *shares);

#endif

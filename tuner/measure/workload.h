/* The data that variants work on: sets of buffers with guard zones, and the right answers.
 *
 * A set holds every buffer argument, each between guard zones, on memory that was all ones before
 * the inputs were filled: so a gap between rows, a guard and an output that nobody wrote are NaN,
 * or 255s. All sets hold the same random inputs. Timing with cold caches rotates over sets that
 * together exceed twice the last-level cache, and over five at least: where large buffers happen
 * to lie in a GPU's memory changes times too. */
#ifndef TUNER_MEASURE_WORKLOAD_H
#define TUNER_MEASURE_WORKLOAD_H

#include "tuner/measure/check_kernels.h"
#include "tuner/measure/promised.h"
#include "tuner/measure/references.h"

enum cache_policy { CACHE_COLD, CACHE_WARM };

const char *cache_policy_name(enum cache_policy policy);

struct zone {
    int argument; /* -1: a guard */
    uint64_t offset, bytes;
};

/* Where timing goes on. All that is timed on a workload shares it: what is timed in turn would else
 * find in the cache what the one before has just read, and be the faster for coming second. */
struct rotation {
    int next;          /* set, with cold caches */
    int turns;         /* through all sets */
    double fastest_us; /* of one call, as warm-ups saw it; 0: none yet */
};

struct workload {
    const struct testbed *testbed;
    struct check_kernels checks;
    struct promise promise;
    enum cache_policy policy;
    uint32_t seed;
    /* How far into its zone a buffer begins: where the problem's buffers are aligned to less than
     * tuning has them, and addresses are the backend's to choose, as far as so little allows. */
    uint64_t shift;
    int zone_count;
    struct zone zones[CHECKS_MAX_ZONES];
    uint64_t input_sums[CHECKS_MAX_ZONES]; /* of guards and inputs as filled */
    struct tw_extent extents[TW_MAX_ARGUMENTS];
    uint64_t set_bytes;
    int set_count;
    struct tw_memory *sets;
    struct tw_memory references[TW_MAX_CASES][TW_MAX_ARGUMENTS];
    struct references compiled;
    double reference_seconds; /* what the reference took, the longest of the cases */
    struct rotation rotation;
    struct tw_memory flush; /* twice the last-level cache, where the sets are smaller; else empty */
};

/* The set to go on with, 0 with warm caches, once `sets` more are used from there on. */
int workload_next(struct workload *workload, int sets);

/* What a variant is launched with: set `set`, scalars of case `which`. */
void workload_arguments(const struct workload *workload, int set, int which,
                        struct tw_arguments *arguments);

/* All that belongs to a buffer in set 0: `shift` bytes, the buffer, and what is left of its zone.
 */
struct tw_memory workload_zone(const struct workload *workload, int argument);

/* What `workload_zone` held of an input at first, in memory of its own, which the caller releases.
 */
tw_status workload_original(const struct workload *workload, int argument, struct tw_memory *memory,
                            struct tw_error *error);

/* Fills an input, or an output that is read, as always. */
tw_status workload_fill(const struct workload *workload, int argument,
                        const struct tw_memory *memory, struct tw_error *error);

/* Puts the outputs of set 0 in the state that a case starts from: poisoned, or random where the
 * case reads them. */
tw_status workload_prepare(const struct workload *workload, int which, struct tw_error *error);

/* Whether the problem has an argument as a buffer, and whether that is an output. */
bool workload_has(const struct workload *workload, int argument);
bool workload_writes(const struct workload *workload, int argument);

/* Memory of the zones whose contents no variant may change, and the zones' indices; returns how
 * many. */
int workload_protected(const struct workload *workload, struct tw_memory *memory, int *zones);

#endif

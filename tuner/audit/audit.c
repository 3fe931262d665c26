#include "tuner/audit/audit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/measure/interleaved.h"
#include "tuner/measure/workload_create.h"

/* ---- Tuning ---- */

static tw_status tune(const struct audit_options *options, const struct wanted *wanted,
                      struct audited *out, struct tw_error *error) {
    struct session_result *result = calloc(1, sizeof *result);
    if (result == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    struct session_options session = options->session;
    session.hints = options->catalogue;
    tw_status status = session_run(&session, &wanted->problem, options->device, options->db,
                                   options->db_path, NULL, NULL, result, error);
    out->trials = result->trials;
    if (status == TW_OK && result->has_best)
        out->tuned = result->best.configuration;
    else if (status == TW_OK)
        status = tw_fail(error, TW_NOT_FOUND, "none of %lld trials worked%s%.800s",
                         (long long)result->trials, result->first_failure[0] != '\0' ? ": " : "",
                         result->first_failure);
    free(result);
    return status;
}

/* ---- Measuring ---- */

/* The device with the problem's data, and who is measured there. */
struct stand {
    struct testbed testbed;
    struct workload workload;
    struct interleaved *interleaved;
    int given, tuned; /* entries */
    bool wrong;       /* what is given: an application would use it all the same */
    struct tw_error why;
};

static tw_status open_stand(struct stand *stand, const struct audit_options *options,
                            const struct wanted *wanted, struct tw_error *error) {
    enum cache_policy policy =
        strcmp(options->session.cache, "warm") == 0 ? CACHE_WARM : CACHE_COLD;
    tw_status status =
        testbed_open(&stand->testbed, options->device, &wanted->problem, NULL, error);
    if (status == TW_OK)
        status = workload_create(&stand->workload, &stand->testbed, policy,
                                 (uint32_t)options->session.seed, error);
    if (status == TW_OK)
        status = interleaved_create(&stand->interleaved, &stand->testbed, &stand->workload, error);
    return status;
}

static void close_stand(struct stand *stand) {
    interleaved_free(stand->interleaved);
    workload_free(&stand->workload);
    testbed_close(&stand->testbed);
    free(stand);
}

/* As an application's library: what does not compile or load is passed over. What is wrong it does
 * not see. */
static tw_status accept(void *context, const struct tw_configuration *configuration,
                        struct tw_error *error) {
    struct stand *stand = context;
    tw_status status =
        interleaved_enter(stand->interleaved, configuration, &stand->given, NULL, error);
    if (status == TW_WRONG) {
        stand->wrong = true;
        stand->why = *error;
        return TW_OK;
    }
    return status;
}

static tw_status play(const struct audit_options *options, struct stand *stand, struct audited *out,
                      struct tw_error *error) {
    size_t rounds = (size_t)options->rounds;
    double *times = calloc(3 * rounds, sizeof *times), row[2];
    if (times == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    double *given = times, *tuned = times + rounds, *room = times + 2 * rounds;
    tw_status status = TW_OK;
    for (size_t i = 0; i < rounds && status == TW_OK; i++) {
        status = interleaved_round(stand->interleaved, row, error);
        given[i] = row[stand->given];
        tuned[i] = row[stand->tuned];
    }
    if (status == TW_OK) {
        out->ratio = ratio_of(given, tuned, rounds, room);
        statistics_sort(given, rounds);
        statistics_sort(tuned, rounds);
        out->given_us = statistics_median(given, rounds);
        out->tuned_us = statistics_median(tuned, rounds);
        out->measured = true;
    }
    free(times);
    return status;
}

static tw_status measure(const struct audit_options *options, const struct wanted *wanted,
                         struct stand *stand, struct audited *out, struct tw_error *error) {
    const struct tw_query query = {.catalogue = options->catalogue,
                                   .problem = &wanted->problem,
                                   .device = options->device,
                                   .cache = options->session.cache,
                                   .accept = accept,
                                   .context = stand};
    tw_status status = open_stand(stand, options, wanted, error);
    if (status == TW_OK)
        status = tw_select(&query, &out->given, error);
    if (status == TW_OK && stand->wrong) {
        *error = stand->why;
        return tw_fail_within(error, TW_WRONG, "what an application gets is wrong");
    }
    if (status != TW_OK)
        return status;
    out->same =
        tw_configuration_equal(wanted->problem.description, &out->given.configuration, &out->tuned);
    stand->tuned = stand->given;
    if (!out->same)
        status = interleaved_enter(stand->interleaved, &out->tuned, &stand->tuned, NULL, error);
    return status == TW_OK ? play(options, stand, out, error) : status;
}

/* After these nothing can be measured any more. */
static bool is_fatal(tw_status status) {
    return status == TW_DEVICE_LOST || status == TW_DEVICE || status == TW_NO_MEMORY ||
           status == TW_DATABASE;
}

tw_status audit_problem(const struct audit_options *options, const struct wanted *wanted,
                        struct audited *out, struct tw_error *error) {
    *out = (struct audited){.wanted = wanted, .regret = 1};
    tw_status status = tune(options, wanted, out, error);
    bool stopped = options->session.interrupted != NULL && *options->session.interrupted != 0;
    /* Before anything could work, nothing has been found out either. */
    if (stopped && (status == TW_OK || status == TW_NOT_FOUND))
        return tw_fail(error, TW_INTERRUPTED, "interrupted");
    struct stand *stand = status == TW_OK ? calloc(1, sizeof *stand) : NULL;
    if (status == TW_OK && stand == NULL)
        status = tw_fail(error, TW_NO_MEMORY, "out of memory");
    if (status == TW_OK)
        status = measure(options, wanted, stand, out, error);
    if (stand != NULL)
        close_stand(stand);
    if (status != TW_OK && is_fatal(status))
        return status;
    if (status != TW_OK) {
        snprintf(out->failure, sizeof out->failure, "%s", error->message);
        return TW_OK;
    }
    if (!out->same && out->ratio.median > 1)
        out->regret = out->ratio.median;
    out->saved_us = wanted_launches(wanted) * out->given_us * (1 - 1 / out->regret);
    return TW_OK;
}

/* ---- All of them ---- */

static int by_saved(const void *a, const void *b) {
    const struct audited *one = a, *other = b;
    if (one->measured != other->measured)
        return one->measured ? -1 : 1;
    if (one->saved_us != other->saved_us)
        return one->saved_us > other->saved_us ? -1 : 1;
    return one->wanted->place - other->wanted->place;
}

void audit_sort(struct audited *all, int count) {
    if (count > 0)
        qsort(all, (size_t)count, sizeof *all, by_saved);
}

struct audit_summary audit_sum_up(const struct audited *all, int count, double *room) {
    struct audit_summary s = {.worst = 1, .mean = 1, .p95 = 1};
    double logs = 0;
    for (int i = 0; i < count; i++) {
        const struct audited *one = &all[i];
        if (!one->measured) {
            s.failed++;
            continue;
        }
        room[s.measured++] = one->regret;
        logs += log(one->regret);
        if (one->regret > s.worst || s.worst_problem == NULL) {
            s.worst = one->regret;
            s.worst_problem = one->wanted;
        }
        s.saved_us += one->saved_us;
        s.launched_us += wanted_launches(one->wanted) * one->given_us;
    }
    if (s.measured == 0)
        return s;
    statistics_sort(room, (size_t)s.measured);
    s.mean = exp(logs / s.measured);
    /* The least that 95 of 100 are no more than. */
    s.p95 = room[(int)ceil(0.95 * s.measured) - 1];
    return s;
}

#include "tuner/compare/compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/measure/call.h"
#include "tuner/measure/interleaved.h"
#include "tuner/measure/workload_create.h"

/* The device with the data of the problem at hand. */
struct bench {
    bool open;
    struct testbed testbed;
    bool filled;
    struct workload workload;
};

static void close_bench(struct bench *bench) {
    if (bench->filled)
        workload_free(&bench->workload);
    if (bench->open)
        testbed_close(&bench->testbed);
    *bench = (struct bench){0};
}

/* Only the sizes differ: references and what checks are compiled already. */
static bool is_alike(const struct tw_problem *a, const struct tw_problem *b) {
    return a->description == b->description && memcmp(a->words, b->words, sizeof a->words) == 0;
}

static tw_status take_problem(struct bench *bench, const struct compare_sides *sides,
                              const struct tw_problem *problem, uint32_t seed,
                              struct tw_error *error) {
    enum cache_policy policy = strcmp(sides->cache, "warm") == 0 ? CACHE_WARM : CACHE_COLD;
    if (bench->filled && is_alike(&bench->testbed.problem, problem)) {
        const struct call call = {0};
        struct testbed *testbed = &bench->testbed;
        memcpy(testbed->problem.dimensions, problem->dimensions, sizeof problem->dimensions);
        tw_status status =
            call_bind(&call, &testbed->info, &testbed->problem, testbed->values, error);
        return status == TW_OK ? workload_change(&bench->workload, policy, error) : status;
    }
    close_bench(bench);
    bench->open = true;
    tw_status status = testbed_open(&bench->testbed, sides->device, problem, NULL, error);
    if (status != TW_OK)
        return status;
    bench->filled = true;
    return workload_create(&bench->workload, &bench->testbed, policy, seed, error);
}

/* ---- One problem ---- */

/* After these nothing can be measured any more; all else is the side's own. */
static bool is_fatal(tw_status status) {
    return status == TW_DEVICE_LOST || status == TW_DEVICE || status == TW_NO_MEMORY;
}

static int first_alike(const struct compare_problem *p, int side) {
    for (int i = 0; i < side; i++)
        if (p->entries[i].has &&
            tw_configuration_equal(p->problem.description, &p->entries[i].configuration,
                                   &p->entries[side].configuration))
            return i;
    return side;
}

/* Enters each configuration once, however many sides have it. */
static tw_status enter_sides(const struct compare_sides *sides, struct compared_problem *compared,
                             struct interleaved *interleaved, int entries[COMPARE_MAX_SIDES],
                             struct tw_error *error) {
    const struct compare_problem *p = &sides->problems[compared->problem];
    for (int i = 0; i < sides->count; i++) {
        struct compared_side *side = &compared->sides[i];
        struct tw_error why;
        entries[i] = -1;
        if (!p->entries[i].has)
            continue;
        side->same_as = first_alike(p, i);
        if (side->same_as != i) {
            entries[i] = entries[side->same_as];
            strcpy(side->failure, compared->sides[side->same_as].failure);
            continue;
        }
        tw_status status =
            interleaved_enter(interleaved, &p->entries[i].configuration, &entries[i], NULL, &why);
        if (is_fatal(status)) {
            *error = why;
            return tw_fail_within(error, status, "%s %s, side %c", p->problem.description->kernel,
                                  p->key, compare_letter(i));
        }
        if (status != TW_OK)
            snprintf(side->failure, sizeof side->failure, "%s", why.message);
    }
    return TW_OK;
}

static bool is_interrupted(const struct compare_options *options) {
    return options->interrupted != NULL && *options->interrupted != 0;
}

/* Rounds of all entries, a row of times each. */
static tw_status play(struct compared_problem *compared, struct interleaved *interleaved,
                      int entries, const struct compare_options *options, struct tw_error *error) {
    size_t rounds = (size_t)options->rounds;
    double *row = calloc((size_t)entries, sizeof *row);
    compared->times = calloc((size_t)entries * rounds, sizeof *compared->times);
    tw_status status = TW_OK;
    if (row == NULL || compared->times == NULL)
        status = tw_fail(error, TW_NO_MEMORY, "out of memory");
    while (status == TW_OK && compared->rounds < options->rounds && !is_interrupted(options)) {
        status = interleaved_round(interleaved, row, error);
        for (int i = 0; i < entries && status == TW_OK; i++)
            compared->times[(size_t)i * rounds + (size_t)compared->rounds] = row[i];
        compared->rounds += status == TW_OK;
    }
    free(row);
    return status;
}

static tw_status sum_up(const struct compare_sides *sides, struct compared_problem *compared,
                        struct tw_error *error) {
    size_t rounds = (size_t)compared->rounds;
    double *room = calloc(rounds + 1, sizeof *room);
    if (room == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    for (int i = 0; i < sides->count; i++) {
        struct compared_side *side = &compared->sides[i];
        if (!side->measured)
            continue;
        memcpy(room, side->times_us, rounds * sizeof *room);
        statistics_sort(room, rounds);
        side->time_us = statistics_median(room, rounds);
        side->interval = statistics_median_interval(room, rounds, STATISTICS_CONFIDENCE);
        if (compared->best < 0 || side->time_us < compared->sides[compared->best].time_us)
            compared->best = i;
    }
    for (int i = 0; i < sides->count; i++) {
        struct compared_side *side = &compared->sides[i];
        if (!side->measured)
            continue;
        side->over_best =
            ratio_of(side->times_us, compared->sides[compared->best].times_us, rounds, room);
        if (compared->sides[0].measured)
            side->over_first = ratio_of(side->times_us, compared->sides[0].times_us, rounds, room);
    }
    free(room);
    return TW_OK;
}

static tw_status measure_problem(struct bench *bench, const struct compare_sides *sides,
                                 const struct compare_options *options,
                                 struct compared_problem *compared, struct tw_error *error) {
    int entries[COMPARE_MAX_SIDES], count = 0;
    struct interleaved *interleaved = NULL;
    tw_status status = interleaved_create(&interleaved, &bench->testbed, &bench->workload, error);
    if (status == TW_OK)
        status = enter_sides(sides, compared, interleaved, entries, error);
    for (int i = 0; i < sides->count && status == TW_OK; i++)
        count = entries[i] >= count ? entries[i] + 1 : count;
    if (status == TW_OK && count > 0)
        status = play(compared, interleaved, count, options, error);
    for (int i = 0; i < sides->count && status == TW_OK && compared->rounds > 0; i++) {
        compared->sides[i].measured = entries[i] >= 0;
        if (entries[i] >= 0)
            compared->sides[i].times_us =
                compared->times + (size_t)entries[i] * (size_t)options->rounds;
    }
    if (status == TW_OK)
        status = sum_up(sides, compared, error);
    interleaved_free(interleaved);
    return status;
}

/* ---- All problems ---- */

static bool all_measured(const struct compare_sides *sides,
                         const struct compared_problem *problem) {
    for (int i = 0; i < sides->count; i++)
        if (!problem->sides[i].measured)
            return false;
    return true;
}

/* The means of one side; `to` is a side, or -1 for each problem's best. */
static struct ratio mean_of(const struct compare_sides *sides,
                            const struct comparison_result *result, int side, int to,
                            struct ratio_pair *pairs, double *room) {
    size_t count = 0;
    for (int p = 0; p < result->count; p++) {
        const struct compared_problem *problem = &result->problems[p];
        if (!all_measured(sides, problem))
            continue;
        pairs[count++] = (struct ratio_pair){problem->sides[side].times_us,
                                             problem->sides[to >= 0 ? to : problem->best].times_us,
                                             (size_t)problem->rounds};
    }
    return ratio_mean(pairs, count, room);
}

static tw_status work_out_means(const struct compare_sides *sides, int rounds,
                                struct comparison_result *result, struct tw_error *error) {
    struct ratio_pair *pairs = calloc((size_t)result->count + 1, sizeof *pairs);
    double *room = calloc((size_t)rounds, sizeof *room);
    tw_status status = TW_OK;
    if (pairs == NULL || room == NULL)
        status = tw_fail(error, TW_NO_MEMORY, "out of memory");
    for (int p = 0; p < result->count; p++)
        result->common += all_measured(sides, &result->problems[p]);
    for (int i = 0; i < sides->count && status == TW_OK; i++) {
        result->means[i].over_best = mean_of(sides, result, i, -1, pairs, room);
        result->means[i].over_first = mean_of(sides, result, i, 0, pairs, room);
    }
    free(pairs);
    free(room);
    return status;
}

/* Where the problem cannot be had at all, as for lack of memory on the device, each side says why.
 */
static void refuse(const struct compare_sides *sides, struct compared_problem *compared,
                   const struct tw_error *why) {
    for (int i = 0; i < sides->count; i++)
        if (sides->problems[compared->problem].entries[i].has)
            snprintf(compared->sides[i].failure, sizeof compared->sides[i].failure, "%s",
                     why->message);
}

static tw_status measure_all(struct bench *bench, const struct compare_sides *sides,
                             const struct compare_options *options,
                             struct comparison_result *result, struct tw_error *error) {
    tw_status status = TW_OK;
    for (int p = 0; p < sides->problem_count && status == TW_OK; p++) {
        struct tw_error why;
        int only;
        if (compare_entries(sides, p, &only) < 2)
            continue;
        result->interrupted = is_interrupted(options);
        if (result->interrupted)
            return TW_OK;
        if (options->progress != NULL)
            options->progress(options->context, p, sides->problem_count);
        struct compared_problem *compared = &result->problems[result->count];
        compared->problem = p;
        compared->best = -1;
        status = take_problem(bench, sides, &sides->problems[p].problem, options->seed, &why);
        if (status == TW_OK) {
            status = measure_problem(bench, sides, options, compared, error);
        } else if (status != TW_DEVICE_LOST && status != TW_DEVICE) {
            close_bench(bench);
            refuse(sides, compared, &why);
            status = TW_OK;
        } else {
            *error = why;
        }
        result->count++;
        for (int i = 0; i < sides->count; i++)
            result->failed |= compared->sides[i].failure[0] != '\0';
        result->interrupted = compared->rounds < options->rounds && is_interrupted(options);
        if (result->interrupted)
            break;
    }
    return status;
}

tw_status compare_measure(const struct compare_sides *sides, const struct compare_options *options,
                          struct comparison_result *result, struct tw_error *error) {
    struct bench bench = {0};
    *result = (struct comparison_result){0};
    result->problems = calloc((size_t)sides->problem_count + 1, sizeof *result->problems);
    if (result->problems == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    tw_status status = measure_all(&bench, sides, options, result, error);
    close_bench(&bench);
    return status == TW_OK ? work_out_means(sides, options->rounds, result, error) : status;
}

void compare_free(struct comparison_result *result) {
    for (int p = 0; p < result->count; p++)
        free(result->problems[p].times);
    free(result->problems);
    *result = (struct comparison_result){0};
}

int compare_within(const struct compare_sides *sides, const struct compared_problem *problem,
                   double share) {
    int count = 0;
    for (int i = 0; i < sides->count; i++)
        count += problem->sides[i].measured && problem->sides[i].over_best.median <= 1 + share;
    return count;
}

char compare_letter(int side) {
    return (char)('A' + side);
}

#include "tuner/replay/replay.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct flight {
    size_t point;
    double compiled; /* when it is */
};

/* A machine with as many compilers as proposals may be outstanding, and one device. */
struct machine {
    double now;    /* when the device ended its last trial */
    size_t flying; /* proposals asked for and not told, in the order in which they were asked */
    struct flight *flights;
};

static void launch(struct machine *machine, const struct recording *recording, size_t point) {
    double compiled = machine->now + recording->points[point].compiling;
    machine->flights[machine->flying++] = (struct flight){point, compiled};
}

/* The one that is compiled first, and of those the one that was asked for first. */
static size_t land(struct machine *machine, const struct recording *recording) {
    size_t first = 0;
    for (size_t i = 1; i < machine->flying; i++)
        if (machine->flights[i].compiled < machine->flights[first].compiled)
            first = i;
    const struct flight flight = machine->flights[first];
    memmove(&machine->flights[first], &machine->flights[first + 1],
            (--machine->flying - first) * sizeof *machine->flights);
    machine->now = fmax(machine->now, flight.compiled) + recording->points[flight.point].running;
    return flight.point;
}

static void tell(struct replay *replay, struct strategy *strategy,
                 const struct recording *recording, size_t point, double now) {
    const struct recorded *recorded = &recording->points[point];
    size_t at = replay->count++;
    double before = at > 0 ? replay->best[at - 1] : INFINITY;
    replay->best[at] = recorded->ok ? fmin(before, recorded->seconds) : before;
    replay->spent[at] =
        (at > 0 ? replay->spent[at - 1] : 0) + recorded->compiling + recorded->running;
    replay->clock[at] = now;
    strategy_tell(strategy, point,
                  &(struct strategy_outcome){.ok = recorded->ok, .seconds = recorded->seconds});
}

static void search(struct replay *replay, struct strategy *strategy,
                   const struct recording *recording, const struct replay_options *options,
                   struct machine *machine) {
    for (;;) {
        size_t point;
        enum strategy_answer answer = STRATEGY_WAIT;
        if (replay->count + machine->flying < options->trials &&
            machine->flying < options->outstanding)
            answer = strategy_ask(strategy, &point);
        if (answer == STRATEGY_POINT) {
            launch(machine, recording, point);
            continue;
        }
        if (machine->flying == 0)
            return;
        point = land(machine, recording);
        if (options->seconds > 0 && machine->now > options->seconds)
            return; /* too late */
        tell(replay, strategy, recording, point, machine->now);
    }
}

struct told {
    const struct recording *recording;
    const struct replay_options *options;
};

static double expected_seconds(void *context, size_t point) {
    const struct told *told = context;
    return told->options->expected[told->recording->points[point].entry];
}

static void traits(void *context, size_t point, double *values) {
    const struct told *told = context;
    size_t count = (size_t)told->options->trait_count;
    memcpy(values, told->options->traits + told->recording->points[point].entry * count,
           count * sizeof *values);
}

tw_status replay_run(struct replay *replay, const struct recording *recording,
                     const struct strategy_choice *choice, uint64_t seed,
                     const struct replay_options *options, struct tw_error *error) {
    struct strategy *strategy = NULL;
    struct told told = {recording, options};
    const struct strategy_expectation expectation = {
        .seconds = options->expected != NULL ? expected_seconds : NULL,
        .context = &told,
        .trait_count = options->traits != NULL ? options->trait_count : 0,
        .traits = traits};
    replay_free(replay);
    struct machine machine = {.flights = calloc(options->outstanding, sizeof *machine.flights)};
    replay->best = calloc(options->trials + 1, sizeof *replay->best);
    replay->spent = calloc(options->trials + 1, sizeof *replay->spent);
    replay->clock = calloc(options->trials + 1, sizeof *replay->clock);
    tw_status status = TW_OK;
    if (machine.flights == NULL || replay->best == NULL || replay->spent == NULL ||
        replay->clock == NULL)
        status = tw_fail(error, TW_NO_MEMORY, "out of memory");
    if (status == TW_OK)
        status = strategy_create(&strategy, choice, recording->space, &expectation, seed, error);
    if (status == TW_OK)
        search(replay, strategy, recording, options, &machine);
    strategy_free(strategy);
    free(machine.flights);
    return status;
}

void replay_free(struct replay *replay) {
    free(replay->best);
    free(replay->spent);
    free(replay->clock);
    *replay = (struct replay){0};
}

size_t replay_reaches(const struct replay *replay, double seconds) {
    for (size_t i = 0; i < replay->count; i++)
        if (replay->best[i] <= seconds)
            return i + 1;
    return 0;
}

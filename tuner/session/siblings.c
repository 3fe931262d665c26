/* Variants that share the binary of a good one, and differ in what is passed to its launches. They
 * cost no compiler anything, so a GPU that waits for compilers tries them. A model of the
 * space would be crowded by so many trials in one place: the strategy is told of those that lead,
 * and of the others when it asks for them. */
#include <stdlib.h>
#include <string.h>

#include "tuner/session/state.h"

static const struct sibling *find(const struct session *s, size_t point) {
    for (size_t i = 0; i < s->sibling_count; i++)
        if (s->siblings[i].point == point)
            return &s->siblings[i];
    return NULL;
}

static bool has(const struct queue *queue, size_t point) {
    for (const struct candidate *c = queue->first; c != NULL; c = c->next)
        if (c->point == point)
            return true;
    return false;
}

bool siblings_under_way(const struct session *s, size_t point) {
    for (int i = 0; i < s->device_count; i++) {
        const struct candidate *running = s->devices[i].running;
        if (running != NULL && running->point == point)
            return true;
    }
    return has(&s->ready, point);
}

static bool is_new(const struct session *s, size_t point) {
    return !strategy_seen(s->strategy, point) && find(s, point) == NULL &&
           !siblings_under_way(s, point) && !has(&s->compiling, point) && !has(&s->first, point);
}

static bool is_near(const struct session *s, double time_us) {
    return s->contender_count == 0 || time_us <= CONTENDER_NEAR * s->contenders[0].trial.time_us;
}

/* Where one more goes: SIBLING_HOSTS, if all there are are faster. */
static int place_of(const struct session *s, double time_us) {
    int slowest = 0;
    if (s->host_count < SIBLING_HOSTS)
        return s->host_count;
    for (int i = 1; i < s->host_count; i++)
        if (s->hosts[i].time_us > s->hosts[slowest].time_us)
            slowest = i;
    return s->hosts[slowest].time_us > time_us ? slowest : SIBLING_HOSTS;
}

void siblings_note(struct session *s, const struct trial *trial, struct build *build) {
    if (trial->status != TW_DB_TRIAL_OK || !is_near(s, trial->time_us))
        return;
    for (int i = 0; i < s->host_count; i++)
        if (s->hosts[i].build == build)
            return;
    int place = place_of(s, trial->time_us);
    if (place == SIBLING_HOSTS)
        return;
    if (place < s->host_count)
        builds_release(&s->builds, s->hosts[place].build);
    else
        s->host_count++;
    s->hosts[place] = (struct host){trial->configuration, trial->time_us, build, false};
    builds_retain(build);
}

static bool shares(struct session *s, const struct host *host,
                   const struct tw_configuration *configuration) {
    char key[TW_HASH_SIZE];
    struct tw_error unimportant;
    return tw_made_of(s->device, s->problem, configuration, s->values, key, &unimportant) ==
               TW_OK &&
           strcmp(key, host->build->key) == 0;
}

/* SPACE_NONE: all are known. */
static size_t next_of(struct session *s, const struct host *host) {
    struct tw_configuration configuration = host->configuration;
    const struct tw_implementation *implementation =
        &s->problem->description->implementations[configuration.implementation];
    for (int i = 0; i < implementation->parameter_count; i++) {
        const struct tw_parameter *parameter = &implementation->parameters[i];
        const int64_t own = configuration.values[i];
        for (int v = 0; parameter->launch && v < parameter->count; v++) {
            configuration.values[i] = parameter->values[v];
            size_t point = space_find(s->space, &configuration);
            if (point != SPACE_NONE && is_new(s, point) && shares(s, host, &configuration))
                return point;
        }
        configuration.values[i] = own;
    }
    return SPACE_NONE;
}

static struct host *fastest_host(struct session *s) {
    struct host *fastest = NULL;
    for (int i = 0; i < s->host_count; i++) {
        struct host *host = &s->hosts[i];
        if (!host->alone && is_near(s, host->time_us) &&
            (fastest == NULL || host->time_us < fastest->time_us))
            fastest = host;
    }
    return fastest;
}

struct candidate *siblings_next(struct session *s) {
    struct host *host;
    while ((host = fastest_host(s)) != NULL) {
        size_t point = next_of(s, host);
        host->alone = point == SPACE_NONE;
        if (host->alone)
            continue;
        struct candidate *candidate = calloc(1, sizeof *candidate);
        if (candidate == NULL)
            return NULL;
        candidate->point = point;
        candidate->sibling = true;
        space_configuration(s->space, point, &candidate->configuration);
        candidate->build = host->build;
        builds_retain(candidate->build);
        return candidate;
    }
    return NULL;
}

static tw_status keep(struct session *s, size_t point, const struct trial *trial) {
    struct sibling *siblings = realloc(s->siblings, (s->sibling_count + 1) * sizeof *siblings);
    if (siblings == NULL)
        return tw_fail(s->error, TW_NO_MEMORY, "out of memory");
    s->siblings = siblings;
    siblings[s->sibling_count++] = (struct sibling){point, outcome_of(trial)};
    return TW_OK;
}

tw_status siblings_take(struct session *s, const struct candidate *candidate,
                        const struct trial *trial) {
    bool leads = trial->status == TW_DB_TRIAL_OK && !trial->screened_out &&
                 (s->contender_count == 0 || trial->time_us < s->contenders[0].trial.time_us);
    bool told = leads || strategy_seen(s->strategy, candidate->point);
    s->result->siblings_now++;
    tw_status status = told ? TW_OK : keep(s, candidate->point, trial);
    return status == TW_OK
               ? outcome_record(s, told ? candidate->point : SPACE_NONE, trial, candidate->build)
               : status;
}

bool siblings_tell(struct session *s, size_t point) {
    const struct sibling *sibling = find(s, point);
    if (sibling != NULL)
        strategy_tell(s->strategy, point, &sibling->outcome);
    return sibling != NULL;
}

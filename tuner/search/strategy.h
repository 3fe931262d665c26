/* Strategies: which point of a space to try next.
 *
 * A strategy is asked for points and told what came of them. It never compiles, times or prints.
 * Any number of asked points may be outstanding, and answers may come in any order or never. Points
 * that were never asked may be told too: presets tried first, and trials known from an earlier run.
 *
 * The same space, seed and sequence of asks and tells give the same points. A strategy belongs to
 * one thread at a time and borrows its space. */
#ifndef TUNER_SEARCH_STRATEGY_H
#define TUNER_SEARCH_STRATEGY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/base/text.h"
#include "tuner/space/space.h"

struct strategy;

enum strategy_answer {
    STRATEGY_POINT,    /* try this one */
    STRATEGY_WAIT,     /* nothing before some outstanding point is told */
    STRATEGY_EXHAUSTED /* every point was asked or told */
};

struct strategy_outcome {
    bool ok;        /* it ran, and its answer was right */
    double seconds; /* when ok: of one call, above 0 */
};

enum { STRATEGY_MAX_TRAITS = 16 };

/* What is known of points before anything is measured. */
struct strategy_expectation {
    /* What they should take, as by a cost model: seconds, in whatever unit, as only ratios are
     * used. Above 0; INFINITY: nothing can be said. NULL: nothing can of any point. */
    double (*seconds)(void *context, size_t point);
    void *context;
    /* What their parameters come to, such as the number of threads: points that are alike in it
     * should run alike. Fills in so many numbers. */
    int trait_count;
    void (*traits)(void *context, size_t point, double *values);
};

/* What a user may set of a kind: --strategy NAME:SETTING=NUMBER. */
struct strategy_setting {
    const char *name;
    double value; /* unless set */
    double least, most;
    bool whole; /* takes integers only */
    const char *summary;
};

enum { STRATEGY_MAX_SETTINGS = 12 };

/* A way to search, as strategies.c lists them. */
struct strategy_kind {
    const char *name;
    const char *summary;
    const struct strategy_setting *settings; /* up to one without a name; NULL: none */
    /* `strategy` is what the kind may question with the functions at the end of this header. */
    tw_status (*create)(void **state, const struct strategy *strategy, uint64_t seed,
                        struct tw_error *error);
    /* An unseen point, or SPACE_NONE to wait for an outstanding one. Called while there are unseen
     * points. */
    size_t (*propose)(void *state);
    /* The first outcome of a point. NULL: learns nothing. */
    void (*learn)(void *state, size_t point, const struct strategy_outcome *outcome);
    void (*destroy)(void *state);
};

/* A kind with its settings. */
struct strategy_choice {
    const struct strategy_kind *kind;
    double values[STRATEGY_MAX_SETTINGS];
};

/* All kinds, the default first; ends with NULL. */
const struct strategy_kind *const *strategy_kinds(void);
/* The kind of this name, or the default for NULL. An unknown name gives NULL, and the error
 * suggests. */
const struct strategy_kind *strategy_find(const char *name, struct tw_error *error);
/* Appends a line for each kind, name and summary, for --help; with `settings` those of each below
 * it. */
void strategy_list(struct tw_text *text, bool settings);

/* The kind with every setting at its default. */
struct strategy_choice strategy_usual(const struct strategy_kind *kind);
/* Reads NAME or NAME:SETTING=NUMBER,...; NULL is the default. A mistake is TW_INVALID or
 * TW_NOT_FOUND with a line that says what there is. */
tw_status strategy_choose(struct strategy_choice *choice, const char *words,
                          struct tw_error *error);
/* Appends what strategy_choose would read: the name, and the settings that are not at their
 * default. */
void strategy_words(const struct strategy_choice *choice, struct tw_text *text);

/* The expectation is borrowed, and may be NULL; the same points must always give the same. The
 * caller frees *out. TW_NO_MEMORY is the only failure. */
tw_status strategy_create(struct strategy **out, const struct strategy_choice *choice,
                          const struct space *space, const struct strategy_expectation *expectation,
                          uint64_t seed, struct tw_error *error);
void strategy_free(struct strategy *strategy);

/* *point becomes a point that was neither asked nor told before. */
enum strategy_answer strategy_ask(struct strategy *strategy, size_t *point);
/* As if the point had been asked for: another strategy tries it. */
void strategy_avoid(struct strategy *strategy, size_t point);
/* What came of a point. Only a point's first outcome counts. */
void strategy_tell(struct strategy *strategy, size_t point, const struct strategy_outcome *outcome);

/* ---- For kinds ---- */

const struct space *strategy_space(const struct strategy *strategy);
/* The value of the kind's setting of this place in its table. */
double strategy_value(const struct strategy *strategy, int setting);
/* NULL: none. */
const struct strategy_expectation *strategy_expectation(const struct strategy *strategy);
/* Whether the point was asked or told. */
bool strategy_seen(const struct strategy *strategy, size_t point);
/* How many points of an implementation were neither. */
size_t strategy_unseen(const struct strategy *strategy, int implementation);

#endif

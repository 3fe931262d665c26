/* What of a portfolio is measured on a problem: a page of cells, a configuration each. */
#ifndef TUNER_RECORD_CELLS_H
#define TUNER_RECORD_CELLS_H

#include "tuner/record/options.h"
#include "tuner/session/builds.h"
#include "tuner/session/recorder.h"
#include "tuner/workers/device_link.h"

/* A configuration on a problem. */
struct cell {
    int place;   /* in the portfolio */
    bool varied; /* from what is there, in parameters of the launch */
    struct tw_configuration configuration;
    struct build *build;
    double estimate_us;
    /* By a model that was fitted with it on such problems; else 0. Where only so many are measured,
     * by any that knows its implementation on such problems, else the estimate. */
    double predicted_us;
    bool unheard_of; /* no model that speaks of such problems knows its implementation there */
    int turn;        /* its place among those that are in order by the same word */
    bool redundant;
    bool known; /* on record: it takes a place where only so many are measured */
    int blame;
};

/* A problem, from when its sources are asked for. */
struct page {
    const struct tw_problem *problem;
    int64_t values[TW_MAX_SYMBOLS];
    int count, next; /* cells, and the first that is not measured */
    bool by_model;   /* a model says what such problems take, where only so many are measured */
    struct cell *cells;
    double best_us;
    struct recorder recorder;
};

struct standing {
    int tried;
    double nearest; /* to the best, over the problems */
    bool left_out;
};

struct recording {
    const struct record_options *options;
    const struct tw_configuration *portfolio;
    int portfolio_count;
    const struct tw_device_info *device;
    tw_db *db;
    const char *db_path;
    struct builds builds;
    struct compile_pool *pool;
    struct device_link *link;
    struct standing *standings;
    double *times; /* of the page's configurations; 0: not measured */
    struct record_result *result;
    double started_at, reference_s;
    char conditions[1024];
    struct tw_error *error;
};

/* Lays out the cells of a problem, those that should be the fastest first: what is on record, does
 * not fit or can hardly be good has none. Nothing is compiled yet. Free also after a failure. */
tw_status page_open(struct recording *recording, const struct tw_problem *problem,
                    struct page *page);
void page_free(struct recording *recording, struct page *page);

#endif

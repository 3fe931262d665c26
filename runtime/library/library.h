/* What an open library consists of. */
#ifndef TW_LIBRARY_LIBRARY_H
#define TW_LIBRARY_LIBRARY_H

#include <pthread.h>

#include "runtime/backend/backend.h"
#include "runtime/library/changing.h"
#include "runtime/library/descriptions.h"
#include "runtime/library/modules.h"
#include "runtime/library/plan_table.h"
#include "runtime/library/shape_log.h"
#include "runtime/library/database_binaries.h"
#include "runtime/select/catalogue.h"
#include "runtime/variant/cache.h"

struct tw_builds;
struct tw_tuning;

struct tw_library {
    const struct tw_backend *backend;
    struct tw_device_info info;
    struct tw_device *device;
    struct tw_descriptions *descriptions;
    char **databases;        /* paths, ended by NULL */
    pthread_mutex_t results; /* of the catalogue, which tuning replaces */
    struct tw_catalogue *catalogue;
    struct tw_cache *cache;                /* NULL: binaries are not kept */
    struct tw_database_binaries *binaries; /* NULL: not trusted */
    struct tw_modules *modules;
    struct tw_builds *builds;
    double tolerance;            /* below 0: none */
    struct tw_changing changing; /* sizes, from one plan to the next */
    struct tw_plan_table *plans;
    struct tw_tuning *tuning; /* NULL: a miss tunes nothing */
    tw_miss on_miss;
    struct tw_shape_log *shape_log; /* NULL: shapes are not logged */
    bool prepared_only;             /* calls make no plans */
    char cache_policy[8];
};

/* Whether there is one: where tw_open fails it is NULL, and programs go on. */
tw_status tw_library_given(const tw_library *library, tw_error *error);

/* Reads the databases, or reads them afresh: what was stored since counts from then on. */
tw_status tw_library_read_results(tw_library *library, tw_error *error);

/* The results that count now, until the caller gives them to tw_catalogue_free. */
struct tw_catalogue *tw_library_results(tw_library *library);

#endif

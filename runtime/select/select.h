/* Which configuration should a problem run with on a device? */
#ifndef TW_SELECT_SELECT_H
#define TW_SELECT_SELECT_H

#include "db/store.h"
#include "runtime/backend/backend.h"
#include "runtime/description/configuration.h"
#include "runtime/description/problem.h"

enum tw_selection_rule {
    TW_SELECTED_EXACT,  /* tuned for this problem on this kind of device, with today's template */
    TW_SELECTED_DEFAULT /* nothing stored that can be used: the preset `default` */
};

struct tw_selection {
    enum tw_selection_rule rule;
    struct tw_configuration configuration;
    double time_us; /* stored with an exact one; else 0 */
    char reason[256];
};

/* Chooses from the best rows of `db` (NULL: no database) that were measured under `cache` ("cold"
 * or "warm"). A row counts when its template is today's, the description allows its parameters and
 * the configuration fits this device and problem; the fastest of them wins. Fails only when the
 * database cannot be read or `default` itself does not fit. */
tw_status tw_select(tw_db *db, const struct tw_problem *problem,
                    const struct tw_device_info *device, const char *cache,
                    struct tw_selection *selection, struct tw_error *error);

#endif

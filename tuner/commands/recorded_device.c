#include "tuner/commands/recorded_device.h"

#include <stdio.h>
#include <string.h>

#include "runtime/backend/devices.h"
#include "tuner/page/setting.h"

struct wanted {
    const char *name;
    struct tw_device_info *device;
    int count, known;
    bool is_exact; /* by its fingerprint */
    char fingerprint[256];
};

static bool visit(void *context, const struct tw_db_device *stored) {
    struct wanted *w = context;
    const struct setting nothing_here = {0};
    const struct page_device device = {
        .fingerprint = stored->fingerprint,
        .backend = stored->backend,
        .name = stored->name,
        .architecture = stored->architecture != NULL ? stored->architecture : "",
        .properties = stored->properties != NULL ? stored->properties : "",
        .compute_units = stored->compute_units,
        .memory_bytes = stored->memory_bytes};
    const bool is_exact = strcmp(stored->fingerprint, w->name) == 0;
    bool here;
    if (w->is_exact || (!is_exact && strcmp(stored->name, w->name) != 0))
        return true;
    w->is_exact = is_exact;
    w->count = is_exact ? 1 : w->count + 1;
    snprintf(w->fingerprint, sizeof w->fingerprint, "%s", stored->fingerprint);
    w->known = setting_device(&nothing_here, &device, w->device, &here);
    return true;
}

tw_status recorded_device(tw_db *db, const char *name, struct tw_device_info *device, bool *found,
                          struct tw_error *error) {
    struct wanted wanted = {.name = name, .device = device};
    *found = false;
    if (tw_db_device_each(db, visit, &wanted) != TW_DB_OK)
        return tw_fail(error, TW_DATABASE, "%s", tw_db_message(db));
    if (wanted.count == 0)
        return TW_OK;
    if (wanted.count > 1)
        return tw_fail(error, TW_INVALID,
                       "--device %s: %d devices of that name are on record; say which by its "
                       "fingerprint, as in \"%s\"",
                       name, wanted.count, wanted.fingerprint);
    if (!wanted.known)
        return tw_fail(error, TW_INVALID,
                       "--device %s: too little is on record of it to predict for it", name);
    *found = true;
    return TW_OK;
}

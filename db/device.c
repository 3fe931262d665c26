/* Devices. */
#include "db/internal.h"

enum tw_db_status tw_db_device_find(tw_db *db, const char *fingerprint, int64_t *id) {
    struct tw_db_query query;
    tw_db_query_start(&query, db, "SELECT id FROM device WHERE fingerprint = ?", "find a device");
    tw_db_bind_text(&query, fingerprint);
    return tw_db_query_find_id(&query, id);
}

static void bind_values(struct tw_db_query *query, const struct tw_db_device *device) {
    tw_db_bind_text(query, device->backend);
    tw_db_bind_text(query, device->name);
    tw_db_bind_text(query, device->vendor);
    tw_db_bind_text(query, device->architecture);
    tw_db_bind_integer(query, device->compute_units);
    tw_db_bind_integer(query, device->memory_bytes);
    tw_db_bind_text(query, device->properties);
    tw_db_bind_text(query, device->fingerprint);
}

/* The id of the row that is the same in every column: then there is nothing to write, nor to wait
 * for. */
static enum tw_db_status find_same(tw_db *db, const struct tw_db_device *device, int64_t *id) {
    struct tw_db_query query;
    tw_db_query_start(&query, db,
                      "SELECT id FROM device WHERE backend IS ? AND name IS ? AND vendor IS ?"
                      " AND architecture IS ? AND compute_units IS ? AND memory_bytes IS ?"
                      " AND properties IS ? AND fingerprint = ?",
                      "find a device");
    bind_values(&query, device);
    return tw_db_query_find_id(&query, id);
}

static enum tw_db_status store(tw_db *db, const struct tw_db_device *device, int64_t *id) {
    struct tw_db_query query;
    enum tw_db_status status = tw_db_device_find(db, device->fingerprint, id);
    if (status == TW_DB_OK) {
        tw_db_query_start(&query, db,
                          "UPDATE device SET backend = ?, name = ?, vendor = ?, architecture = ?,"
                          " compute_units = ?, memory_bytes = ?, properties = ?"
                          " WHERE fingerprint = ?",
                          "update a device");
        bind_values(&query, device);
        return tw_db_query_run(&query);
    }
    if (status != TW_DB_NOT_FOUND) {
        return status;
    }
    tw_db_query_start(&query, db,
                      "INSERT INTO device (backend, name, vendor, architecture, compute_units,"
                      " memory_bytes, properties, fingerprint) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                      "store a device");
    bind_values(&query, device);
    status = tw_db_query_run(&query);
    *id = sqlite3_last_insert_rowid(db->sqlite);
    return status;
}

enum tw_db_status tw_db_device_put(tw_db *db, const struct tw_db_device *device, int64_t *id) {
    enum tw_db_status status = find_same(db, device, id);
    if (status != TW_DB_NOT_FOUND) {
        return status;
    }
    status = tw_db_write_begin(db);
    return status == TW_DB_OK ? tw_db_write_end(db, store(db, device, id)) : status;
}

void tw_db_next_device(struct tw_db_query *query, struct tw_db_device *device) {
    device->id = tw_db_next_integer(query);
    device->fingerprint = tw_db_next_text(query);
    device->backend = tw_db_next_text(query);
    device->name = tw_db_next_text(query);
    device->vendor = tw_db_next_optional_text(query);
    device->architecture = tw_db_next_optional_text(query);
    device->compute_units = tw_db_next_integer(query);
    device->memory_bytes = tw_db_next_integer(query);
    device->properties = tw_db_next_optional_text(query);
}

enum tw_db_status tw_db_device_each(tw_db *db, tw_db_device_visitor visit, void *context) {
    struct tw_db_query query;
    tw_db_select_start(&query, db, "SELECT " TW_DB_DEVICE_COLUMNS " FROM device", "read devices");
    tw_db_select_ready(&query, "ORDER BY backend, name, id");
    while (tw_db_query_row(&query)) {
        struct tw_db_device device;
        tw_db_next_device(&query, &device);
        if (query.status == TW_DB_OK && !visit(context, &device)) {
            break;
        }
    }
    return tw_db_query_finish(&query);
}

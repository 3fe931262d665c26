/* Compiled kernels that travel with the results that they belong to. */
#include "db/internal.h"

enum tw_db_status tw_db_binary_put(tw_db *db, const struct tw_db_binary *binary) {
    enum tw_db_status status = tw_db_write_begin(db);
    if (status != TW_DB_OK) {
        return status;
    }
    struct tw_db_query query;
    tw_db_query_start(&query, db,
                      "INSERT OR REPLACE INTO binary (key, backend, architecture, label, hash,"
                      " registers, spill_bytes, bytes) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                      "store a binary");
    tw_db_bind_text(&query, binary->key);
    tw_db_bind_text(&query, binary->backend);
    tw_db_bind_text(&query, binary->architecture);
    tw_db_bind_text(&query, binary->label);
    tw_db_bind_text(&query, binary->hash);
    tw_db_bind_optional_integer(&query, binary->has_resources, binary->registers);
    tw_db_bind_optional_integer(&query, binary->has_resources, binary->spill_bytes);
    tw_db_bind_blob(&query, binary->bytes, binary->size);
    return tw_db_write_end(db, tw_db_query_run(&query));
}

enum tw_db_status tw_db_binary_each(tw_db *db, const char *backend, tw_db_binary_visitor visit,
                                    void *context) {
    struct tw_db_query query;
    tw_db_select_start(&query, db,
                       "SELECT key, backend, architecture, label, hash, registers, spill_bytes,"
                       " bytes FROM binary",
                       "read the binaries");
    tw_db_select_where_text(&query, "backend", backend);
    tw_db_select_ready(&query, "ORDER BY key");
    while (tw_db_query_row(&query)) {
        struct tw_db_binary binary;
        binary.key = tw_db_next_text(&query);
        binary.backend = tw_db_next_text(&query);
        binary.architecture = tw_db_next_text(&query);
        binary.label = tw_db_next_text(&query);
        binary.hash = tw_db_next_text(&query);
        binary.has_resources = tw_db_next_optional_integer(&query, &binary.registers);
        (void)tw_db_next_optional_integer(&query, &binary.spill_bytes);
        binary.bytes = tw_db_next_blob(&query, &binary.size);
        if (query.status == TW_DB_OK && !visit(context, &binary)) {
            break;
        }
    }
    return tw_db_query_finish(&query);
}

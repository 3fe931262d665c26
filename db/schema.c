/* The tables, and the steps that bring an older file up to date. */
#include "db/internal.h"

#include <stdio.h>

/* Times are microseconds, moments Unix seconds, absent values NULL. `configuration`, `description`,
 * `properties`, `conditions`, `tie_set` and `baselines` hold JSON text that the database does not
 * look into. */
static const char version_1[] =
    "CREATE TABLE device ("
    " id INTEGER PRIMARY KEY,"
    " fingerprint TEXT NOT NULL UNIQUE CHECK (fingerprint <> ''),"
    " backend TEXT NOT NULL CHECK (backend <> ''),"
    " name TEXT NOT NULL,"
    " vendor TEXT,"
    " architecture TEXT,"
    " compute_units INTEGER NOT NULL CHECK (compute_units >= 0),"
    " memory_bytes INTEGER NOT NULL CHECK (memory_bytes >= 0),"
    " properties TEXT);"

    "CREATE TABLE problem ("
    " id INTEGER PRIMARY KEY,"
    " kernel TEXT NOT NULL CHECK (kernel <> ''),"
    " key TEXT NOT NULL,"
    " UNIQUE (kernel, key));"

    "CREATE TABLE problem_dimension ("
    " problem INTEGER NOT NULL REFERENCES problem,"
    " position INTEGER NOT NULL CHECK (position >= 0),"
    " name TEXT NOT NULL CHECK (name <> ''),"
    " value INTEGER NOT NULL CHECK (value > 0),"
    " PRIMARY KEY (problem, position),"
    " UNIQUE (problem, name)) WITHOUT ROWID;"

    "CREATE TABLE problem_attribute ("
    " problem INTEGER NOT NULL REFERENCES problem,"
    " name TEXT NOT NULL CHECK (name <> ''),"
    " value TEXT NOT NULL,"
    " PRIMARY KEY (problem, name)) WITHOUT ROWID;"

    "CREATE TABLE implementation ("
    " id INTEGER PRIMARY KEY,"
    " kernel TEXT NOT NULL CHECK (kernel <> ''),"
    " name TEXT NOT NULL CHECK (name <> ''),"
    " template_hash TEXT NOT NULL CHECK (template_hash <> ''),"
    " description TEXT NOT NULL,"
    " UNIQUE (kernel, name, template_hash));"

    "CREATE TABLE run ("
    " id INTEGER PRIMARY KEY,"
    " problem INTEGER NOT NULL REFERENCES problem,"
    " device INTEGER NOT NULL REFERENCES device,"
    " strategy TEXT NOT NULL CHECK (strategy <> ''),"
    " seed INTEGER NOT NULL," /* the bits of an unsigned number */
    " budget_kind TEXT NOT NULL CHECK (budget_kind <> ''),"
    " budget_value REAL NOT NULL,"
    " cache_policy TEXT NOT NULL CHECK (cache_policy <> ''),"
    " state TEXT NOT NULL CHECK (state IN ('running', 'done', 'interrupted')),"
    " started_at INTEGER NOT NULL,"
    " updated_at INTEGER NOT NULL,"
    " finished_at INTEGER CHECK ((finished_at IS NULL) = (state = 'running')),"
    " elapsed_s REAL NOT NULL CHECK (elapsed_s >= 0),"
    " owner_host TEXT NOT NULL,"
    " owner_pid INTEGER NOT NULL,"
    " owner_token TEXT NOT NULL,"
    " tilewise_version TEXT,"
    " driver TEXT,"
    " compiler TEXT,"
    " conditions TEXT,"
    " protocol TEXT);"
    "CREATE INDEX run_by_problem ON run (problem, device);"
    "CREATE INDEX run_by_start ON run (started_at);"

    "CREATE TABLE trial ("
    " id INTEGER PRIMARY KEY,"
    " run INTEGER NOT NULL REFERENCES run,"
    " problem INTEGER NOT NULL REFERENCES problem,"
    " device INTEGER NOT NULL REFERENCES device,"
    " implementation INTEGER NOT NULL REFERENCES implementation,"
    " cache_policy TEXT NOT NULL CHECK (cache_policy <> ''),"
    " configuration TEXT NOT NULL CHECK (configuration <> ''),"
    " status TEXT NOT NULL CHECK (status IN ('ok', 'compile_error', 'compile_timeout',"
    "  'launch_error', 'resource', 'wrong', 'timeout', 'crash')),"
    " message TEXT,"
    " time_us REAL CHECK (time_us > 0),"
    " ci_low_us REAL CHECK (ci_low_us >= 0 AND ci_low_us <= time_us),"
    " ci_high_us REAL CHECK (ci_high_us >= time_us),"
    " repeats INTEGER CHECK (repeats > 0),"
    " screened_out INTEGER NOT NULL CHECK (screened_out IN (0, 1)),"
    " max_rel_error REAL CHECK (max_rel_error >= 0),"
    " rms_rel_error REAL CHECK (rms_rel_error >= 0),"
    " compile_ms REAL CHECK (compile_ms >= 0),"
    " registers INTEGER CHECK (registers >= 0),"
    " spill_bytes INTEGER CHECK (spill_bytes >= 0),"
    " shared_bytes INTEGER CHECK (shared_bytes >= 0),"
    " created_at INTEGER NOT NULL,"
    " UNIQUE (problem, device, implementation, cache_policy, configuration),"
    " CHECK ((status = 'ok') = (time_us IS NOT NULL)),"
    " CHECK ((time_us IS NULL) = (repeats IS NULL)),"
    " CHECK (time_us IS NOT NULL OR ci_low_us IS NULL),"
    " CHECK ((ci_low_us IS NULL) = (ci_high_us IS NULL)),"
    " CHECK ((max_rel_error IS NULL) = (rms_rel_error IS NULL)),"
    " CHECK (screened_out = 0 OR status = 'ok'));"
    "CREATE INDEX trial_by_run ON trial (run);"

    "CREATE TABLE best ("
    " problem INTEGER NOT NULL REFERENCES problem,"
    " device INTEGER NOT NULL REFERENCES device,"
    " cache_policy TEXT NOT NULL CHECK (cache_policy <> ''),"
    " implementation INTEGER NOT NULL REFERENCES implementation,"
    " configuration TEXT NOT NULL CHECK (configuration <> ''),"
    " time_us REAL NOT NULL CHECK (time_us > 0),"
    " ci_low_us REAL NOT NULL CHECK (ci_low_us >= 0 AND ci_low_us <= time_us),"
    " ci_high_us REAL NOT NULL CHECK (ci_high_us >= time_us),"
    " repeats INTEGER NOT NULL CHECK (repeats > 0),"
    " rate REAL CHECK (rate > 0),"
    " rate_unit TEXT CHECK ((rate_unit IS NULL) = (rate IS NULL)),"
    " max_rel_error REAL CHECK (max_rel_error >= 0),"
    " rms_rel_error REAL CHECK (rms_rel_error >= 0),"
    " tie_set TEXT,"
    " baselines TEXT,"
    " run INTEGER REFERENCES run,"
    " measured_at INTEGER NOT NULL,"
    " PRIMARY KEY (problem, device, cache_policy, implementation),"
    " CHECK ((max_rel_error IS NULL) = (rms_rel_error IS NULL)));";

/* A run is known by its uid wherever its results are merged to. Runs from before have one made of
 * what never changes about them, so that two copies of a file agree on it. `merged` marks the runs
 * that came with somebody's best rows: they have no trials here and are never resumed. */
static const char version_2[] =
    "ALTER TABLE run ADD COLUMN uid TEXT NOT NULL DEFAULT '';"
    "ALTER TABLE run ADD COLUMN merged INTEGER NOT NULL DEFAULT 0 CHECK (merged IN (0, 1));"
    "UPDATE run SET uid ="
    " printf('%08x%08x%016x', started_at & 4294967295, owner_pid & 4294967295, id);"
    "CREATE INDEX run_by_uid ON run (uid);";

/* Compiled kernels, for machines that have no compiler. `key` is what a binary was made from. */
static const char version_3[] = "CREATE TABLE binary ("
                                " key TEXT NOT NULL PRIMARY KEY CHECK (key <> ''),"
                                " backend TEXT NOT NULL CHECK (backend <> ''),"
                                " architecture TEXT NOT NULL,"
                                " label TEXT NOT NULL,"
                                " hash TEXT NOT NULL CHECK (hash <> ''),"
                                " registers INTEGER CHECK (registers >= 0),"
                                " spill_bytes INTEGER CHECK (spill_bytes >= 0),"
                                " bytes BLOB NOT NULL,"
                                " CHECK ((registers IS NULL) = (spill_bytes IS NULL)));";

/* What a result belongs to, by two hashes: what was compiled and launched, and what judged it. NULL
 * where it was stored before. Keys of problems leave out attributes at their defaults, which only
 * the kernel's description tells; `text` has them all, for people. It is NULL for keys from before,
 * which had them too. */
static const char version_4[] = "ALTER TABLE trial ADD COLUMN source TEXT;"
                                "ALTER TABLE trial ADD COLUMN judge TEXT;"
                                "ALTER TABLE best ADD COLUMN source TEXT;"
                                "ALTER TABLE best ADD COLUMN judge TEXT;"
                                "ALTER TABLE problem ADD COLUMN text TEXT;";

/* What predicts times on a device, fitted to its trials: JSON that the database does not look into.
 */
static const char version_5[] = "CREATE TABLE model ("
                                " kernel TEXT NOT NULL CHECK (kernel <> ''),"
                                " device TEXT NOT NULL CHECK (device <> '')," /* its fingerprint */
                                " cache_policy TEXT NOT NULL CHECK (cache_policy <> ''),"
                                " text TEXT NOT NULL CHECK (text <> ''),"
                                " fitted_at INTEGER NOT NULL,"
                                " PRIMARY KEY (kernel, device, cache_policy));";

/* Errors on inputs that are hard to be exact on, relative to the sums of their terms' sizes; NULL
 * where the problem was not tried on such. */
static const char version_6[] =
    "ALTER TABLE trial ADD COLUMN hard_max_error REAL CHECK (hard_max_error >= 0);"
    "ALTER TABLE trial ADD COLUMN hard_rms_error REAL CHECK (hard_rms_error >= 0);"
    "ALTER TABLE best ADD COLUMN hard_max_error REAL CHECK (hard_max_error >= 0);"
    "ALTER TABLE best ADD COLUMN hard_rms_error REAL CHECK (hard_rms_error >= 0);";

static const char *const steps[] = {version_1, version_2, version_3,
                                    version_4, version_5, version_6};

const struct tw_db_schema tw_db_schema = {steps, sizeof steps / sizeof *steps};

_Static_assert(sizeof steps / sizeof *steps == TW_DB_SCHEMA_VERSION,
               "TW_DB_SCHEMA_VERSION counts the steps");

static enum tw_db_status read_integer(tw_db *db, const char *sql, int *value) {
    struct tw_db_query query;
    tw_db_query_start(&query, db, sql, "read its schema");
    if (tw_db_query_row(&query)) {
        *value = (int)tw_db_next_integer(&query);
    }
    return tw_db_query_finish(&query);
}

enum tw_db_status tw_db_read_version(tw_db *db, int *version) {
    int application = 0;
    *version = 0;
    enum tw_db_status status = read_integer(db, "PRAGMA user_version", version);
    if (status == TW_DB_OK) {
        status = read_integer(db, "PRAGMA application_id", &application);
    }
    bool is_blank = application == 0 && *version == 0;
    if (status == TW_DB_OK && application != TW_DB_APPLICATION_ID && !is_blank) {
        return tw_db_fail(db, TW_DB_FOREIGN,
                          "is another application's SQLite database; name another file");
    }
    /* Unsigned, like the header's field: a negative version is no version of ours. */
    if (status == TW_DB_OK && (unsigned)*version > (unsigned)db->schema->version) {
        status = tw_db_fail(db, TW_DB_NEWER,
                            "schema version %d is newer than this program's %d; use a newer "
                            "Tilewise, or another file",
                            *version, db->schema->version);
    }
    return status;
}

/* The first step must not land in a file into which another application wrote since it was looked
 * at. */
static enum tw_db_status check_blank(tw_db *db) {
    int tables = 0;
    enum tw_db_status status = read_integer(db, "SELECT count(*) FROM sqlite_master", &tables);
    if (status == TW_DB_OK && tables != 0) {
        status =
            tw_db_fail(db, TW_DB_FOREIGN, "holds another application's tables; name another file");
    }
    return status;
}

static enum tw_db_status take_steps(tw_db *db) {
    int version = 0;
    /* Another process may have taken them while this one waited. */
    enum tw_db_status status = tw_db_read_version(db, &version);
    if (status == TW_DB_OK && version == 0) {
        status = check_blank(db);
    }
    if (status != TW_DB_OK || version == db->schema->version) {
        return status;
    }
    for (; status == TW_DB_OK && version < db->schema->version; version++) {
        status = tw_db_execute(db, db->schema->steps[version], "write its schema");
    }
    char mark[96];
    snprintf(mark, sizeof mark, "PRAGMA application_id = %d; PRAGMA user_version = %d",
             TW_DB_APPLICATION_ID, db->schema->version);
    return status == TW_DB_OK ? tw_db_execute(db, mark, "write its version") : status;
}

/* All steps or none. */
enum tw_db_status tw_db_migrate(tw_db *db) {
    int version = 0;
    enum tw_db_status status = tw_db_read_version(db, &version);
    if (status != TW_DB_OK || version == db->schema->version) {
        return status;
    }
    status = tw_db_execute(db, "BEGIN IMMEDIATE", "begin to write its schema");
    return status == TW_DB_OK ? tw_db_write_end(db, take_steps(db)) : status;
}

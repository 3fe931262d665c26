/* What the databases hold, in memory. */
#include "runtime/library/library.h"

static tw_status read_database(const tw_library *library, const char *path,
                               struct tw_catalogue *catalogue,
                               struct tw_database_binaries *binaries, tw_error *error) {
    char message[TW_DB_MESSAGE_SIZE];
    tw_db *db;
    enum tw_db_status opened = tw_db_open(&db, path, TW_DB_READ, message, sizeof message);
    if (opened == TW_DB_NOT_FOUND)
        return TW_OK;
    if (opened != TW_DB_OK)
        return tw_fail(error, TW_DATABASE, "%s", message);
    tw_status status = tw_catalogue_add(catalogue, db, error);
    if (status == TW_OK && binaries != NULL)
        status = tw_database_binaries_add(binaries, db, &library->info, error);
    tw_db_close(db);
    return status;
}

/* The catalogue lets later rows count, and the first database is to. Of binaries the first counts,
 * but those with one key are alike. */
static tw_status read_databases(const tw_library *library, struct tw_catalogue **out,
                                struct tw_database_binaries *binaries, tw_error *error) {
    tw_status status = tw_catalogue_create(out, error);
    int count = 0;
    while (library->databases[count] != NULL)
        count++;
    while (status == TW_OK && count-- > 0)
        status = read_database(library, library->databases[count], *out, binaries, error);
    if (status != TW_OK) {
        tw_catalogue_free(*out);
        *out = NULL;
    }
    return status;
}

tw_status tw_library_read_results(tw_library *library, tw_error *error) {
    struct tw_catalogue *catalogue;
    /* Binaries are read once: modules look among them without a lock. */
    struct tw_database_binaries *binaries = library->catalogue == NULL ? library->binaries : NULL;
    tw_status status = read_databases(library, &catalogue, binaries, error);
    if (status != TW_OK)
        return status;
    pthread_mutex_lock(&library->results);
    struct tw_catalogue *old = library->catalogue;
    library->catalogue = catalogue;
    pthread_mutex_unlock(&library->results);
    tw_catalogue_free(old);
    return TW_OK;
}

struct tw_catalogue *tw_library_results(tw_library *library) {
    pthread_mutex_lock(&library->results);
    struct tw_catalogue *results = tw_catalogue_share(library->catalogue);
    pthread_mutex_unlock(&library->results);
    return results;
}

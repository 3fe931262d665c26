#include "tuner/commands/database.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/library/paths.h"
#include "tuner/exchange/adopt.h"

char *database_path(const struct arguments *a, struct tw_error *error) {
    struct tw_text path = {0};
    if (a->db != NULL)
        tw_text_print(&path, "%s", a->db);
    else
        tw_path_user_database(&path);
    if (path.failed)
        tw_fail(error, TW_NO_MEMORY, "out of memory");
    else if (path.data == NULL)
        tw_fail(error, TW_INVALID, "no home directory to keep a database in; give --db FILE");
    return path.data;
}

static bool is_default_db(const char *path) {
    struct tw_text own = {0};
    tw_path_user_database(&own);
    bool same = own.data != NULL && strcmp(own.data, path) == 0;
    tw_text_free(&own);
    return same;
}

/* A file that cannot be the database that was named is the command line's fault; that another
 * process holds it, that it is damaged or the disk full, is not. */
static tw_status not_opened(const char *path, enum tw_db_status status, const char *message,
                            struct tw_error *error) {
    bool wrong = status == TW_DB_NOT_FOUND || status == TW_DB_FOREIGN || status == TW_DB_NEWER ||
                 status == TW_DB_CANNOT_OPEN || status == TW_DB_READONLY || status == TW_DB_MISUSE;
    return tw_fail(error, wrong && !is_default_db(path) ? TW_INVALID : TW_DATABASE, "%s", message);
}

tw_status database_open(const char *path, enum tw_db_mode mode, tw_db **db,
                        struct tw_error *error) {
    char message[TW_DB_MESSAGE_SIZE];
    enum tw_db_status status = tw_db_open(db, path, mode, message, sizeof message);
    return status == TW_DB_OK ? TW_OK : not_opened(path, status, message, error);
}

tw_status database_open_existing(const char *path, tw_db **db, struct tw_error *error) {
    tw_status status = database_open(path, TW_DB_READ, db, error);
    tw_db_close(*db);
    *db = NULL;
    return status == TW_OK ? database_open(path, TW_DB_WRITE, db, error) : status;
}

tw_status database_adopt(const struct arguments *a, tw_db *db, struct tw_error *error) {
    struct known_kernels known;
    bool has = false;
    if (tw_db_has_old_rows(db, &has) != TW_DB_OK)
        return tw_fail(error, TW_DATABASE, "%s", tw_db_message(db));
    if (!has)
        return TW_OK;
    tw_status status = known_kernels_open(&known, a->configs.words, a->configs.count, error);
    if (status == TW_OK)
        status = adopt_database(db, &known, error);
    known_kernels_close(&known);
    return status;
}

/* A file that is not there has no rows. */
static tw_status add_rows(struct tw_catalogue *catalogue, const char *path,
                          struct tw_error *error) {
    char message[TW_DB_MESSAGE_SIZE];
    tw_db *db = NULL;
    enum tw_db_status opened = tw_db_open(&db, path, TW_DB_READ, message, sizeof message);
    if (opened == TW_DB_NOT_FOUND)
        return TW_OK;
    if (opened != TW_DB_OK)
        return not_opened(path, opened, message, error);
    tw_status status = tw_catalogue_add(catalogue, db, error);
    tw_db_close(db);
    return status;
}

tw_status database_catalogue(const struct arguments *a, struct tw_catalogue **out,
                             struct tw_error *error) {
    *out = NULL;
    struct tw_text system = {0};
    char *path = database_path(a, error);
    if (path == NULL)
        return error->status;
    tw_status status = tw_catalogue_create(out, error);
    /* As an application has it: the user's own rows override those that were installed. */
    if (a->db == NULL)
        tw_path_system_database(&system);
    if (status == TW_OK && system.data != NULL)
        status = add_rows(*out, system.data, error);
    if (status == TW_OK)
        status = add_rows(*out, path, error);
    tw_text_free(&system);
    free(path);
    if (status != TW_OK) {
        tw_catalogue_free(*out);
        *out = NULL;
    }
    return status;
}

tw_status database_installed(struct tw_catalogue **out, struct tw_error *error) {
    struct tw_text system = {0};
    tw_path_system_database(&system);
    tw_status status = tw_catalogue_create(out, error);
    if (status == TW_OK && system.data != NULL)
        status = add_rows(*out, system.data, error);
    tw_text_free(&system);
    if (status != TW_OK) {
        tw_catalogue_free(*out);
        *out = NULL;
    }
    return status;
}

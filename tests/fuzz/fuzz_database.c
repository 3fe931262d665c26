/* Database files: refused with a line, or read through whatever they hold. What they lie on must be
 * fast: TMPDIR, else /dev/shm. */
#include <fcntl.h>
#include <unistd.h>

#include "db/store.h"
#include "tests/fuzz/fuzz.h"
#include "tuner/exchange/check.h"
#include "tuner/exchange/export.h"

static struct known_kernels known;
static char path[128];

static void start(void) {
    struct tw_error error = {0};
    const char *folder = getenv("TMPDIR");
    FUZZ_MUST(known_kernels_open(&known, NULL, 0, &error) == TW_OK);
    snprintf(path, sizeof path, "%s/tw_fuzz_%d.db", folder != NULL ? folder : "/dev/shm",
             (int)getpid());
}

static void write_file(const uint8_t *data, size_t size) {
    int file = open(path, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
    FUZZ_MUST(file >= 0 && write(file, data, size) == (ssize_t)size);
    close(file);
}

static void found(void *context, bool is_error, const char *line) {
    (void)context;
    (void)is_error;
    FUZZ_MUST(line[0] != '\0' && strchr(line, '\n') == NULL);
}

static bool see_run(void *context, const struct tw_db_run_row *row) {
    (void)context;
    return row->run.strategy != NULL;
}

static bool see_trial(void *context, const struct tw_db_trial_row *row) {
    (void)context;
    return row->trial.configuration != NULL;
}

static void read_all(tw_db *db) {
    struct checked checked;
    struct tw_error error = {0};
    struct tw_text text = {0};
    int64_t count = 0;
    tw_status status = check_database(db, &known, found, NULL, &checked, &error);
    FUZZ_MUST(status == TW_OK || fuzz_is_told(status, &error));
    status = export_best(db, NULL, &text, &count, &error);
    FUZZ_MUST(status == TW_OK || fuzz_is_told(status, &error));
    tw_text_free(&text);
    tw_db_run_each(db, &(struct tw_db_run_filter){0}, see_run, NULL);
    tw_db_trial_each(db, &(struct tw_db_trial_filter){0}, see_trial, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (known.count == 0)
        start();
    write_file(data, size);
    tw_db *db;
    char message[TW_DB_MESSAGE_SIZE];
    enum tw_db_status status = tw_db_open(&db, path, TW_DB_READ, message, sizeof message);
    FUZZ_MUST((status == TW_DB_OK) == (message[0] == '\0') && strchr(message, '\n') == NULL);
    if (status == TW_DB_OK)
        read_all(db);
    tw_db_close(db);
    unlink(path);
    return 0;
}

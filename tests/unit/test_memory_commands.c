/* tune's subcommands: every allocation fails in turn. A command that fails says so in one line, and
 * changes nothing; one that does not has printed all, and stored all. */
#include "test_exchange_support.h"
#include "test_memory_support.h"

#include <sys/mman.h>

#include "runtime/backend/backend.h"
#include "tests/support/memory.h"
#include "tuner/commands/command.h"
#include "tuner/exchange/adopt.h"
#include "tuner/json/json.h"

/* Descriptions are not what is tested here: they are read once. */
tw_status __real_tw_description_builtin(struct tw_description **out, const char *kernel,
                                        struct tw_error *error);
void __real_tw_description_free(struct tw_description *description);

static struct tw_description *known_descriptions[64];

tw_status __wrap_tw_description_builtin(struct tw_description **out, const char *kernel,
                                        struct tw_error *error) {
    int i = 0;
    for (; known_descriptions[i] != NULL; i++)
        if (strcmp(known_descriptions[i]->kernel, kernel) == 0) {
            *out = known_descriptions[i];
            return TW_OK;
        }
    memory_pause();
    tw_status status = __real_tw_description_builtin(&known_descriptions[i], kernel, error);
    memory_resume();
    *out = known_descriptions[i];
    return status;
}

void __wrap_tw_description_free(struct tw_description *description) {
    for (int i = 0; known_descriptions[i] != NULL; i++)
        if (known_descriptions[i] == description)
            return;
    __real_tw_description_free(description);
}

/* Nor are devices. */
tw_status __wrap_tw_device_pick(const char *id, struct tw_device_info *info,
                                struct tw_error *error) {
    (void)id;
    (void)error;
    *info = (struct tw_device_info){.id = "cuda:0",
                                    .backend = "cuda",
                                    .name = "A GPU",
                                    .architecture = "sm_90",
                                    .arch = 90,
                                    .compute_units = 132,
                                    .warp = 32,
                                    .max_threads = 1024,
                                    .max_block = {1024, 1024, 64},
                                    .max_grid = {2147483647, 65535, 65535},
                                    .max_shared = 232448,
                                    .max_registers = 65536,
                                    .cache_bytes = 52428800,
                                    .memory_bytes = (int64_t)80 << 30};
    return TW_OK;
}

struct house {
    struct fixture *fixture;
    char other[700], export[700], cache[700], t4[700], output[700];
    struct bytes file; /* the database as it was, */
    char *rows;        /* and as text, */
    int changed;       /* lines of it, as a command leaves it; 0: not known yet */
    int out, err;      /* what the command prints to */
};

/* A command line, its words apart; @NAME is one of the files above. */
struct trying {
    struct house *house;
    int (*command)(int count, char **words);
    const char *line;
};

static const char *file_of(const struct house *house, const char *name) {
    const struct {
        const char *name, *path;
    } files[] = {{"@db", house->fixture->path},
                 {"@other", house->other},
                 {"@export", house->export},
                 {"@cache", house->cache},
                 {"@t4", house->t4},
                 {"@output", house->output},
                 {"@directory", house->fixture->directory}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (strcmp(files[i].name, name) == 0)
            return files[i].path;
    return name;
}

/* What was written to the file since it was emptied; the caller frees. */
static char *take_output(int file) {
    off_t size = lseek(file, 0, SEEK_END);
    char *text = calloc(1, (size_t)size + 1);
    assert_non_null(text);
    assert_int_equal(pread(file, text, (size_t)size, 0), size);
    assert_int_equal(ftruncate(file, 0), 0);
    lseek(file, 0, SEEK_SET);
    return text;
}

static int run_redirected(const struct trying *trying, int count, char **words) {
    int out = dup(STDOUT_FILENO), err = dup(STDERR_FILENO);
    fflush(stdout);
    dup2(trying->house->out, STDOUT_FILENO);
    dup2(trying->house->err, STDERR_FILENO);
    memory_resume();
    int code = trying->command(count, words);
    memory_pause();
    fflush(stdout);
    dup2(out, STDOUT_FILENO);
    dup2(err, STDERR_FILENO);
    close(out);
    close(err);
    return code;
}

static tw_status try_command(void *context, struct tw_text *seen, struct tw_error *error) {
    const struct trying *trying = context;
    char line[1024], *words[32], *rest = line;
    int count = 0;
    memory_pause();
    snprintf(line, sizeof line, "%s", trying->line);
    for (char *word; (word = strtok_r(rest, " ", &rest)) != NULL; count++)
        words[count] = (char *)file_of(trying->house, word);
    words[count] = NULL;
    int code = run_redirected(trying, count, words);
    char *out = take_output(trying->house->out), *err = take_output(trying->house->err);
    tw_status status = TW_OK;
    if (code == EXIT_FINE) {
        tw_text_print(seen, "%s%s", out, err);
    } else {
        /* One line, which is checked by whoever called. */
        size_t length = strlen(err);
        if (length > 0)
            err[length - 1] = '\0';
        status = tw_fail(error, strstr(err, "memory") != NULL ? TW_NO_MEMORY : TW_IO,
                         "%s (exit status %d) %s", err, code, length == 0 ? out : "");
    }
    free(out);
    free(err);
    json_lacked_memory();
    memory_resume();
    return status;
}

static int lines_of(const char *text) {
    int lines = 0;
    for (; *text != '\0'; text++)
        lines += *text == '\n';
    return lines;
}

static void look_and_put_back(void *context, bool worked) {
    const struct trying *trying = context;
    struct house *house = trying->house;
    char *rows = rows_of(house->fixture->path);
    if (worked && house->changed == 0)
        house->changed = lines_of(rows);
    /* All was done, or nothing: it may be that what is left to do is to say so. Runs have names of
     * their own, so that only their number can be compared. */
    if (worked || strcmp(rows, house->rows) != 0)
        assert_int_equal(lines_of(rows), house->changed);
    free(rows);
    put_back(house->fixture->path, &house->file);
    unlink(house->output);
}

static void run_quietly(struct house *house, int (*command)(int, char **), const char *line) {
    struct trying trying = {house, command, line};
    struct tw_text seen = {0};
    struct tw_error error;
    memory.watching = false;
    if (try_command(&trying, &seen, &error) != TW_OK) {
        fail_msg("%s: %s", line, error.message);
    }
    tw_text_free(&seen);
}

static int set_up(void **state) {
    struct house *house = calloc(1, sizeof *house);
    struct known_kernels known;
    struct tw_error error;
    if (house == NULL || fixture_start((void **)&house->fixture) != 0 ||
        known_kernels_open(&known, NULL, 0, &error) != TW_OK)
        return -1;
    snprintf(house->other, sizeof house->other, "%s/other.db", house->fixture->directory);
    snprintf(house->export, sizeof house->export, "%s/export.json", house->fixture->directory);
    snprintf(house->cache, sizeof house->cache, "%s/cache.json", house->fixture->directory);
    snprintf(house->t4, sizeof house->t4, "%s/t4.json", house->fixture->directory);
    snprintf(house->output, sizeof house->output, "%s/output", house->fixture->directory);
    house->out = memfd_create("out", 0);
    house->err = memfd_create("err", 0);
    tw_db *db = open_db(house->fixture->path, TW_DB_WRITE);
    put_three(db, &known);
    put_tuned(db, &known, (struct tuned){"gemm", "64x32x16", "default", "cuda:b", "old", 99, true});
    tw_db_close(db);
    db = open_db(house->other, TW_DB_WRITE);
    put_tuned(db, &known, (struct tuned){"gemm", "8x8x8", "default", "cuda:b", NULL, 5, true});
    tw_db_close(db);
    known_kernels_close(&known);
    /* As rows of today are, so that commands have nothing to bring up to date besides. */
    static const char identify[] = "UPDATE best SET source = 's', judge = 'j'; "
                                   "UPDATE problem SET text = key";
    run_sql(house->fixture->path, identify);
    run_sql(house->other, identify);
    run_quietly(house, command_db, "db export --db @other -o @export");
    run_quietly(house, command_db, "db export --format kernel-tuner --db @other -o @cache");
    run_quietly(house, command_db, "db export --format t4 --db @other -o @t4");
    house->file = read_file(house->fixture->path);
    house->rows = rows_of(house->fixture->path);
    *state = house;
    return 0;
}

static int tear_down(void **state) {
    struct house *house = *state;
    close(house->out);
    close(house->err);
    free(house->file.data);
    free(house->rows);
    int result = fixture_end((void **)&house->fixture);
    free(house);
    return result;
}

/* Has every allocation of it fail. */
static void try_one(struct trying *trying, const char *name,
                    tw_status (*run)(void *, struct tw_text *, struct tw_error *)) {
    memory_fails(&(struct memory_scenario){name, run, look_and_put_back, trying}, true);
    trying->house->changed = 0;
}

static void try_all(struct house *house, int (*command)(int, char **), const char *const *lines) {
    for (; *lines != NULL; lines++) {
        struct trying trying = {house, command, *lines};
        try_one(&trying, *lines, try_command);
    }
}

static void databases(void **state) {
    static const char *const lines[] = {"db list --db @db",
                                        "db check --db @db",
                                        "db export --db @db",
                                        "db export gemm --db @db -o @output",
                                        "db merge @other --db @db",
                                        "db import @export --db @db",
                                        "db prune --db @db",
                                        "db forget gemm --status ok --db @db",
                                        "db export --format kernel-tuner --db @db",
                                        "db export --format t4 --db @db -o @output",
                                        "db import @cache --db @db",
                                        "db import @t4 --db @db",
                                        NULL};
    try_all(*state, command_db, lines);
}

/* ---- Bringing rows of older programs up to date ---- */

static tw_status adopt(void *context, struct tw_text *seen, struct tw_error *error) {
    const struct trying *trying = context;
    struct known_kernels known = {0};
    (void)seen;
    memory_pause();
    tw_db *db = open_db(trying->house->fixture->path, TW_DB_WRITE);
    memory_resume();
    tw_status status = known_kernels_open(&known, NULL, 0, error);
    if (status == TW_OK)
        status = adopt_database(db, &known, error);
    known_kernels_close(&known);
    tw_db_close(db);
    return status;
}

static void adopting(void **state) {
    struct house *house = *state;
    run_sql(house->fixture->path,
            "UPDATE best SET source = NULL, judge = NULL; UPDATE problem SET text = NULL; "
            "UPDATE device SET properties = '{\"MAX_SHARED\":49152,\"MAX_THREADS\":1024,"
            "\"WARP\":32,\"SM_COUNT\":132,\"L2_BYTES\":1048576,\"ARCH\":90,\"IS_CPU\":0}'");
    free(house->file.data);
    free(house->rows);
    house->file = read_file(house->fixture->path);
    house->rows = rows_of(house->fixture->path);
    struct trying trying = {house, NULL, "adopt"};
    try_one(&trying, "adopting", adopt);
}

static void showing(void **state) {
    static const char *const shows[] = {"show --db @db", "show --db @db --json",
                                        "show gemm --shape 64x32x16 --dtype f32 --db @db", NULL};
    static const char *const lists[] = {"trials --db @db", "trials gemm --db @db --json", NULL};
    static const char *const explains[] = {"explain gemm --shape 64x32x16 --db @db",
                                           "explain gemm --shape 64x32x16 --db @db --json", NULL};
    /* Without a device nothing is measured: it is told who has what. */
    static const char *const compares[] = {"compare @db @other --shape 64x32x16 --quiet",
                                           "compare @db @other --shape 64x32x16 --json --quiet",
                                           NULL};
    static const char *const reports[] = {"report gemm --db @db -o @output --quiet", NULL};
    try_all(*state, command_compare, compares);
    try_all(*state, command_report, reports);
    try_all(*state, command_show, shows);
    try_all(*state, command_trials, lists);
    try_all(*state, command_explain, explains);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(databases, set_up, tear_down),
        cmocka_unit_test_setup_teardown(adopting, set_up, tear_down),
        cmocka_unit_test_setup_teardown(showing, set_up, tear_down),
    };
    setenv("OCL_ICD_VENDORS", "/nowhere", 1); /* no device is looked for */
    return cmocka_run_group_tests(tests, memory_start, NULL);
}

/* The store: what Tilewise has learnt, in one SQLite file.
 *
 * With merge.h and upkeep.h the whole interface of db/, the only room that knows SQL.
 * Configurations, descriptions and other JSON are opaque text here, stored and returned byte for
 * byte.
 *
 * Status.  Every call that can fail returns an enum tw_db_status; tw_db_message(db) then holds one
 * line that names the file, what is wrong and what to do. A failed call has no effect on the file.
 *
 * Strings.  A struct passed in is only read, and only until the call returns. A struct handed to a
 * visitor, and every string in it, is borrowed until the visitor returns: copy what you keep.
 *
 * Optional values.  A zeroed struct is a valid start: NULL text is absent text, and a number that
 * may be absent has a `has_` flag before it (the number means nothing when the flag is false). Ids
 * start at 1, so an id of 0 in a filter means "any". Times of day are Unix seconds.
 *
 * Threads and processes.  A handle belongs to one thread at a time; any number of handles, in any
 * number of threads and processes, may use one file at once. Writers take turns (a writer waits up
 * to the busy timeout, then gets TW_DB_BUSY); readers of a WAL file never wait. Do not carry a
 * handle across fork().
 */
#ifndef TW_DB_STORE_H
#define TW_DB_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* "TWDB" in the file's header: tells our files from any other application's. */
#define TW_DB_APPLICATION_ID 0x54574442
#define TW_DB_SCHEMA_VERSION 6
/* Long enough for any message. */
#define TW_DB_MESSAGE_SIZE 1024

#define TW_DB_STATUSES(X)                                                                          \
    X(OK, "ok")                                                                                    \
    X(NOT_FOUND, "not found")                                                                      \
    X(BUSY, "busy: another process holds the database")                                            \
    X(CORRUPT, "the database is damaged")                                                          \
    X(FOREIGN, "not a Tilewise database")                                                          \
    X(NEWER, "written by a newer Tilewise")                                                        \
    X(READONLY, "cannot be written")                                                               \
    X(FULL, "no space left")                                                                       \
    X(IO, "input/output error")                                                                    \
    X(CANNOT_OPEN, "cannot be opened")                                                             \
    X(CONSTRAINT, "a value breaks a rule of the schema")                                           \
    X(MISUSE, "the call is not valid here")                                                        \
    X(NO_MEMORY, "out of memory")

enum tw_db_status {
#define X(name, text) TW_DB_##name,
    TW_DB_STATUSES(X)
#undef X
};

/* A few words for a status, never NULL. */
const char *tw_db_status_text(enum tw_db_status status);

/* The version of SQLite that runs, "3.40.1". */
const char *tw_db_engine(void);

/* ---- The handle ---------------------------------------------------------------------------- */

typedef struct tw_db tw_db;

enum tw_db_mode {
    TW_DB_READ, /* the file must exist; it is never changed */
    TW_DB_WRITE /* the file and its parent directories are created when missing */
};

/* Opens `path`, a plain file name (no URI, no ":memory:").
 *
 * TW_DB_WRITE makes an empty file a new database, brings an older schema up to date and checks the
 * whole file for damage (half a second for 300,000 trials). TW_DB_READ works on read-only media
 * too; an older schema is upgraded in a private copy in memory; an absent or empty file is
 * TW_DB_NOT_FOUND, and damage is reported by the call that meets it. While a file is read a -shm
 * and an empty -wal may be beside it; they go when it is closed, unless another process has it
 * open. A file that is refused (TW_DB_FOREIGN, TW_DB_NEWER, TW_DB_CORRUPT) is left byte for byte as
 * it was.
 *
 * On failure *out is NULL and `message` (may be NULL with size 0) holds the line that tw_db_message
 * would; on success it is empty. */
enum tw_db_status tw_db_open(tw_db **out, const char *path, enum tw_db_mode mode, char *message,
                             size_t message_size);

/* Closes the handle; an open transaction is rolled back. NULL is fine. */
void tw_db_close(tw_db *db);

/* The line about the last call that failed; "" when none has. Borrowed until the next call. */
const char *tw_db_message(const tw_db *db);

/* The version of the schema in the file: less than TW_DB_SCHEMA_VERSION when an older file was
 * opened to be read. */
int tw_db_file_version(const tw_db *db);

/* Whether there are rows that schema 3 or before stored and that have not been brought up to date:
 * problems without a text, best rows without a source. */
enum tw_db_status tw_db_has_old_rows(tw_db *db, bool *has);

/* How long a writer waits for another before TW_DB_BUSY; 10000 ms unless set. */
void tw_db_set_busy_timeout(tw_db *db, int milliseconds);

/* Groups writes into one transaction that holds the write lock from begin to commit or rollback, so
 * keep it short; a commit that fails has undone it all. Without these, every write below is its own
 * transaction. They do not nest. When a write inside fails for FULL, IO or NO_MEMORY, SQLite may
 * have undone the whole transaction; every later write and the commit then say TW_DB_MISUSE until
 * tw_db_rollback. */
enum tw_db_status tw_db_begin(tw_db *db);
enum tw_db_status tw_db_commit(tw_db *db);
/* Fine, and without effect, when no transaction is open. */
void tw_db_rollback(tw_db *db);

/* Visitors return true to go on and false to stop early; either way the call returns TW_DB_OK, also
 * when there was nothing to visit. A visitor sees one consistent snapshot; it may read through the
 * same handle, and must not write through it (TW_DB_MISUSE) or close it. */

/* ---- Devices, problems, implementations ------------------------------------------------------ */

struct tw_db_device {
    int64_t id;              /* set on rows read; ignored by put */
    const char *fingerprint; /* identifies the device model; unique */
    const char *backend;     /* "cuda", "opencl" */
    const char *name;
    const char *vendor;       /* may be NULL */
    const char *architecture; /* "sm_90"; may be NULL */
    int64_t compute_units;
    int64_t memory_bytes;
    const char *properties; /* JSON of whatever else is known; may be NULL */
};

struct tw_db_dimension {
    const char *name;
    int64_t value; /* > 0 */
};

struct tw_db_attribute {
    const char *name;
    const char *value;
};

struct tw_db_problem {
    int64_t id; /* set on rows read; ignored by put */
    const char *kernel;
    const char *key;  /* without attributes at their defaults, "M=4096,N=4096,K=1024;trans=tn";
                         unique per kernel */
    const char *text; /* for people, with all attributes; NULL: the key was stored by schema 3 or
                         before, and may have attributes at their defaults */
    const struct tw_db_dimension *dimensions; /* in the kernel's order */
    size_t dimension_count;
    const struct tw_db_attribute *attributes; /* all; read back in order of name */
    size_t attribute_count;
};

struct tw_db_implementation {
    int64_t id; /* set on rows read; ignored by put */
    const char *kernel;
    const char *name;
    const char *template_hash; /* of its code; unique with kernel and name */
    const char *description;   /* JSON text */
};

/* Make sure that the row exists and tell its id. An existing device or implementation takes on the
 * other values given; an existing problem is what its key says and is left as it is. */
enum tw_db_status tw_db_device_put(tw_db *db, const struct tw_db_device *device, int64_t *id);
enum tw_db_status tw_db_problem_put(tw_db *db, const struct tw_db_problem *problem, int64_t *id);
enum tw_db_status
tw_db_implementation_put(tw_db *db, const struct tw_db_implementation *implementation, int64_t *id);

/* Gives a problem without a text the key and the text of today. Where another one has that key
 * already, the two become one: of trials and best rows about the same, those of the other stay. */
enum tw_db_status tw_db_problem_rename(tw_db *db, const struct tw_db_problem *problem);

/* Look an id up; TW_DB_NOT_FOUND when there is none. */
enum tw_db_status tw_db_device_find(tw_db *db, const char *fingerprint, int64_t *id);
enum tw_db_status tw_db_problem_find(tw_db *db, const char *kernel, const char *key, int64_t *id);
enum tw_db_status tw_db_implementation_find(tw_db *db, const char *kernel, const char *name,
                                            const char *template_hash, int64_t *id);

typedef bool (*tw_db_device_visitor)(void *context, const struct tw_db_device *device);
typedef bool (*tw_db_problem_visitor)(void *context, const struct tw_db_problem *problem);
typedef bool (*tw_db_implementation_visitor)(void *context,
                                             const struct tw_db_implementation *implementation);

/* In order of backend and name; of kernel and key; of kernel, name and age (newest first).
 * `kernel` NULL: all. */
enum tw_db_status tw_db_device_each(tw_db *db, tw_db_device_visitor visit, void *context);
enum tw_db_status tw_db_problem_each(tw_db *db, const char *kernel, tw_db_problem_visitor visit,
                                     void *context);
/* Only those without a text. */
enum tw_db_status tw_db_problem_each_old(tw_db *db, const char *kernel, tw_db_problem_visitor visit,
                                         void *context);
enum tw_db_status tw_db_implementation_each(tw_db *db, const char *kernel,
                                            tw_db_implementation_visitor visit, void *context);

/* ---- Runs ---------------------------------------------------------------------------------- */

#define TW_DB_RUN_STATES(X) X(RUNNING, "running") X(DONE, "done") X(INTERRUPTED, "interrupted")

enum tw_db_run_state {
#define X(name, text) TW_DB_RUN_##name,
    TW_DB_RUN_STATES(X)
#undef X
};

/* The word stored: "running", "done", "interrupted". */
const char *tw_db_run_state_text(enum tw_db_run_state state);

struct tw_db_run {
    int64_t problem;
    int64_t device;
    const char *strategy; /* how it was searched, in words, with what was pinned */
    uint64_t seed;
    const char *budget_kind; /* the tuner's word for what is limited: "trials", "seconds", ... */
    double budget_value;
    const char *cache_policy; /* "cold" or "warm" */
    /* Provenance; each may be NULL. */
    const char *tilewise_version;
    const char *driver;
    const char *compiler;
    const char *conditions; /* JSON: clocks, power, temperature as seen */
    const char *protocol;   /* version of the measuring protocol */
};

/* Starts a run in the state `running`, owned by this process. */
enum tw_db_status tw_db_run_begin(tw_db *db, const struct tw_db_run *run, int64_t *id);

struct tw_db_resumed {
    int64_t id;
    double elapsed_s; /* already spent, as last told by tw_db_run_update */
    int64_t trials;   /* recorded under it so far */
};

/* Takes over the newest unfinished run with the same problem, device, strategy, seed, budget and
 * cache policy (provenance does not count and keeps what it was): one that was interrupted, or one
 * left `running` by a process that has died. A run whose owner lives is never taken. An owner on
 * another machine counts as alive until 15 minutes after its last update. TW_DB_NOT_FOUND: begin a
 * new one. */
enum tw_db_status tw_db_run_resume(tw_db *db, const struct tw_db_run *run,
                                   struct tw_db_resumed *resumed);

/* Tells the total time spent and, unless NULL, the conditions seen. Also the sign of life that
 * other machines go by, so call it every few minutes at least. */
enum tw_db_status tw_db_run_update(tw_db *db, int64_t run, double elapsed_s,
                                   const char *conditions);

/* Ends a run as TW_DB_RUN_DONE or TW_DB_RUN_INTERRUPTED. */
enum tw_db_status tw_db_run_finish(tw_db *db, int64_t run, enum tw_db_run_state state,
                                   double elapsed_s);

struct tw_db_run_row {
    int64_t id;
    const char *uid; /* the same in every database that the run's results were merged into */
    bool merged;     /* it came by tw_db_merge: it ran elsewhere and has no trials here */
    const char *kernel;
    const char *problem_key;
    const char *problem_text; /* for people; never NULL */
    const char *device_fingerprint;
    const char *device_name;
    enum tw_db_run_state state; /* as stored: `running` may be the last word of a dead process */
    bool owner_alive;           /* state is `running` and, as far as can be told, it is */
    int64_t started_at;
    bool has_finished_at; /* false while `running` */
    int64_t finished_at;
    double elapsed_s;
    const char *host; /* where it last ran */
    int64_t trials;   /* recorded under it */
    struct tw_db_run run;
};

/* Zeroed: every run. */
struct tw_db_run_filter {
    int64_t run;
    const char *kernel;
    const char *problem_key;
    const char *device_fingerprint;
    bool made_here; /* leave merged ones out */
    bool running;   /* only those whose state is `running` */
    int64_t limit;  /* at most so many; 0: all */
};

typedef bool (*tw_db_run_visitor)(void *context, const struct tw_db_run_row *row);

/* Newest first, so that limit = 1 is the latest. `filter` may be NULL. */
enum tw_db_status tw_db_run_each(tw_db *db, const struct tw_db_run_filter *filter,
                                 tw_db_run_visitor visit, void *context);

/* ---- Trials -------------------------------------------------------------------------------- */

#define TW_DB_TRIAL_STATUSES(X)                                                                    \
    X(OK, "ok")                                                                                    \
    X(COMPILE_ERROR, "compile_error")                                                              \
    X(COMPILE_TIMEOUT, "compile_timeout")                                                          \
    X(LAUNCH_ERROR, "launch_error")                                                                \
    X(RESOURCE, "resource")                                                                        \
    X(WRONG, "wrong")                                                                              \
    X(TIMEOUT, "timeout")                                                                          \
    X(CRASH, "crash")

enum tw_db_trial_status {
#define X(name, text) TW_DB_TRIAL_##name,
    TW_DB_TRIAL_STATUSES(X)
#undef X
        TW_DB_TRIAL_STATUS_COUNT
};

/* A set of statuses, a bit each. */
#define TW_DB_TRIAL_BIT(status) (1u << (status))
#define TW_DB_TRIAL_FAILURES                                                                       \
    (TW_DB_TRIAL_BIT(TW_DB_TRIAL_STATUS_COUNT) - 1 - TW_DB_TRIAL_BIT(TW_DB_TRIAL_OK))

/* The word stored: "ok", "compile_error", ... */
const char *tw_db_trial_status_text(enum tw_db_trial_status status);

struct tw_db_trial {
    int64_t run;
    int64_t problem;
    int64_t device;
    int64_t implementation;
    const char *cache_policy;
    const char *configuration; /* canonical JSON text */
    /* Hashes of what was compiled and launched, and of what judged the answers; NULL: not known. */
    const char *source, *judge;
    enum tw_db_trial_status status;
    const char *message; /* why it failed; may be NULL */

    bool has_time;     /* exactly when status is ok */
    double time_us;    /* median, > 0 */
    int64_t repeats;   /* > 0 */
    bool has_interval; /* only with has_time; too few repeats give none */
    double ci_low_us;  /* <= time_us */
    double ci_high_us; /* >= time_us */
    bool screened_out; /* dropped early as clearly slower: time_us is rough; only when ok */

    bool has_error; /* NaN is stored as infinity: wrong beyond measure */
    double max_rel_error;
    double rms_rel_error;
    bool has_hard; /* on hard inputs; the same of NaN */
    double hard_max_error;
    double hard_rms_error;

    bool has_compile_ms; /* false when the binary was cached */
    double compile_ms;
    bool has_registers;
    int64_t registers;
    bool has_spill_bytes;
    int64_t spill_bytes;
    bool has_shared_bytes;
    int64_t shared_bytes;

    int64_t created_at; /* put: 0 means now */
};

/* Records a trial. A trial is unique by problem, device, implementation, cache policy and
 * configuration: when there is one already, the first stays, *inserted is false and the call is
 * TW_DB_OK. `inserted` may be NULL. */
enum tw_db_status tw_db_trial_put(tw_db *db, const struct tw_db_trial *trial, bool *inserted);

/* Gives a trial that was ok another status and the message, and takes its times; by the keys that
 * make it unique. For what is found out later. */
enum tw_db_status tw_db_trial_condemn(tw_db *db, const struct tw_db_trial *trial);

/* Gives a trial that was ok another time and interval, by the same keys, of which it is then known
 * in full; its repeats stay what the trial had. */
enum tw_db_status tw_db_trial_retime(tw_db *db, const struct tw_db_trial *trial);

struct tw_db_trial_row {
    int64_t id;
    const char *kernel;
    const char *problem_key;
    const char *implementation_name;
    const char *template_hash;
    struct tw_db_trial trial;
};

/* Says what a trial belongs to, now that it is known, and under which implementation it goes from
 * now on. Where that has one of the same configuration already, nothing changes. */
enum tw_db_status tw_db_trial_identify(tw_db *db, int64_t id, int64_t implementation,
                                       const char *source, const char *judge);

/* Zeroed: every trial. */
struct tw_db_trial_filter {
    int64_t after; /* only those with a greater id: recorded later */
    int64_t run;
    int64_t problem;
    int64_t device;
    const int64_t *implementations; /* any of these; NULL: all */
    size_t implementation_count;
    const char *cache_policy;
    const char *kernel;
    const char *problem_key;
    const char *device_fingerprint;
    unsigned statuses; /* any of these; 0: all */
};

typedef bool (*tw_db_trial_visitor)(void *context, const struct tw_db_trial_row *row);

/* In the order recorded. `filter` may be NULL. */
enum tw_db_status tw_db_trial_each(tw_db *db, const struct tw_db_trial_filter *filter,
                                   tw_db_trial_visitor visit, void *context);

/* ---- Best ---------------------------------------------------------------------------------- */

struct tw_db_best {
    int64_t problem;
    int64_t device;
    int64_t implementation;
    const char *cache_policy;
    const char *configuration;
    const char *source, *judge; /* as a trial's */
    double time_us;             /* median, > 0 */
    double ci_low_us;
    double ci_high_us;
    int64_t repeats;
    const char *rate_unit; /* "TFLOP/s"; NULL when the kernel states no work: then no rate either */
    double rate;
    bool has_error;
    double max_rel_error;
    double rms_rel_error;
    bool has_hard; /* on hard inputs */
    double hard_max_error;
    double hard_rms_error;
    const char *tie_set;   /* JSON; NULL: provisional, for no playoff has been held yet */
    const char *baselines; /* JSON, times of the presets; may be NULL */
    int64_t run;           /* that found it; 0: none on record */
    int64_t measured_at;   /* put: 0 means now */
};

/* Stores the winner for its problem, device, cache policy and implementation, in place of the last.
 */
enum tw_db_status tw_db_best_put(tw_db *db, const struct tw_db_best *best);

/* Stores what a search has found so far, a row without a tie set, in place of the provisional rows
 * for its problem, device and cache policy. Of the implementations listed it must be the best: when
 * one of them has the winner of a playoff, or a provisional row that is as fast, nothing is
 * changed.
 */
enum tw_db_status tw_db_best_put_provisional(tw_db *db, const struct tw_db_best *best,
                                             const int64_t *implementations, size_t count);
/* Removes the provisional rows for a problem, device and cache policy. */
enum tw_db_status tw_db_best_remove_provisional(tw_db *db, int64_t problem, int64_t device,
                                                const char *cache_policy);

/* As tw_db_trial_identify, of the row with this problem, device, implementation and cache policy.
 * Where `implementation` has a row about the same already, that one stays and this one goes. */
enum tw_db_status tw_db_best_identify(tw_db *db, const struct tw_db_best *best,
                                      int64_t implementation, const char *source,
                                      const char *judge);

/* What is known of a run wherever its best row is taken: what was settled when it began, and the
 * conditions it saw. */
struct tw_db_provenance {
    const char *uid; /* NULL: no run is on record, and nothing below means anything */
    const char *strategy;
    uint64_t seed;
    const char *budget_kind;
    double budget_value;
    int64_t started_at;
    const char *tilewise_version; /* this and the next may each be NULL */
    const char *driver;
    const char *compiler;
    const char *conditions;
    const char *protocol;
};

struct tw_db_best_row {
    struct tw_db_problem problem; /* with its dimensions and attributes */
    struct tw_db_device device;
    const char *implementation_name;
    const char *template_hash;
    struct tw_db_best best;
    struct tw_db_provenance provenance; /* of best.run */
};

/* Zeroed: every row. */
struct tw_db_best_filter {
    const char *kernel;
    const char *problem_key;
    const char *device_fingerprint;
    const char *cache_policy;
    const char *implementation_name;
    const char *template_hash;
    int64_t problem, device;
    bool unidentified; /* only those whose source is not known */
};

typedef bool (*tw_db_best_visitor)(void *context, const struct tw_db_best_row *row);

/* Grouped by kernel, problem, device and cache policy, the fastest first in each group. `filter`
 * may be NULL. */
enum tw_db_status tw_db_best_each(tw_db *db, const struct tw_db_best_filter *filter,
                                  tw_db_best_visitor visit, void *context);

/* A best row with no more than an application needs of it. */
struct tw_db_result {
    const char *kernel;
    const char *problem_key;
    int64_t device;         /* ids, as tw_db_device_each */
    int64_t implementation; /* and tw_db_implementation_each tell them */
    const char *cache_policy;
    const char *configuration;
    const char *source, *judge; /* may be NULL */
    double time_us;
    bool provisional;
};

typedef bool (*tw_db_result_visitor)(void *context, const struct tw_db_result *result);

/* Every best row, in no particular order, many times faster than tw_db_best_each. */
enum tw_db_status tw_db_result_each(tw_db *db, tw_db_result_visitor visit, void *context);

/* ---- Binaries -------------------------------------------------------------------------------- */

/* A compiled kernel, so that a machine without a compiler can run it. */
struct tw_db_binary {
    const char *key;     /* the identity of what it was made from; unique */
    const char *backend; /* "cuda" */
    const char *architecture;
    const char *label; /* what it is, in words */
    const char *hash;  /* of the bytes */
    bool has_resources;
    int64_t registers;
    int64_t spill_bytes;
    const void *bytes;
    size_t size;
};

/* Stores a binary in place of the one with the same key. */
enum tw_db_status tw_db_binary_put(tw_db *db, const struct tw_db_binary *binary);

typedef bool (*tw_db_binary_visitor)(void *context, const struct tw_db_binary *binary);

/* In order of key. `backend` NULL: all. */
enum tw_db_status tw_db_binary_each(tw_db *db, const char *backend, tw_db_binary_visitor visit,
                                    void *context);

/* ---- Models -------------------------------------------------------------------------------- */

/* What predicts times, fitted to the trials of a kernel on a device under a cache policy. */
struct tw_db_model {
    const char *kernel;
    const char *device; /* fingerprint */
    const char *cache_policy;
    const char *text;  /* JSON (runtime/predict/model.h) */
    int64_t fitted_at; /* put: 0 means now */
};

/* Stores a model in place of the one about the same. */
enum tw_db_status tw_db_model_put(tw_db *db, const struct tw_db_model *model);
/* The same unless the one about the same is newer or, of the same moment, later in the alphabet, so
 * that merging is a maximum. */
enum tw_db_status tw_db_model_merge(tw_db *db, const struct tw_db_model *model);
typedef bool (*tw_db_model_visitor)(void *context, const struct tw_db_model *model);
/* In order of kernel, device and cache policy. `kernel` NULL: all. */
enum tw_db_status tw_db_model_each(tw_db *db, const char *kernel, tw_db_model_visitor visit,
                                   void *context);

#endif

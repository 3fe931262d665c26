/* What the coordinator and its workers tell each other: every message as a struct, which one side
 * packs and the other unpacks. How it is spelt is nobody else's business.
 *
 * A kernel's times are microseconds; limits, and what else the host waits for, are seconds.
 *
 * The caller frees what is packed. Where memory was lacking, sending it says so. Unpacked text
 * points into the message. */
#ifndef TUNER_WORKERS_PROTOCOL_H
#define TUNER_WORKERS_PROTOCOL_H

#include "db/store.h"
#include "runtime/variant/executable.h"
#include "runtime/variant/variant.h"
#include "tuner/measure/call.h"
#include "tuner/measure/timing.h"
#include "tuner/workers/message.h"

/* ---- The compiling worker: sources in, binaries out ---- */

/* The first message: the device that it compiles for, and nothing else of a run. */
struct message compile_assignment_pack(const struct tw_device_info *device);
tw_status compile_assignment_unpack(const struct message *message, struct tw_device_info *device,
                                    struct tw_error *error);

/* Sources, what they are to be compiled as, and nothing else of the problem. */
struct compile_request {
    uint64_t id;
    const char *origin, *implementation, *configuration; /* to tell of it by */
    const char *disqualified_by[TW_MAX_MESSAGES + 1];    /* ended by NULL */
    int launch_count;
    struct {
        struct tw_compile_request compile;
        struct tw_expected expected;
        int64_t threads;
        bool known;              /* it has been compiled before: */
        struct tw_binary binary; /* to this, which is the caller's to free; instead of the others */
    } launches[TW_MAX_LAUNCHES];
};

/* `sources` has a text a launch, `known` what launches have been compiled to before, with NULL for
 * the others. */
struct message compile_request_pack(uint64_t id, const struct tw_executable *executable,
                                    const struct tw_text *sources,
                                    const struct tw_binary *const known[TW_MAX_LAUNCHES]);
/* Free with compile_request_free in every case. */
tw_status compile_request_unpack(const struct message *message, struct compile_request *request,
                                 struct tw_error *error);
void compile_request_free(struct compile_request *request);

/* What became of it. Free with compiled_free. */
struct compiled {
    uint64_t id;
    enum tw_db_trial_status status; /* ok, compile_error, compile_timeout, resource or crash */
    bool bad_description;           /* it is the description's fault, and the message says which */
    char message[TW_ERROR_SIZE];
    double compile_ms;
    bool has_resources;
    int64_t registers, spill_bytes;
    /* The answer itself, which has the binaries and what the compiler said of each. */
    struct message answer;
};

/* `compiled` but for its answer; `binaries` have code where it is ok, and the compilers' logs. */
struct message compiled_pack(const struct compiled *compiled, const struct tw_binaries *binaries);
/* Takes the message, which is empty afterwards. */
void compiled_unpack(struct message *message, struct compiled *compiled);
/* What the compiler said of a launch; NULL where there is no such launch. */
const char *compiled_log(const struct compiled *compiled, int launch);
/* A copy of a launch's binary, with all that the compiler told of it; of an answer that is ok. */
tw_status compiled_binary(const struct compiled *compiled, int launch, struct tw_binary *binary,
                          struct tw_error *error);
void compiled_free(struct compiled *compiled);

/* ---- The device worker: one device, one problem ---- */

struct device_assignment {
    struct tw_problem problem;
    struct tw_device_info device;
    enum cache_policy cache;
    uint32_t seed;        /* of its data */
    bool measures_errors; /* on hard inputs (measure/promise.h) */
};

/* The first message, and any in which another problem of the same description and attributes takes
 * the place of the one that there was. */
struct message device_assignment_pack(const struct device_assignment *assignment);
bool device_is_assignment(const struct message *message);
/* `description` is made for the problem and is the caller's to free, also after a failure. */
tw_status device_assignment_unpack(const struct message *message,
                                   struct device_assignment *assignment,
                                   struct tw_description **description, struct tw_error *error);

/* What a message of the worker is. */
enum device_says {
    DEVICE_SAYS_READY,
    DEVICE_SAYS_FAILED,  /* it does not start */
    DEVICE_SAYS_LOADING, /* a kernel's first launch begins, */
    DEVICE_SAYS_RUNNING, /* and the device has got it to run: no answer yet */
    DEVICE_SAYS_ANSWER
};
enum device_says device_says(const struct message *message);

struct device_ready {
    double reference_s;     /* what the reference took */
    double copy_us;         /* a copy of the bytes that the problem moves; 0: it moves none */
    const char *conditions; /* of the device, as JSON */
};

struct message device_ready_pack(const struct device_ready *ready);
void device_ready_unpack(const struct message *message, struct device_ready *ready);

struct message device_failed_pack(const char *why);
const char *device_failed_unpack(const struct message *message);

struct message device_progress_pack(enum device_says says);

enum device_asked {
    DEVICE_TRIAL,    /* verify and time a variant */
    DEVICE_VERIFY,   /* verify it and no more */
    DEVICE_FINALIST, /* load it, as the next finalist */
    DEVICE_ROUND,    /* time a finalist once */
    DEVICE_CALL      /* make data for another call; finalists are dropped */
};

struct device_request {
    enum device_asked asked;
    struct tw_configuration configuration; /* of TRIAL, VERIFY and FINALIST */
    const struct message *binaries;        /* likewise: the answer of a struct compiled */
    double best_us;                        /* of TRIAL: the best so far; 0: none yet */
    double enough_s;                       /* of TRIAL: as timer_measure's */
    bool first;                            /* of FINALIST: those that there are go */
    int finalist;                          /* of ROUND */
    struct call call;                      /* of CALL */
};

/* The binaries' bytes are lent: the request must outlive the message, which is freed with
 * device_request_free. */
struct message device_request_pack(const struct device_request *request,
                                   const struct tw_description *description);
void device_request_free(struct message *message);
/* The request's binaries are in the message. */
tw_status device_request_unpack(const struct message *message, struct device_request *request,
                                const struct tw_description *description, struct tw_error *error);
/* Copies of a request's binaries. */
tw_status device_request_binaries(const struct device_request *request,
                                  struct tw_binaries *binaries, struct tw_error *error);

struct device_answer {
    enum tw_db_trial_status status;
    char message[TW_ERROR_SIZE]; /* where it is not ok */
    bool lost;                   /* the worker is of no more use */
    bool has_error;              /* the following are known */
    double max_rel_error, rms_rel_error;
    bool has_hard; /* the following are known */
    double hard_max_error, hard_rms_error;
    bool screened_out;          /* timing was left off, since it is clearly slower than the best */
    double verify_s, measure_s; /* of a trial: what loading and checking took, and timing */
    int time_count;
    double times_us[TIMING_MAX_REPEATS]; /* in the order measured */
};

struct message device_answer_pack(const struct device_answer *answer);
void device_answer_unpack(const struct message *message, struct device_answer *answer);

#endif

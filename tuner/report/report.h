/* What a user sees of a session: progress, the final table, JSON. */
#ifndef TUNER_REPORT_REPORT_H
#define TUNER_REPORT_REPORT_H

#include <pthread.h>

#include <cjson/cJSON.h>

#include "tuner/report/terminal.h"
#include "tuner/session/session.h"

/* Progress on standard error: one line that is rewritten on a terminal, with a bar where there is
 * room for one, a plain line now and then elsewhere. */
struct progress_printer {
    struct terminal terminal;
    double next_at; /* seconds of the run at which the next line is due */
    double interval;
    bool line_open;
    bool told_of_others;          /* runs beside this one */
    struct progress_board *board; /* NULL: no other printer is at work */
    const char *label;            /* on a board: what the lines are about; borrowed */
    struct session_progress last; /* likewise, what was told last */
};

void progress_begin(struct progress_printer *printer);
void progress_print(void *printer, const struct session_progress *progress);
/* Prints "tune: LINE" to standard error, where it disturbs no line of progress. */
void progress_notice(void *printer, const char *line);
/* No progress, from this printer or another of its board, until progress_released: standard output
 * is about to be written to. */
void progress_hold(struct progress_printer *printer);
void progress_released(struct progress_printer *printer);
void progress_end(struct progress_printer *printer);

/* Several printers, each of a thread of its own, that share standard error: on a terminal one line
 * tells of all, elsewhere each line says what it is about. */
enum { PROGRESS_PRINTERS = SESSION_MAX_DEVICES };
struct progress_board {
    pthread_mutex_t lock;
    struct progress_printer line; /* the one that is rewritten */
    double began_at;
    int problems, done;
    int64_t trials, failures; /* of problems that are done */
    int count;
    struct progress_printer *printers[PROGRESS_PRINTERS];
};

void progress_board_begin(struct progress_board *board, int problems);
/* The printer is one of the board's until progress_leave. */
void progress_join(struct progress_printer *printer, struct progress_board *board,
                   const char *label);
/* `done`: its problem is. */
void progress_leave(struct progress_printer *printer, bool done);
void progress_board_end(struct progress_board *board);

/* The final table on standard output. Presets that the problem or the device rules out are counted,
 * and listed with the reason only when verbose. */
void report_table(const struct tw_problem *problem, const struct tw_device_info *device,
                  const struct session_result *result, const char *db_path, bool verbose);
/* The same as a JSON object, the caller's to delete; NULL when out of memory. */
cJSON *report_json(const struct tw_problem *problem, const struct tw_device_info *device,
                   const struct session_result *result, const char *db_path);

/* Of a problem that was not tuned, for the same search was through with it before, and `best` is on
 * record: on standard output, and as JSON. `device_id` NULL: it is of another machine. */
void report_before(const struct tw_problem *problem, const char *device_id,
                   const struct tw_db_best_row *best);
cJSON *report_before_json(const struct tw_problem *problem, const char *device_id,
                          const struct tw_db_best_row *best, const char *db_path);

/* Appends "5 trials (3 timeout, 2 crash)" for counts by status, or "no trials". */
void report_counts(const int64_t counts[TW_DB_TRIAL_STATUS_COUNT], struct tw_text *text);

/* A time with a unit that suits it: "698.1 us", "2.705 ms". */
void report_time(double microseconds, char out[32]);
/* Likewise a rate as results have it, in TFLOP/s or GB/s: "51.65 TFLOP/s", "7.126 GFLOP/s". */
enum { REPORT_RATE_SIZE = 48 };
void report_rate(double rate, const char *unit, char out[REPORT_RATE_SIZE]);

#endif

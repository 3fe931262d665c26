/* What a user sees of a session: progress, the final table, JSON. */
#ifndef TUNER_REPORT_REPORT_H
#define TUNER_REPORT_REPORT_H

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
    bool told_of_others; /* runs beside this one */
};

void progress_begin(struct progress_printer *printer);
void progress_print(void *printer, const struct session_progress *progress);
void progress_end(struct progress_printer *printer);

/* The final table on standard output. Presets that the problem or the device rules out are counted,
 * and listed with the reason only when verbose. */
void report_table(const struct tw_problem *problem, const struct tw_device_info *device,
                  const struct session_result *result, const char *db_path, bool verbose);
/* The same as a JSON object, the caller's to delete; NULL when out of memory. */
cJSON *report_json(const struct tw_problem *problem, const struct tw_device_info *device,
                   const struct session_result *result, const char *db_path);

/* Appends "5 trials (3 timeout, 2 crash)" for counts by status, or "no trials". */
void report_counts(const int64_t counts[TW_DB_TRIAL_STATUS_COUNT], struct tw_text *text);

/* A time with a unit that suits it: "698.1 us", "2.705 ms". */
void report_time(double microseconds, char out[32]);

#endif

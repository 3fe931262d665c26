/* Tuning what no database has a result for, by the program `tune`: it has processes of its own for
 * compilers and devices, so that nothing it tries can harm the application. */
#ifndef TW_LIBRARY_TUNING_H
#define TW_LIBRARY_TUNING_H

#include "runtime/tilewise.h"

struct tw_tuning;

/* What is borrowed from `options` is copied. */
tw_status tw_tuning_create(struct tw_tuning **out, tw_library *library, const tw_options *options,
                           tw_error *error);
/* Stops what is under way, and waits for that. */
void tw_tuning_free(struct tw_tuning *tuning);

/* Tunes a problem, stores the result in the library's first database and reads the databases again.
 * One at a time; others wait. */
tw_status tw_tuning_run(struct tw_tuning *tuning, const tw_request *request, tw_error *error);
/* The same behind the caller's back; the plan of the request is replaced when it is done. A problem
 * for which that fails is not tried again. */
tw_status tw_tuning_queue(struct tw_tuning *tuning, const tw_request *request, tw_error *error);

#endif

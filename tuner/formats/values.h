/* Values that results of either format have. Failures go to the JSON's context. */
#ifndef TUNER_FORMATS_VALUES_H
#define TUNER_FORMATS_VALUES_H

#include "runtime/description/json.h"

/* A time in a file, > 0, as microseconds. */
double results_file_time(const struct tw_json *json, double unit_ms);
/* A moment such as "2023-12-21 10:44:42.236642+00:00" as Unix seconds; 0 when it is absent. */
int64_t results_file_moment(const struct tw_json *json);
/* How many times the list has, which are all numbers; 1 when it is absent or empty. */
int64_t results_file_repeats(const struct tw_json *json);

#endif

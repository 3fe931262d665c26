/* What Tilewise knows of a trial and the formats of other tools have no place for. It goes into a
 * file under names that begin with "tilewise_", which those tools take for measurements, and comes
 * back from there. */
#ifndef TUNER_FORMATS_EXTRAS_H
#define TUNER_FORMATS_EXTRAS_H

#include "db/store.h"
#include "runtime/description/json.h"

struct extra {
    const char *name;
    const char *unit;
    double value; /* finite; times are milliseconds */
};

enum { EXTRAS_MOST = 16 };

/* Fills `extras` and returns how many there are. The status and message are not among them. */
int extras_of(const struct tw_db_trial *trial, struct extra extras[EXTRAS_MOST]);

/* Takes a member of a file: a number, or the status or message. Names that are not Tilewise's are
 * none of its business. Texts point into the JSON. */
void extras_take(struct tw_db_trial *trial, const char *name, const struct tw_json *value);
/* When all were taken: fails at `json` unless they agree with each other and with the time. */
void extras_check(const struct tw_db_trial *trial, const struct tw_json *json);

/* Every trial that Tilewise writes has this. */
#define EXTRAS_STATUS "tilewise_status"

/* Microseconds from milliseconds, so that they become the same milliseconds again. */
double extras_microseconds(double milliseconds);

#endif

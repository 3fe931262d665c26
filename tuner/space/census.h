/* What keeps configurations of an implementation out of a space, and how many. */
#ifndef TUNER_SPACE_CENSUS_H
#define TUNER_SPACE_CENSUS_H

#include "runtime/base/text.h"
#include "runtime/description/description.h"

enum census_kind {
    CENSUS_CONSTRAINT, /* does not hold */
    CENSUS_REDUNDANT,  /* holds */
    CENSUS_LIMIT,      /* of the device, exceeded by a launch */
    CENSUS_SIZE        /* of a launch, below what it must be or not to be evaluated */
};

/* Each rule of an implementation and each size of a launch at most. */
enum { CENSUS_MOST = 3 * TW_MAX_RULES + 32 };

struct census_entry {
    enum census_kind kind;
    const char *text; /* the expression, or which limit or size; borrowed */
    double count;     /* of configurations; exact up to 2^53 */
};

/* Zeroed: nothing was ruled out. */
struct census {
    int count;
    struct census_entry entries[CENSUS_MOST];
};

/* `text` is borrowed, and one of a rule or limit is always the same pointer. */
void census_add(struct census *census, enum census_kind kind, const char *text, double count);
/* Appends one line without an end: what ruled out the most comes first. */
void census_text(const struct census *census, struct tw_text *text);

#endif

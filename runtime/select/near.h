/* Internal to the room: the rows of the problems nearest to one. */
#ifndef TW_SELECT_NEAR_H
#define TW_SELECT_NEAR_H

#include "runtime/select/search.h"

enum { TW_MOST_NEAR = 64 };

struct tw_near {
    const struct tw_catalogue_row *row;
    double distance;
};

struct tw_nearest {
    size_t count, room;
    struct tw_near rows[TW_MOST_NEAR]; /* the nearest first */
};

/* Which of two rows is preferred, where nothing else tells: below 0 for the first. */
int tw_search_compare_rows(const struct tw_catalogue_row *a, const struct tw_catalogue_row *b);

/* Finds those that count for the search, of this device and of others of its architecture, as many
 * as there is `room` for. */
void tw_search_near(struct tw_search *search, struct tw_nearest *here,
                    struct tw_nearest *elsewhere);

#endif

/* Internal to the room: the rows of a catalogue by their words, in a form in which the nearest of
 * 100,000 are found in microseconds. */
#ifndef TW_SELECT_ALIKE_H
#define TW_SELECT_ALIKE_H

#include "runtime/select/row.h"

/* Rows that agree in kernel, attributes, device and cache policy, whatever their sizes. */
struct tw_alike {
    size_t first; /* one of them: its words are all of theirs */
    size_t next;  /* index + 1 of another kind of the same bucket; 0: the last */
    size_t count, room;
    size_t sorted; /* the first so many are in an order in which boxes are small */
    double *logs;  /* log2 of the sizes, as many of each row as it has dimensions */
    size_t *rows;  /* their indices */
    /* Of each TW_BOX_ROWS rows the least logs, then the greatest: whole boxes are far away. */
    double *boxes;
};

enum { TW_BOX_ROWS = 64 };

enum { TW_ALIKE_BUCKETS = 1024 };

/* Zero-initialise; free with tw_kinds_free. */
struct tw_kinds {
    size_t count, room;
    struct tw_alike *all;
    size_t last; /* where the last row went */
    size_t buckets[TW_ALIKE_BUCKETS];
};

/* Notes a row of the catalogue, rows[index]. False: out of memory. */
bool tw_kinds_add(struct tw_kinds *kinds, const struct tw_catalogue_row *rows, size_t index);
/* Puts the rows of large kinds in an order in which those of a box are near each other: as they
 * come, a box may be as wide as all. Without the memory for it they stay as they are. */
void tw_kinds_sort(struct tw_kinds *kinds, const struct tw_catalogue_row *rows);
void tw_kinds_free(struct tw_kinds *kinds);

#endif

/* What it costs to be exact: results of one product under several promises of errors (gemm's
 * `compute`), beside each other, and which of them no other is better than in everything. */
#ifndef TUNER_REPORT_FRONT_H
#define TUNER_REPORT_FRONT_H

#include <stdbool.h>

#include <cjson/cJSON.h>

enum { FRONT_WORD_SIZE = 32, FRONT_MOST = 16 };

struct front_entry {
    char word[FRONT_WORD_SIZE]; /* of `compute`, "f32" for the default */
    double time_us;
    bool has_error;
    double max, rms; /* on uniform inputs, relative to the answer's root mean square */
    bool has_hard;
    double hard_max, hard_rms; /* on hard inputs, relative to the sizes summed */
    bool on_front;             /* none is as good in everything and better in something */
};

struct front {
    int count;
    struct front_entry entries[FRONT_MOST];
};

/* A new entry for the attribute's word `compute`, zeroed but for that; NULL beyond FRONT_MOST. */
struct front_entry *front_add(struct front *front, const char *compute);
/* Sorts the entries, the fastest first, and marks those on the front. Errors on hard inputs count
 * between two that have both. */
void front_find(struct front *front);

/* A table on standard output, under a line with `title`. */
void front_table(const struct front *front, const char *title);
/* The same as a JSON array, the caller's to delete. */
cJSON *front_json(const struct front *front);

#endif

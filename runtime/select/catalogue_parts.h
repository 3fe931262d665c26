/* Internal to the room: what a catalogue consists of, for those that fill it. */
#ifndef TW_SELECT_CATALOGUE_PARTS_H
#define TW_SELECT_CATALOGUE_PARTS_H

#include <stdatomic.h>

#include "runtime/base/words.h"
#include "runtime/select/alike.h"
#include "runtime/select/row.h"

struct tw_models;

/* Where the rows of a problem's sizes begin. It has the hash itself, so that looking for another
 * problem touches no row: with many, each is a miss of the processor's cache. */
struct tw_bucket {
    uint32_t hash; /* the low half of the row's */
    uint32_t row;  /* index + 1; 0: empty */
};

/* So many texts of those that came last are remembered, and logarithms of so small sizes. */
enum { TW_CATALOGUE_RECENT = 1024, TW_CATALOGUE_SMALL = 1024 };

struct tw_catalogue {
    atomic_int holders; /* but for the one that created it */
    struct tw_text_block *blocks;
    const char *recent[TW_CATALOGUE_RECENT]; /* by their hashes */
    double logs[TW_CATALOGUE_SMALL];         /* 0: not known yet */
    struct tw_words *words;                  /* that many rows share */
    size_t count, capacity;
    struct tw_catalogue_row *rows;
    size_t bucket_count; /* a power of two */
    struct tw_bucket *buckets;
    size_t problem_count;
    struct tw_kinds kinds;
    struct tw_models *models;
    int databases;
    bool no_memory;
};

/* Memory, for numbers, and text that live as long as the catalogue; NULL when there is none, which
 * is noted. */
void *tw_catalogue_allocate(struct tw_catalogue *catalogue, size_t bytes);
const char *tw_catalogue_copy_text(struct tw_catalogue *catalogue, const char *text);
/* The same for texts that many rows have alike, but not all: one that came lately is not copied
 * again. What was never touched costs no page, which takes longer than to copy it. */
const char *tw_catalogue_copy_once(struct tw_catalogue *catalogue, const char *text);
/* The catalogue's own of equal texts; NULL stands for "". */
const char *tw_catalogue_share_text(struct tw_catalogue *catalogue, const char *text);

/* Fills in the sizes and the hash of a row that has all but these and `next`, and has its bucket
 * come to the cache: among many it is in none, and waiting for it takes longer than all the rest of
 * putting a row. False: its problem's key is none of ours, and it is to be left out. */
bool tw_catalogue_prepare(struct tw_catalogue *catalogue, struct tw_catalogue_row *row);
/* Takes in a row that was prepared, best a few rows before. */
void tw_catalogue_put(struct tw_catalogue *catalogue, const struct tw_catalogue_row *row);

#endif

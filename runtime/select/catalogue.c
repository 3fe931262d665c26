#include "runtime/select/catalogue.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/hash.h"
#include "runtime/select/catalogue_parts.h"
#include "runtime/select/models.h"

enum { BLOCK_BYTES = 1 << 20 };

/* Text lives in blocks that are freed together. */
struct tw_text_block {
    struct tw_text_block *next;
    size_t used, size;
    char bytes[];
};

/* ---- Text ---- */

static void *allocate(struct tw_catalogue *c, size_t bytes) {
    if (c->blocks == NULL || c->blocks->size - c->blocks->used < bytes) {
        size_t size = bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES;
        struct tw_text_block *block = malloc(sizeof *block + size);
        if (block == NULL) {
            c->no_memory = true;
            return NULL;
        }
        *block = (struct tw_text_block){.next = c->blocks, .size = size};
        c->blocks = block;
    }
    void *memory = c->blocks->bytes + c->blocks->used;
    c->blocks->used += bytes;
    return memory;
}

void *tw_catalogue_allocate(struct tw_catalogue *c, size_t bytes) {
    enum { ALIGNMENT = sizeof(int64_t) };
    char *memory = allocate(c, bytes + ALIGNMENT - 1);
    return memory != NULL ? memory + (ALIGNMENT - (uintptr_t)memory % ALIGNMENT) % ALIGNMENT : NULL;
}

const char *tw_catalogue_copy_text(struct tw_catalogue *c, const char *text) {
    size_t size = strlen(text) + 1;
    char *copy = allocate(c, size);
    return copy != NULL ? memcpy(copy, text, size) : NULL;
}

const char *tw_catalogue_copy_once(struct tw_catalogue *c, const char *text) {
    const char **recent = &c->recent[tw_hash64(text, strlen(text)) % TW_CATALOGUE_RECENT];
    if (*recent == NULL || strcmp(*recent, text) != 0)
        *recent = tw_catalogue_copy_text(c, text);
    return *recent;
}

const char *tw_catalogue_word(const struct tw_catalogue *c, const char *text) {
    return tw_words_find(c->words, text);
}

const char *tw_catalogue_share_text(struct tw_catalogue *c, const char *text) {
    const char *shared = tw_words_share(c->words, text != NULL ? text : "");
    c->no_memory = c->no_memory || shared == NULL;
    return shared;
}

/* ---- Rows ---- */

static size_t sizes_length(const char *problem) {
    return strcspn(problem, ";");
}

/* Of a problem of a kernel, which is the catalogue's own text. */
static uint64_t hash_sizes(const char *kernel, const char *problem, size_t length) {
    return tw_hash64(&kernel, sizeof kernel) * 31 + tw_hash64(problem, length);
}

static bool same_sizes(const struct tw_catalogue_row *row, uint64_t hash, const char *kernel,
                       const char *problem) {
    size_t length;
    if (row->hash != hash || row->kernel != kernel)
        return false;
    length = sizes_length(problem);
    return strncmp(row->problem, problem, length) == 0 &&
           (row->problem[length] == '\0' || row->problem[length] == ';');
}

/* Where the first row of a problem's sizes is noted, or would be. */
static struct tw_bucket *find_bucket(const struct tw_catalogue *c, uint64_t hash,
                                     const char *kernel, const char *problem) {
    size_t at = (uint32_t)hash & (c->bucket_count - 1);
    while (c->buckets[at].row != 0 &&
           (c->buckets[at].hash != (uint32_t)hash ||
            !same_sizes(&c->rows[c->buckets[at].row - 1], hash, kernel, problem)))
        at = (at + 1) & (c->bucket_count - 1);
    return &c->buckets[at];
}

static bool make_room(struct tw_catalogue *c) {
    if (c->count == UINT32_MAX) /* which buckets count to */
        return false;
    if (c->count == c->capacity) {
        size_t capacity = c->capacity == 0 ? 256 : 2 * c->capacity;
        struct tw_catalogue_row *rows = realloc(c->rows, capacity * sizeof *rows);
        if (rows == NULL)
            return false;
        c->rows = rows;
        c->capacity = capacity;
    }
    if (2 * (c->problem_count + 1) <= c->bucket_count)
        return true;
    struct tw_bucket *old = c->buckets;
    size_t old_count = c->bucket_count;
    size_t bucket_count = old_count == 0 ? 64 : 2 * old_count;
    struct tw_bucket *buckets = calloc(bucket_count, sizeof *buckets);
    if (buckets == NULL)
        return false;
    c->buckets = buckets;
    c->bucket_count = bucket_count;
    for (size_t i = 0; i < old_count; i++) {
        if (old[i].row == 0)
            continue;
        /* No two are of the same sizes. */
        size_t at = old[i].hash & (bucket_count - 1);
        while (buckets[at].row != 0)
            at = (at + 1) & (bucket_count - 1);
        buckets[at] = old[i];
    }
    free(old);
    return true;
}

/* Digits, as the tuner writes sizes; what a size cannot be reads as 0, with *end at `text`. Not
 * strtoll, which takes a tenth of what reading a row does. */
static int64_t read_size(const char *text, const char **end) {
    int64_t size = 0;
    const char *at = text;
    for (; *at >= '0' && *at <= '9'; at++)
        if (__builtin_mul_overflow(size, (int64_t)10, &size) ||
            __builtin_add_overflow(size, (int64_t)(*at - '0'), &size)) {
            *end = text;
            return 0;
        }
    *end = at;
    return size;
}

/* Rows are about sizes of which most are small, and the same ones again and again. */
static double log_of(struct tw_catalogue *c, int64_t size) {
    if (size >= TW_CATALOGUE_SMALL)
        return log2((double)size);
    if (c->logs[size] == 0)
        c->logs[size] = log2((double)size);
    return c->logs[size];
}

/* Reads the sizes of a key such as "M=64,N=32;dtype=f32", and how long they are as a text; false
 * when it is none. */
static bool read_key(struct tw_catalogue *c, struct tw_catalogue_row *row,
                     double logs[TW_MAX_DIMENSIONS], size_t *length) {
    const char *at = row->problem;
    while (row->dimension_count < TW_MAX_DIMENSIONS) {
        const char *equals = at, *end;
        while (*equals != '\0' && *equals != '=' && *equals != ',' && *equals != ';')
            equals++;
        if (*equals != '=' || equals == at)
            return false;
        int64_t size = read_size(equals + 1, &end);
        if (size < 1)
            return false;
        logs[row->dimension_count++] = log_of(c, size);
        *length = (size_t)(end - row->problem);
        if (*end == '\0' || *end == ';')
            return true;
        if (*end != ',')
            return false;
        at = end + 1;
    }
    return false;
}

static bool same_subject(const struct tw_catalogue_row *a, const struct tw_catalogue_row *b) {
    return a->attributes == b->attributes && a->device == b->device && a->cache == b->cache &&
           a->implementation == b->implementation && a->template_hash == b->template_hash;
}

/* Puts a row in the place of the one that it overrides, or not at all; else at the head of its
 * problem's rows. */
static void put_row(struct tw_catalogue *c, const struct tw_catalogue_row *row) {
    struct tw_bucket *bucket = find_bucket(c, row->hash, row->kernel, row->problem);
    for (size_t i = bucket->row; i != 0; i = c->rows[i - 1].next) {
        if (same_subject(&c->rows[i - 1], row)) {
            size_t next = c->rows[i - 1].next;
            if (row->provisional && !c->rows[i - 1].provisional)
                return;
            c->rows[i - 1] = *row;
            c->rows[i - 1].next = next;
            return;
        }
    }
    c->rows[c->count] = *row;
    c->rows[c->count].next = bucket->row;
    c->problem_count += bucket->row == 0;
    *bucket = (struct tw_bucket){.hash = (uint32_t)row->hash, .row = (uint32_t)++c->count};
    c->no_memory = !tw_kinds_add(&c->kinds, c->rows, c->count - 1);
}

bool tw_catalogue_prepare(struct tw_catalogue *c, struct tw_catalogue_row *row) {
    double logs[TW_MAX_DIMENSIONS];
    size_t length = 0;
    if (!read_key(c, row, logs, &length))
        return false;
    const size_t bytes = (size_t)row->dimension_count * sizeof *logs;
    double *kept = tw_catalogue_allocate(c, bytes);
    if (kept == NULL)
        return false;
    row->log_dimensions = memcpy(kept, logs, bytes);
    row->hash = hash_sizes(row->kernel, row->problem, length);
    __builtin_prefetch(&c->buckets[(uint32_t)row->hash & (c->bucket_count - 1)]);
    return true;
}

void tw_catalogue_put(struct tw_catalogue *c, const struct tw_catalogue_row *row) {
    c->no_memory = c->no_memory || !make_room(c);
    if (!c->no_memory)
        put_row(c, row);
}

/* ---- The catalogue ---- */

tw_status tw_catalogue_create(struct tw_catalogue **out, struct tw_error *error) {
    *out = calloc(1, sizeof **out);
    if (*out != NULL && ((*out)->words = tw_words_create()) != NULL &&
        ((*out)->models = tw_models_create()) != NULL && make_room(*out))
        return TW_OK;
    tw_catalogue_free(*out);
    *out = NULL;
    return tw_fail(error, TW_NO_MEMORY, "out of memory");
}

struct tw_catalogue *tw_catalogue_share(struct tw_catalogue *c) {
    atomic_fetch_add(&c->holders, 1);
    return c;
}

void tw_catalogue_free(struct tw_catalogue *c) {
    if (c == NULL || atomic_fetch_sub(&c->holders, 1) > 0)
        return;
    while (c->blocks != NULL) {
        struct tw_text_block *next = c->blocks->next;
        free(c->blocks);
        c->blocks = next;
    }
    tw_kinds_free(&c->kinds);
    tw_models_free(c->models);
    tw_words_free(c->words);
    free(c->rows);
    free(c->buckets);
    free(c);
}

const struct tw_catalogue_row *tw_catalogue_exact(const struct tw_catalogue *c, const char *kernel,
                                                  const char *problem) {
    const char *own = tw_catalogue_word(c, kernel);
    uint64_t hash = own != NULL ? hash_sizes(own, problem, sizes_length(problem)) : 0;
    size_t first = own != NULL ? find_bucket(c, hash, own, problem)->row : 0;
    return first != 0 ? &c->rows[first - 1] : NULL;
}

size_t tw_catalogue_size(const struct tw_catalogue *c) {
    return c->count;
}

const struct tw_catalogue_row *tw_catalogue_at(const struct tw_catalogue *c, size_t index) {
    return &c->rows[index];
}

bool tw_catalogue_matches(struct tw_attribute_match *match, const struct tw_catalogue_row *row) {
    /* Equal text is one text, so that a few rows tell of all. */
    size_t count = sizeof match->seen / sizeof *match->seen;
    size_t at = ((uintptr_t)row->attributes >> 3) % count;
    if (match->seen[at].attributes != row->attributes) {
        match->seen[at].attributes = row->attributes;
        match->seen[at].same = match->alike
                                   ? tw_problem_has_alike(match->problem, row->attributes)
                                   : tw_problem_has_attributes(match->problem, row->attributes);
    }
    return match->seen[at].same;
}

/* ---- Models ---- */

size_t tw_catalogue_models(const struct tw_catalogue *c) {
    return tw_models_count(c->models);
}

const struct tw_model_subject *tw_catalogue_model_subject(const struct tw_catalogue *c,
                                                          size_t index) {
    return tw_models_subject(c->models, index);
}

tw_status tw_catalogue_model(const struct tw_catalogue *c, size_t index,
                             const struct tw_catalogue_model **out, struct tw_error *error) {
    return tw_models_get(c->models, index, out, error);
}

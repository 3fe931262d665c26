#include "runtime/select/catalogue.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/base/hash.h"

enum { BLOCK_BYTES = 1 << 20 };

/* Text lives in blocks that are freed together. */
struct block {
    struct block *next;
    size_t used, size;
    char bytes[];
};

struct tw_catalogue {
    struct block *blocks;
    size_t count, capacity;
    const struct tw_catalogue_row **rows; /* sorted by compare_rows */
    size_t bucket_count;                  /* a power of two */
    size_t *buckets; /* index + 1 of the first row of a problem, by the problem's hash; 0: empty */
    int databases;
    bool no_memory;
};

static void *allocate(struct tw_catalogue *c, size_t bytes) {
    bytes = (bytes + 15) / 16 * 16;
    if (c->blocks == NULL || c->blocks->size - c->blocks->used < bytes) {
        size_t size = bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES;
        struct block *block = malloc(sizeof *block + size);
        if (block == NULL) {
            c->no_memory = true;
            return NULL;
        }
        *block = (struct block){.next = c->blocks, .size = size};
        c->blocks = block;
    }
    void *memory = c->blocks->bytes + c->blocks->used;
    c->blocks->used += bytes;
    return memory;
}

static const char *copy_text(struct tw_catalogue *c, const char *text) {
    size_t size = text != NULL ? strlen(text) + 1 : 1;
    char *copy = allocate(c, size);
    if (copy != NULL)
        memcpy(copy, text != NULL ? text : "", size);
    return copy;
}

/* Most rows repeat the words of the row before: device, implementation, hash. */
static const char *share_text(struct tw_catalogue *c, const char *text, const char *previous) {
    if (previous != NULL && text != NULL && strcmp(text, previous) == 0)
        return previous;
    return copy_text(c, text);
}

static bool grow(struct tw_catalogue *c) {
    if (c->count < c->capacity)
        return true;
    size_t capacity = c->capacity == 0 ? 256 : 2 * c->capacity;
    const struct tw_catalogue_row **rows = realloc(c->rows, capacity * sizeof *rows);
    if (rows == NULL) {
        c->no_memory = true;
        return false;
    }
    c->rows = rows;
    c->capacity = capacity;
    return true;
}

static bool add_row(void *context, const struct tw_db_best_row *stored) {
    struct tw_catalogue *c = context;
    if (stored->problem.dimension_count > TW_MAX_DIMENSIONS)
        return true;
    if (!grow(c))
        return false;
    struct tw_catalogue_row *row = allocate(c, sizeof *row);
    if (row == NULL)
        return false;
    static const struct tw_catalogue_row none;
    const struct tw_catalogue_row *last = c->count > 0 ? c->rows[c->count - 1] : &none;
    *row = (struct tw_catalogue_row){
        .kernel = share_text(c, stored->problem.kernel, last->kernel),
        .problem = share_text(c, stored->problem.key, last->problem),
        .device = share_text(c, stored->device.fingerprint, last->device),
        .device_name = share_text(c, stored->device.name, last->device_name),
        .backend = share_text(c, stored->device.backend, last->backend),
        .architecture = share_text(c, stored->device.architecture, last->architecture),
        .cache = share_text(c, stored->best.cache_policy, last->cache),
        .implementation = share_text(c, stored->implementation_name, last->implementation),
        .template_hash = share_text(c, stored->template_hash, last->template_hash),
        .configuration = copy_text(c, stored->best.configuration),
        .time_us = stored->best.time_us,
        .database = c->databases,
        .dimension_count = (int)stored->problem.dimension_count,
    };
    if (c->no_memory)
        return false;
    const char *semicolon = strchr(row->problem, ';');
    row->attributes = semicolon != NULL ? semicolon : "";
    for (int i = 0; i < row->dimension_count; i++)
        row->dimensions[i] = stored->problem.dimensions[i].value;
    c->rows[c->count++] = row;
    return true;
}

static int compare_identity(const struct tw_catalogue_row *a, const struct tw_catalogue_row *b) {
    int order = strcmp(a->kernel, b->kernel);
    if (order == 0)
        order = strcmp(a->problem, b->problem);
    if (order == 0)
        order = strcmp(a->device, b->device);
    if (order == 0)
        order = strcmp(a->cache, b->cache);
    return order;
}

static int compare_variant(const struct tw_catalogue_row *a, const struct tw_catalogue_row *b) {
    int order = strcmp(a->implementation, b->implementation);
    return order != 0 ? order : strcmp(a->template_hash, b->template_hash);
}

/* For removing what is overridden: the same row of a later database first. */
static int by_override(const void *left, const void *right) {
    const struct tw_catalogue_row *a = *(const struct tw_catalogue_row *const *)left;
    const struct tw_catalogue_row *b = *(const struct tw_catalogue_row *const *)right;
    int order = compare_identity(a, b);
    if (order == 0)
        order = compare_variant(a, b);
    return order != 0 ? order : (a->database < b->database) - (a->database > b->database);
}

static int by_time(const void *left, const void *right) {
    const struct tw_catalogue_row *a = *(const struct tw_catalogue_row *const *)left;
    const struct tw_catalogue_row *b = *(const struct tw_catalogue_row *const *)right;
    int order = compare_identity(a, b);
    if (order == 0)
        order = (a->time_us > b->time_us) - (a->time_us < b->time_us);
    return order != 0 ? order : compare_variant(a, b);
}

static void settle_overrides(struct tw_catalogue *c) {
    size_t kept = 0;
    if (c->count == 0)
        return; /* qsort wants an array even for nothing */
    qsort(c->rows, c->count, sizeof *c->rows, by_override);
    for (size_t i = 0; i < c->count; i++)
        if (kept == 0 || compare_identity(c->rows[kept - 1], c->rows[i]) != 0 ||
            compare_variant(c->rows[kept - 1], c->rows[i]) != 0)
            c->rows[kept++] = c->rows[i];
    c->count = kept;
    qsort(c->rows, c->count, sizeof *c->rows, by_time);
}

static size_t bucket_of(const struct tw_catalogue *c, const char *kernel, const char *problem) {
    uint64_t hash = tw_hash64(kernel, strlen(kernel)) * 31 + tw_hash64(problem, strlen(problem));
    return (size_t)hash & (c->bucket_count - 1);
}

static bool same_problem(const struct tw_catalogue_row *row, const char *kernel,
                         const char *problem) {
    return strcmp(row->kernel, kernel) == 0 && strcmp(row->problem, problem) == 0;
}

static tw_status index_problems(struct tw_catalogue *c, struct tw_error *error) {
    size_t wanted = 16;
    while (wanted < 2 * c->count)
        wanted *= 2;
    free(c->buckets);
    c->buckets = calloc(wanted, sizeof *c->buckets);
    c->bucket_count = wanted;
    if (c->buckets == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory for the database's rows");
    for (size_t i = 0; i < c->count; i++) {
        if (i > 0 && same_problem(c->rows[i - 1], c->rows[i]->kernel, c->rows[i]->problem))
            continue;
        size_t at = bucket_of(c, c->rows[i]->kernel, c->rows[i]->problem);
        while (c->buckets[at] != 0)
            at = (at + 1) & (c->bucket_count - 1);
        c->buckets[at] = i + 1;
    }
    return TW_OK;
}

tw_status tw_catalogue_create(struct tw_catalogue **out, struct tw_error *error) {
    *out = NULL;
    struct tw_catalogue *c = calloc(1, sizeof *c);
    if (c == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    tw_status status = index_problems(c, error);
    if (status != TW_OK) {
        tw_catalogue_free(c);
        return status;
    }
    *out = c;
    return TW_OK;
}

void tw_catalogue_free(struct tw_catalogue *c) {
    if (c == NULL)
        return;
    while (c->blocks != NULL) {
        struct block *next = c->blocks->next;
        free(c->blocks);
        c->blocks = next;
    }
    free(c->rows);
    free(c->buckets);
    free(c);
}

tw_status tw_catalogue_add(struct tw_catalogue *c, tw_db *db, struct tw_error *error) {
    if (tw_db_best_each(db, NULL, add_row, c) != TW_DB_OK)
        return tw_fail(error, TW_DATABASE, "%s", tw_db_message(db));
    if (c->no_memory)
        return tw_fail(error, TW_NO_MEMORY, "out of memory for the database's rows");
    c->databases++;
    settle_overrides(c);
    return index_problems(c, error);
}

size_t tw_catalogue_exact(const struct tw_catalogue *c, const char *kernel, const char *problem,
                          const struct tw_catalogue_row *const **rows) {
    *rows = NULL;
    for (size_t at = bucket_of(c, kernel, problem); c->buckets[at] != 0;
         at = (at + 1) & (c->bucket_count - 1)) {
        size_t first = c->buckets[at] - 1, count = 0;
        if (!same_problem(c->rows[first], kernel, problem))
            continue;
        while (first + count < c->count && same_problem(c->rows[first + count], kernel, problem))
            count++;
        *rows = &c->rows[first];
        return count;
    }
    return 0;
}

size_t tw_catalogue_size(const struct tw_catalogue *c) {
    return c->count;
}

const struct tw_catalogue_row *tw_catalogue_at(const struct tw_catalogue *c, size_t index) {
    return c->rows[index];
}

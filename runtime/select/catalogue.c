#include "runtime/select/catalogue.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/backend/devices.h"
#include "runtime/base/hash.h"
#include "runtime/base/words.h"

enum { BLOCK_BYTES = 1 << 20 };

/* Text lives in blocks that are freed together. */
struct block {
    struct block *next;
    size_t used, size;
    char bytes[];
};

struct tw_catalogue {
    atomic_int holders; /* but for the one that created it */
    struct block *blocks;
    struct tw_words *words; /* that many rows share */
    size_t count, capacity;
    struct tw_catalogue_row *rows;
    size_t bucket_count; /* a power of two */
    size_t *buckets;     /* index + 1 of a problem's first row, by the problem's hash; 0: empty */
    size_t problem_count;
    size_t model_count;
    struct tw_catalogue_model *models;
    char unread[256];
    int databases;
    bool no_memory;
};

/* ---- Text ---- */

static void *allocate(struct tw_catalogue *c, size_t bytes) {
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
    size_t size = strlen(text) + 1;
    char *copy = allocate(c, size);
    return copy != NULL ? memcpy(copy, text, size) : NULL;
}

const char *tw_catalogue_word(const struct tw_catalogue *c, const char *text) {
    return tw_words_find(c->words, text);
}

static const char *share_text(struct tw_catalogue *c, const char *text) {
    const char *shared = tw_words_share(c->words, text != NULL ? text : "");
    c->no_memory = c->no_memory || shared == NULL;
    return shared;
}

/* The same where a text is mostly the one before it, which *last is. */
static const char *share_next(struct tw_catalogue *c, const char **last, const char *text) {
    if (*last == NULL || strcmp(*last, text) != 0)
        *last = share_text(c, text);
    return *last;
}

/* ---- Rows ---- */

static size_t sizes_length(const char *problem) {
    return strcspn(problem, ";");
}

/* Of a problem of a kernel, which is the catalogue's own text. */
static uint64_t hash_sizes(const char *kernel, const char *problem) {
    return tw_hash64(&kernel, sizeof kernel) * 31 + tw_hash64(problem, sizes_length(problem));
}

static bool same_sizes(const struct tw_catalogue_row *row, uint64_t hash, const char *kernel,
                       const char *problem) {
    size_t length;
    if (row->hash != hash || row->kernel != kernel)
        return false;
    length = sizes_length(problem);
    return strncmp(row->problem, problem, length) == 0 && sizes_length(row->problem) == length;
}

/* Where the first row of a problem's sizes is noted, or would be. */
static size_t *find_bucket(const struct tw_catalogue *c, uint64_t hash, const char *kernel,
                           const char *problem) {
    size_t at = (size_t)hash & (c->bucket_count - 1);
    while (c->buckets[at] != 0 && !same_sizes(&c->rows[c->buckets[at] - 1], hash, kernel, problem))
        at = (at + 1) & (c->bucket_count - 1);
    return &c->buckets[at];
}

static bool make_room(struct tw_catalogue *c) {
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
    size_t *old = c->buckets, old_count = c->bucket_count;
    size_t bucket_count = old_count == 0 ? 64 : 2 * old_count;
    size_t *buckets = calloc(bucket_count, sizeof *buckets);
    if (buckets == NULL)
        return false;
    c->buckets = buckets;
    c->bucket_count = bucket_count;
    for (size_t i = 0; i < old_count; i++) {
        if (old[i] == 0)
            continue;
        /* No two are of the same sizes. */
        size_t at = (size_t)c->rows[old[i] - 1].hash & (bucket_count - 1);
        while (buckets[at] != 0)
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

/* Reads the sizes of a key such as "M=64,N=32;dtype=f32"; false when it is none. */
static bool read_key(struct tw_catalogue_row *row) {
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
        row->log_dimensions[row->dimension_count++] = log2((double)size);
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
    size_t *bucket = find_bucket(c, row->hash, row->kernel, row->problem);
    for (size_t i = *bucket; i != 0; i = c->rows[i - 1].next) {
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
    c->rows[c->count].next = *bucket;
    c->problem_count += *bucket == 0;
    *bucket = ++c->count;
}

/* ---- Reading a database ---- */

/* What rows refer to by id. */
struct device {
    int64_t id;
    const char *fingerprint, *name, *backend, *architecture;
    const int64_t *slots;
    int64_t units;
};

struct implementation {
    int64_t id;
    const char *name, *template_hash;
};

struct reading {
    struct tw_catalogue *catalogue;
    const char *last_kernel, *last_cache, *last_attributes;
    size_t device_count, implementation_count;
    struct device *devices;
    struct implementation *implementations;
};

/* Room for one more; doubles at every power of two. */
static void *grow(struct reading *r, void *array, size_t count, size_t size) {
    if ((count & (count - 1)) != 0)
        return array;
    void *grown = realloc(array, (count > 0 ? 2 * count : 1) * size);
    if (grown == NULL)
        r->catalogue->no_memory = true;
    return grown != NULL ? grown : array;
}

/* What the tuner noted of the device's values, as {"MAX_SHARED": 232448, ...}; NULL unless all are
 * there. */
static const int64_t *read_slots(struct tw_catalogue *c, const char *properties) {
    int64_t values[TW_DEVICE_SLOTS];
    if (!tw_device_properties_read(properties, values, &c->no_memory))
        return NULL;
    int64_t *slots = allocate(c, sizeof values);
    return slots != NULL ? memcpy(slots, values, sizeof values) : NULL;
}

static bool add_device(void *context, const struct tw_db_device *stored) {
    struct reading *r = context;
    struct tw_catalogue *c = r->catalogue;
    r->devices = grow(r, r->devices, r->device_count, sizeof *r->devices);
    if (!c->no_memory)
        r->devices[r->device_count++] =
            (struct device){.id = stored->id,
                            .fingerprint = share_text(c, stored->fingerprint),
                            .name = share_text(c, stored->name),
                            .backend = share_text(c, stored->backend),
                            .architecture = share_text(c, stored->architecture),
                            .slots = read_slots(c, stored->properties),
                            .units = stored->compute_units};
    return !c->no_memory;
}

static bool add_implementation(void *context, const struct tw_db_implementation *stored) {
    struct reading *r = context;
    struct tw_catalogue *c = r->catalogue;
    r->implementations =
        grow(r, r->implementations, r->implementation_count, sizeof *r->implementations);
    if (!c->no_memory)
        r->implementations[r->implementation_count++] =
            (struct implementation){.id = stored->id,
                                    .name = share_text(c, stored->name),
                                    .template_hash = share_text(c, stored->template_hash)};
    return !c->no_memory;
}

static int by_id(const void *left, const void *right) {
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

static const void *find_id(const void *array, size_t count, size_t size, int64_t id) {
    return count > 0 ? bsearch(&id, array, count, size, by_id) : NULL;
}

static bool add_row(void *context, const struct tw_db_result *stored) {
    struct reading *r = context;
    struct tw_catalogue *c = r->catalogue;
    const struct device *device =
        find_id(r->devices, r->device_count, sizeof *device, stored->device);
    const struct implementation *implementation =
        find_id(r->implementations, r->implementation_count, sizeof *implementation,
                stored->implementation);
    /* What came after the devices and implementations were read is left to the next reading. */
    if (device == NULL || implementation == NULL)
        return true;
    struct tw_catalogue_row row = {
        .kernel = share_next(c, &r->last_kernel, stored->kernel),
        .problem = copy_text(c, stored->problem_key),
        .device = device->fingerprint,
        .device_name = device->name,
        .backend = device->backend,
        .architecture = device->architecture,
        .cache = share_next(c, &r->last_cache, stored->cache_policy),
        .implementation = implementation->name,
        .template_hash = implementation->template_hash,
        .source = stored->source != NULL ? copy_text(c, stored->source) : "",
        .judge = stored->judge != NULL ? copy_text(c, stored->judge) : "",
        .configuration = copy_text(c, stored->configuration),
        .slots = device->slots,
        .units = device->units,
        .time_us = stored->time_us,
        .provisional = stored->provisional,
        .database = c->databases,
    };
    if (c->no_memory)
        return false;
    if (!read_key(&row))
        return true;
    const char *semicolon = strchr(row.problem, ';');
    row.attributes = share_next(c, &r->last_attributes, semicolon != NULL ? semicolon : "");
    row.hash = hash_sizes(row.kernel, row.problem);
    c->no_memory = c->no_memory || !make_room(c);
    if (!c->no_memory)
        put_row(c, &row);
    return !c->no_memory;
}

/* ---- Models ---- */

static void free_model(struct tw_catalogue_model *model) {
    tw_model_free(model->model);
    free(model->rows);
}

static const struct device *device_of(const struct reading *r, const char *fingerprint) {
    for (size_t i = 0; i < r->device_count; i++)
        if (strcmp(r->devices[i].fingerprint, fingerprint) == 0)
            return &r->devices[i];
    return NULL;
}

/* What a database does not know of the device, the model tells. */
static bool fill_model(struct reading *r, struct tw_catalogue_model *out) {
    struct tw_catalogue *c = r->catalogue;
    const struct tw_model *m = out->model;
    const struct device *device = device_of(r, m->device);
    out->kernel = share_text(c, m->kernel);
    out->device = share_text(c, m->device);
    out->cache = share_text(c, m->cache);
    out->backend = share_text(c, m->backend);
    out->architecture = share_text(c, m->architecture);
    out->rows = calloc((size_t)m->configuration_count + 1, sizeof *out->rows);
    if (out->rows == NULL || c->no_memory)
        return false;
    for (int i = 0; i < m->configuration_count; i++) {
        const struct tw_model_configuration *known = &m->configurations[i];
        out->rows[out->count++] =
            (struct tw_catalogue_row){.kernel = out->kernel,
                                      .problem = known->problem,
                                      .attributes = "",
                                      .device = out->device,
                                      .device_name = m->device_name,
                                      .backend = out->backend,
                                      .architecture = out->architecture,
                                      .cache = out->cache,
                                      .implementation = known->implementation,
                                      .template_hash = known->template_hash,
                                      .source = known->source,
                                      .judge = known->judge,
                                      .configuration = known->configuration,
                                      .slots = device != NULL ? device->slots : NULL,
                                      .units = m->units,
                                      .time_us = known->time_us};
    }
    return true;
}

static bool add_model(void *context, const struct tw_db_model *stored) {
    struct reading *r = context;
    struct tw_catalogue *c = r->catalogue;
    struct tw_catalogue_model added = {0};
    struct tw_error error;
    tw_status status = tw_model_read(&added.model, stored->text, "a model", &error);
    if (status == TW_NO_MEMORY) {
        c->no_memory = true;
        return false;
    }
    if (status != TW_OK) {
        if (c->unread[0] == '\0')
            snprintf(c->unread, sizeof c->unread, "%.250s", error.message);
        return true;
    }
    struct tw_catalogue_model *models = realloc(c->models, (c->model_count + 1) * sizeof *models);
    if (models != NULL)
        c->models = models;
    if (models == NULL || !fill_model(r, &added)) {
        free_model(&added);
        c->no_memory = true;
        return false;
    }
    for (size_t i = 0; i < c->model_count; i++) {
        if (models[i].kernel == added.kernel && models[i].device == added.device &&
            models[i].cache == added.cache) {
            free_model(&models[i]);
            models[i] = added;
            return true;
        }
    }
    models[c->model_count++] = added;
    return true;
}

size_t tw_catalogue_models(const struct tw_catalogue *c) {
    return c->model_count;
}

const struct tw_catalogue_model *tw_catalogue_model(const struct tw_catalogue *c, size_t index) {
    return &c->models[index];
}

const char *tw_catalogue_unread(const struct tw_catalogue *c) {
    return c->unread;
}

tw_status tw_catalogue_add(struct tw_catalogue *c, tw_db *db, struct tw_error *error) {
    struct reading r = {.catalogue = c};
    enum tw_db_status status = tw_db_device_each(db, add_device, &r);
    if (status == TW_DB_OK)
        status = tw_db_implementation_each(db, NULL, add_implementation, &r);
    if (status == TW_DB_OK && r.device_count > 0 && r.implementation_count > 0) {
        qsort(r.devices, r.device_count, sizeof *r.devices, by_id);
        qsort(r.implementations, r.implementation_count, sizeof *r.implementations, by_id);
        if (!c->no_memory)
            status = tw_db_result_each(db, add_row, &r);
    }
    if (status == TW_DB_OK && !c->no_memory)
        status = tw_db_model_each(db, NULL, add_model, &r);
    free(r.devices);
    free(r.implementations);
    if (status != TW_DB_OK)
        return tw_fail(error, TW_DATABASE, "%s", tw_db_message(db));
    if (c->no_memory)
        return tw_fail(error, TW_NO_MEMORY, "out of memory for the database's rows");
    c->databases++;
    return TW_OK;
}

/* ---- The catalogue ---- */

tw_status tw_catalogue_create(struct tw_catalogue **out, struct tw_error *error) {
    *out = calloc(1, sizeof **out);
    if (*out != NULL && ((*out)->words = tw_words_create()) != NULL && make_room(*out))
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
        struct block *next = c->blocks->next;
        free(c->blocks);
        c->blocks = next;
    }
    for (size_t i = 0; i < c->model_count; i++)
        free_model(&c->models[i]);
    free(c->models);
    tw_words_free(c->words);
    free(c->rows);
    free(c->buckets);
    free(c);
}

const struct tw_catalogue_row *tw_catalogue_exact(const struct tw_catalogue *c, const char *kernel,
                                                  const char *problem) {
    const char *own = tw_catalogue_word(c, kernel);
    size_t first = own != NULL ? *find_bucket(c, hash_sizes(own, problem), own, problem) : 0;
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
        match->seen[at].same = tw_problem_has_attributes(match->problem, row->attributes);
    }
    return match->seen[at].same;
}

/* What a catalogue holds: best rows, and models with what they know. */
#ifndef TW_SELECT_ROW_H
#define TW_SELECT_ROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/description/problem.h"
#include "runtime/predict/model.h"

/* A best row. Text is borrowed from the catalogue; of kernels, attributes, devices, backends,
 * architectures and cache policies equal text is one text, so that pointers compare. */
struct tw_catalogue_row {
    const char *kernel;
    const char *problem;    /* the key, "M=64,N=32;dtype=f64" */
    const char *attributes; /* the key from ';' on, or "" */
    const char *device;     /* fingerprint */
    const char *device_name;
    const char *backend;
    const char *architecture; /* "" when not known */
    const char *cache;        /* "cold" or "warm" */
    const char *implementation;
    const char *template_hash;
    const char *source, *judge; /* what it belongs to (variant/identity.h); "" when not known */
    const char *configuration;  /* canonical JSON */
    const int64_t *slots;       /* the device's values in expressions; NULL when not known */
    int64_t units;              /* of the device */
    double time_us;
    bool provisional; /* from a search without a playoff */
    int database;     /* which one it came from, as numbered by tw_catalogue_add */
    int dimension_count;
    const double *log_dimensions; /* log2 of each, which distances are made of */
    uint64_t hash;                /* of kernel and sizes */
    size_t next; /* row of the same sizes, as tw_catalogue_at's index + 1; 0: the last */
};

/* What a model is about: words, and the device's slots where a database knows them. */
struct tw_model_subject {
    const char *kernel, *device, *cache;
    const int64_t *slots;
};

/* A model of a database, and the configurations that it knows as rows of the problems where they
 * were fastest: they are in no list of rows. */
struct tw_catalogue_model {
    struct tw_model_subject subject;
    struct tw_model *model;
    size_t count;
    struct tw_catalogue_row *rows;
    _Atomic uint64_t *hashes; /* of each, for tw_known_key_of_model; 0: not asked for yet */
};

#endif

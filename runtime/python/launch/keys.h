/* Keys that were made before, found by what they are made of: a key that lasts keeps its hash, and
 * costs no memory anew. Keys say all by themselves, so what is forgotten is only made again.
 */
#ifndef TILEWISE_PYTHON_LAUNCH_KEYS_H
#define TILEWISE_PYTHON_LAUNCH_KEYS_H

#include <Python.h>
#include <stdint.h>

/* What of a key's options is compared by being the same object, as constants are. */
enum { KEYS_OPTIONS = 6, KEYS_KEPT = 64 };

struct keys_one {
    PyObject *key; /* NULL: nothing is here */
    PyObject *bytes;
    PyObject *options[KEYS_OPTIONS];
};

struct keys {
    struct keys_one kept[KEYS_KEPT];
};

/* The place of a key with these words, in which there may be another. */
struct keys_one *keys_place(struct keys *keys, const int64_t *words, int count);
/* Whether the key here is of these words and options. */
int keys_is(const struct keys_one *one, const int64_t *words, int count,
            PyObject *const options[KEYS_OPTIONS]);
/* Puts a key in place of what is here; `bytes` are its words. All are kept alive. */
void keys_keep(struct keys_one *one, PyObject *key, PyObject *bytes,
               PyObject *const options[KEYS_OPTIONS]);
void keys_free(struct keys *keys);

#endif

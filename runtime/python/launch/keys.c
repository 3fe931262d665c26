#include "runtime/python/launch/keys.h"

#include <string.h>

struct keys_one *keys_place(struct keys *keys, const int64_t *words, int count) {
    uint64_t hash = (uint64_t)count;
    for (int i = 0; i < count; i++)
        hash = (hash ^ (uint64_t)words[i]) * UINT64_C(0x9e3779b97f4a7c15);
    return &keys->kept[(hash >> 32) % KEYS_KEPT];
}

int keys_is(const struct keys_one *one, const int64_t *words, int count,
            PyObject *const options[KEYS_OPTIONS]) {
    const size_t size = (size_t)count * sizeof *words;
    return one->key != NULL && memcmp(one->options, options, sizeof one->options) == 0 &&
           (size_t)PyBytes_Size(one->bytes) == size &&
           memcmp(PyBytes_AsString(one->bytes), words, size) == 0;
}

/* What was here is let go of last, since that may run anything. */
void keys_keep(struct keys_one *one, PyObject *key, PyObject *bytes,
               PyObject *const options[KEYS_OPTIONS]) {
    struct keys_one before = *one;
    one->key = Py_NewRef(key);
    one->bytes = Py_NewRef(bytes);
    for (int i = 0; i < KEYS_OPTIONS; i++)
        one->options[i] = Py_NewRef(options[i]);
    Py_XDECREF(before.key);
    Py_XDECREF(before.bytes);
    for (int i = 0; i < KEYS_OPTIONS; i++)
        Py_XDECREF(before.options[i]);
}

void keys_free(struct keys *keys) {
    for (int i = 0; i < KEYS_KEPT; i++) {
        struct keys_one *one = &keys->kept[i];
        Py_XDECREF(one->key);
        Py_XDECREF(one->bytes);
        for (int j = 0; j < KEYS_OPTIONS; j++)
            Py_XDECREF(one->options[j]);
    }
}

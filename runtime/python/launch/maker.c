#include "runtime/python/launch/maker.h"

#include <string.h>

/* Of DLPack. */
enum { HOST = 1, CUDA = 2 };

bool maker_read(struct maker *maker, PyObject *from) {
    unsigned long long at[4];
    *maker = (struct maker){0};
    if (from == Py_None)
        return true;
    if (!PyArg_ParseTuple(from, "KKKKii", &at[0], &at[1], &at[2], &at[3], &maker->cpu,
                          &maker->cuda))
        return false;
    const uintptr_t addresses[4] = {(uintptr_t)at[0], (uintptr_t)at[1], (uintptr_t)at[2],
                                    (uintptr_t)at[3]};
    memcpy(&maker->empty_strided, &addresses[0], sizeof addresses[0]);
    memcpy(&maker->data, &addresses[1], sizeof addresses[1]);
    memcpy(&maker->drop, &addresses[2], sizeof addresses[2]);
    memcpy(&maker->wrap, &addresses[3], sizeof addresses[3]);
    return true;
}

bool maker_result_read(struct maker_result *result, PyObject *sizes, long type) {
    const Py_ssize_t count = PyTuple_Size(sizes);
    *result = (struct maker_result){.type = -1};
    if (count > MAKER_MOST_DIMENSIONS)
        return true;
    int64_t stride = 1;
    for (Py_ssize_t i = count - 1; i >= 0; i--) {
        const long long size = PyLong_AsLongLong(PyTuple_GetItem(sizes, i));
        if (size < 0 && PyErr_Occurred())
            return false;
        result->sizes[i] = size;
        result->strides[i] = stride;
        stride *= size;
    }
    result->dimensions = (int)count;
    result->type = (int32_t)type;
    return true;
}

bool maker_make(const struct maker *maker, const struct maker_result *result, int32_t device_type,
                int32_t device_id, void **handle, uintptr_t *at) {
    void *data = NULL;
    if (maker->empty_strided == NULL || result->type < 0 ||
        (device_type != HOST && device_type != CUDA) ||
        maker->empty_strided(result->dimensions, result->sizes, result->strides, result->type,
                             device_type == CUDA ? maker->cuda : maker->cpu, device_id,
                             handle) != 0)
        return false;
    if (maker->data(*handle, &data) != 0 || data == NULL) {
        maker->drop(*handle);
        *handle = NULL;
        return false;
    }
    *at = (uintptr_t)data;
    return true;
}

PyObject *maker_wrap(const struct maker *maker, void *handle) {
    PyObject *made = maker->wrap(handle);
    maker->drop(handle);
    return made;
}

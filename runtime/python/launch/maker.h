/* New tensors of PyTorch's without any Python in between: `new_empty` in Python takes longer than
 * all else that a call does. Made by PyTorch's stable C interface (aoti_torch/c/shim.h), so they
 * are as `new_empty` makes them: of its allocator, on the current stream.
 */
#ifndef TILEWISE_PYTHON_LAUNCH_MAKER_H
#define TILEWISE_PYTHON_LAUNCH_MAKER_H

#include <Python.h>
#include <stdbool.h>
#include <stdint.h>

enum { MAKER_MOST_DIMENSIONS = 8 };

struct maker {
    int32_t (*empty_strided)(int64_t dimensions, const int64_t *sizes, const int64_t *strides,
                             int32_t type, int32_t device_type, int32_t device_id, void **handle);
    int32_t (*data)(void *handle, void **data);
    int32_t (*drop)(void *handle);
    /* The tensor of a handle as Python has it, a new reference. C++: at::TensorBase by reference,
     * which a handle points to. */
    PyObject *(*wrap)(const void *handle);
    /* What the interface calls devices. */
    int32_t cpu, cuda;
};

/* What is made: rows without gaps. */
struct maker_result {
    int dimensions;
    int32_t type; /* as the interface calls it; -1: it makes none such */
    int64_t sizes[MAKER_MOST_DIMENSIONS];
    int64_t strides[MAKER_MOST_DIMENSIONS]; /* in elements */
};

/* From None, or a tuple of the members' addresses and numbers. False with an exception. */
bool maker_read(struct maker *maker, PyObject *from);
/* From a tuple of sizes. False with an exception. */
bool maker_result_read(struct maker_result *result, PyObject *sizes, long type);
/* The memory of a new tensor on a device of DLPack's, and its handle, with nothing of Python's, so
 * that other threads of it may run: an allocator may wait for one that waits for Python. False: it
 * is not to be had this way, and `new_empty` says why. */
bool maker_make(const struct maker *maker, const struct maker_result *result, int32_t device_type,
                int32_t device_id, void **handle, uintptr_t *at);
/* What was made as Python has it; takes the handle. NULL with an exception. */
PyObject *maker_wrap(const struct maker *maker, void *handle);

#endif

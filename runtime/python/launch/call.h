/* tilewise._launch.Call: all of a product but for where its arrays are. */
#ifndef TILEWISE_PYTHON_LAUNCH_CALL_H
#define TILEWISE_PYTHON_LAUNCH_CALL_H

#include <Python.h>
#include <stdbool.h>

#include "runtime/python/launch/maker.h"
#include "runtime/tilewise.h"

/* a, b, the result, the bias, the addend apart. */
enum { CALL_A, CALL_B, CALL_OUT, CALL_BIAS, CALL_E, CALL_ARRAYS };

typedef tw_status call_gemm(tw_library *, void *, const tw_gemm_descriptor *, const void *,
                            const void *, void *, tw_error *);

/* Not changed once it is made, so threads may share it. */
struct call {
    PyObject_HEAD call_gemm *function;
    tw_library *library;
    tw_gemm_descriptor descriptor;
    /* Bytes from the first element of an array to the end of its last. */
    uintptr_t extents[CALL_ARRAYS];
    /* The transpose of the result is what is computed, so a and b change places. */
    bool swapped;
    /* What is made where a new result is wanted: by a maker, or else by Python from a shape and
     * keywords such as the type. */
    struct maker_result result;
    PyObject *shape;
    PyObject *keywords;
    /* Called with a status and a message; raises. */
    PyObject *fail;
};

/* The type, made once. A new reference, or NULL with an exception. */
PyObject *call_type(void);

/* Whether the result, at addresses in the order above, lies apart from what is read; 0: there is no
 * such array. */
bool call_is_apart(const struct call *call, const uintptr_t at[CALL_ARRAYS]);

/* Queues the work, with nothing of Python's, so that other threads of it may run. */
tw_status call_launch(const struct call *call, void *stream, const uintptr_t at[CALL_ARRAYS],
                      tw_error *error);
/* Raises what a launch answered. */
void call_fail(const struct call *call, tw_status status, const tw_error *error);

#endif

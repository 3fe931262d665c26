#include "runtime/python/launch/call.h"

#include <string.h>

static PyObject *new (PyTypeObject *type, PyObject *arguments, PyObject *keywords) {
    if (keywords != NULL && PyDict_Size(keywords) > 0)
        return PyErr_Format(PyExc_TypeError, "Call takes no keywords");
    unsigned long long function, library, extents[CALL_ARRAYS];
    PyObject *descriptor, *shape, *of_result, *fail;
    int swapped;
    long type_of_result;
    if (!PyArg_ParseTuple(arguments, "KKS(KKKKK)pO!O!lO", &function, &library, &descriptor,
                          &extents[0], &extents[1], &extents[2], &extents[3], &extents[4], &swapped,
                          &PyTuple_Type, &shape, &PyDict_Type, &of_result, &type_of_result, &fail))
        return NULL;
    struct maker_result result;
    if (!maker_result_read(&result, shape, type_of_result))
        return NULL;
    struct call *call;
    if (PyBytes_Size(descriptor) != sizeof call->descriptor)
        return PyErr_Format(PyExc_ValueError, "the descriptor has %zd bytes and not %zu",
                            PyBytes_Size(descriptor), sizeof call->descriptor);
    call = (struct call *)((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0);
    if (call == NULL)
        return NULL;
    call->function = (call_gemm *)(uintptr_t)function;
    call->library = (tw_library *)(uintptr_t)library;
    memcpy(&call->descriptor, PyBytes_AsString(descriptor), sizeof call->descriptor);
    for (int i = 0; i < CALL_ARRAYS; i++)
        call->extents[i] = (uintptr_t)extents[i];
    call->swapped = swapped;
    call->result = result;
    call->shape = Py_NewRef(shape);
    call->keywords = Py_NewRef(of_result);
    call->fail = Py_NewRef(fail);
    return (PyObject *)call;
}

static void free_call(PyObject *self) {
    struct call *call = (struct call *)self;
    PyTypeObject *type = Py_TYPE(self);
    Py_XDECREF(call->shape);
    Py_XDECREF(call->keywords);
    Py_XDECREF(call->fail);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

bool call_is_apart(const struct call *call, const uintptr_t at[CALL_ARRAYS]) {
    const uintptr_t begin = at[CALL_OUT], end = begin + call->extents[CALL_OUT];
    for (int i = 0; i < CALL_ARRAYS; i++)
        if (i != CALL_OUT && at[i] != 0 && at[i] < end && begin < at[i] + call->extents[i])
            return false;
    return true;
}

tw_status call_launch(const struct call *call, void *stream, const uintptr_t at[CALL_ARRAYS],
                      tw_error *error) {
    const uintptr_t a = at[call->swapped ? CALL_B : CALL_A],
                    b = at[call->swapped ? CALL_A : CALL_B];
    tw_gemm_descriptor own;
    const tw_gemm_descriptor *descriptor = &call->descriptor;
    if (at[CALL_BIAS] != 0 || at[CALL_E] != 0) {
        own = *descriptor;
        own.bias = (const void *)at[CALL_BIAS];
        own.e = (const void *)at[CALL_E];
        descriptor = &own;
    }
    error->message[0] = '\0';
    return call->function(call->library, stream, descriptor, (const void *)a, (const void *)b,
                          (void *)at[CALL_OUT], error);
}

void call_fail(const struct call *call, tw_status status, const tw_error *error) {
    PyObject *nothing = PyObject_CallFunction(call->fail, "iy", (int)status, error->message);
    if (nothing != NULL) {
        Py_DECREF(nothing);
        PyErr_SetString(PyExc_SystemError, "a failure raised nothing");
    }
}

/* The addresses of a method's last arguments. */
static bool addresses(PyObject *const *arguments, uintptr_t at[CALL_ARRAYS]) {
    for (int i = 0; i < CALL_ARRAYS; i++) {
        at[i] = (uintptr_t)PyLong_AsVoidPtr(arguments[i]);
        if (at[i] == 0 && PyErr_Occurred())
            return false;
    }
    return true;
}

static PyObject *is_apart(PyObject *self, PyObject *const *arguments, Py_ssize_t count) {
    uintptr_t at[CALL_ARRAYS];
    if (count != CALL_ARRAYS)
        return PyErr_Format(PyExc_TypeError, "is_apart takes %d addresses", CALL_ARRAYS);
    if (!addresses(arguments, at))
        return NULL;
    return PyBool_FromLong(call_is_apart((struct call *)self, at));
}

static PyObject *launch(PyObject *self, PyObject *const *arguments, Py_ssize_t count) {
    uintptr_t at[CALL_ARRAYS];
    if (count != 1 + CALL_ARRAYS)
        return PyErr_Format(PyExc_TypeError, "launch takes a stream and %d addresses", CALL_ARRAYS);
    void *stream = PyLong_AsVoidPtr(arguments[0]);
    if ((stream == NULL && PyErr_Occurred()) || !addresses(arguments + 1, at))
        return NULL;
    const struct call *call = (struct call *)self;
    tw_error error; /* a kilobyte, which only a failure reads */
    tw_status status;
    /* A plan that was forgotten is compiled again, and a driver's full queue is waited for. */
    Py_BEGIN_ALLOW_THREADS;
    status = call_launch(call, stream, at, &error);
    Py_END_ALLOW_THREADS;
    if (status == TW_OK)
        Py_RETURN_NONE;
    call_fail(call, status, &error);
    return NULL;
}

static PyMethodDef methods[] = {
    {"is_apart", (PyCFunction)(void (*)(void))is_apart, METH_FASTCALL,
     "Whether the result lies apart from what is read, by addresses of a, b, the result, a bias "
     "and an addend."},
    {"launch", (PyCFunction)(void (*)(void))launch, METH_FASTCALL,
     "Queues the work on a stream, with arrays at these addresses; 0: there is none."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_doc, "A product with everything worked out but for where its arrays are."},
    {Py_tp_new, (void *)new},
    {Py_tp_dealloc, (void *)free_call},
    {Py_tp_methods, methods},
    {0, NULL},
};

PyObject *call_type(void) {
    static PyType_Spec spec = {
        .name = "tilewise._launch.Call",
        .basicsize = sizeof(struct call),
        .flags = Py_TPFLAGS_DEFAULT,
        .slots = slots,
    };
    return PyType_FromSpec(&spec);
}

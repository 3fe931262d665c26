#include "runtime/python/launch/exchange.h"

#include <stdbool.h>
#include <string.h>

#include "runtime/python/launch/call.h"
#include "runtime/python/launch/dlpack.h"
#include "runtime/python/launch/keys.h"

/* More dimensions than a product can have are left to Python, which says what is wrong with them.
 */
enum { MOST_DIMENSIONS = 8, WORDS_OF_ARRAY = 2 + 2 * MOST_DIMENSIONS };

struct exchange {
    PyObject_HEAD const struct dlpack_exchange *interface;
    /* Other packages' arrays may look the same, and have other results made. */
    int64_t number;
    /* A tuple of the types, exactly which are meant. */
    PyObject *types;
    /* Whether gradients are wanted at the moment: in C, where there is such, else in Python; None:
     * there are none. */
    bool (*grad_mode)(void);
    PyObject *is_grad_enabled;
    /* What the types have for `requires_grad`, if that is to be asked without looking it up, as
     * attributes that are written in C are. */
    PyObject *gradients;
    descrgetfunc ask_gradients;
    struct maker maker;
    /* Makes an array of a shape; None: arrays have a method new_empty. */
    PyObject *make;
    struct keys keys;
};

/* What a call is looked up by, of its arrays. */
struct geometry {
    int64_t words[1 + CALL_ARRAYS * WORDS_OF_ARRAY];
    int length;
};

/* What else it is looked up by, as Python is given it. */
enum { ALPHA, BETA, DTYPE, ACTIVATION, COMPUTE, BIAS_ALONG, OPTIONS = KEYS_OPTIONS };

static PyObject *name_of_gradients, *name_of_new, *columns, *type_of_calls;

/* Finds what all types have for `requires_grad`, in one of them or before it. Only what arrays'
 * own attributes never come before. */
static void find_gradients(struct exchange *exchange) {
    const Py_ssize_t count = PyTuple_Size(exchange->types);
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *found = PyObject_GetAttr(PyTuple_GetItem(exchange->types, i), name_of_gradients);
        PyErr_Clear();
        const bool same = i == 0 || found == exchange->gradients;
        Py_XDECREF(exchange->gradients);
        exchange->gradients = same ? found : NULL;
        if (!same)
            Py_XDECREF(found);
    }
    if (exchange->gradients == NULL)
        return;
    PyTypeObject *kind = Py_TYPE(exchange->gradients);
    if (PyType_GetSlot(kind, Py_tp_descr_set) != NULL)
        exchange->ask_gradients = (descrgetfunc)PyType_GetSlot(kind, Py_tp_descr_get);
}

static PyObject *new (PyTypeObject *type, PyObject *arguments, PyObject *keywords) {
    if (keywords != NULL && PyDict_Size(keywords) > 0)
        return PyErr_Format(PyExc_TypeError, "Exchange takes no keywords");
    static int64_t made;
    PyObject *capsule, *types, *is_grad_enabled, *maker_from, *make = Py_None;
    unsigned long long grad_mode;
    struct maker maker;
    if (!PyArg_ParseTuple(arguments, "OO!OKO|O", &capsule, &PyTuple_Type, &types, &is_grad_enabled,
                          &grad_mode, &maker_from, &make) ||
        !maker_read(&maker, maker_from))
        return NULL;
    const struct dlpack_exchange *interface = PyCapsule_GetPointer(capsule, DLPACK_CAPSULE);
    if (interface == NULL)
        return NULL;
    while (interface != NULL && interface->major != DLPACK_MAJOR)
        interface = interface->previous;
    if (interface == NULL || interface->look == NULL || interface->current_stream == NULL)
        return PyErr_Format(PyExc_LookupError, "no exchange interface of DLPack %d is there",
                            DLPACK_MAJOR);
    struct exchange *exchange =
        (struct exchange *)((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0);
    if (exchange == NULL)
        return NULL;
    exchange->interface = interface;
    exchange->number = ++made;
    exchange->types = Py_NewRef(types);
    exchange->grad_mode = (bool (*)(void))(uintptr_t)grad_mode;
    exchange->is_grad_enabled = Py_NewRef(is_grad_enabled);
    exchange->maker = maker;
    exchange->make = Py_NewRef(make);
    find_gradients(exchange);
    return (PyObject *)exchange;
}

static void free_exchange(PyObject *self) {
    struct exchange *exchange = (struct exchange *)self;
    PyTypeObject *type = Py_TYPE(self);
    Py_XDECREF(exchange->types);
    Py_XDECREF(exchange->is_grad_enabled);
    Py_XDECREF(exchange->make);
    Py_XDECREF(exchange->gradients);
    keys_free(&exchange->keys);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

static bool is_known(const struct exchange *exchange, PyObject *array) {
    const Py_ssize_t count = PyTuple_Size(exchange->types);
    for (Py_ssize_t i = 0; i < count; i++)
        if ((PyObject *)Py_TYPE(array) == PyTuple_GetItem(exchange->types, i))
            return true;
    return false;
}

/* Whether elements follow each other along some dimension. Where they do not, as in the imaginary
 * parts of complex numbers, the array may stand for the negative of what lies in memory, which
 * DLPack does not say. */
static bool is_dense_somewhere(const struct dlpack_tensor *tensor) {
    bool longer = false;
    for (int i = 0; i < tensor->dimensions && tensor->strides != NULL; i++) {
        if (tensor->shape[i] > 1 && tensor->strides[i] == 1)
            return true;
        longer |= tensor->shape[i] > 1;
    }
    return !longer;
}

/* Looks at an array; None adds a word that no array begins with. False: it is for Python to say
 * what is wrong. */
static bool look(const struct exchange *exchange, PyObject *array, struct geometry *geometry,
                 uintptr_t *at, struct dlpack_tensor *tensor) {
    int64_t *words = geometry->words + geometry->length;
    *at = 0;
    if (array == Py_None) {
        words[0] = -1;
        geometry->length++;
        return true;
    }
    if (!is_known(exchange, array))
        return false;
    if (exchange->interface->look(array, tensor) != 0) {
        PyErr_Clear();
        return false;
    }
    const int dimensions = tensor->dimensions;
    if (dimensions > MOST_DIMENSIONS || tensor->data == NULL || !is_dense_somewhere(tensor))
        return false;
    const bool strided = tensor->strides != NULL;
    words[0] = dimensions | (int64_t)strided << 8 | (int64_t)tensor->code << 16 |
               (int64_t)tensor->bits << 24 | (int64_t)tensor->lanes << 32;
    words[1] = (int64_t)tensor->device_type << 32 | (uint32_t)tensor->device_id;
    const size_t bytes = (size_t)dimensions * sizeof *words;
    memcpy(words + 2, tensor->shape, bytes);
    if (strided)
        memcpy(words + 2 + dimensions, tensor->strides, bytes);
    geometry->length += 2 + (strided ? 2 : 1) * dimensions;
    *at = (uintptr_t)tensor->data + (uintptr_t)tensor->byte_offset;
    return true;
}

/* Whether all options have their defaults; others may still be equal to them. */
static bool are_defaults(PyObject *const options[OPTIONS]) {
    for (int i = BETA; i < BIAS_ALONG; i++)
        if (options[i] != Py_None)
            return false;
    return options[BIAS_ALONG] == columns && Py_TYPE(options[ALPHA]) == &PyFloat_Type &&
           PyFloat_AsDouble(options[ALPHA]) == 1;
}

/* The key of a call with these arrays, in the order of `call.h`, and where they are. An addend that
 * is the result has no address of its own. A new reference; NULL without an exception: Python has
 * to look.
 */
static PyObject *key_of(struct exchange *exchange, PyObject *const arrays[CALL_ARRAYS],
                        PyObject *const options[OPTIONS], uintptr_t at[CALL_ARRAYS],
                        struct dlpack_tensor *first) {
    /* Most of its words are never looked at. */
    struct geometry geometry;
    geometry.words[0] = exchange->number;
    geometry.length = 1;
    struct dlpack_tensor other;
    for (int i = 0; i < CALL_ARRAYS; i++) {
        if (i == CALL_E && arrays[i] != Py_None && arrays[i] == arrays[CALL_OUT]) {
            geometry.words[geometry.length++] = -2;
            at[i] = 0;
        } else if (!look(exchange, arrays[i], &geometry, &at[i], i == CALL_A ? first : &other)) {
            return NULL;
        }
    }
    struct keys_one *place = keys_place(&exchange->keys, geometry.words, geometry.length);
    if (keys_is(place, geometry.words, geometry.length, options))
        return Py_NewRef(place->key);
    PyObject *bytes = PyBytes_FromStringAndSize((const char *)geometry.words,
                                                geometry.length * (Py_ssize_t)sizeof(int64_t));
    if (bytes == NULL)
        return NULL;
    PyObject *key =
        are_defaults(options)
            ? Py_NewRef(bytes)
            : PyTuple_Pack(1 + OPTIONS, bytes, options[ALPHA], options[BETA], options[DTYPE],
                           options[ACTIVATION], options[COMPUTE], options[BIAS_ALONG]);
    if (key != NULL)
        keys_keep(place, key, bytes, options);
    Py_DECREF(bytes);
    return key;
}

static int is_grad_enabled(const struct exchange *exchange) {
    if (exchange->grad_mode != NULL)
        return exchange->grad_mode();
    if (exchange->is_grad_enabled == Py_None)
        return 0;
    PyObject *enabled = PyObject_CallNoArgs(exchange->is_grad_enabled);
    Py_XDECREF(enabled);
    return enabled == NULL ? -1 : enabled == Py_True;
}

/* Whether somebody may ask for gradients of the result; -1 with an exception. */
static int wants_gradients(const struct exchange *exchange, PyObject *const arrays[CALL_ARRAYS]) {
    const int enabled = is_grad_enabled(exchange);
    if (enabled <= 0)
        return enabled;
    for (int i = 0; i < CALL_ARRAYS; i++) {
        if (arrays[i] == Py_None)
            continue;
        PyObject *wanted = exchange->ask_gradients != NULL
                               ? exchange->ask_gradients(exchange->gradients, arrays[i],
                                                         (PyObject *)Py_TYPE(arrays[i]))
                               : PyObject_GetAttr(arrays[i], name_of_gradients);
        if (wanted == NULL)
            return -1;
        Py_DECREF(wanted);
        if (wanted == Py_True)
            return 1;
    }
    return 0;
}

/* What a launch is made with, and what comes of it. */
struct launch {
    const struct exchange *exchange;
    const struct call *call;
    const struct dlpack_tensor *first;
    uintptr_t *at;
    void *stream;
    void *handle; /* of a result that was made; NULL: there is none */
    tw_status status;
    tw_error *error;
};

/* A new result by Python, and where it is. NULL without an exception: on another device than is
 * meant, as some packages make arrays on a device of their own choice. */
static PyObject *make_by_python(const struct launch *launch, PyObject *like) {
    const struct exchange *exchange = launch->exchange;
    const struct call *call = launch->call;
    const bool of_like = exchange->make == Py_None;
    PyObject *maker = of_like ? PyObject_GetAttr(like, name_of_new) : Py_NewRef(exchange->make);
    /* PyTorch reads sizes one by one faster than a tuple of them. */
    PyObject *sizes = of_like ? Py_NewRef(call->shape) : PyTuple_Pack(1, call->shape);
    PyObject *result =
        maker == NULL || sizes == NULL ? NULL : PyObject_Call(maker, sizes, call->keywords);
    Py_XDECREF(maker);
    Py_XDECREF(sizes);
    struct dlpack_tensor tensor;
    if (result == NULL)
        return NULL;
    if (exchange->interface->look(result, &tensor) != 0 ||
        tensor.device_type != launch->first->device_type ||
        tensor.device_id != launch->first->device_id) {
        Py_DECREF(result);
        return NULL;
    }
    launch->at[CALL_OUT] = (uintptr_t)tensor.data + (uintptr_t)tensor.byte_offset;
    return result;
}

/* The stream that is meant; false with an exception. */
static bool find_stream(const struct exchange *exchange, PyObject *given,
                        const struct dlpack_tensor *first, void **stream) {
    if (given == Py_None)
        return exchange->interface->current_stream(first->device_type, first->device_id, stream) ==
               0;
    *stream = PyLong_AsVoidPtr(given);
    return *stream != NULL || !PyErr_Occurred();
}

/* Makes the result where none is given, and queues the work. False: it is for Python to make one.
 * Nothing of Python's is used: a plan that was forgotten is compiled again, and a driver's full
 * queue is waited for. */
static bool make_and_queue(struct launch *launch, bool given) {
    const struct dlpack_tensor *first = launch->first;
    if (!given && !maker_make(&launch->exchange->maker, &launch->call->result, first->device_type,
                              first->device_id, &launch->handle, &launch->at[CALL_OUT]))
        return false;
    launch->status = call_launch(launch->call, launch->stream, launch->at, launch->error);
    return true;
}

/* The result; the reference of one that was given is taken. */
static PyObject *launch(struct launch *launch, PyObject *result, PyObject *like) {
    bool done;
    Py_BEGIN_ALLOW_THREADS;
    done = make_and_queue(launch, result != NULL);
    Py_END_ALLOW_THREADS;
    if (!done) {
        result = make_by_python(launch, like);
        if (result == NULL)
            return NULL;
        Py_BEGIN_ALLOW_THREADS;
        make_and_queue(launch, true);
        Py_END_ALLOW_THREADS;
    }
    if (launch->handle != NULL &&
        (result = maker_wrap(&launch->exchange->maker, launch->handle)) == NULL)
        return NULL;
    if (launch->status != TW_OK) {
        Py_CLEAR(result);
        call_fail(launch->call, launch->status, launch->error);
    }
    return result;
}

PyObject *exchange_gemm(PyObject *self, PyObject *calls, bool traced, PyObject *stream,
                        PyObject *const arrays[CALL_ARRAYS], PyObject *const options[OPTIONS]) {
    struct exchange *exchange = (struct exchange *)self;
    uintptr_t at[CALL_ARRAYS];
    struct dlpack_tensor first;
    PyObject *key = key_of(exchange, arrays, options, at, &first);
    PyObject *call = key == NULL ? NULL : PyDict_GetItemWithError(calls, key);
    /* The table may lose it while other threads run. */
    Py_XINCREF(call);
    Py_XDECREF(key);
    if (call == NULL)
        return NULL;
    PyObject *result = NULL;
    tw_error error; /* a kilobyte, which only a failure reads */
    struct launch work = {.exchange = exchange,
                          .call = (struct call *)call,
                          .first = &first,
                          .at = at,
                          .error = &error};
    const int wanted = traced ? 0 : wants_gradients(exchange, arrays);
    const bool given = arrays[CALL_OUT] != Py_None;
    if ((PyObject *)Py_TYPE(call) != type_of_calls)
        PyErr_SetString(PyExc_TypeError, "calls has something else than a Call");
    else if (wanted == 0 && (!given || call_is_apart((struct call *)call, at)) &&
             find_stream(exchange, stream, &first, &work.stream))
        result = launch(&work, given ? Py_NewRef(arrays[CALL_OUT]) : NULL, arrays[CALL_A]);
    Py_DECREF(call);
    return result;
}

/* None where there is neither a result nor an exception. */
static PyObject *or_none(PyObject *result) {
    return result != NULL || PyErr_Occurred() ? result : Py_NewRef(Py_None);
}

/* gemm(calls, traced, stream, arrays..., options...) */
static PyObject *gemm(PyObject *self, PyObject *const *arguments, Py_ssize_t count) {
    if (count != 3 + CALL_ARRAYS + OPTIONS)
        return PyErr_Format(PyExc_TypeError, "gemm takes %d arguments", 3 + CALL_ARRAYS + OPTIONS);
    return or_none(exchange_gemm(self, arguments[0], arguments[1] == Py_True, arguments[2],
                                 arguments + 3, arguments + 3 + CALL_ARRAYS));
}

/* key(arrays..., options...) */
static PyObject *key(PyObject *self, PyObject *const *arguments, Py_ssize_t count) {
    if (count != CALL_ARRAYS + OPTIONS)
        return PyErr_Format(PyExc_TypeError, "key takes %d arguments", CALL_ARRAYS + OPTIONS);
    uintptr_t at[CALL_ARRAYS];
    struct dlpack_tensor first;
    return or_none(key_of((struct exchange *)self, arguments, arguments + CALL_ARRAYS, at, &first));
}

static PyMethodDef methods[] = {
    {"gemm", (PyCFunction)(void (*)(void))gemm, METH_FASTCALL,
     "Does a product that calls knows, and gives its result; None: Python has to look."},
    {"key", (PyCFunction)(void (*)(void))key, METH_FASTCALL,
     "What gemm looks a call up by; None: it never will."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_doc, "Arrays of the types of a package that has DLPack's C exchange interface."},
    {Py_tp_new, (void *)new},
    {Py_tp_dealloc, (void *)free_exchange},
    {Py_tp_methods, methods},
    {0, NULL},
};

PyObject *exchange_type(PyObject *call) {
    static PyType_Spec spec = {
        .name = "tilewise._launch.Exchange",
        .basicsize = sizeof(struct exchange),
        .flags = Py_TPFLAGS_DEFAULT,
        .slots = slots,
    };
    type_of_calls = call;
    name_of_gradients = PyUnicode_InternFromString("requires_grad");
    name_of_new = PyUnicode_InternFromString("new_empty");
    columns = PyUnicode_InternFromString("columns");
    if (name_of_gradients == NULL || name_of_new == NULL || columns == NULL)
        return NULL;
    return PyType_FromSpec(&spec);
}

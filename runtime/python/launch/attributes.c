#include "runtime/python/launch/attributes.h"

#include <stdbool.h>

#include "runtime/python/launch/dlpack.h"

enum { MOST_TYPES = 16, MOST_DIMENSIONS = 8, CUDA = 2 };

struct element {
    PyObject *dtype;
    uint8_t code, bits;
};

/* Compared by being the same objects, which NumPy's own types are; others are left to Python. */
static struct element elements[MOST_TYPES];
static int element_count;
static intptr_t (*stream_of)(int device);

enum { SHAPE, DTYPE, DATA, DENSE, STRIDES, POINTER, DEVICE, NAMES };
static const char *const spelled[NAMES] = {
    [SHAPE] = "shape",     [DTYPE] = "dtype", [DATA] = "data",        [DENSE] = "_c_contiguous",
    [STRIDES] = "strides", [POINTER] = "ptr", [DEVICE] = "device_id",
};
static PyObject *names[NAMES];

/* What was asked of an array, all before any of it is read: asking may run other code. */
struct answers {
    PyObject *of[NAMES];
};

static bool ask(struct answers *answers, PyObject *from, int name) {
    answers->of[name] = PyObject_GetAttr(from, names[name]);
    return answers->of[name] != NULL;
}

static bool ask_all(struct answers *answers, PyObject *array) {
    if (!ask(answers, array, SHAPE) || !ask(answers, array, DTYPE) || !ask(answers, array, DATA) ||
        !ask(answers, answers->of[DATA], POINTER) || !ask(answers, answers->of[DATA], DEVICE))
        return false;
    /* Strides cost a tuple, and not every version tells what saves it. */
    if (!ask(answers, array, DENSE))
        PyErr_Clear();
    return answers->of[DENSE] == Py_True || ask(answers, array, STRIDES);
}

static const struct element *element_of(PyObject *dtype) {
    for (int i = 0; i < element_count; i++)
        if (elements[i].dtype == dtype)
            return &elements[i];
    return NULL;
}

/* Numbers of a tuple; false: they are none, or not `count`. */
static bool numbers(PyObject *tuple, int64_t *out, Py_ssize_t count) {
    if (!PyTuple_Check(tuple) || PyTuple_Size(tuple) != count)
        return false;
    for (Py_ssize_t i = 0; i < count; i++) {
        out[i] = PyLong_AsLongLong(PyTuple_GetItem(tuple, i));
        if (out[i] == -1 && PyErr_Occurred())
            return false;
    }
    return true;
}

/* Where an array's sizes and strides stand until the thread looks at the next. */
static _Thread_local int64_t sizes[MOST_DIMENSIONS], steps[MOST_DIMENSIONS];

static bool fill(const struct answers *answers, struct dlpack_tensor *out) {
    const struct element *element = element_of(answers->of[DTYPE]);
    PyObject *shape = answers->of[SHAPE];
    const Py_ssize_t dimensions = PyTuple_Check(shape) ? PyTuple_Size(shape) : MOST_DIMENSIONS + 1;
    if (element == NULL || dimensions > MOST_DIMENSIONS || !numbers(shape, sizes, dimensions))
        return false;
    *out = (struct dlpack_tensor){.device_type = CUDA,
                                  .dimensions = (int32_t)dimensions,
                                  .code = element->code,
                                  .bits = element->bits,
                                  .lanes = 1,
                                  .shape = sizes};
    if (answers->of[STRIDES] != NULL) {
        const int64_t bytes = element->bits / 8;
        if (!numbers(answers->of[STRIDES], steps, dimensions))
            return false;
        for (Py_ssize_t i = 0; i < dimensions; i++) {
            if (steps[i] % bytes != 0)
                return false;
            steps[i] /= bytes;
        }
        out->strides = steps;
    }
    const long device = PyLong_AsLong(answers->of[DEVICE]);
    out->device_id = (int32_t)device;
    out->data = PyLong_AsVoidPtr(answers->of[POINTER]);
    return !PyErr_Occurred();
}

static int look(void *array, struct dlpack_tensor *out) {
    struct answers answers = {{NULL}};
    const bool filled = ask_all(&answers, array) && fill(&answers, out);
    for (int i = 0; i < NAMES; i++)
        Py_XDECREF(answers.of[i]);
    if (!filled && !PyErr_Occurred())
        PyErr_SetString(PyExc_TypeError, "an array that only Python can look at");
    return filled ? 0 : -1;
}

static int current_stream(int32_t device_type, int32_t device_id, void **out) {
    (void)device_type;
    *out = (void *)stream_of(device_id);
    return PyErr_Occurred() ? -1 : 0;
}

PyObject *attributes_exchange(PyObject *module, PyObject *arguments) {
    static const struct dlpack_exchange interface = {
        .major = DLPACK_MAJOR, .look = look, .current_stream = current_stream};
    (void)module;
    PyObject *types, *stream, *dtype, *called;
    if (!PyArg_ParseTuple(arguments, "O!O", &PyDict_Type, &types, &stream))
        return NULL;
    intptr_t (*found)(int) = (intptr_t(*)(int))PyCapsule_GetPointer(stream, ATTRIBUTES_STREAM);
    if (found == NULL)
        return NULL;
    for (int i = 0; i < NAMES; i++)
        if (names[i] == NULL && (names[i] = PyUnicode_InternFromString(spelled[i])) == NULL)
            return NULL;
    struct element read[MOST_TYPES];
    int count = 0;
    for (Py_ssize_t at = 0; PyDict_Next(types, &at, &dtype, &called) && count < MOST_TYPES;) {
        read[count].dtype = dtype;
        if (!PyArg_ParseTuple(called, "bb", &read[count].code, &read[count].bits))
            return NULL;
        count++;
    }
    stream_of = found;
    /* Those of before are kept as well: arrays may be looked at that have them. */
    for (int i = 0; i < count && element_count < MOST_TYPES; i++) {
        if (element_of(read[i].dtype) != NULL)
            continue;
        elements[element_count] = read[i];
        Py_INCREF(elements[element_count++].dtype);
    }
    return PyCapsule_New((void *)&interface, DLPACK_CAPSULE, NULL);
}

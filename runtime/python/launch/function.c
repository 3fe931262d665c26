#include "runtime/python/launch/function.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <string.h>

#include "runtime/python/launch/exchange.h"

/* What `gemm` takes: arrays and options in the order of `exchange_gemm`. */
enum { STREAM = CALL_ARRAYS + KEYS_OPTIONS, LIBRARY, PARAMETERS, POSITIONAL = 2 };
static const char *const spelled[PARAMETERS] = {
    "a",     "b",          "out",     "bias",       "c",      "alpha",   "beta",
    "dtype", "activation", "compute", "bias_along", "stream", "library",
};
static PyObject *names[PARAMETERS], *defaults[PARAMETERS];
static PyObject *name_of_calls, *calls, *exchanges, *below;

typedef PyObject *vectorcall(PyObject *, PyObject *const *, size_t, PyObject *);
typedef void set_vectorcall(PyObject *, vectorcall *);
typedef vectorcall *get_vectorcall(PyObject *);
typedef void (*get_evaluator(PyInterpreterState *))(void);

/* Of Python's, but not of its stable interface: looked up by name, and done without. */
static get_evaluator *evaluator;
static void (*usual_evaluator)(void);
static vectorcall *in_python;

/* Of vectorcall's count of arguments, a bit that the stable interface has no name for before 3.12.
 */
#define OFFSET_BIT ((size_t)1 << (8 * sizeof(size_t) - 1))

/* Whether somebody evaluates frames in another way than Python's, as PyTorch's compiler does where
 * it looks for what to trace. */
static bool is_watched(void) {
    return evaluator(PyInterpreterState_Get()) != usual_evaluator;
}

/* What the parameters are given; false: it is for Python to say what is wrong. */
static bool read_arguments(PyObject *given[PARAMETERS], PyObject *const *arguments, size_t count,
                           PyObject *keywords) {
    if ((count & ~OFFSET_BIT) != POSITIONAL)
        return false;
    memcpy(given, defaults, sizeof defaults);
    given[0] = arguments[0], given[1] = arguments[1];
    const Py_ssize_t named = keywords == NULL ? 0 : PyTuple_Size(keywords);
    for (Py_ssize_t i = 0; i < named; i++) {
        /* The names in a program's text are interned as well. */
        PyObject *name = PyTuple_GetItem(keywords, i);
        int at = POSITIONAL;
        while (at < PARAMETERS && names[at] != name)
            at++;
        if (at == PARAMETERS)
            return false;
        given[at] = arguments[POSITIONAL + i];
    }
    return true;
}

static PyObject *gemm(PyObject *function, PyObject *const *arguments, size_t count,
                      PyObject *keywords) {
    PyObject *given[PARAMETERS], *done = NULL;
    if (!is_watched() && read_arguments(given, arguments, count, keywords)) {
        PyObject *exchange = PyDict_GetItemWithError(exchanges, (PyObject *)Py_TYPE(given[0]));
        PyObject *library = given[LIBRARY];
        PyObject *known =
            library == Py_None ? Py_NewRef(calls) : PyObject_GetAttr(library, name_of_calls);
        if (exchange != NULL && known != NULL && PyDict_Check(known))
            done = exchange_gemm(exchange, known, library == below, given[STREAM], given,
                                 given + CALL_ARRAYS);
        else
            PyErr_Clear();
        Py_XDECREF(known);
    }
    return done != NULL || PyErr_Occurred() ? done
                                            : in_python(function, arguments, count, keywords);
}

static bool name_parameters(void) {
    for (int i = 0; i < PARAMETERS; i++)
        if ((names[i] = PyUnicode_InternFromString(spelled[i])) == NULL)
            return false;
    return (name_of_calls = PyUnicode_InternFromString("calls")) != NULL;
}

/* The function's own, so that they are the same objects in every call. */
static bool read_defaults(PyObject *function) {
    PyObject *own = PyObject_GetAttrString(function, "__kwdefaults__");
    bool read = own != NULL && PyDict_Check(own);
    for (int i = POSITIONAL; i < PARAMETERS && read; i++) {
        defaults[i] = PyDict_GetItemWithError(own, names[i]);
        Py_XINCREF(defaults[i]);
        read = defaults[i] != NULL;
    }
    Py_XDECREF(own);
    if (!read && !PyErr_Occurred())
        PyErr_SetString(PyExc_TypeError, "the function does not take what gemm does");
    return read;
}

PyObject *function_hasten(PyObject *module, PyObject *arguments) {
    (void)module;
    PyObject *function, *of_calls, *of_exchanges, *of_below;
    if (!PyArg_ParseTuple(arguments, "OO!O!O", &function, &PyDict_Type, &of_calls, &PyDict_Type,
                          &of_exchanges, &of_below))
        return NULL;
    set_vectorcall *set = (set_vectorcall *)dlsym(RTLD_DEFAULT, "PyFunction_SetVectorcall");
    get_vectorcall *get = (get_vectorcall *)dlsym(RTLD_DEFAULT, "PyVectorcall_Function");
    evaluator = (get_evaluator *)dlsym(RTLD_DEFAULT, "_PyInterpreterState_GetEvalFrameFunc");
    usual_evaluator = (void (*)(void))dlsym(RTLD_DEFAULT, "_PyEval_EvalFrameDefault");
    if (set == NULL || get == NULL || evaluator == NULL || usual_evaluator == NULL)
        Py_RETURN_FALSE;
    if (!name_parameters() || !read_defaults(function))
        return NULL;
    calls = Py_NewRef(of_calls);
    exchanges = Py_NewRef(of_exchanges);
    below = Py_NewRef(of_below);
    in_python = get(function);
    set(function, gemm);
    Py_RETURN_TRUE;
}

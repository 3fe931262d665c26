/* tilewise._launch: what is done for every call, so that it costs little. Of Python's stable
 * interface, so that one file serves every version from 3.10 on. What calls do that were not met
 * before is Python's.
 */
#include "runtime/python/launch/attributes.h"
#include "runtime/python/launch/call.h"
#include "runtime/python/launch/exchange.h"
#include "runtime/python/launch/function.h"

static PyMethodDef functions[] = {
    {"attributes_exchange", attributes_exchange, METH_VARARGS,
     "DLPack's C exchange interface for CuPy's arrays, by their attributes."},
    {"hasten", function_hasten, METH_VARARGS,
     "Has a function do calls that are known without a frame of Python's."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, .m_name = "tilewise._launch", .m_doc = "What is done for every call.",
    .m_size = -1,          .m_methods = functions,
};

/* Adds a type; takes the reference. */
static int add(PyObject *module, const char *name, PyObject *type) {
    if (type == NULL)
        return -1;
    const int failed = PyModule_AddObjectRef(module, name, type);
    Py_DECREF(type);
    return failed;
}

PyMODINIT_FUNC PyInit__launch(void) {
    PyObject *module = PyModule_Create(&definition);
    if (module == NULL)
        return NULL;
    PyObject *call = call_type();
    /* The module keeps it. */
    if (add(module, "Call", call) != 0 || add(module, "Exchange", exchange_type(call)) != 0)
        Py_CLEAR(module);
    return module;
}

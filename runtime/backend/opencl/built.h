/* Programs that were built already when their sources were compiled, for an open device to load.
 *
 * What is compiled for PoCL is the source (see compile.c), which has to be built again in the
 * context of the device that loads it: some 17 ms, although PoCL has it on disk. Where that device
 * is open in the same process, its sources are compiled in its context, and what came of them waits
 * here until it is loaded. Safe from many threads. */
#ifndef TW_BACKEND_OPENCL_BUILT_H
#define TW_BACKEND_OPENCL_BUILT_H

#include "runtime/backend/opencl/loader.h"

/* The device of this number is open with a context of its own. The first one serves, when there are
 * several. */
void tw_opencl_built_open(int index, cl_context context);
/* Before the context goes: what was built in it and not loaded goes. */
void tw_opencl_built_close(const struct tw_opencl *cl, cl_context context);

/* The context of an open device, retained; NULL: none is open. */
cl_context tw_opencl_built_context(const struct tw_opencl *cl, int index);
/* Keeps a built program for whoever loads these bytes in its context. It is the callee's from then
 * on; the one that was kept for longest may have to go. */
void tw_opencl_built_keep(const struct tw_opencl *cl, cl_context context, const void *bytes,
                          size_t size, cl_program program);
/* The program built of these bytes in this context, which is the caller's from then on; or NULL. */
cl_program tw_opencl_built_take(cl_context context, const void *bytes, size_t size);

#endif

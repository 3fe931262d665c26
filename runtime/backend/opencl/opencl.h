#ifndef TW_BACKEND_OPENCL_OPENCL_H
#define TW_BACKEND_OPENCL_OPENCL_H

#include "runtime/backend/backend.h"

extern const struct tw_backend tw_opencl_backend;

#endif

#ifndef TW_BACKEND_CUDA_CUDA_H
#define TW_BACKEND_CUDA_CUDA_H

#include "runtime/backend/backend.h"

extern const struct tw_backend tw_cuda_backend;

#endif

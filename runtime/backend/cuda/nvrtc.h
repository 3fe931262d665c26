/* NVRTC, the CUDA run-time compiler, opened at run time. Needs no GPU and no driver. */
#ifndef TW_BACKEND_CUDA_NVRTC_H
#define TW_BACKEND_CUDA_NVRTC_H

#include "runtime/backend/backend.h"

tw_status tw_nvrtc_version(char out[96], struct tw_error *error);
/* Compiles to a cubin for info->arch. See tw_backend.compile. */
tw_status tw_nvrtc_compile(const struct tw_device_info *info,
                           const struct tw_compile_request *request, struct tw_binary *binary,
                           struct tw_error *error);

#endif

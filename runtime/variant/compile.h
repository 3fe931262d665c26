/* Compiling one launch of an executable. */
#ifndef TW_VARIANT_COMPILE_H
#define TW_VARIANT_COMPILE_H

#include "runtime/variant/executable.h"

/* Compiles a launch's source. For one that does not compile `error` has the first line of the
 * compiler's error and the log all of it. With `request->expected`, a kernel that takes other
 * parameters or another amount of shared memory, or none of that name, is TW_BAD_DESCRIPTION. The
 * binary is to be freed in every case. */
tw_status tw_launch_compile(const struct tw_backend *backend, const struct tw_device_info *device,
                            const struct tw_compile_request *request, struct tw_binary *binary,
                            struct tw_error *error);

/* TW_RESOURCE when blocks of so many threads need more registers than the device has for a block,
 * as far as that is known. */
tw_status tw_launch_check_registers(const struct tw_device_info *device,
                                    const struct tw_binary *binary, int64_t threads,
                                    struct tw_error *error);

#endif

/* Devices for tests, and a word where there are none. */
#ifndef TESTS_SUPPORT_DEVICE_H
#define TESTS_SUPPORT_DEVICE_H

#include "runtime/backend/devices.h"
#include "tests/support/support.h"

/* The first device of a backend (NULL: of any). When there is none, says why and returns false. */
SUPPORT bool first_device(const char *backend, struct tw_device_info *info) {
    struct tw_error error;
    if (tw_device_pick(backend, info, &error) == TW_OK)
        return true;
    print_message("no %s device here: %s\n", backend != NULL ? backend : "usable", error.message);
    return false;
}

#endif

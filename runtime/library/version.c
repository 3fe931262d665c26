#include "runtime/tilewise.h"

const char *tw_version(void) {
    return TW_VERSION;
}

int tw_version_number(void) {
    return TW_VERSION_NUMBER;
}

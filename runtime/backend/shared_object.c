#include "runtime/backend/shared_object.h"

#include <dlfcn.h>
#include <string.h>

tw_status tw_shared_object_open(const char *const *names, const struct tw_symbol *symbols,
                                size_t count, struct tw_error *error) {
    void *library = NULL;
    for (size_t i = 0; names[i] != NULL && library == NULL; i++)
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        return tw_fail(error, TW_UNAVAILABLE, "%s is not installed or cannot be loaded (%s)",
                       names[0], dlerror());
    for (size_t i = 0; i < count; i++) {
        void *address = dlsym(library, symbols[i].name);
        if (address == NULL) {
            dlclose(library);
            return tw_fail(error, TW_UNAVAILABLE, "%s has no %s: the version installed is too old",
                           names[0], symbols[i].name);
        }
        memcpy(symbols[i].address, &address, sizeof address);
    }
    return TW_OK;
}

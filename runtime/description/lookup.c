/* Finding a description's parts by name. */
#include <string.h>

#include "runtime/description/description.h"

int tw_description_implementation(const struct tw_description *d, const char *name) {
    for (int i = 0; i < d->implementation_count; i++)
        if (strcmp(d->implementations[i].name, name) == 0)
            return i;
    return -1;
}

bool tw_description_preset(const struct tw_description *d, const char *name, int *implementation,
                           const struct tw_preset **preset) {
    for (int i = 0; i < d->implementation_count; i++) {
        for (int p = 0; p < d->implementations[i].preset_count; p++) {
            if (strcmp(d->implementations[i].presets[p].name, name) == 0) {
                *implementation = i;
                *preset = &d->implementations[i].presets[p];
                return true;
            }
        }
    }
    return false;
}

#include "tuner/page/setting.h"

#include <stdio.h>
#include <string.h>

#include "runtime/backend/devices.h"
#include "runtime/description/languages.h"
#include "tuner/inspect/paper_device.h"
#include "tuner/json/json.h"

tw_status setting_problem(const struct setting *setting, const struct page_subject *subject,
                          struct tw_problem *problem, struct tw_error *error) {
    const struct known_kernel *kernel = known_kernels_find(setting->kernels, subject->kernel);
    if (kernel == NULL)
        return tw_fail(error, TW_NOT_FOUND,
                       "this program does not know the kernel; --config FILE has it read");
    if (tw_problem_read(problem, kernel->description, subject->key, NULL) != TW_OK)
        return tw_fail(error, TW_NOT_FOUND, "the kernel has other dimensions or attributes today");
    return TW_OK;
}

static bool is_here(const struct setting *setting, const struct page_device *device,
                    struct tw_device_info *info) {
    for (size_t i = 0; i < setting->device_count; i++) {
        char fingerprint[256];
        tw_device_fingerprint(&setting->devices[i], fingerprint);
        if (strcmp(fingerprint, device->fingerprint) == 0) {
            *info = setting->devices[i];
            return true;
        }
    }
    return false;
}

/* A device has limits that no row tells; where no architecture tells them either, those of the most
 * are assumed. */
static void assume_limits(struct tw_device_info *info, const char *backend) {
    *info = (struct tw_device_info){.max_block = {INT32_MAX, INT32_MAX, INT32_MAX},
                                    .max_grid = {INT32_MAX, INT32_MAX, INT32_MAX},
                                    .has_fp64 = true,
                                    .max_cluster = 1};
    snprintf(info->backend, sizeof info->backend, "%s", backend);
}

bool setting_device(const struct setting *setting, const struct page_device *device,
                    struct tw_device_info *info, bool *here) {
    int64_t slots[TW_DEVICE_SLOTS];
    bool no_memory = false;
    struct tw_error error;
    *here = is_here(setting, device, info);
    if (*here)
        return true;
    bool known = tw_device_properties_read(device->properties, slots, &no_memory);
    if (no_memory)
        json_note_lack();
    if (!known)
        return false;
    if (!tw_language_of(device->backend)->has_architectures)
        assume_limits(info, device->backend);
    else if (paper_device(device->architecture, info, &error) != TW_OK)
        return false;
    snprintf(info->name, sizeof info->name, "%s", device->name);
    info->max_shared = slots[TW_SLOT_MAX_SHARED];
    info->max_threads = slots[TW_SLOT_MAX_THREADS];
    info->warp = slots[TW_SLOT_WARP];
    info->compute_units = device->compute_units;
    info->cache_bytes = slots[TW_SLOT_L2_BYTES];
    info->arch = (int)slots[TW_SLOT_ARCH];
    info->is_cpu = slots[TW_SLOT_IS_CPU] != 0;
    info->memory_bytes = device->memory_bytes;
    tw_device_speeds_read(device->properties, info);
    return true;
}

/* Which backends are compiled in, which devices there are, and picking one. */
#ifndef TW_BACKEND_DEVICES_H
#define TW_BACKEND_DEVICES_H

#include "runtime/backend/backend.h"

/* The compiled-in backends; ends with NULL. */
const struct tw_backend *const *tw_backends(void);
const struct tw_backend *tw_backend_find(const char *name); /* NULL: not compiled in */

/* Every device of every backend that works, GPUs before CPUs, CUDA first. Reasons why a backend has
 * none are appended to `absent`, a line each (may be NULL). The caller frees *out. */
tw_status tw_devices_list(struct tw_device_info **out, size_t *count, struct tw_text *absent,
                          struct tw_error *error);
/* The device named "cuda:0", "opencl:1", "cuda" ...; NULL picks the default, the first of the list.
 */
tw_status tw_device_pick(const char *id, struct tw_device_info *info, struct tw_error *error);

/* The values that expressions see, TW_DEVICE_SLOTS of them. */
void tw_device_values(const struct tw_device_info *info, int64_t *values);
/* The same values as JSON, {"MAX_SHARED": 232448, ...}, with the speeds that are known,
 * "CLOCK_KHZ" and "BANDWIDTH": what databases keep as a device's properties. */
void tw_device_properties(const struct tw_device_info *info, struct tw_text *json);
/* Reads them back; false unless all are there. `json` may be NULL. Sets *no_memory when it is for
 * want of memory that they were not read. */
bool tw_device_properties_read(const char *json, int64_t *values, bool *no_memory);
/* Sets clock_khz and bandwidth to what the JSON says, and to 0 where it does not. `json` may be
 * NULL. */
void tw_device_speeds_read(const char *json, struct tw_device_info *info);
/* What a result belongs to: the same text for two devices only if a time on one holds on the other.
 */
void tw_device_fingerprint(const struct tw_device_info *info, char out[256]);

#endif

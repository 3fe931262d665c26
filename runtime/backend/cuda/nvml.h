/* Clocks, power and temperature through NVML, opened at run time. */
#ifndef TW_BACKEND_CUDA_NVML_H
#define TW_BACKEND_CUDA_NVML_H

#include "runtime/backend/backend.h"
#include "runtime/base/text.h"

/* Appends a JSON object for the GPU with this PCI bus id; "{}" where NVML is absent. Fields that a
 * GPU does not tell are left out. */
void tw_nvml_conditions(const char *bus_id, struct tw_text *json);

/* What may disturb measurements on the device of that PCI bus id, as backend.h has it. */
void tw_nvml_health(const char *bus_id, struct tw_device_health *health);

#endif

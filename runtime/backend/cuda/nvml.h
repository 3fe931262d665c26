/* Clocks, power and temperature through NVML, opened at run time. */
#ifndef TW_BACKEND_CUDA_NVML_H
#define TW_BACKEND_CUDA_NVML_H

#include "runtime/base/text.h"

/* Appends a JSON object for the GPU with this PCI bus id; "{}" where NVML is absent. Fields that a
 * GPU does not tell are left out. */
void tw_nvml_conditions(const char *bus_id, struct tw_text *json);

#endif

/* Devices on paper: what a kernel is compiled for where there is no such GPU. */
#ifndef TUNER_INSPECT_PAPER_DEVICE_H
#define TUNER_INSPECT_PAPER_DEVICE_H

#include "runtime/backend/backend.h"

/* The device of an architecture ("sm_90"): its limits, with the size of the GPU that it is named
 * after. There are no clocks and no memory. TW_INVALID with the known ones for another word. */
tw_status paper_device(const char *architecture, struct tw_device_info *device,
                       struct tw_error *error);

#endif

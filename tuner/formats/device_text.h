/* A device in a file: what predictions are made of, so that they can be made again elsewhere. */
#ifndef TUNER_FORMATS_DEVICE_TEXT_H
#define TUNER_FORMATS_DEVICE_TEXT_H

#include "runtime/backend/backend.h"
#include "runtime/base/text.h"
#include "runtime/description/json.h"

/* Appends {"architecture": "sm_90", "backend": "cuda", ...}. */
void device_text_print(struct tw_text *text, const struct tw_device_info *device);
/* Reads that back; what is not among it is zero. Fails like other readers of JSON. */
void device_text_read(const struct tw_json *json, struct tw_device_info *device);

#endif

/* What `bench --json` measured beside the vendor's libraries, for a page. */
#ifndef TUNER_PAGE_VENDOR_H
#define TUNER_PAGE_VENDOR_H

#include "runtime/base/error.h"
#include "runtime/base/text.h"

/* Appends the part about a file's text. TW_INVALID when it is none of bench's. */
tw_status vendor_add(const char *file, const char *text, struct tw_text *out,
                     struct tw_error *error);

#endif

/* Files that may be compressed, as gzip does it. */
#ifndef TUNER_FORMATS_PACKED_FILE_H
#define TUNER_FORMATS_PACKED_FILE_H

#include "runtime/base/error.h"
#include "runtime/base/text.h"

/* Appends what the file holds, unpacked where it is packed. Refuses what is over 512 MiB then. */
tw_status packed_file_read(struct tw_text *text, const char *path, struct tw_error *error);
/* Writes the text packed, whole or not at all: under another name first, in the same folder. */
tw_status packed_file_write(const struct tw_text *text, const char *path, struct tw_error *error);

#endif

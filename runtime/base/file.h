/* Whole files in and out. Messages name the file and the system's reason. */
#ifndef TW_BASE_FILE_H
#define TW_BASE_FILE_H

#include "runtime/base/error.h"
#include "runtime/base/text.h"

/* Appends the file's bytes to `text`. Refuses files over 64 MiB, which are nothing Tilewise reads.
 */
tw_status tw_file_read(struct tw_text *text, const char *path, struct tw_error *error);

#endif

/* Folders of descriptions. */
#ifndef TW_DESCRIPTION_FOLDER_H
#define TW_DESCRIPTION_FOLDER_H

#include "runtime/base/error.h"

/* Hands on each file that a path stands for: the path itself, or the files of a folder that end in
 * .json and do not begin with a dot, by name. The first that is not taken ends it, with its status.
 * TW_INVALID for a folder with no such file, TW_IO for one that cannot be read. */
tw_status tw_folder_each(const char *path,
                         tw_status (*take)(void *context, const char *file, struct tw_error *error),
                         void *context, struct tw_error *error);

#endif

/* Where Tilewise keeps its files when nobody says otherwise. */
#ifndef TW_LIBRARY_PATHS_H
#define TW_LIBRARY_PATHS_H

#include "runtime/base/error.h"
#include "runtime/base/text.h"

/* A path that goes on meaning the same when the application changes its working directory. */
void tw_path_absolute(struct tw_text *path, const char *given);

/* Each of the rest appends a path, or nothing when there is no such place: no home directory is
 * known, or nothing was installed. The paths need not exist. */

/* The user's own database: $XDG_DATA_HOME or ~/.local/share. */
void tw_path_user_database(struct tw_text *path);
/* The compiled binaries: $XDG_CACHE_HOME or ~/.cache. */
void tw_path_binaries(struct tw_text *path);
/* The database that was installed with the library, found from where the library itself is, so that
 * an installation can be moved. */
void tw_path_system_database(struct tw_text *path);
/* The program `tune` that was installed with the library; "tune" when it is not there, for the PATH
 * to find. */
void tw_path_tune(struct tw_text *path);

#endif

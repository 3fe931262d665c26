/* The descriptions that a library knows: the built-in ones, read when first asked for, and the
 * user's. Safe from many threads. */
#ifndef TW_LIBRARY_KERNELS_H
#define TW_LIBRARY_KERNELS_H

#include "runtime/description/description.h"

struct tw_kernels;

/* `files`: paths of the user's descriptions, ended by NULL; or NULL. */
tw_status tw_kernels_create(struct tw_kernels **out, const char *const *files,
                            struct tw_error *error);
void tw_kernels_free(struct tw_kernels *kernels);

/* The description of a kernel; it lives as long as `kernels`. *file is the path that it was read
 * from, NULL for a built-in one. */
tw_status tw_kernels_find(struct tw_kernels *kernels, const char *name,
                          const struct tw_description **out, const char **file,
                          struct tw_error *error);

#endif

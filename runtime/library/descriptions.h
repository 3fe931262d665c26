/* The descriptions that a library knows: the built-in ones, read when first asked for, and the
 * user's. Safe from many threads. */
#ifndef TW_LIBRARY_DESCRIPTIONS_H
#define TW_LIBRARY_DESCRIPTIONS_H

#include "runtime/select/current.h"

struct tw_descriptions;

/* `files`: paths of the user's descriptions, ended by NULL; or NULL. */
tw_status tw_descriptions_create(struct tw_descriptions **out, const char *const *files,
                                 struct tw_error *error);
void tw_descriptions_free(struct tw_descriptions *descriptions);

/* The description of a kernel, which may be an outline (description/outline.h); it lives as long as
 * `descriptions`. *file is the path that it was
 * read from, NULL for a built-in one. */
tw_status tw_descriptions_find(struct tw_descriptions *descriptions, const char *name,
                               const struct tw_description **out, const char **file,
                               struct tw_error *error);

/* What selections found out about one of these descriptions; it lives as long. NULL where that
 * cannot be kept: templates of a user's own may change while the library is open. */
struct tw_today *tw_descriptions_today(struct tw_descriptions *descriptions,
                                       const struct tw_description *description);

#endif

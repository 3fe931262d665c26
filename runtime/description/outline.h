/* Built-in descriptions of which implementations are read when they are needed: an application runs
 * a few of the many that a kernel has, and should not wait for the others.
 *
 * The build writes a kernel's outline (tools/flatten.c): its flat form, but for the ladder, and of
 * each implementation no more than its name, the names of its presets, where it stands in the flat
 * form, and the hashes of its code (variant/identity.h) for the backends that there are. What was
 * not read yet has nothing but its name, and its presets theirs. */
#ifndef TW_DESCRIPTION_OUTLINE_H
#define TW_DESCRIPTION_OUTLINE_H

#include "runtime/description/description.h"

/* A built-in description with none of its implementations read, or all where a build could not make
 * outlines. The caller frees *out with tw_description_free. */
tw_status tw_description_outline(struct tw_description **out, const char *kernel,
                                 struct tw_error *error);

/* Reads an implementation unless that was done. To be called before anything but names is looked at
 * in a description that may be an outline; tw_configuration_parse and tw_configuration_preset do.
 * Any thread may, while others use the description. For what the build has checked it fails with
 * TW_NO_MEMORY alone. */
tw_status tw_description_need(const struct tw_description *description, int implementation,
                              struct tw_error *error);

/* The hash of an implementation's code that the build worked out; NULL where it did not. */
const char *tw_description_code(const struct tw_description *description, int implementation,
                                const char *backend);

/* Internal to the room. NULL is fine. */
void tw_outline_free(struct tw_outline *outline);

#endif

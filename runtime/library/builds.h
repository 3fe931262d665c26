/* Which modules there are for what sources are made of (variant/made_of.h): so a plan whose sources
 * others have already needs none rendered. Safe from many threads. */
#ifndef TW_LIBRARY_BUILDS_H
#define TW_LIBRARY_BUILDS_H

#include "runtime/library/modules.h"

struct tw_builds;

tw_status tw_builds_create(struct tw_builds **out, struct tw_error *error);
void tw_builds_free(struct tw_builds *builds);

enum tw_build_state {
    TW_BUILD_UNKNOWN,
    TW_BUILD_ABSENT,   /* its binaries were looked for in vain */
    TW_BUILD_PROMISED, /* somebody is about to have it, see tw_prepare */
    TW_BUILD_LOADED
};

/* `found` (may be NULL) has the modules of a build that is loaded, one a launch. */
enum tw_build_state tw_builds_find(struct tw_builds *builds, const char key[TW_HASH_SIZE],
                                   struct tw_module_found found[TW_MAX_LAUNCHES]);

/* What is known of a build from now on, unless it is loaded. `found` is of one that is. */
tw_status tw_builds_note(struct tw_builds *builds, const char key[TW_HASH_SIZE],
                         enum tw_build_state state,
                         const struct tw_module_found found[TW_MAX_LAUNCHES],
                         struct tw_error *error);

#endif

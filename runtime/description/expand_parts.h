/* Internal to the room: the steps of expanding. All failures go to the context of what is read. */
#ifndef TW_DESCRIPTION_EXPAND_PARTS_H
#define TW_DESCRIPTION_EXPAND_PARTS_H

#include "runtime/description/description.h"
#include "runtime/description/lets.h"

enum { TW_MAX_FILES = 128, TW_MAX_NESTED = 8 };

struct tw_expanded_file {
    char *name; /* as written */
    char *path; /* for messages */
    cJSON *json;
};

struct tw_expansion {
    struct tw_json_context *context;
    const char *directory;
    cJSON *written;  /* the description's own file */
    cJSON *merged;   /* with its included files' members; NULL when there are none */
    cJSON *root;     /* the flat form; `written` when nothing was to be done */
    cJSON *replaced; /* an array that keeps what was replaced, so that no address comes twice */
    struct tw_origins origins;
    int file_count;
    struct tw_expanded_file files[TW_MAX_FILES];
    int lets_count;
    struct tw_lets *lets[TW_MAX_IMPLEMENTATIONS];
};

/* expand_files.c: a file beside the description or a built-in one, read once. `where` names it in
 * messages. An absent item on failure. */
struct tw_json tw_expand_file(struct tw_expansion *expansion, const struct tw_json *where,
                              const char *name);
/* The files of "FOLDER/ *.json" (without the space) by name; returns how many, at most `room`. Free
 * each name. */
int tw_expand_folder(struct tw_expansion *expansion, const struct tw_json *where,
                     const char *pattern, char **names, int room);

/* expand_copy.c: puts a copy of `from` into an object or an array, in the place of a member of that
 * name where there is one, and remembers where it was written. */
cJSON *tw_expand_copy(struct tw_expansion *expansion, cJSON *into, const char *key,
                      const struct tw_json *from);
/* Has `old` hold what `item` holds, which is not in the tree, and keeps what it held. */
void tw_expand_replace(struct tw_expansion *expansion, cJSON *old, cJSON *item);
/* Copies all members of an object; objects are merged with those that are there if `deep`. */
void tw_expand_merge(struct tw_expansion *expansion, cJSON *into, const struct tw_json *from,
                     bool deep);

/* expand_implementation.c: an implementation with its parts and lets. `root` has the named parts.
 */
cJSON *tw_expand_implementation(struct tw_expansion *expansion, const struct tw_json *root,
                                const struct tw_json *json);
/* expand_launch.c: launches and tensor maps that start from a part's, and lists in them. The last
 * three are the parts'. */
void tw_expand_launches(struct tw_expansion *expansion, cJSON *into, const struct tw_json *json,
                        const cJSON *launches, const cJSON *tensor_maps, const cJSON *lists);
/* expand_presets.c: presets that start from another, of any implementation. */
void tw_expand_presets(struct tw_expansion *expansion, const struct tw_json *implementations);

#endif

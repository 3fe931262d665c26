/* From a description as it is written, of files, parts and lets, to the flat form that the rest of
 * the program reads. configs/README.md has the rules. */
#ifndef TW_DESCRIPTION_EXPAND_H
#define TW_DESCRIPTION_EXPAND_H

#include "runtime/description/expression.h"
#include "runtime/description/json.h"

/* The flat description, and what messages need to name the place that something was written in. */
struct tw_expansion;

/* Expands the description `json`, which the expansion owns from then on, failure or not. `context`
 * is that of `origin`: failures go to it, and what is read from the expansion's root with it is
 * named as it was written. `directory` (may be NULL) is where files are looked for before the
 * built-in ones. NULL when out of memory, and then nothing is owned. */
struct tw_expansion *tw_expand(cJSON *json, struct tw_json_context *context, const char *directory);
/* The flat form; while it lives, `context` may be used with it. */
const cJSON *tw_expansion_root(const struct tw_expansion *expansion);
/* Whether the flat form is another than what was written. */
bool tw_expansion_changed(const struct tw_expansion *expansion);
void tw_expansion_free(struct tw_expansion *expansion);

#endif

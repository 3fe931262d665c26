/* JSON that the program writes: whole, or not at all.
 *
 * cJSON's functions leave out of a document what they have no memory for. So that nobody need look
 * at what each of them returns, the program gives cJSON an allocator that remembers, and whoever
 * hands a document on asks it. */
#ifndef TUNER_JSON_JSON_H
#define TUNER_JSON_JSON_H

#include <stdbool.h>

#include <cjson/cJSON.h>

#include "runtime/base/error.h"
#include "runtime/description/configuration.h"

/* Has cJSON remember. Once, before the program uses cJSON, from one thread. */
void json_watch_memory(void);
/* Whether cJSON lacked memory in this thread since this was last asked. */
bool json_lacked_memory(void);

/* To be remembered too: what goes into documents is more than cJSON's. */
void json_note_lack(void);

/* Put `item` in, or free it where that cannot be done. */
void json_add(cJSON *object, const char *key, cJSON *item);
void json_append(cJSON *array, cJSON *item);

/* A configuration as an object; NULL when memory is lacking. */
cJSON *json_configuration(const struct tw_description *description,
                          const struct tw_configuration *configuration);

/* The document on one line, to be freed with cJSON_free; NULL when memory was lacking. Frees it. */
char *json_text(cJSON *json);
/* Prints the document to standard output, over many lines, and frees it. TW_NO_MEMORY when it is
 * not whole: then nothing is printed. */
tw_status json_print(cJSON *json, struct tw_error *error);
/* The same on one line. */
tw_status json_print_line(cJSON *json, struct tw_error *error);

#endif

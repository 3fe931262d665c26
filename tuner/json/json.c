#include "tuner/json/json.h"

#include <stdio.h>
#include <stdlib.h>

/* Whoever writes a document asks for it in the same thread. */
static _Thread_local bool lacked;

void json_note_lack(void) {
    lacked = true;
}

static void *allocate(size_t size) {
    void *memory = malloc(size);
    if (memory == NULL)
        json_note_lack();
    return memory;
}

void json_watch_memory(void) {
    cJSON_InitHooks(&(cJSON_Hooks){.malloc_fn = allocate, .free_fn = free});
}

bool json_lacked_memory(void) {
    bool had = lacked;
    lacked = false;
    return had;
}

cJSON *json_configuration(const struct tw_description *d, const struct tw_configuration *c) {
    struct tw_text text = {0};
    tw_configuration_text(d, c, &text);
    cJSON *json = text.failed ? NULL : cJSON_Parse(text.data);
    if (text.failed)
        json_note_lack();
    tw_text_free(&text);
    return json;
}

void json_add(cJSON *object, const char *key, cJSON *item) {
    if (!cJSON_AddItemToObject(object, key, item))
        cJSON_Delete(item);
}

void json_append(cJSON *array, cJSON *item) {
    if (!cJSON_AddItemToArray(array, item))
        cJSON_Delete(item);
}

/* Its text, if both are whole. */
static char *write_out(cJSON *json, bool one_line) {
    char *text = one_line ? cJSON_PrintUnformatted(json) : cJSON_Print(json);
    cJSON_Delete(json);
    if (!json_lacked_memory())
        return text;
    cJSON_free(text);
    return NULL;
}

char *json_text(cJSON *json) {
    return write_out(json, true);
}

static tw_status print(char *text, struct tw_error *error) {
    if (text == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    puts(text);
    cJSON_free(text);
    return TW_OK;
}

tw_status json_print(cJSON *json, struct tw_error *error) {
    return print(write_out(json, false), error);
}

tw_status json_print_line(cJSON *json, struct tw_error *error) {
    return print(write_out(json, true), error);
}

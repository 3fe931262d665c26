#include "tuner/workers/compile_request.h"

#include <stdlib.h>
#include <string.h>

static void add_launch(cJSON *launches, const struct tw_executable *x, int index, size_t bytes) {
    const struct tw_executable_launch *launch = &x->launches[index];
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "name", launch->name);
    cJSON_AddStringToObject(json, "function", launch->function);
    cJSON_AddNumberToObject(json, "threads", (double)tw_geometry_threads(&launch->geometry));
    cJSON_AddNumberToObject(json, "bytes", (double)bytes);
    cJSON_AddItemToArray(launches, json);
}

/* Behind each other: what the launch gives, its source with the NUL. */
static bool add_bytes(struct message *message, const struct tw_expected *expected,
                      const struct tw_text *source) {
    size_t size = sizeof *expected + source->length + 1;
    unsigned char *bytes = realloc(message->bytes, message->size + size);
    if (bytes == NULL)
        return false;
    memcpy(bytes + message->size, expected, sizeof *expected);
    memcpy(bytes + message->size + sizeof *expected, source->data, source->length + 1);
    message->bytes = bytes;
    message->size += size;
    return true;
}

tw_status compile_request_make(struct message *message, uint64_t id, const struct tw_executable *x,
                               const struct tw_text *sources, struct tw_error *error) {
    const struct tw_description *d = x->problem->description;
    struct tw_text configuration = {0};
    *message = message_new("compile");
    bool fine = message->json != NULL;
    cJSON_AddNumberToObject(message->json, "id", (double)id);
    tw_configuration_text(d, x->configuration, &configuration);
    cJSON_AddStringToObject(message->json, "origin", d->origin);
    cJSON_AddStringToObject(message->json, "implementation",
                            d->implementations[x->configuration->implementation].name);
    cJSON_AddStringToObject(message->json, "configuration",
                            configuration.data != NULL ? configuration.data : "");
    tw_text_free(&configuration);
    cJSON *messages = cJSON_AddArrayToObject(message->json, "disqualified_by");
    for (int i = 0; x->disqualified_by != NULL && x->disqualified_by[i] != NULL; i++)
        cJSON_AddItemToArray(messages, cJSON_CreateString(x->disqualified_by[i]));
    cJSON *launches = cJSON_AddArrayToObject(message->json, "launches");
    for (int i = 0; i < x->launch_count && fine; i++) {
        struct tw_expected expected;
        tw_executable_request(x, i, sources[i].data, &expected);
        add_launch(launches, x, i, sources[i].length + 1);
        fine = add_bytes(message, &expected, &sources[i]);
    }
    if (fine)
        return TW_OK;
    message_free(message);
    return tw_fail(error, TW_NO_MEMORY, "out of memory for a source");
}

static const char *text_of(const cJSON *json, const char *key) {
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(json, key));
    return text != NULL ? text : "";
}

static double number_of(const cJSON *json, const char *key) {
    const cJSON *number = cJSON_GetObjectItemCaseSensitive(json, key);
    return cJSON_IsNumber(number) ? number->valuedouble : 0;
}

tw_status compile_request_read(const struct message *message, struct compile_request *request,
                               struct tw_error *error) {
    const cJSON *item;
    size_t at = 0;
    int count = 0;
    *request = (struct compile_request){0};
    cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(message->json, "disqualified_by")) {
        if (count < TW_MAX_MESSAGES && cJSON_IsString(item))
            request->disqualified_by[count++] = item->valuestring;
    }
    cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(message->json, "launches")) {
        const size_t bytes = (size_t)number_of(item, "bytes");
        const size_t size = sizeof(struct tw_expected) + bytes;
        if (request->launch_count == TW_MAX_LAUNCHES || bytes == 0 || at + size > message->size ||
            message->bytes[at + size - 1] != '\0')
            return tw_fail(error, TW_IO, "the message's sources are cut off");
        __typeof__(&request->launches[0]) launch = &request->launches[request->launch_count++];
        memcpy(&launch->expected, message->bytes + at, sizeof launch->expected);
        launch->threads = (int64_t)number_of(item, "threads");
        launch->compile = (struct tw_compile_request){.source = (const char *)message->bytes + at +
                                                                sizeof launch->expected,
                                                      .name = text_of(item, "name"),
                                                      .function = text_of(item, "function"),
                                                      .disqualified_by = request->disqualified_by,
                                                      .expected = &launch->expected,
                                                      .passing = true};
        at += size;
    }
    return TW_OK;
}

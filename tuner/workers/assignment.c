#include "tuner/workers/assignment.h"

#include <stdlib.h>
#include <string.h>

#include "tuner/json/json.h"

struct message assignment_of_device(const char *kind, const struct tw_device_info *device) {
    struct message message = message_new(kind);
    message.bytes = malloc(sizeof *device);
    if (message.bytes != NULL) {
        memcpy(message.bytes, device, sizeof *device);
        message.size = sizeof *device;
    }
    return message;
}

tw_status assignment_read_device(const struct message *message, struct tw_device_info *device,
                                 struct tw_error *error) {
    if (message->size != sizeof *device)
        return tw_fail(error, TW_IO, "the assignment has no device");
    memcpy(device, message->bytes, sizeof *device);
    return TW_OK;
}

struct message assignment_message(const char *kind, const struct tw_problem *problem,
                                  const struct tw_device_info *device) {
    const struct tw_description *d = problem->description;
    struct message message = assignment_of_device(kind, device);
    char shape[TW_PROBLEM_KEY_SIZE], number[TW_NUMBER_SIZE];
    tw_problem_shape(problem, shape);
    cJSON_AddStringToObject(message.json, "description", d->text);
    cJSON_AddStringToObject(message.json, "origin", d->origin);
    if (d->directory != NULL)
        cJSON_AddStringToObject(message.json, "directory", d->directory);
    cJSON_AddStringToObject(message.json, "shape", shape);
    cJSON *attributes = cJSON_AddObjectToObject(message.json, "attributes");
    for (int i = 0; i < d->attribute_count; i++)
        cJSON_AddStringToObject(attributes, d->attributes[i].name,
                                tw_problem_attribute(problem, i, number));
    return message;
}

tw_status assignment_read(const struct message *message, struct tw_description **description,
                          struct tw_problem *problem, struct tw_device_info *device,
                          struct tw_error *error) {
    *description = NULL;
    tw_status status = assignment_read_device(message, device, error);
    if (status == TW_OK)
        status = tw_description_read(description, message_text(message, "description", ""),
                                     message_text(message, "origin", ""),
                                     message_text(message, "directory", NULL), error);
    if (status == TW_OK)
        status = tw_problem_parse(problem, *description, message_text(message, "shape", ""), error);
    const cJSON *attribute;
    cJSON_ArrayForEach(attribute, cJSON_GetObjectItemCaseSensitive(message->json, "attributes")) {
        if (status == TW_OK)
            status = tw_problem_set(problem, attribute->string, attribute->valuestring, error);
    }
    return status;
}

void assignment_add_variant(struct message *message, const struct tw_description *d,
                            const struct tw_configuration *configuration) {
    struct tw_text text = {0};
    tw_configuration_text(d, configuration, &text);
    cJSON_AddStringToObject(message->json, "implementation",
                            d->implementations[configuration->implementation].name);
    cJSON_AddStringToObject(message->json, "configuration", text.data != NULL ? text.data : "");
    if (text.failed)
        json_note_lack();
    tw_text_free(&text);
}

tw_status assignment_read_variant(const struct message *message, const struct tw_description *d,
                                  struct tw_configuration *configuration, struct tw_error *error) {
    int index = tw_description_implementation(d, message_text(message, "implementation", ""));
    if (index < 0)
        return tw_fail(error, TW_IO, "the message names no implementation");
    return tw_configuration_parse(configuration, d, index,
                                  message_text(message, "configuration", ""), error);
}

void assignment_add_call(struct message *message, const struct call *call) {
    cJSON_AddNumberToObject(message->json, "alignment", call->alignment);
    cJSON *strides = cJSON_AddArrayToObject(message->json, "strides");
    for (int i = 0; i < TW_MAX_ARGUMENTS; i++)
        json_append(strides, cJSON_CreateNumber((double)call->strides[i]));
}

tw_status assignment_read_call(const struct message *message, struct call *call,
                               struct tw_error *error) {
    int i = 0;
    const cJSON *stride;
    *call = (struct call){.alignment = (int)message_number(message, "alignment", 0)};
    cJSON_ArrayForEach(stride, cJSON_GetObjectItemCaseSensitive(message->json, "strides")) {
        if (i == TW_MAX_ARGUMENTS)
            return tw_fail(error, TW_IO, "the message has more strides than there are arguments");
        call->strides[i++] = (int64_t)stride->valuedouble;
    }
    return TW_OK;
}

tw_status assignment_add_binaries(struct message *message, const struct tw_binaries *binaries,
                                  struct tw_error *error) {
    size_t total = 0;
    cJSON *sizes = cJSON_AddArrayToObject(message->json, "sizes");
    for (int i = 0; i < binaries->count; i++) {
        total += binaries->launches[i].size;
        json_append(sizes, cJSON_CreateNumber((double)binaries->launches[i].size));
    }
    free(message->bytes);
    message->size = 0;
    message->bytes = malloc(total > 0 ? total : 1);
    if (message->bytes == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory for binaries");
    for (int i = 0; i < binaries->count; i++) {
        memcpy(message->bytes + message->size, binaries->launches[i].bytes,
               binaries->launches[i].size);
        message->size += binaries->launches[i].size;
    }
    return TW_OK;
}

tw_status assignment_read_binaries(const struct message *message, struct tw_binaries *binaries,
                                   struct tw_error *error) {
    *binaries = (struct tw_binaries){0};
    size_t offset = 0;
    const cJSON *size;
    cJSON_ArrayForEach(size, cJSON_GetObjectItemCaseSensitive(message->json, "sizes")) {
        size_t bytes = (size_t)size->valuedouble;
        if (binaries->count == TW_MAX_LAUNCHES || offset + bytes > message->size)
            return tw_fail(error, TW_IO, "the message's binaries are cut off");
        struct tw_binary *binary = &binaries->launches[binaries->count];
        binary->bytes = malloc(bytes > 0 ? bytes : 1);
        if (binary->bytes == NULL)
            return tw_fail(error, TW_NO_MEMORY, "out of memory for binaries");
        memcpy(binary->bytes, message->bytes + offset, bytes);
        binary->size = bytes;
        binaries->count++;
        offset += bytes;
    }
    return TW_OK;
}

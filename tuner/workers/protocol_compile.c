/* What the compiling worker is told and tells. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/json/json.h"
#include "tuner/workers/protocol.h"

struct message compile_assignment_pack(const struct tw_device_info *device) {
    struct message message = message_new("assignment");
    message_set_bytes(&message, device, sizeof *device);
    return message;
}

tw_status compile_assignment_unpack(const struct message *message, struct tw_device_info *device,
                                    struct tw_error *error) {
    return message_get_bytes(message, device, sizeof *device, error);
}

/* ---- Requests ---- */

static void add_launch(cJSON *launches, const struct tw_executable *x, int index, size_t bytes) {
    const struct tw_executable_launch *launch = &x->launches[index];
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "name", launch->name);
    cJSON_AddStringToObject(json, "function", launch->function);
    cJSON_AddNumberToObject(json, "threads", (double)tw_geometry_threads(&launch->geometry));
    cJSON_AddNumberToObject(json, "bytes", (double)bytes);
    json_append(launches, json);
}

/* Behind each other: what the launch gives, its source with the NUL. */
static void add_bytes(struct message *message, const struct tw_expected *expected,
                      const struct tw_text *source) {
    size_t size = sizeof *expected + source->length + 1;
    unsigned char *bytes = realloc(message->bytes, message->size + size);
    if (bytes == NULL) {
        json_note_lack();
        return;
    }
    memcpy(bytes + message->size, expected, sizeof *expected);
    memcpy(bytes + message->size + sizeof *expected, source->data, source->length + 1);
    message->bytes = bytes;
    message->size += size;
}

struct message compile_request_pack(uint64_t id, const struct tw_executable *x,
                                    const struct tw_text *sources) {
    const struct tw_description *d = x->problem->description;
    struct message message = message_new("compile");
    struct tw_text configuration = {0};
    cJSON_AddNumberToObject(message.json, "id", (double)id);
    tw_configuration_text(d, x->configuration, &configuration);
    cJSON_AddStringToObject(message.json, "origin", d->origin);
    cJSON_AddStringToObject(message.json, "implementation",
                            d->implementations[x->configuration->implementation].name);
    cJSON_AddStringToObject(message.json, "configuration",
                            configuration.data != NULL ? configuration.data : "");
    if (configuration.failed)
        json_note_lack();
    tw_text_free(&configuration);
    cJSON *messages = cJSON_AddArrayToObject(message.json, "disqualified_by");
    for (int i = 0; x->disqualified_by != NULL && x->disqualified_by[i] != NULL; i++)
        json_append(messages, cJSON_CreateString(x->disqualified_by[i]));
    cJSON *launches = cJSON_AddArrayToObject(message.json, "launches");
    for (int i = 0; i < x->launch_count; i++) {
        struct tw_expected expected;
        tw_executable_request(x, i, sources[i].data, &expected);
        add_launch(launches, x, i, sources[i].length + 1);
        add_bytes(&message, &expected, &sources[i]);
    }
    return message;
}

static const char *text_of(const cJSON *json, const char *key) {
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(json, key));
    return text != NULL ? text : "";
}

static double number_of(const cJSON *json, const char *key) {
    const cJSON *number = cJSON_GetObjectItemCaseSensitive(json, key);
    return cJSON_IsNumber(number) ? number->valuedouble : 0;
}

tw_status compile_request_unpack(const struct message *message, struct compile_request *request,
                                 struct tw_error *error) {
    const cJSON *item;
    size_t at = 0;
    int count = 0;
    *request =
        (struct compile_request){.id = (uint64_t)message_number(message, "id", 0),
                                 .origin = message_text(message, "origin", ""),
                                 .implementation = message_text(message, "implementation", ""),
                                 .configuration = message_text(message, "configuration", "")};
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

/* ---- Answers ---- */

/* Behind each other, with their sizes. */
static void add_code(struct message *message, const struct tw_binaries *binaries) {
    size_t total = 0;
    cJSON *sizes = cJSON_AddArrayToObject(message->json, "sizes");
    for (int i = 0; i < binaries->count; i++) {
        total += binaries->launches[i].size;
        json_append(sizes, cJSON_CreateNumber((double)binaries->launches[i].size));
    }
    message->bytes = malloc(total > 0 ? total : 1);
    if (message->bytes == NULL) {
        json_note_lack();
        return;
    }
    for (int i = 0; i < binaries->count; i++) {
        memcpy(message->bytes + message->size, binaries->launches[i].bytes,
               binaries->launches[i].size);
        message->size += binaries->launches[i].size;
    }
}

struct message compiled_pack(const struct compiled *compiled, const struct tw_binaries *binaries) {
    struct message message = message_new("compiled");
    cJSON_AddNumberToObject(message.json, "id", (double)compiled->id);
    cJSON_AddNumberToObject(message.json, "status", compiled->status);
    cJSON_AddBoolToObject(message.json, "bad_description", compiled->bad_description);
    cJSON_AddStringToObject(message.json, "message", compiled->message);
    cJSON_AddNumberToObject(message.json, "compile_ms", compiled->compile_ms);
    if (compiled->has_resources) {
        cJSON_AddNumberToObject(message.json, "registers", (double)compiled->registers);
        cJSON_AddNumberToObject(message.json, "spill_bytes", (double)compiled->spill_bytes);
    }
    cJSON *logs = cJSON_AddArrayToObject(message.json, "logs");
    for (int i = 0; i < binaries->count; i++) {
        const struct tw_text *log = &binaries->launches[i].log;
        json_append(logs, cJSON_CreateString(log->data != NULL ? log->data : ""));
    }
    if (compiled->status == TW_DB_TRIAL_OK)
        add_code(&message, binaries);
    return message;
}

void compiled_unpack(struct message *message, struct compiled *compiled) {
    *compiled = (struct compiled){
        .id = (uint64_t)message_number(message, "id", 0),
        .status = (enum tw_db_trial_status)message_index(
            message, "status", TW_DB_TRIAL_STATUS_COUNT - 1, TW_DB_TRIAL_LAUNCH_ERROR),
        .bad_description = message_flag(message, "bad_description"),
        .compile_ms = message_number(message, "compile_ms", 0),
        .has_resources = message_number(message, "registers", -1) >= 0,
        .registers = (int64_t)message_number(message, "registers", 0),
        .spill_bytes = (int64_t)message_number(message, "spill_bytes", 0)};
    snprintf(compiled->message, sizeof compiled->message, "%s",
             message_text(message, "message", ""));
    compiled->answer = *message;
    *message = (struct message){0};
}

const char *compiled_log(const struct compiled *compiled, int launch) {
    return cJSON_GetStringValue(cJSON_GetArrayItem(
        cJSON_GetObjectItemCaseSensitive(compiled->answer.json, "logs"), launch));
}

void compiled_free(struct compiled *compiled) {
    message_free(&compiled->answer);
}

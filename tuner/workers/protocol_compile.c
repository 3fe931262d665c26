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

static const char *text_of(const cJSON *json, const char *key) {
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(json, key));
    return text != NULL ? text : "";
}

static double number_of(const cJSON *json, const char *key) {
    const cJSON *number = cJSON_GetObjectItemCaseSensitive(json, key);
    return cJSON_IsNumber(number) ? number->valuedouble : 0;
}

/* ---- Binaries ---- */

/* All that is known of one but its code. */
static void tell_of(cJSON *json, const struct tw_binary *binary) {
    cJSON_AddStringToObject(json, "log", binary->log.data != NULL ? binary->log.data : "");
    if (!binary->has_resources)
        return;
    cJSON_AddNumberToObject(json, "registers", (double)binary->registers);
    cJSON_AddNumberToObject(json, "spill_bytes", (double)binary->spill_bytes);
    cJSON_AddNumberToObject(json, "local_bytes", (double)binary->local_bytes);
    cJSON_AddNumberToObject(json, "static_shared", (double)binary->static_shared);
}

static tw_status read_of(const cJSON *json, const unsigned char *code, size_t size,
                         struct tw_binary *binary, struct tw_error *error) {
    *binary = (struct tw_binary){.bytes = malloc(size > 0 ? size : 1),
                                 .size = size,
                                 .has_resources = cJSON_HasObjectItem(json, "registers"),
                                 .registers = (int64_t)number_of(json, "registers"),
                                 .spill_bytes = (int64_t)number_of(json, "spill_bytes"),
                                 .local_bytes = (int64_t)number_of(json, "local_bytes"),
                                 .static_shared = (int64_t)number_of(json, "static_shared")};
    tw_text_print(&binary->log, "%s", text_of(json, "log"));
    if (binary->bytes == NULL || binary->log.failed) {
        tw_binary_free(binary);
        return tw_fail(error, TW_NO_MEMORY, "out of memory for a binary");
    }
    memcpy(binary->bytes, code, size);
    return TW_OK;
}

/* ---- Requests ---- */

static void add_bytes(struct message *message, const void *bytes, size_t size) {
    unsigned char *larger = realloc(message->bytes, message->size + size + 1);
    if (larger == NULL) {
        json_note_lack();
        return;
    }
    memcpy(larger + message->size, bytes, size);
    message->bytes = larger;
    message->size += size;
}

/* Behind each other: what the launch gives, its source with the NUL. */
static cJSON *add_launch(struct message *message, const struct tw_executable *x, int index,
                         const struct tw_text *source) {
    const struct tw_executable_launch *launch = &x->launches[index];
    struct tw_expected expected;
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "name", launch->name);
    cJSON_AddStringToObject(json, "function", launch->function);
    cJSON_AddNumberToObject(json, "threads", (double)tw_geometry_threads(&launch->geometry));
    cJSON_AddNumberToObject(json, "bytes", (double)source->length + 1);
    tw_executable_request(x, index, source->data, &expected);
    add_bytes(message, &expected, sizeof expected);
    add_bytes(message, source->data, source->length + 1);
    return json;
}

static cJSON *add_known(struct message *message, const struct tw_binary *binary) {
    cJSON *json = cJSON_CreateObject();
    cJSON_AddBoolToObject(json, "known", true);
    cJSON_AddNumberToObject(json, "bytes", (double)binary->size);
    tell_of(json, binary);
    add_bytes(message, binary->bytes, binary->size);
    return json;
}

struct message compile_request_pack(uint64_t id, const struct tw_executable *x,
                                    const struct tw_text *sources,
                                    const struct tw_binary *const known[TW_MAX_LAUNCHES]) {
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
    for (int i = 0; i < x->launch_count; i++)
        json_append(launches, known[i] != NULL ? add_known(&message, known[i])
                                               : add_launch(&message, x, i, &sources[i]));
    return message;
}

/* A launch from `at` on; *at becomes its end. */
static tw_status read_launch(const struct message *message, const cJSON *json, size_t *at,
                             struct compile_request *request, struct tw_error *error) {
    __typeof__(&request->launches[0]) launch = &request->launches[request->launch_count];
    const unsigned char *bytes = message->bytes + *at;
    const size_t told = (size_t)number_of(json, "bytes");
    const bool known = cJSON_HasObjectItem(json, "known");
    const size_t size = known ? told : told + sizeof launch->expected;
    if (request->launch_count == TW_MAX_LAUNCHES || told == 0 || *at + size > message->size ||
        (!known && bytes[size - 1] != '\0'))
        return tw_fail(error, TW_IO, "the message's sources are cut off");
    request->launch_count++;
    *at += size;
    launch->known = known;
    if (known)
        return read_of(json, bytes, told, &launch->binary, error);
    memcpy(&launch->expected, bytes, sizeof launch->expected);
    launch->threads = (int64_t)number_of(json, "threads");
    launch->compile =
        (struct tw_compile_request){.source = (const char *)bytes + sizeof launch->expected,
                                    .name = text_of(json, "name"),
                                    .function = text_of(json, "function"),
                                    .disqualified_by = request->disqualified_by,
                                    .expected = &launch->expected,
                                    .passing = true};
    return TW_OK;
}

tw_status compile_request_unpack(const struct message *message, struct compile_request *request,
                                 struct tw_error *error) {
    const cJSON *item;
    size_t at = 0;
    int count = 0;
    tw_status status = TW_OK;
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
        if (status == TW_OK)
            status = read_launch(message, item, &at, request, error);
    }
    return status;
}

void compile_request_free(struct compile_request *request) {
    for (int i = 0; i < request->launch_count; i++)
        tw_binary_free(&request->launches[i].binary);
}

/* ---- Answers ---- */

/* Behind each other, with their sizes. */
static void add_code(struct message *message, const struct tw_binaries *binaries) {
    cJSON *sizes = cJSON_AddArrayToObject(message->json, "sizes");
    for (int i = 0; i < binaries->count; i++) {
        json_append(sizes, cJSON_CreateNumber((double)binaries->launches[i].size));
        add_bytes(message, binaries->launches[i].bytes, binaries->launches[i].size);
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
    cJSON *launches = cJSON_AddArrayToObject(message.json, "launches");
    for (int i = 0; i < binaries->count; i++) {
        cJSON *launch = cJSON_CreateObject();
        tell_of(launch, &binaries->launches[i]);
        json_append(launches, launch);
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

static const cJSON *launch_of(const struct compiled *compiled, const char *key, int launch) {
    return cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(compiled->answer.json, key), launch);
}

const char *compiled_log(const struct compiled *compiled, int launch) {
    return cJSON_GetStringValue(
        cJSON_GetObjectItemCaseSensitive(launch_of(compiled, "launches", launch), "log"));
}

tw_status compiled_binary(const struct compiled *compiled, int launch, struct tw_binary *binary,
                          struct tw_error *error) {
    size_t at = 0, size = 0;
    for (int i = 0; i <= launch; i++) {
        const cJSON *number = launch_of(compiled, "sizes", i);
        at += size;
        size = cJSON_IsNumber(number) ? (size_t)number->valuedouble : 0;
        if (size == 0 || at + size > compiled->answer.size)
            return tw_fail(error, TW_IO, "the message's binaries are cut off");
    }
    return read_of(launch_of(compiled, "launches", launch), compiled->answer.bytes + at, size,
                   binary, error);
}

void compiled_free(struct compiled *compiled) {
    message_free(&compiled->answer);
}

/* What the device worker is told and tells. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/json/json.h"
#include "tuner/workers/protocol.h"

/* ---- The assignment ---- */

static const char assignment_word[] = "assignment";

struct message device_assignment_pack(const struct device_assignment *assignment) {
    const struct tw_problem *problem = &assignment->problem;
    const struct tw_description *d = problem->description;
    struct message message = message_new(assignment_word);
    char shape[TW_PROBLEM_KEY_SIZE], number[TW_NUMBER_SIZE];
    tw_problem_shape(problem, shape);
    message_set_bytes(&message, &assignment->device, sizeof assignment->device);
    cJSON_AddStringToObject(message.json, "description", d->text);
    cJSON_AddStringToObject(message.json, "origin", d->origin);
    if (d->directory != NULL)
        cJSON_AddStringToObject(message.json, "directory", d->directory);
    cJSON_AddStringToObject(message.json, "shape", shape);
    cJSON *attributes = cJSON_AddObjectToObject(message.json, "attributes");
    for (int i = 0; i < d->attribute_count; i++)
        cJSON_AddStringToObject(attributes, d->attributes[i].name,
                                tw_problem_attribute(problem, i, number));
    cJSON_AddNumberToObject(message.json, "cache", assignment->cache);
    cJSON_AddNumberToObject(message.json, "seed", assignment->seed);
    cJSON_AddBoolToObject(message.json, "measures_errors", assignment->measures_errors);
    return message;
}

bool device_is_assignment(const struct message *message) {
    return strcmp(message_kind(message), assignment_word) == 0;
}

tw_status device_assignment_unpack(const struct message *message,
                                   struct device_assignment *assignment,
                                   struct tw_description **description, struct tw_error *error) {
    *description = NULL;
    assignment->cache = (enum cache_policy)message_index(message, "cache", CACHE_WARM, CACHE_COLD);
    assignment->seed = (uint32_t)message_number(message, "seed", 0);
    assignment->measures_errors = message_flag(message, "measures_errors");
    tw_status status =
        message_get_bytes(message, &assignment->device, sizeof assignment->device, error);
    if (status == TW_OK)
        status = tw_description_read(description, message_text(message, "description", ""),
                                     message_text(message, "origin", ""),
                                     message_text(message, "directory", NULL), error);
    if (status == TW_OK)
        status = tw_problem_parse(&assignment->problem, *description,
                                  message_text(message, "shape", ""), error);
    const cJSON *attribute;
    cJSON_ArrayForEach(attribute, cJSON_GetObjectItemCaseSensitive(message->json, "attributes")) {
        if (status == TW_OK)
            status = tw_problem_set(&assignment->problem, attribute->string, attribute->valuestring,
                                    error);
    }
    return status;
}

/* ---- What it says of itself ---- */

static const char *const says_words[] = {[DEVICE_SAYS_READY] = "ready",
                                         [DEVICE_SAYS_FAILED] = "failed",
                                         [DEVICE_SAYS_LOADING] = "loading",
                                         [DEVICE_SAYS_RUNNING] = "running",
                                         [DEVICE_SAYS_ANSWER] = "answer"};

enum device_says device_says(const struct message *message) {
    enum device_says says = DEVICE_SAYS_READY;
    while (says != DEVICE_SAYS_ANSWER && strcmp(says_words[says], message_kind(message)) != 0)
        says++;
    return says;
}

struct message device_ready_pack(const struct device_ready *ready) {
    struct message message = message_new(says_words[DEVICE_SAYS_READY]);
    cJSON_AddNumberToObject(message.json, "reference_s", ready->reference_s);
    cJSON_AddNumberToObject(message.json, "copy_us", ready->copy_us);
    cJSON_AddStringToObject(message.json, "conditions", ready->conditions);
    return message;
}

void device_ready_unpack(const struct message *message, struct device_ready *ready) {
    *ready = (struct device_ready){.reference_s = message_number(message, "reference_s", 0),
                                   .copy_us = message_number(message, "copy_us", 0),
                                   .conditions = message_text(message, "conditions", NULL)};
}

struct message device_failed_pack(const char *why) {
    struct message message = message_new(says_words[DEVICE_SAYS_FAILED]);
    cJSON_AddStringToObject(message.json, "message", why);
    return message;
}

const char *device_failed_unpack(const struct message *message) {
    return message_text(message, "message", "the device worker does not start");
}

struct message device_progress_pack(enum device_says says) {
    return message_new(says_words[says]);
}

/* ---- Requests ---- */

static const char *const asked_words[] = {[DEVICE_TRIAL] = "trial",
                                          [DEVICE_VERIFY] = "verify",
                                          [DEVICE_FINALIST] = "finalist",
                                          [DEVICE_ROUND] = "round",
                                          [DEVICE_CALL] = "call"};

static void add_variant(struct message *message, const struct device_request *request,
                        const struct tw_description *d) {
    const struct tw_configuration *configuration = &request->configuration;
    struct tw_text text = {0};
    tw_configuration_text(d, configuration, &text);
    cJSON_AddStringToObject(message->json, "implementation",
                            d->implementations[configuration->implementation].name);
    cJSON_AddStringToObject(message->json, "configuration", text.data != NULL ? text.data : "");
    if (text.failed)
        json_note_lack();
    tw_text_free(&text);
    json_add(
        message->json, "sizes",
        cJSON_Duplicate(cJSON_GetObjectItemCaseSensitive(request->binaries->json, "sizes"), 1));
    message->bytes = request->binaries->bytes;
    message->size = request->binaries->size;
}

static void add_call(struct message *message, const struct call *call) {
    cJSON_AddNumberToObject(message->json, "alignment", call->alignment);
    cJSON *strides = cJSON_AddArrayToObject(message->json, "strides");
    for (int i = 0; i < TW_MAX_ARGUMENTS; i++)
        json_append(strides, cJSON_CreateNumber((double)call->strides[i]));
}

struct message device_request_pack(const struct device_request *request,
                                   const struct tw_description *d) {
    struct message message = message_new(asked_words[request->asked]);
    switch (request->asked) {
    case DEVICE_TRIAL:
        cJSON_AddNumberToObject(message.json, "best_us", request->best_us);
        cJSON_AddNumberToObject(message.json, "enough_s", request->enough_s);
        add_variant(&message, request, d);
        break;
    case DEVICE_FINALIST:
        cJSON_AddBoolToObject(message.json, "first", request->first);
        add_variant(&message, request, d);
        break;
    case DEVICE_VERIFY:
        add_variant(&message, request, d);
        break;
    case DEVICE_ROUND:
        cJSON_AddNumberToObject(message.json, "finalist", request->finalist);
        break;
    case DEVICE_CALL:
        add_call(&message, &request->call);
        break;
    }
    return message;
}

void device_request_free(struct message *message) {
    message->bytes = NULL;
    message_free(message);
}

static tw_status read_variant(const struct message *message, struct device_request *request,
                              const struct tw_description *d, struct tw_error *error) {
    int index = tw_description_implementation(d, message_text(message, "implementation", ""));
    request->binaries = message;
    if (index < 0)
        return tw_fail(error, TW_IO, "the message names no implementation");
    return tw_configuration_parse(&request->configuration, d, index,
                                  message_text(message, "configuration", ""), error);
}

static tw_status read_call(const struct message *message, struct call *call,
                           struct tw_error *error) {
    int i = 0;
    const cJSON *stride;
    call->alignment = (int)message_number(message, "alignment", 0);
    cJSON_ArrayForEach(stride, cJSON_GetObjectItemCaseSensitive(message->json, "strides")) {
        if (i == TW_MAX_ARGUMENTS)
            return tw_fail(error, TW_IO, "the message has more strides than there are arguments");
        call->strides[i++] = (int64_t)stride->valuedouble;
    }
    return TW_OK;
}

tw_status device_request_unpack(const struct message *message, struct device_request *request,
                                const struct tw_description *d, struct tw_error *error) {
    const int count = sizeof asked_words / sizeof *asked_words;
    int asked = 0;
    while (asked < count && strcmp(asked_words[asked], message_kind(message)) != 0)
        asked++;
    if (asked == count)
        return tw_fail(error, TW_INVALID, "unknown request \"%s\"", message_kind(message));
    *request = (struct device_request){
        .asked = (enum device_asked)asked,
        .first = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(message->json, "first")),
        .best_us = message_number(message, "best_us", 0),
        .enough_s = message_number(message, "enough_s", 0),
        .finalist = (int)message_number(message, "finalist", -1)};
    switch (request->asked) {
    case DEVICE_ROUND:
        return TW_OK;
    case DEVICE_CALL:
        return read_call(message, &request->call, error);
    default:
        return read_variant(message, request, d, error);
    }
}

tw_status device_request_binaries(const struct device_request *request,
                                  struct tw_binaries *binaries, struct tw_error *error) {
    const struct message *message = request->binaries;
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

/* ---- Answers ---- */

struct message device_answer_pack(const struct device_answer *answer) {
    struct message message = message_new(says_words[DEVICE_SAYS_ANSWER]);
    cJSON_AddNumberToObject(message.json, "status", answer->status);
    cJSON_AddStringToObject(message.json, "message", answer->message);
    cJSON_AddBoolToObject(message.json, "lost", answer->lost);
    if (answer->has_error) {
        cJSON_AddNumberToObject(message.json, "max_rel_error", answer->max_rel_error);
        cJSON_AddNumberToObject(message.json, "rms_rel_error", answer->rms_rel_error);
    }
    if (answer->has_hard) {
        cJSON_AddNumberToObject(message.json, "hard_max_error", answer->hard_max_error);
        cJSON_AddNumberToObject(message.json, "hard_rms_error", answer->hard_rms_error);
    }
    cJSON_AddBoolToObject(message.json, "screened_out", answer->screened_out);
    cJSON_AddNumberToObject(message.json, "verify_s", answer->verify_s);
    cJSON_AddNumberToObject(message.json, "measure_s", answer->measure_s);
    cJSON *times = cJSON_AddArrayToObject(message.json, "times_us");
    for (int i = 0; i < answer->time_count; i++)
        json_append(times, cJSON_CreateNumber(answer->times_us[i]));
    return message;
}

void device_answer_unpack(const struct message *message, struct device_answer *answer) {
    *answer = (struct device_answer){
        .status = (enum tw_db_trial_status)message_index(
            message, "status", TW_DB_TRIAL_STATUS_COUNT - 1, TW_DB_TRIAL_LAUNCH_ERROR),
        .lost = message_flag(message, "lost"),
        .has_error = message_number(message, "max_rel_error", -1) >= 0,
        .max_rel_error = message_number(message, "max_rel_error", -1),
        .rms_rel_error = message_number(message, "rms_rel_error", -1),
        .has_hard = message_number(message, "hard_max_error", -1) >= 0,
        .hard_max_error = message_number(message, "hard_max_error", -1),
        .hard_rms_error = message_number(message, "hard_rms_error", -1),
        .screened_out = message_flag(message, "screened_out"),
        .verify_s = message_number(message, "verify_s", 0),
        .measure_s = message_number(message, "measure_s", 0)};
    snprintf(answer->message, sizeof answer->message, "%s", message_text(message, "message", ""));
    const cJSON *time;
    cJSON_ArrayForEach(time, cJSON_GetObjectItemCaseSensitive(message->json, "times_us")) {
        if (answer->time_count < TIMING_MAX_REPEATS && cJSON_IsNumber(time))
            answer->times_us[answer->time_count++] = time->valuedouble;
    }
}

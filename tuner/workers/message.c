#include "tuner/workers/message.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "tuner/json/json.h"

enum { LARGEST_MESSAGE = 512 << 20 };

struct message message_new(const char *kind) {
    json_lacked_memory(); /* for something else, before */
    struct message message = {.json = cJSON_CreateObject()};
    if (message.json != NULL && cJSON_AddStringToObject(message.json, "kind", kind) == NULL) {
        cJSON_Delete(message.json);
        message.json = NULL;
    }
    return message;
}

void message_free(struct message *message) {
    cJSON_Delete(message->json);
    free(message->bytes);
    *message = (struct message){0};
}

double message_number(const struct message *message, const char *key, double fallback) {
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(message->json, key);
    return cJSON_IsNumber(item) ? item->valuedouble : fallback;
}

const char *message_text(const struct message *message, const char *key, const char *fallback) {
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(message->json, key);
    return cJSON_IsString(item) ? item->valuestring : fallback;
}

const char *message_kind(const struct message *message) {
    return message_text(message, "kind", "");
}

bool message_flag(const struct message *message, const char *key) {
    return cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(message->json, key));
}

int message_index(const struct message *message, const char *key, int most, int fallback) {
    double number = message_number(message, key, -1);
    return number >= 0 && number <= most && number == (int)number ? (int)number : fallback;
}

void message_set_bytes(struct message *message, const void *bytes, size_t size) {
    free(message->bytes);
    message->size = 0;
    message->bytes = malloc(size > 0 ? size : 1);
    if (message->bytes == NULL) {
        json_note_lack();
        return;
    }
    memcpy(message->bytes, bytes, size);
    message->size = size;
}

tw_status message_get_bytes(const struct message *message, void *bytes, size_t size,
                            struct tw_error *error) {
    if (message->size != size)
        return tw_fail(error, TW_IO, "the message has %zu bytes and should have %zu", message->size,
                       size);
    memcpy(bytes, message->bytes, size);
    return TW_OK;
}

static tw_status send_all(int fd, const void *bytes, size_t size, struct tw_error *error) {
    const char *at = bytes;
    while (size > 0) {
        /* A worker that died must be an error here, not a signal. */
        ssize_t sent = send(fd, at, size, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0)
            return tw_fail(error, TW_IO, "the other process is gone (%s)", strerror(errno));
        at += sent;
        size -= (size_t)sent;
    }
    return TW_OK;
}

tw_status message_send(int fd, const struct message *message, struct tw_error *error) {
    char *text = message->json != NULL ? cJSON_PrintUnformatted(message->json) : NULL;
    if (json_lacked_memory() || text == NULL) {
        cJSON_free(text);
        return tw_fail(error, TW_NO_MEMORY, "out of memory for a message");
    }
    uint32_t lengths[2] = {(uint32_t)strlen(text), (uint32_t)message->size};
    tw_status status = send_all(fd, lengths, sizeof lengths, error);
    if (status == TW_OK)
        status = send_all(fd, text, lengths[0], error);
    if (status == TW_OK && message->size > 0)
        status = send_all(fd, message->bytes, message->size, error);
    cJSON_free(text);
    return status;
}

/* Returns how many bytes came before the end. */
static size_t receive_all(int fd, void *bytes, size_t size) {
    size_t received = 0;
    while (received < size) {
        ssize_t count = recv(fd, (char *)bytes + received, size - received, 0);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            break;
        received += (size_t)count;
    }
    return received;
}

tw_status message_receive(int fd, struct message *message, struct tw_error *error) {
    *message = (struct message){0};
    uint32_t lengths[2];
    size_t received = receive_all(fd, lengths, sizeof lengths);
    if (received == 0)
        return tw_fail(error, TW_NOT_FOUND, "the other process closed the connection");
    if (received < sizeof lengths || lengths[0] > LARGEST_MESSAGE || lengths[1] > LARGEST_MESSAGE)
        return tw_fail(error, TW_IO, "a message was cut off");
    char *text = malloc((size_t)lengths[0] + 1);
    message->bytes = malloc(lengths[1] > 0 ? lengths[1] : 1);
    message->size = lengths[1];
    tw_status status = TW_OK;
    if (text == NULL || message->bytes == NULL)
        status = tw_fail(error, TW_NO_MEMORY, "out of memory for a message");
    else if (receive_all(fd, text, lengths[0]) < lengths[0] ||
             receive_all(fd, message->bytes, lengths[1]) < lengths[1])
        status = tw_fail(error, TW_IO, "a message was cut off");
    if (status == TW_OK) {
        text[lengths[0]] = '\0';
        errno = 0;
        message->json = cJSON_ParseWithOpts(text, NULL, 1);
        if (message->json == NULL && errno == ENOMEM)
            status = tw_fail(error, TW_NO_MEMORY, "out of memory for a message");
        else if (!cJSON_IsObject(message->json))
            status = tw_fail(error, TW_IO, "what came is no message");
    }
    free(text);
    if (status != TW_OK)
        message_free(message);
    return status;
}

/* Messages between the coordinator and its workers: a JSON object and some bytes, over a socket
 * pair.
 *
 * On the wire a message is two 32-bit lengths, the JSON text, the bytes. Both ends are the same
 * program on the same machine, so numbers are in the machine's own order. */
#ifndef TUNER_WORKERS_MESSAGE_H
#define TUNER_WORKERS_MESSAGE_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

#include "runtime/base/error.h"

struct message {
    cJSON *json;
    unsigned char *bytes;
    size_t size;
};

/* A new message of a kind ("trial", "result" ...); json is NULL when memory ran out. */
struct message message_new(const char *kind);
const char *message_kind(const struct message *message); /* "" when it has none */
void message_free(struct message *message);

/* Numbers and text by key; the fallback when the key is absent. Text is borrowed. */
double message_number(const struct message *message, const char *key, double fallback);
const char *message_text(const struct message *message, const char *key, const char *fallback);
bool message_flag(const struct message *message, const char *key);
/* A whole number from 0 to `most`; the fallback when there is none. */
int message_index(const struct message *message, const char *key, int most, int fallback);

/* Makes the message's bytes a copy of these; sending tells when there was no memory for it. */
void message_set_bytes(struct message *message, const void *bytes, size_t size);
/* Copies the bytes out; TW_IO unless there are so many. */
tw_status message_get_bytes(const struct message *message, void *bytes, size_t size,
                            struct tw_error *error);

/* Writes the whole message; TW_IO when the other end is gone. */
tw_status message_send(int fd, const struct message *message, struct tw_error *error);
/* Waits for a whole message. TW_NOT_FOUND: the other end closed between messages. TW_IO: within
 * one, or what came is no message. */
tw_status message_receive(int fd, struct message *message, struct tw_error *error);

#endif

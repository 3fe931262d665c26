/* What a worker is told when it starts: device and problem. Sent by the coordinator, rebuilt by the
 * worker. */
#ifndef TUNER_WORKERS_ASSIGNMENT_H
#define TUNER_WORKERS_ASSIGNMENT_H

#include "runtime/backend/backend.h"
#include "runtime/description/configuration.h"
#include "runtime/description/problem.h"
#include "runtime/variant/variant.h"
#include "tuner/measure/call.h"
#include "tuner/workers/message.h"

/* A message of this kind with the problem and the device; the caller may add to it. */
struct message assignment_message(const char *kind, const struct tw_problem *problem,
                                  const struct tw_device_info *device);
/* A message with the device alone, and reading it. */
struct message assignment_of_device(const char *kind, const struct tw_device_info *device);
tw_status assignment_read_device(const struct message *message, struct tw_device_info *device,
                                 struct tw_error *error);
/* Rebuilds both. `description` is made for the problem and is the caller's to free. */
tw_status assignment_read(const struct message *message, struct tw_description **description,
                          struct tw_problem *problem, struct tw_device_info *device,
                          struct tw_error *error);

/* Variants travel as names and canonical text, their binaries as the message's bytes. */
void assignment_add_variant(struct message *message, const struct tw_description *description,
                            const struct tw_configuration *configuration);
tw_status assignment_read_variant(const struct message *message,
                                  const struct tw_description *description,
                                  struct tw_configuration *configuration, struct tw_error *error);
/* A call by its alignment and strides; a message without is of a problem as it is tuned. */
void assignment_add_call(struct message *message, const struct call *call);
tw_status assignment_read_call(const struct message *message, struct call *call,
                               struct tw_error *error);
/* Replaces the message's bytes by copies of the binaries'. */
tw_status assignment_add_binaries(struct message *message, const struct tw_binaries *binaries,
                                  struct tw_error *error);
/* The binaries then own copies. */
tw_status assignment_read_binaries(const struct message *message, struct tw_binaries *binaries,
                                   struct tw_error *error);

#endif

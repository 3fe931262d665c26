/* From the command line to what a command is about: kernel, problem, device. */
#ifndef TUNER_COMMANDS_RESOLVE_H
#define TUNER_COMMANDS_RESOLVE_H

#include "runtime/backend/backend.h"
#include "runtime/description/problem.h"
#include "tuner/commands/arguments.h"
#include "tuner/commands/device_list.h"

/* The description: the one of --config (of several, the named kernel's), or the named kernel's, or
 * the one that a shape of so many sizes is for (gemm for three, transpose for two). The caller
 * frees *out. */
tw_status resolve_description(const struct arguments *arguments, struct tw_description **out,
                              struct tw_error *error);
/* The problem of the shape numbered `index`, with the attributes of the command line; where it has
 * attributes of its own, those count. */
tw_status resolve_problem(const struct arguments *arguments, int index,
                          const struct tw_description *description, struct tw_problem *problem,
                          struct tw_error *error);
/* The device. When none was asked for and CUDA is installed but does not work, says so on standard
 * error unless quiet; when verbose, also that there is none. */
tw_status resolve_device(const struct arguments *arguments, struct tw_device_info *device,
                         struct tw_error *error);
/* Those of --devices, or else the one that resolve_device finds. Says on standard error, unless
 * quiet, that CPUs of one machine disturb each other. */
tw_status resolve_devices(const struct arguments *arguments, struct device_list *devices,
                          struct tw_error *error);
/* The one shape that was asked for. The caller frees *description. */
tw_status resolve_single_problem(const struct arguments *arguments,
                                 struct tw_description **description, struct tw_problem *problem,
                                 struct tw_error *error);
/* The one shape that was asked for, on the device that was asked for. The caller frees
 * *description. */
tw_status resolve_single(const struct arguments *arguments, struct tw_description **description,
                         struct tw_problem *problem, struct tw_device_info *device,
                         struct tw_error *error);

#endif

/* Internal to the room: the devices and problems that a description is tried with. */
#ifndef TUNER_LINT_MODELS_H
#define TUNER_LINT_MODELS_H

#include "runtime/backend/backend.h"
#include "runtime/description/problem.h"

/* Old and new NVIDIA GPUs, a CPU as PoCL shows it, and an OpenCL device with little of all. */
enum { LINT_DEVICES = 4 };
extern const struct tw_device_info lint_devices[LINT_DEVICES];

/* Random numbers, the same every time. */
uint32_t lint_random(uint64_t *state);

/* The problem numbered `index`: extreme sizes first, one dimension at a time, then random ones,
 * with the attributes' words taken in turn. False past the last. */
bool lint_problem(const struct tw_description *description, int index, struct tw_problem *problem);

/* Whether it can be asked for: its buffers have sizes that kernels take as int, and together a
 * terabyte at most. With `values` NULL only the dimensions are looked at. */
bool lint_plausible(const struct tw_problem *problem, const int64_t *values);

#endif

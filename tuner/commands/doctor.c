/* tune doctor: how far times that are measured on this machine can be trusted. */
#include <stdio.h>
#include <stdlib.h>

#include "runtime/description/builtin.h"
#include "tuner/commands/command.h"
#include "tuner/commands/plain.h"
#include "tuner/commands/resolve.h"
#include "tuner/doctor/doctor.h"
#include "tuner/space/given.h"

static const char help[] =
    "tune doctor [KERNEL] [--shape MxN[xK]] [OPTIONS]\n"
    "\n"
    "Says how far times that are measured on this machine can be trusted, and what disturbs them.\n"
    "Measures a binary against itself in interleaved rounds: what differs is noise. Then what a\n"
    "launch costs and how fine the device's timer is; clocks, what slows the device down, its\n"
    "persistence and compute mode and other processes on it, where NVML tells; and what other\n"
    "processes take of the host's cores. The last line says whether results can be trusted: when\n"
    "a binary differs from itself by no more than 1%, in the 95% interval of the median ratio,\n"
    "and nothing serious disturbs. Sets and stores nothing.\n"
    "\n"
    "  --shape, --dtype, --trans, --attr, --config: what is measured; default: a gemm of 1024^3,\n"
    "                       on a CPU of 128^3\n"
    "  --preset NAME        by this preset; default: default\n"
    "  --rounds N           default 31\n"
    "  --device, --cache, --seed: as for tune\n"
    "  --json               print one JSON object\n"
    "  --quiet              no remarks\n";

static tw_status find_problem(const struct arguments *a, struct tw_description **description,
                              struct diagnosis *d, struct tw_error *error) {
    char cube[] = "1024x1024x1024", small[] = "128x128x128";
    if (a->shape_count > 0)
        return resolve_single(a, description, &d->problem, &d->device, error);
    if (a->kernel != NULL || a->configs.count > 0 || a->attribute_count > 0)
        return tw_fail(error, TW_INVALID, "give the --shape too, as in --shape 4096x4096x1024");
    tw_status status = tw_description_builtin(description, "gemm", error);
    if (status == TW_OK)
        status = resolve_device(a, &d->device, error);
    return status == TW_OK
               ? tw_problem_parse(&d->problem, *description, d->device.is_cpu ? small : cube, error)
               : status;
}

static tw_status examine(const struct arguments *a, struct tw_error *error) {
    struct tw_description *description = NULL;
    struct diagnosis *d = calloc(1, sizeof *d);
    if (d == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    d->cache = a->cache;
    d->seed = (uint32_t)a->seed;
    d->rounds = (int)a->rounds;
    tw_status status = find_problem(a, &description, d, error);
    if (status == TW_OK)
        status = given_preset(description, a->preset != NULL ? a->preset : "default",
                              &d->configuration, error);
    if (status == TW_OK)
        status = doctor_examine(d, error);
    if (status == TW_OK && a->json)
        status = doctor_print_json(d, error);
    else if (status == TW_OK)
        doctor_print_table(d);
    tw_description_free(description);
    free(d);
    return status;
}

int command_doctor(int count, char **words) {
    return command_plain(count, words,
                         OPTIONS_PROBLEM | OPTION(DEVICE) | OPTION(CACHE) | OPTION(PRESET) |
                             OPTION(ROUNDS) | OPTION(SEED) | OPTION(JSON) | OPTION(QUIET),
                         help, examine);
}

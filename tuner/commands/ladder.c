/* tune ladder KERNEL --shape ...: what each of the classic optimisations brings on this device. */
#include <stdio.h>
#include <stdlib.h>

#include "tuner/commands/command.h"
#include "tuner/commands/plain.h"
#include "tuner/commands/database.h"
#include "tuner/commands/resolve.h"
#include "tuner/ladder/ladder.h"

static const char help[] =
    "tune ladder [KERNEL] --shape MxN[xK] [OPTIONS]\n"
    "\n"
    "Runs a kernel's presets in the order of the classic optimisations, from a naive one on,\n"
    "then what an application would get, checks each and prints its time, its rate, and what it\n"
    "gains over the rung before and over the first. Kernels that move data are held against a\n"
    "device-to-device copy, and timed a second way, with the loop inside the kernel: \"a pass\"\n"
    "is a launch in which every block does its work 16 to 1024 times, divided by that. --cache\n"
    "does not reach inside a launch: after the first pass a block's data comes from the caches,\n"
    "however large the problem is.\n"
    "\n"
    "  --shape, --dtype, --trans, --attr, --device, --cache, --db, --config, --seed: as for tune\n"
    "  --json               print one JSON object\n"
    "  --quiet              no remarks\n";

static tw_status climb(const struct arguments *a, struct tw_error *error) {
    struct tw_description *description = NULL;
    struct tw_catalogue *catalogue = NULL;
    struct ladder *ladder = calloc(1, sizeof *ladder);
    if (ladder == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    ladder->cache = a->cache;
    ladder->seed = (uint32_t)a->seed;
    tw_status status = resolve_single(a, &description, &ladder->problem, &ladder->device, error);
    if (status == TW_OK)
        status = database_catalogue(a, &catalogue, error);
    ladder->catalogue = catalogue;
    if (status == TW_OK)
        status = ladder_measure(ladder, error);
    if (status == TW_OK && a->json)
        status = ladder_print_json(ladder, error);
    else if (status == TW_OK)
        ladder_print_table(ladder);
    ladder_free(ladder);
    free(ladder);
    tw_catalogue_free(catalogue);
    tw_description_free(description);
    return status;
}

int command_ladder(int count, char **words) {
    return command_plain(
        count, words, OPTIONS_SUBJECT | OPTION(SEED) | OPTION(JSON) | OPTION(QUIET), help, climb);
}

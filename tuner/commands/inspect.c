/* tune inspect KERNEL --shape ...: what the kernel that an application would get is made of. */
#include <stdio.h>
#include <stdlib.h>

#include "tuner/commands/command.h"
#include "tuner/commands/plain.h"
#include "tuner/commands/database.h"
#include "tuner/commands/print_selection.h"
#include "tuner/commands/resolve.h"
#include "tuner/inspect/inspect.h"
#include "tuner/inspect/paper_device.h"

static const char help[] =
    "tune inspect [KERNEL] --shape MxN[xK] [OPTIONS]\n"
    "\n"
    "Shows what the kernel that an application would get is made of, launch by launch: registers,\n"
    "memory and occupancy; of its machine code the instructions, those of its inner loop, and how "
    "well\n"
    "they can keep the arithmetic busy; and what the device's arithmetic and memory would allow.\n"
    "Launches nothing. Machine code is read with nvdisasm or cuobjdump, from PATH or the CUDA "
    "toolkit,\n"
    "and on CUDA only.\n"
    "\n"
    "  --shape, --dtype, --trans, --attr, --device, --cache, --db, --config: as for tune\n"
    "  --preset NAME        a preset of the kernel instead\n"
    "  --arch sm_NN         compile for this architecture, without a device\n"
    "  --json               print one JSON object\n"
    "  --quiet              no remarks\n";

static tw_status find_subject(const struct arguments *a, struct tw_description **description,
                              struct inspection *inspection, struct tw_error *error) {
    if (a->arch == NULL)
        return resolve_single(a, description, &inspection->problem, &inspection->device, error);
    if (a->device != NULL)
        return tw_fail(error, TW_INVALID, "give --arch or --device, not both");
    inspection->on_paper = true;
    tw_status status = resolve_single_problem(a, description, &inspection->problem, error);
    return status == TW_OK ? paper_device(a->arch, &inspection->device, error) : status;
}

static tw_status print_table(const struct inspection *in, struct tw_error *error) {
    tw_status status = TW_OK;
    const struct tw_description *d = in->problem.description;
    struct tw_text configuration = {0};
    char key[TW_PROBLEM_KEY_SIZE];
    tw_problem_text(&in->problem, key);
    tw_configuration_text(d, &in->configuration, &configuration);
    printf("%s %s on %s (%s)\n", d->kernel, key, in->device.name, in->device.id);
    if (in->preset != NULL)
        printf("  chosen          the preset %s\n", in->preset);
    else
        status = print_selection(in->problem.description, &in->selection, error);
    if (status == TW_OK)
        printf("  configuration   %s %s\n",
               d->implementations[in->configuration.implementation].name,
               tw_text_or(&configuration, ""));
    tw_text_free(&configuration);
    if (status == TW_OK)
        inspect_print_table(in);
    return status;
}

static tw_status inspect_subject(const struct arguments *a, struct tw_error *error) {
    struct tw_description *description = NULL;
    struct tw_catalogue *catalogue = NULL;
    struct inspection *inspection = calloc(1, sizeof *inspection);
    if (inspection == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    inspection->cache = a->cache;
    inspection->preset = a->preset;
    tw_status status = find_subject(a, &description, inspection, error);
    if (status == TW_OK)
        status = database_catalogue(a, &catalogue, error);
    inspection->catalogue = catalogue;
    if (status == TW_OK)
        status = inspect(inspection, error);
    if (status == TW_OK && a->json)
        status = inspect_print_json(inspection, error);
    else if (status == TW_OK)
        status = print_table(inspection, error);
    free(inspection);
    tw_catalogue_free(catalogue);
    tw_description_free(description);
    return status;
}

int command_inspect(int count, char **words) {
    return command_plain(count, words,
                         OPTIONS_SUBJECT | OPTION(PRESET) | OPTION(ARCH) | OPTION(JSON) |
                             OPTION(QUIET),
                         help, inspect_subject);
}

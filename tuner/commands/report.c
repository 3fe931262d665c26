/* tune report: a page to look at. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/backend/devices.h"
#include "runtime/base/file.h"
#include "runtime/base/printable.h"
#include "tuner/commands/command.h"
#include "tuner/commands/database.h"
#include "tuner/commands/resolve.h"
#include "tuner/exchange/output.h"
#include "tuner/page/page.h"

static const char help[] =
    "tune report [KERNEL | --kernel KERNEL] [--run N] -o FILE.html [OPTIONS]\n"
    "\n"
    "Writes a page about what is stored: how searches went, what each parameter and each pair "
    "brought,\n"
    "what failed, how near to the device's limits the winners are, their machine code, what ties "
    "with\n"
    "them, and what shapes that were not tuned would get. One file, which needs no network; light, "
    "dark\n"
    "and for paper.\n"
    "\n"
    "  -o, --output FILE    where to write it\n"
    "  --run N              only this run, as tune trials numbers it\n"
    "  --device ID          only results of a device of this machine's\n"
    "  --bench FILE         with a comparison that bench wrote as JSON\n"
    "  --shape, --shapes, --dtype, --trans, --attr: shapes to tell of what they would get\n"
    "  --config, --db: as for tune\n"
    "  --quiet              no progress\n";

struct task {
    struct arguments arguments;
    struct page page;
    struct known_kernels kernels;
    struct tw_catalogue *catalogue;
    struct tw_device_info *devices;
    struct tw_description *description; /* of the shapes asked for */
    struct tw_problem *wanted;
    struct tw_text bench;
    char *path;
    char fingerprint[256];
};

static void tell(const char *kernel, const char *problem) {
    tw_printable_line(stderr, "tune: reading the machine code of %s %s", kernel, problem);
}

static tw_status read_wanted(struct task *task, struct tw_error *error) {
    const struct arguments *a = &task->arguments;
    if (a->shape_count == 0)
        return a->attribute_count == 0 ? TW_OK
                                       : tw_fail(error, TW_INVALID, "attributes go with a --shape");
    task->wanted = calloc((size_t)a->shape_count, sizeof *task->wanted);
    if (task->wanted == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    tw_status status = resolve_description(a, &task->description, error);
    for (int i = 0; i < a->shape_count && status == TW_OK; i++)
        status = resolve_problem(a, i, task->description, &task->wanted[i], error);
    task->page.wanted = task->wanted;
    task->page.wanted_count = a->shape_count;
    return status;
}

static tw_status read_setting(struct task *task, struct tw_error *error) {
    const struct arguments *a = &task->arguments;
    size_t count = 0;
    tw_status status =
        known_kernels_open(&task->kernels, a->configs.words, a->configs.count, error);
    if (status == TW_OK)
        status = database_catalogue(a, &task->catalogue, error);
    if (status == TW_OK)
        status = tw_devices_list(&task->devices, &count, NULL, error);
    task->page.setting = (struct setting){.kernels = &task->kernels,
                                          .catalogue = task->catalogue,
                                          .devices = task->devices,
                                          .device_count = count};
    if (status == TW_OK && a->device != NULL) {
        struct tw_device_info device;
        status = tw_device_pick(a->device, &device, error);
        tw_device_fingerprint(&device, task->fingerprint);
        task->page.filter.device_fingerprint = task->fingerprint;
    }
    return status;
}

static tw_status report(struct task *task, struct tw_error *error) {
    const struct arguments *a = &task->arguments;
    struct tw_text text = {0};
    if (a->output == NULL)
        return tw_fail(error, TW_INVALID, "where to? give -o FILE, as in -o report.html");
    task->page.filter = (struct page_filter){.kernel = a->kernel, .run = a->run};
    task->page.bench = a->bench;
    task->page.progress = a->quiet ? NULL : tell;
    tw_status status = read_wanted(task, error);
    if (status == TW_OK && a->bench != NULL)
        status = command_names_file(tw_file_read(&task->bench, a->bench, error), error);
    task->page.bench_text = tw_text_or(&task->bench, "");
    if (status == TW_OK)
        status = read_setting(task, error);
    task->path = status == TW_OK ? database_path(a, error) : NULL;
    if (status == TW_OK)
        status = task->path != NULL ? database_open(task->path, TW_DB_READ, &task->page.db, error)
                                    : error->status;
    task->page.database = task->path;
    if (status == TW_OK)
        status = page_write(&task->page, &text, error);
    if (status == TW_OK)
        status = output_write(&text, a->output, error);
    tw_text_free(&text);
    return status;
}

static void task_free(struct task *task) {
    tw_db_close(task->page.db);
    known_kernels_close(&task->kernels);
    tw_catalogue_free(task->catalogue);
    tw_description_free(task->description);
    free(task->devices);
    free(task->wanted);
    free(task->path);
    tw_text_free(&task->bench);
    arguments_free(&task->arguments);
}

int command_report(int count, char **words) {
    struct task task = {0};
    struct tw_error error;
    tw_status status = arguments_parse(&task.arguments, count, words,
                                       OPTIONS_PROBLEM | OPTION(SHAPES) | OPTION(DEVICE) |
                                           OPTION(DB) | OPTION(RUN) | OPTION(KERNEL) |
                                           OPTION(OUTPUT) | OPTION(BENCH) | OPTION(QUIET),
                                       &error);
    if (status == TW_OK && task.arguments.help)
        fputs(help, stdout);
    else if (status == TW_OK)
        status = report(&task, &error);
    task_free(&task);
    return status == TW_OK ? EXIT_FINE : command_failed(status, &error);
}

/* tune devices: what this machine has. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "runtime/backend/devices.h"
#include "tuner/commands/arguments.h"
#include "tuner/commands/command.h"
#include "tuner/json/json.h"
#include "tuner/report/terminal.h"

static const char help[] = "tune devices [--json]\n"
                           "\n"
                           "Lists the devices that can be tuned for, the default first, with the "
                           "names that --device takes.\n"
                           "Says for each backend without devices why it has none.\n";

static void print_table(const struct tw_device_info *devices, size_t count,
                        struct tw_text *absent) {
    enum { INDENT = 11 };
    const struct terminal terminal = terminal_of(stdout);
    for (size_t i = 0; i < count; i++) {
        const struct tw_device_info *d = &devices[i];
        struct tw_text line = {0};
        printf("%-*s ", INDENT - 1, d->id);
        terminal_wrap(&terminal, INDENT, INDENT, d->name);
        printf("\n%*s", INDENT, "");
        tw_text_print(&line,
                      "%s, %" PRId64 " compute units, %.1f GB, %" PRId64
                      " KB shared memory a block, %.1f MB cache",
                      d->architecture, d->compute_units, (double)d->memory_bytes * 1e-9,
                      d->max_shared / 1024, (double)d->cache_bytes / 1048576);
        terminal_wrap(&terminal, INDENT, INDENT, tw_text_or(&line, ""));
        printf("\n%*s", INDENT, "");
        tw_text_clear(&line);
        tw_text_print(&line, "driver %s, compiler %s", d->driver,
                      d->compiler[0] != '\0' ? d->compiler : "none: kernels cannot be compiled");
        terminal_wrap(&terminal, INDENT, INDENT, tw_text_or(&line, ""));
        printf("\n");
        tw_text_free(&line);
    }
    if (count == 0)
        printf("no devices\n");
    /* A line a backend. */
    char *rest = NULL, *line = absent->length > 0 ? strtok_r(absent->data, "\n", &rest) : NULL;
    for (; line != NULL; line = strtok_r(NULL, "\n", &rest)) {
        terminal_wrap(&terminal, 0, 4, line);
        printf("\n");
    }
}

static tw_status print_json(const struct tw_device_info *devices, size_t count,
                            const struct tw_text *absent, struct tw_error *error) {
    cJSON *json = cJSON_CreateObject();
    cJSON *list = cJSON_AddArrayToObject(json, "devices");
    for (size_t i = 0; i < count; i++) {
        const struct tw_device_info *d = &devices[i];
        cJSON *row = cJSON_CreateObject();
        cJSON_AddStringToObject(row, "id", d->id);
        cJSON_AddStringToObject(row, "name", d->name);
        cJSON_AddStringToObject(row, "backend", d->backend);
        cJSON_AddStringToObject(row, "architecture", d->architecture);
        cJSON_AddBoolToObject(row, "cpu", d->is_cpu);
        cJSON_AddNumberToObject(row, "compute_units", (double)d->compute_units);
        cJSON_AddNumberToObject(row, "memory_bytes", (double)d->memory_bytes);
        cJSON_AddNumberToObject(row, "shared_bytes_per_block", (double)d->max_shared);
        cJSON_AddNumberToObject(row, "cache_bytes", (double)d->cache_bytes);
        cJSON_AddStringToObject(row, "driver", d->driver);
        cJSON_AddStringToObject(row, "compiler", d->compiler);
        json_append(list, row);
    }
    cJSON_AddStringToObject(json, "absent", absent->data != NULL ? absent->data : "");
    return json_print(json, error);
}

int command_devices(int count, char **words) {
    struct arguments arguments;
    struct tw_error error;
    tw_status status =
        arguments_parse(&arguments, count, words, OPTION(JSON) | OPTION(QUIET), &error);
    if (status == TW_OK && arguments.kernel != NULL)
        status = tw_fail(&error, TW_INVALID, "unexpected \"%s\"; see tune devices --help",
                         arguments.kernel);
    if (status == TW_OK && arguments.help) {
        fputs(help, stdout);
    } else if (status == TW_OK) {
        struct tw_device_info *devices;
        size_t found;
        struct tw_text absent = {0};
        status = tw_devices_list(&devices, &found, &absent, &error);
        if (status == TW_OK && absent.failed)
            status = tw_fail(&error, TW_NO_MEMORY, "out of memory");
        if (status == TW_OK && arguments.json)
            status = print_json(devices, found, &absent, &error);
        else if (status == TW_OK)
            print_table(devices, found, &absent);
        free(devices);
        tw_text_free(&absent);
    }
    arguments_free(&arguments);
    return status == TW_OK ? EXIT_FINE : command_failed(status, &error);
}

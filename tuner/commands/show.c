/* tune show: the best rows of a database. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "runtime/backend/devices.h"
#include "runtime/base/printable.h"
#include "tuner/commands/command.h"
#include "tuner/commands/plain.h"
#include "tuner/commands/database.h"
#include "tuner/commands/resolve.h"
#include "tuner/json/json.h"
#include "tuner/report/report.h"

static const char help[] = "tune show [KERNEL] [--shape MxN[xK]] [--device ID] [OPTIONS]\n"
                           "\n"
                           "Prints the best stored configurations: of every kernel, shape and "
                           "device, or of those asked for.\n"
                           "\n"
                           "  --shape, --dtype, --trans, --attr, --config, --db: as for tune\n"
                           "  --device ID          only results of a device of this machine's\n"
                           "  --cache cold|warm    only results measured so\n"
                           "  --json               print a JSON array\n";

struct listing {
    bool json;
    struct terminal terminal;
    const char *shape;                /* as the user wrote it; NULL: all */
    const struct tw_problem *problem; /* whose attributes a row must have; NULL: any */
    cJSON *rows;
    int count;
    bool no_memory;
};

static bool same_shape(const struct tw_db_problem *problem, const char *shape) {
    for (size_t i = 0; i < problem->dimension_count; i++) {
        char size[32];
        int length = snprintf(size, sizeof size, "%s%lld", i > 0 ? "x" : "",
                              (long long)problem->dimensions[i].value);
        if (strncmp(shape, size, (size_t)length) != 0)
            return false;
        shape += length;
    }
    return *shape == '\0';
}

/* For people: with all attributes. */
static const char *problem_text(const struct tw_db_problem *problem) {
    return problem->text != NULL ? problem->text : problem->key;
}

static bool is_asked_for(const struct listing *listing, const struct tw_db_problem *problem) {
    if (listing->shape != NULL && !same_shape(problem, listing->shape))
        return false;
    return listing->problem == NULL ||
           tw_problem_has_attributes(listing->problem, problem->key + strcspn(problem->key, ";"));
}

/* Where the time of the run that found it went; NULL: it does not say. */
static cJSON *wall_of(const struct tw_db_best_row *row) {
    cJSON *conditions =
        row->provenance.conditions != NULL ? cJSON_Parse(row->provenance.conditions) : NULL;
    cJSON *wall = cJSON_DetachItemFromObjectCaseSensitive(conditions, "wall_s");
    cJSON_Delete(conditions);
    return wall;
}

static void add_json(struct listing *listing, const struct tw_db_best_row *row) {
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "kernel", row->problem.kernel);
    cJSON_AddStringToObject(json, "problem", problem_text(&row->problem));
    cJSON_AddStringToObject(json, "device", row->device.name);
    cJSON_AddStringToObject(json, "device_fingerprint", row->device.fingerprint);
    cJSON_AddStringToObject(json, "cache", row->best.cache_policy);
    cJSON_AddStringToObject(json, "implementation", row->implementation_name);
    cJSON_AddStringToObject(json, "template_hash", row->template_hash);
    json_add(json, "configuration", cJSON_Parse(row->best.configuration));
    cJSON_AddNumberToObject(json, "time_us", row->best.time_us);
    cJSON_AddNumberToObject(json, "ci_low_us", row->best.ci_low_us);
    cJSON_AddNumberToObject(json, "ci_high_us", row->best.ci_high_us);
    if (row->best.rate_unit != NULL) {
        cJSON_AddNumberToObject(json, "rate", row->best.rate);
        cJSON_AddStringToObject(json, "rate_unit", row->best.rate_unit);
    }
    if (row->best.has_error)
        cJSON_AddNumberToObject(json, "max_rel_error", row->best.max_rel_error);
    if (row->best.has_hard) {
        cJSON_AddNumberToObject(json, "hard_max_error", row->best.hard_max_error);
        cJSON_AddNumberToObject(json, "hard_rms_error", row->best.hard_rms_error);
    }
    cJSON_AddBoolToObject(json, "provisional", row->best.tie_set == NULL);
    if (row->best.tie_set != NULL)
        json_add(json, "ties", cJSON_Parse(row->best.tie_set));
    if (row->best.baselines != NULL)
        json_add(json, "presets_us", cJSON_Parse(row->best.baselines));
    cJSON *wall = wall_of(row);
    if (wall != NULL)
        json_add(json, "wall_s", wall);
    cJSON_AddNumberToObject(json, "run", (double)row->best.run);
    cJSON_AddNumberToObject(json, "measured_at", (double)row->best.measured_at);
    json_append(listing->rows, json);
}

/* False: out of memory, and nothing is printed. */
static bool print_row(const struct terminal *terminal, const struct tw_db_best_row *row) {
    char time[32], rate[REPORT_RATE_SIZE] = "";
    struct tw_text line = {0};
    tw_text_print(&line, " on %s, %s cache", row->device.name, row->best.cache_policy);
    if (line.failed) {
        tw_text_free(&line);
        return false;
    }
    report_time(row->best.time_us, time);
    if (row->best.rate_unit != NULL)
        report_rate(row->best.rate, row->best.rate_unit, rate);
    terminal_print(terminal, INK_STRONG, 0, row->problem.kernel);
    printf(" ");
    terminal_print(terminal, INK_STRONG, 0, problem_text(&row->problem));
    terminal_wrap(terminal,
                  (int)(strlen(row->problem.kernel) + 1 + strlen(problem_text(&row->problem))), 4,
                  line.data);
    printf("\n");
    tw_text_free(&line);
    printf("  ");
    terminal_print(terminal, INK_GOOD, 0, time);
    tw_printable_line(
        stdout, "%s%s, run %lld%s", rate[0] != '\0' ? ", " : "", rate, (long long)row->best.run,
        row->best.tie_set == NULL ? ", provisional: from a search, without a playoff" : "");
    if (row->best.has_hard)
        printf("  error max %.2g, rms %.2g, of the sizes summed on hard inputs %.2g and %.2g\n",
               row->best.max_rel_error, row->best.rms_rel_error, row->best.hard_max_error,
               row->best.hard_rms_error);
    printf("  ");
    terminal_print(terminal, INK_STRONG, 0, row->implementation_name);
    printf(" ");
    terminal_wrap(terminal, 3 + (int)strlen(row->implementation_name), 4, row->best.configuration);
    printf("\n");
    return true;
}

static bool visit(void *context, const struct tw_db_best_row *row) {
    struct listing *listing = context;
    if (!is_asked_for(listing, &row->problem))
        return true;
    listing->count++;
    if (listing->json) {
        add_json(listing, row);
        return true;
    }
    listing->no_memory = !print_row(&listing->terminal, row);
    return !listing->no_memory;
}

/* Also when no attributes were said, so that a misspelt shape is noticed. */
static tw_status read_problem(const struct arguments *a, struct tw_description **description,
                              struct tw_problem *problem, struct tw_error *error) {
    tw_status status = resolve_description(a, description, error);
    return status == TW_OK ? resolve_problem(a, 0, *description, problem, error) : status;
}

static tw_status show(const struct arguments *a, struct tw_error *error) {
    char fingerprint[256];
    struct tw_description *description = NULL;
    struct tw_problem problem;
    struct tw_db_best_filter filter = {.kernel = a->kernel};
    struct listing listing = {.json = a->json, .terminal = terminal_of(stdout)};
    tw_status status = TW_OK;
    if (a->shape_count > 1)
        return tw_fail(error, TW_INVALID, "give one --shape at most");
    if (a->shape_count == 0 && a->attribute_count > 0)
        return tw_fail(error, TW_INVALID, "attributes go with a --shape");
    if (a->shape_count == 1) {
        status = read_problem(a, &description, &problem, error);
        if (a->attribute_count > 0) {
            filter.kernel = a->kernel;
            listing.problem = &problem;
        }
        listing.shape = a->shapes[0].shape;
    }
    if (status == TW_OK && a->device != NULL) {
        struct tw_device_info device;
        status = tw_device_pick(a->device, &device, error);
        tw_device_fingerprint(&device, fingerprint);
        filter.device_fingerprint = fingerprint;
    }
    char *path = status == TW_OK ? database_path(a, error) : NULL;
    tw_db *db = NULL;
    if (status == TW_OK)
        status = path != NULL ? database_open(path, TW_DB_READ, &db, error) : error->status;
    if (a->cache_given)
        filter.cache_policy = a->cache;
    listing.rows = cJSON_CreateArray();
    if (status == TW_OK && tw_db_best_each(db, &filter, visit, &listing) != TW_DB_OK)
        status = tw_fail(error, TW_DATABASE, "%s", tw_db_message(db));
    if (status == TW_OK && listing.no_memory)
        status = tw_fail(error, TW_NO_MEMORY, "out of memory");
    if (status == TW_OK && a->json) {
        status = json_print(listing.rows, error);
        listing.rows = NULL;
    } else if (status == TW_OK && listing.count == 0) {
        printf("nothing stored%s in %s\n",
               a->shape_count + (a->kernel != NULL) > 0 ? " for it" : "", path);
    }
    cJSON_Delete(listing.rows);
    tw_description_free(description);
    tw_db_close(db);
    free(path);
    return status;
}

int command_show(int count, char **words) {
    return command_plain(count, words, OPTIONS_SUBJECT | OPTION(JSON) | OPTION(QUIET), help, show);
}

/* tune lint FILE...: what is wrong with kernel descriptions, without a device. */
#include <inttypes.h>
#include <stdio.h>

#include <cjson/cJSON.h>

#include "runtime/base/printable.h"
#include "tuner/commands/arguments.h"
#include "tuner/commands/command.h"
#include "tuner/json/json.h"
#include "tuner/lint/lint.h"

static const char help[] =
    "tune lint FILE.json...\n"
    "\n"
    "Checks kernel descriptions without a device: with some hundred problems (ones, primes, powers "
    "of\n"
    "two and their neighbours, large sizes, every attribute's words) on modelled devices of both\n"
    "backends, every rule, preset and fallback and random configurations must have values, and "
    "the\n"
    "preset default must be valid for all of them; templates must be there; and names that "
    "nothing\n"
    "uses are told. Exits with 1 when it finds an error; warnings are none.\n"
    "\n"
    "  --json               print one JSON object for each file, a line each\n"
    "  --quiet              errors only\n";

static void print_finding(const char *file, const struct lint_finding *finding) {
    char seen[TW_ERROR_SIZE] = "", more[48] = "";
    if (finding->times > 1)
        snprintf(more, sizeof more, ", and %" PRId64 " times more", finding->times - 1);
    if (finding->problem[0] != '\0')
        snprintf(seen, sizeof seen, " (%.500s, on %s%s)", finding->problem, finding->on, more);
    tw_printable_line(stdout, "%s: %s: %s: %s%s", file, finding->is_error ? "error" : "warning",
                      finding->where, finding->message, seen);
}

static void print_text(const char *file, const struct lint *lint, bool quiet) {
    for (size_t i = 0; i < lint->count; i++)
        if (lint->findings[i].is_error || !quiet)
            print_finding(file, &lint->findings[i]);
    if (!quiet)
        tw_printable_line(stdout,
                          "%s: %" PRId64 " error%s, %" PRId64 " warning%s; %" PRId64
                          " problems and %" PRId64 " configurations tried",
                          file, lint->errors, lint->errors == 1 ? "" : "s", lint->warnings,
                          lint->warnings == 1 ? "" : "s", lint->problems, lint->configurations);
}

static cJSON *finding_json(const struct lint_finding *finding) {
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "severity", finding->is_error ? "error" : "warning");
    cJSON_AddStringToObject(json, "where", finding->where);
    cJSON_AddStringToObject(json, "message", finding->message);
    if (finding->problem[0] != '\0') {
        cJSON_AddStringToObject(json, "problem", finding->problem);
        cJSON_AddStringToObject(json, "device", finding->on);
    }
    cJSON_AddNumberToObject(json, "times", (double)finding->times);
    return json;
}

static tw_status print_json(const char *file, const struct tw_description *d,
                            const struct lint *lint, struct tw_error *error) {
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "file", file);
    cJSON_AddStringToObject(json, "kernel", d->kernel);
    cJSON_AddNumberToObject(json, "errors", (double)lint->errors);
    cJSON_AddNumberToObject(json, "warnings", (double)lint->warnings);
    cJSON_AddNumberToObject(json, "problems", (double)lint->problems);
    cJSON_AddNumberToObject(json, "configurations", (double)lint->configurations);
    cJSON *findings = cJSON_AddArrayToObject(json, "findings");
    for (size_t i = 0; i < lint->count; i++)
        json_append(findings, finding_json(&lint->findings[i]));
    return json_print_line(json, error);
}

static tw_status lint_file(const struct arguments *a, const char *file, int64_t *errors,
                           struct tw_error *error) {
    struct tw_description *description;
    struct lint lint = {0};
    tw_status status = tw_description_load(&description, file, error);
    if (status == TW_IO) /* a file that the command line names, and so a mistake in it */
        status = tw_fail(error, TW_INVALID, "%s", error->message);
    if (status == TW_OK)
        status = lint_description(description, &lint, error);
    if (status == TW_OK && a->json)
        status = print_json(file, description, &lint, error);
    else if (status == TW_OK)
        print_text(file, &lint, a->quiet);
    *errors += lint.errors;
    lint_free(&lint);
    tw_description_free(description);
    return status;
}

int command_lint(int count, char **words) {
    struct arguments a;
    struct tw_error error;
    int64_t errors = 0;
    tw_status status =
        arguments_parse(&a, count, words, WORDS_ARE_FILES | OPTION(JSON) | OPTION(QUIET), &error);
    if (status == TW_OK && a.help) {
        fputs(help, stdout);
        arguments_free(&a);
        return EXIT_FINE;
    }
    if (status == TW_OK && a.files.count == 0)
        status =
            tw_fail(&error, TW_INVALID, "lint what? name a description, as in tune lint my.json");
    for (int i = 0; i < a.files.count && status == TW_OK; i++)
        status = lint_file(&a, a.files.words[i], &errors, &error);
    arguments_free(&a);
    if (status != TW_OK)
        return command_failed(status, &error);
    return errors > 0 ? EXIT_FAILED : EXIT_FINE;
}

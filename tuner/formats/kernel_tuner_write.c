/* A Kernel Tuner cache, laid out as Kernel Tuner does, so that it can go on where the file ends: it
 * takes off the last three characters. A configuration that failed says so in both places where a
 * version of it looks.
 *
 * A brief one has a few digits of each time, the day of each trial and no extras but the status,
 * and its lines are in order: packed, it takes a third. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/exchange/canonical_json.h"
#include "tuner/formats/device_text.h"
#include "tuner/formats/exported_run.h"
#include "tuner/formats/extras.h"
#include "tuner/formats/results_file.h"
#include "tuner/formats/status_words.h"

/* "32,8,shared": the values, which are also members. */
static void print_key(struct tw_text *text, const cJSON *configuration) {
    struct tw_text key = {0};
    for (const cJSON *value = configuration->child; value != NULL; value = value->next) {
        tw_text_print(&key, "%s", value != configuration->child ? "," : "");
        if (cJSON_IsNumber(value))
            canonical_number(&key, value->valuedouble);
        else
            tw_text_print(&key, "%s", value->valuestring);
    }
    text->failed = text->failed || key.failed;
    canonical_string(text, key.data != NULL ? key.data : "");
    tw_text_free(&key);
}

static void add_number(struct tw_text *text, const char *name, double value) {
    tw_text_print(text, ", \"%s\": ", name);
    canonical_number(text, value);
}

/* What every tool reads: the configuration, milliseconds, and when. Left open. */
static void print_measured(struct tw_text *text, const struct tw_db_trial *t, double time_ms,
                           const cJSON *configuration) {
    tw_text_print(text, "%s\n", text->length > 0 ? "," : "");
    print_key(text, configuration);
    tw_text_print(text, ": {");
    for (const cJSON *value = configuration->child; value != NULL; value = value->next) {
        tw_text_print(text, "%s", value != configuration->child ? ", " : "");
        canonical_string(text, value->string);
        tw_text_print(text, ": ");
        canonical_value(text, value);
    }
    const char *separator = configuration->child != NULL ? ", " : "";
    if (t->has_time) {
        tw_text_print(text, "%s\"time\": ", separator);
        canonical_number(text, time_ms);
    } else {
        const char *word = status_word_kernel_tuner(t->status);
        tw_text_print(text, "%s\"time\": \"%s\", \"__error__\": \"%s\"", separator, word, word);
    }
    add_number(text, "compile_time", t->has_compile_ms ? t->compile_ms : 0);
    add_number(text, "verification_time", 0);
}

static void print_moment(struct tw_text *text, const struct tw_db_trial *t) {
    add_number(text, "strategy_time", 0);
    add_number(text, "framework_time", 0);
    tw_text_print(text, ", \"timestamp\": ");
    exported_moment(text, t->created_at);
}

/* As far as is known: what the kernel itself took, in milliseconds. */
static double benchmark_ms(const struct tw_db_trial *t) {
    return t->has_time ? (double)t->repeats * (t->time_us / 1e3) : 0;
}

static void print_status(struct tw_text *text, const struct tw_db_trial *t) {
    tw_text_print(text, ", \"" EXTRAS_STATUS "\": \"%s\"", tw_db_trial_status_text(t->status));
}

static void print_entry(struct tw_text *text, const struct tw_db_trial *t,
                        const cJSON *configuration) {
    print_measured(text, t, t->time_us / 1e3, configuration);
    add_number(text, "benchmark_time", benchmark_ms(t));
    print_moment(text, t);
    struct extra extras[EXTRAS_MOST];
    int count = extras_of(t, extras);
    for (int i = 0; i < count; i++)
        add_number(text, extras[i].name, extras[i].value);
    print_status(text, t);
    if (t->message != NULL) {
        tw_text_print(text, ", \"tilewise_message\": ");
        exported_string(text, t->message);
    }
    tw_text_print(text, "}");
}

/* ---- Brief ones ---- */

/* Of a kernel's time, so that the last is 0.1% at most; and of what only costs are made of. */
enum { DIGITS = 4, FEW_DIGITS = 2, DAY_S = 86400 };

static double rounded(double value, int digits) {
    char text[40];
    snprintf(text, sizeof text, "%.*g", digits, value);
    return strtod(text, NULL);
}

static void print_brief(struct tw_text *text, const struct tw_db_trial *t,
                        const cJSON *configuration) {
    struct tw_db_trial brief = *t;
    brief.compile_ms = rounded(t->compile_ms, FEW_DIGITS);
    brief.created_at -= t->created_at % DAY_S;
    /* In milliseconds all the way: some have no double of microseconds, and would grow digits. */
    print_measured(text, &brief, rounded(t->time_us / 1e3, DIGITS), configuration);
    add_number(text, "benchmark_time", rounded(benchmark_ms(t), FEW_DIGITS));
    print_moment(text, &brief);
    print_status(text, &brief);
    tw_text_print(text, "}");
}

static int by_text(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Entries, a line each, by their text. */
static void sort_entries(struct tw_text *entries) {
    size_t count = 0;
    for (const char *at = entries->data; at != NULL && *at != '\0'; at++)
        count += *at == '\n';
    char **lines = malloc((count + 1) * sizeof *lines), *rest = NULL;
    struct tw_text sorted = {.failed = entries->failed || lines == NULL};
    count = 0;
    if (!sorted.failed && entries->data != NULL)
        for (char *line = strtok_r(entries->data, "\n", &rest); line != NULL;
             line = strtok_r(NULL, "\n", &rest))
            lines[count++] = line;
    if (count > 0)
        qsort(lines, count, sizeof *lines, by_text);
    for (size_t i = 0; i < count; i++) {
        size_t length = strlen(lines[i]);
        length -= lines[i][length - 1] == ','; /* but the last had one behind it */
        tw_text_print(&sorted, "%s\n", i > 0 ? "," : "");
        tw_text_add(&sorted, lines[i], length);
    }
    free(lines);
    tw_text_free(entries);
    *entries = sorted;
}

static void print_header(struct tw_text *text, const struct exported_run *run,
                         const struct tw_device_info *device) {
    tw_text_print(text, "{\n\"device_name\": %s,\n\"kernel_name\": %s,\n\"problem_size\": [",
                  run->device.data, run->kernel.data);
    for (size_t i = 0; i < run->dimension_count; i++)
        tw_text_print(text, "%s%" PRId64, i > 0 ? ", " : "", run->dimensions[i]);
    tw_text_print(text, "],\n\"tune_params_keys\": [");
    for (const cJSON *values = run->parameters->child; values != NULL; values = values->next) {
        tw_text_print(text, "%s", values != run->parameters->child ? ", " : "");
        canonical_string(text, values->string);
    }
    tw_text_print(text, "],\n\"tune_params\": ");
    canonical_value(text, run->parameters);
    tw_text_print(text, ",\n\"objective\": \"time\",\n\"%s\": {%s", RESULTS_FILE_MEMBER,
                  run->own.data != NULL ? run->own.data : "");
    if (device != NULL) {
        tw_text_print(text, ", \"device\": ");
        device_text_print(text, device);
    }
    tw_text_print(text, "},\n");
}

tw_status trial_export_kernel_tuner(tw_db *db, const struct trial_export *what,
                                    struct tw_text *text, int64_t *left_out,
                                    struct tw_error *error) {
    struct exported_run run;
    tw_status status =
        exported_run_read(&run, db, what, what->brief ? print_brief : print_entry, error);
    if (status == TW_OK && what->brief)
        sort_entries(&run.entries);
    if (status == TW_OK) {
        print_header(text, &run, what->device);
        tw_text_print(text, "\"cache\": {");
        tw_text_add(text, run.entries.data, run.entries.length);
        text->failed = text->failed || run.entries.failed;
        tw_text_print(text, "}\n}\n");
        *left_out = run.left_out;
    }
    exported_run_free(&run);
    return status == TW_OK && text->failed ? tw_fail(error, TW_NO_MEMORY, "out of memory") : status;
}

/* A Kernel Tuner cache, laid out as Kernel Tuner does, so that it can go on where the file ends: it
 * takes off the last three characters. A configuration that failed says so in both places where a
 * version of it looks. */
#include <inttypes.h>

#include "tuner/exchange/canonical_json.h"
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

static void print_entry(struct tw_text *text, const struct tw_db_trial *t,
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
        canonical_number(text, t->time_us / 1e3);
    } else {
        const char *word = status_word_kernel_tuner(t->status);
        tw_text_print(text, "%s\"time\": \"%s\", \"__error__\": \"%s\"", separator, word, word);
    }
    add_number(text, "compile_time", t->has_compile_ms ? t->compile_ms : 0);
    add_number(text, "verification_time", 0);
    /* As far as is known: what the kernel itself took of it. */
    add_number(text, "benchmark_time", t->has_time ? (double)t->repeats * (t->time_us / 1e3) : 0);
    add_number(text, "strategy_time", 0);
    add_number(text, "framework_time", 0);
    tw_text_print(text, ", \"timestamp\": ");
    exported_moment(text, t->created_at);
    struct extra extras[EXTRAS_MOST];
    int count = extras_of(t, extras);
    for (int i = 0; i < count; i++)
        add_number(text, extras[i].name, extras[i].value);
    tw_text_print(text, ", \"" EXTRAS_STATUS "\": \"%s\"", tw_db_trial_status_text(t->status));
    if (t->message != NULL) {
        tw_text_print(text, ", \"tilewise_message\": ");
        exported_string(text, t->message);
    }
    tw_text_print(text, "}");
}

static void print_header(struct tw_text *text, const struct exported_run *run) {
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
    tw_text_print(text, ",\n\"objective\": \"time\",\n\"%s\": {%s},\n", RESULTS_FILE_MEMBER,
                  run->own.data != NULL ? run->own.data : "");
}

tw_status trial_export_kernel_tuner(tw_db *db, const struct trial_export *what,
                                    struct tw_text *text, int64_t *left_out,
                                    struct tw_error *error) {
    struct exported_run run;
    tw_status status = exported_run_read(&run, db, what, print_entry, error);
    if (status == TW_OK) {
        print_header(text, &run);
        tw_text_print(text, "\"cache\": {");
        tw_text_add(text, run.entries.data, run.entries.length);
        tw_text_print(text, "}\n}\n");
        *left_out = run.left_out;
    }
    exported_run_free(&run);
    return status == TW_OK && text->failed ? tw_fail(error, TW_NO_MEMORY, "out of memory") : status;
}

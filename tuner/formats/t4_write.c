/* T4 results, after https://github.com/odgaard/TuningSchema. */
#include "tuner/exchange/canonical_json.h"
#include "tuner/formats/exported_run.h"
#include "tuner/formats/extras.h"
#include "tuner/formats/results_file.h"
#include "tuner/formats/status_words.h"

static void add_number(struct tw_text *text, const char *lead, double value) {
    tw_text_print(text, "%s", lead);
    canonical_number(text, value);
}

static void print_measurement(struct tw_text *text, const char *lead, const struct extra *extra) {
    tw_text_print(text, "%s{\"name\": \"%s\", \"value\": ", lead, extra->name);
    canonical_number(text, extra->value);
    tw_text_print(text, ", \"unit\": \"%s\"}", extra->unit);
}

static void print_measurements(struct tw_text *text, const struct tw_db_trial *t) {
    struct extra extras[EXTRAS_MOST];
    int count = extras_of(t, extras);
    tw_text_print(text, "\"measurements\": [");
    if (t->has_time) {
        const struct extra time = {"time", "ms", t->time_us / 1e3};
        print_measurement(text, "", &time);
    }
    for (int i = 0; i < count; i++)
        print_measurement(text, t->has_time || i > 0 ? ", " : "", &extras[i]);
    tw_text_print(text, "%s{\"name\": \"" EXTRAS_STATUS "\", \"value\": \"%s\", \"unit\": \"\"}",
                  t->has_time || count > 0 ? ", " : "", tw_db_trial_status_text(t->status));
    if (t->message != NULL) {
        tw_text_print(text, ", {\"name\": \"tilewise_message\", \"value\": ");
        exported_string(text, t->message);
        tw_text_print(text, ", \"unit\": \"\"}");
    }
    tw_text_print(text, "]");
}

static void print_result(struct tw_text *text, const struct tw_db_trial *t,
                         const cJSON *configuration) {
    tw_text_print(text, "%s\n    {\"timestamp\": ", text->length > 0 ? "," : "");
    exported_moment(text, t->created_at);
    tw_text_print(text, ", \"configuration\": ");
    canonical_value(text, configuration);
    add_number(text, ", \"times\": {\"compilation\": ", t->has_compile_ms ? t->compile_ms : 0);
    /* As far as is known: what the kernel itself took of it. */
    add_number(text,
               ", \"benchmark\": ", t->has_time ? (double)t->repeats * (t->time_us / 1e3) : 0);
    tw_text_print(text,
                  ", \"framework\": 0, \"search_algorithm\": 0, \"validation\": 0, "
                  "\"runtimes\": []}, \"invalidity\": \"%s\", \"correctness\": %d, ",
                  status_word_t4(t->status), t->status != TW_DB_TRIAL_WRONG);
    print_measurements(text, t);
    tw_text_print(text, ", \"objectives\": [\"time\"]}");
}

tw_status trial_export_t4(tw_db *db, const struct trial_export *what, struct tw_text *text,
                          int64_t *left_out, struct tw_error *error) {
    struct exported_run run;
    tw_status status = exported_run_read(&run, db, what, print_result, error);
    if (status == TW_OK) {
        tw_text_print(text, "{\n  \"results\": [");
        tw_text_add(text, run.entries.data, run.entries.length);
        tw_text_print(text,
                      "\n  ],\n  \"schema_version\": \"1.0.0\",\n  \"metadata\": {\"timeunit\": "
                      "\"milliseconds\", \"%s\": {%s, \"device_name\": %s, \"kernel_name\": %s}}\n"
                      "}\n",
                      RESULTS_FILE_MEMBER, run.own.data != NULL ? run.own.data : "",
                      run.device.data, run.kernel.data);
        *left_out = run.left_out;
    }
    exported_run_free(&run);
    return status == TW_OK && text->failed ? tw_fail(error, TW_NO_MEMORY, "out of memory") : status;
}

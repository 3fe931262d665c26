/* A result of a T4 file: https://github.com/odgaard/TuningSchema. */
#include <string.h>

#include "tuner/formats/extras.h"
#include "tuner/formats/results_file.h"
#include "tuner/formats/status_words.h"
#include "tuner/formats/values.h"

enum { MOST_MEMBERS = 64, MOST_MEASUREMENTS = 256 };

static bool expect_small_object(const struct tw_json *json) {
    if (!cJSON_IsObject(json->item) || tw_json_count(json) > MOST_MEMBERS) {
        if (json->item != NULL)
            tw_json_fail(json,
                         cJSON_IsObject(json->item) ? "too many members" : "expected an object");
        return false;
    }
    tw_json_expect_object(json);
    return true;
}

static double unit_of(const struct tw_json *measurement, double fallback) {
    static const struct {
        const char *name;
        double ms;
    } units[] = {{"ns", 1e-6}, {"us", 1e-3}, {"ms", 1}, {"s", 1e3}};
    struct tw_json unit = tw_json_optional(measurement, "unit");
    const char *name = unit.item != NULL ? tw_json_string(&unit) : "";
    if (name[0] == '\0')
        return fallback;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(units[i].name, name) == 0)
            return units[i].ms;
    tw_json_fail(&unit, "expected ns, us, ms or s");
    return fallback;
}

static void read_measurements(const struct tw_json *list, double unit_ms,
                              struct tw_db_trial *trial) {
    bool has_time = false;
    tw_json_expect_array(list);
    if (tw_json_count(list) > MOST_MEASUREMENTS) {
        tw_json_fail(list, "too many of them");
        return;
    }
    for (int i = 0; i < tw_json_count(list); i++) {
        struct tw_json measurement = tw_json_at(list, i);
        if (!expect_small_object(&measurement)) {
            tw_json_fail(&measurement, "expected an object");
            return;
        }
        struct tw_json name = tw_json_member(&measurement, "name");
        struct tw_json value = tw_json_member(&measurement, "value");
        const char *what = tw_json_string(&name);
        /* Of a result that failed, whatever there is in place of a time is none. */
        if (strcmp(what, "time") == 0 && trial->has_time) {
            if (has_time)
                tw_json_fail(&measurement, "a second time");
            has_time = true;
            trial->time_us = results_file_time(&value, unit_of(&measurement, unit_ms));
        }
        extras_take(trial, what, &value);
    }
    if (trial->has_time && !has_time)
        tw_json_fail(list, "has no measurement named time");
}

/* T4's own schema and what is written in its name differ in this. */
static void read_compile_time(const struct tw_json *times, double unit_ms,
                              struct tw_db_trial *trial) {
    struct tw_json compile = tw_json_optional(times, "compilation");
    if (compile.item == NULL)
        compile = tw_json_optional(times, "compilation_time");
    double time = compile.item != NULL ? tw_json_number(&compile) * unit_ms : 0;
    /* 0: it was compiled before. */
    trial->has_compile_ms = time > 0;
    trial->compile_ms = time > 0 ? time : 0;
}

void t4_read(const struct tw_json *result, double unit_ms, struct tw_db_trial *trial,
             struct tw_json *configuration) {
    *trial = (struct tw_db_trial){0};
    *configuration = *result;
    if (!expect_small_object(result))
        return;
    *configuration = tw_json_member(result, "configuration");
    struct tw_json invalidity = tw_json_member(result, "invalidity");
    struct tw_json correctness = tw_json_optional(result, "correctness");
    struct tw_json times = tw_json_optional(result, "times");
    struct tw_json measurements = tw_json_optional(result, "measurements");
    struct tw_json moment = tw_json_optional(result, "timestamp");
    const char *word = tw_json_string(&invalidity);
    if (!expect_small_object(configuration) || (times.item != NULL && !expect_small_object(&times)))
        return;
    if (!status_word_read_t4(word, &trial->status))
        tw_json_fail(&invalidity, "expected one of T4's words, such as correct or compile");
    if (correctness.item != NULL && tw_json_number(&correctness) == 0 &&
        trial->status == TW_DB_TRIAL_OK)
        trial->status = TW_DB_TRIAL_WRONG;
    trial->has_time = trial->status == TW_DB_TRIAL_OK;
    trial->message = trial->has_time ? NULL : word;
    struct tw_json runtimes = tw_json_optional(&times, "runtimes");
    trial->repeats = trial->has_time ? results_file_repeats(&runtimes) : 0;
    read_compile_time(&times, unit_ms, trial);
    trial->created_at = results_file_moment(&moment);
    read_measurements(&measurements, unit_ms, trial);
    extras_check(trial, result);
}

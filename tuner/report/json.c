#include <stdlib.h>
#include <string.h>

#include "tuner/json/json.h"
#include "tuner/report/report.h"

static cJSON *problem_json(const struct tw_problem *problem) {
    const struct tw_description *d = problem->description;
    cJSON *json = cJSON_CreateObject();
    char shape[TW_PROBLEM_KEY_SIZE], number[TW_NUMBER_SIZE];
    tw_problem_shape(problem, shape);
    cJSON_AddStringToObject(json, "shape", shape);
    for (int i = 0; i < d->dimension_count; i++)
        cJSON_AddNumberToObject(json, d->dimensions[i].name, (double)problem->dimensions[i]);
    for (int i = 0; i < d->attribute_count; i++)
        cJSON_AddStringToObject(json, d->attributes[i].name,
                                tw_problem_attribute(problem, i, number));
    return json;
}

static cJSON *device_json(const struct tw_device_info *device) {
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "id", device->id);
    cJSON_AddStringToObject(json, "name", device->name);
    cJSON_AddStringToObject(json, "architecture", device->architecture);
    cJSON_AddStringToObject(json, "driver", device->driver);
    cJSON_AddStringToObject(json, "compiler", device->compiler);
    return json;
}

static cJSON *best_json(const struct tw_problem *problem, const struct session_result *r) {
    const struct tw_description *d = problem->description;
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "implementation",
                            d->implementations[r->best.configuration.implementation].name);
    json_add(json, "configuration", json_configuration(d, &r->best.configuration));
    cJSON_AddNumberToObject(json, "time_us", r->best.time_us);
    cJSON_AddNumberToObject(json, "ci_low_us", r->ci_low_us);
    cJSON_AddNumberToObject(json, "ci_high_us", r->ci_high_us);
    cJSON_AddNumberToObject(json, "rate", r->rate);
    cJSON_AddStringToObject(json, "rate_unit", r->rate_unit);
    cJSON_AddNumberToObject(json, "max_rel_error", r->best.has_error ? r->best.max_rel_error : 0);
    cJSON_AddNumberToObject(json, "rms_rel_error", r->best.has_error ? r->best.rms_rel_error : 0);
    if (r->best.has_hard) {
        cJSON_AddNumberToObject(json, "hard_max_error", r->best.hard_max_error);
        cJSON_AddNumberToObject(json, "hard_rms_error", r->best.hard_rms_error);
    }
    if (r->best.has_resources) {
        cJSON_AddNumberToObject(json, "registers", (double)r->best.registers);
        cJSON_AddNumberToObject(json, "spill_bytes", (double)r->best.spill_bytes);
    }
    cJSON_AddNumberToObject(json, "playoff_rounds", r->rounds);
    cJSON_AddNumberToObject(json, "tied", r->tie_count);
    if (r->rounds > 0) {
        if (r->unverified[0] != '\0')
            cJSON_AddStringToObject(json, "unverified", r->unverified);
        cJSON_AddBoolToObject(json, "decided", r->decided);
        cJSON_AddNumberToObject(json, "spread", r->spread);
    }
    return json;
}

static void add_pins(cJSON *json, const struct session_result *r) {
    cJSON *fixed = cJSON_AddObjectToObject(json, "fixed");
    for (int i = 0; i < r->pins->count; i++)
        cJSON_AddStringToObject(fixed, r->pins->pins[i].name, r->pins->pins[i].value);
    cJSON_AddBoolToObject(json, "faster_known",
                          r->has_best && r->known_us > 0 && r->known_us <= r->best.time_us);
}

static void add_presets(cJSON *json, const struct tw_description *d,
                        const struct session_result *r) {
    cJSON *presets = cJSON_AddObjectToObject(json, "presets");
    for (int i = 0; i < r->preset_count; i++) {
        const struct session_preset *preset = &r->presets[i];
        cJSON *row = cJSON_AddObjectToObject(presets, preset->name);
        cJSON_AddStringToObject(row, "implementation",
                                d->implementations[preset->configuration.implementation].name);
        const char *status = !preset->fits    ? "does_not_fit"
                             : !preset->tried ? "not_tried"
                                              : tw_db_trial_status_text(preset->trial.status);
        cJSON_AddStringToObject(row, "status", status);
        if (preset->tried && preset->trial.status == TW_DB_TRIAL_OK) {
            cJSON_AddNumberToObject(row, "time_us", preset->trial.time_us);
            cJSON_AddStringToObject(row, "measured_in", preset->in_playoff ? "playoff" : "search");
        } else {
            cJSON_AddStringToObject(row, "message", preset->trial.message);
        }
    }
}

/* Where trials were measured, and the playoff. */
static void add_devices(cJSON *json, const struct session_result *r) {
    cJSON *devices = cJSON_AddArrayToObject(json, "devices");
    for (int i = 0; i < r->device_count; i++) {
        const struct session_device_result *device = &r->devices[i];
        cJSON *row = cJSON_CreateObject();
        cJSON_AddStringToObject(row, "id", device->id);
        cJSON_AddNumberToObject(row, "trials", (double)device->trials);
        cJSON_AddNumberToObject(row, "workers_replaced", device->replaced);
        cJSON_AddBoolToObject(row, "playoff", device->played);
        if (device->lost)
            cJSON_AddStringToObject(row, "lost", device->why);
        json_append(devices, row);
    }
}

static cJSON *prior_json(const struct session_prior *prior) {
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "source", prior->of_model ? "model" : "estimate");
    cJSON_AddNumberToObject(json, "first", prior->first);
    cJSON_AddNumberToObject(json, "put_off", (double)prior->put_off);
    cJSON_AddNumberToObject(json, "trials", (double)prior->trials);
    if (prior->trials > 1)
        cJSON_AddNumberToObject(json, "rank_correlation", prior->rank_correlation);
    return json;
}

cJSON *report_json(const struct tw_problem *problem, const struct tw_device_info *device,
                   const struct session_result *r, const char *db_path) {
    const struct tw_description *d = problem->description;
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "kernel", d->kernel);
    json_add(json, "problem", problem_json(problem));
    json_add(json, "device", device_json(device));
    if (r->pins != NULL && r->pins->count > 0)
        add_pins(json, r);
    json_add(json, "best", r->has_best ? best_json(problem, r) : cJSON_CreateNull());
    add_presets(json, d, r);
    cJSON *trials = cJSON_AddObjectToObject(json, "trials");
    for (int i = 0; i < SESSION_STATUSES; i++)
        cJSON_AddNumberToObject(trials, tw_db_trial_status_text((enum tw_db_trial_status)i),
                                (double)r->counts[i]);
    cJSON *forgotten = r->retried ? cJSON_AddObjectToObject(json, "forgotten") : NULL;
    for (int i = 0; forgotten != NULL && i < TW_DB_TRIAL_STATUS_COUNT; i++)
        cJSON_AddNumberToObject(forgotten, tw_db_trial_status_text((enum tw_db_trial_status)i),
                                (double)r->forgotten[i]);
    cJSON_AddNumberToObject(json, "trials_now", (double)r->trials_now);
    cJSON_AddNumberToObject(json, "stopped_early", (double)r->stopped_now);
    cJSON_AddNumberToObject(json, "not_compiled", (double)r->siblings_now);
    cJSON_AddNumberToObject(json, "measured_again", (double)r->again_now);
    json_add(json, "wall_s", wall_json(&r->wall));
    if (r->prior.used)
        json_add(json, "prior", prior_json(&r->prior));
    cJSON_AddNumberToObject(json, "space_size", (double)r->space_size);
    cJSON_AddNumberToObject(json, "hints", r->hints);
    if (r->has_copy)
        cJSON_AddNumberToObject(json, "copy_gb_per_s", r->copy_rate);
    cJSON_AddNumberToObject(json, "rendered", (double)r->rendered);
    cJSON_AddNumberToObject(json, "distinct_sources", (double)r->distinct);
    cJSON_AddNumberToObject(json, "compiled", (double)r->compiled);
    cJSON_AddNumberToObject(json, "launches_shared", (double)r->shared);
    cJSON_AddNumberToObject(json, "compiled_per_second",
                            r->compile_wall_s > 0 ? (double)r->compiled / r->compile_wall_s : 0);
    cJSON_AddNumberToObject(json, "device_workers_replaced", r->replaced);
    add_devices(json, r);
    cJSON_AddNumberToObject(json, "other_runs", r->other_runs);
    cJSON_AddBoolToObject(json, "resumed", r->resumed);
    cJSON_AddBoolToObject(json, "interrupted", r->interrupted);
    cJSON_AddStringToObject(json, "database", db_path);
    cJSON_AddNumberToObject(json, "seconds", r->elapsed_s);
    return json;
}

cJSON *report_before_json(const struct tw_problem *problem, const char *device_id,
                          const struct tw_db_best_row *row, const char *db_path) {
    const struct tw_db_best *best = &row->best;
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "kernel", problem->description->kernel);
    json_add(json, "problem", problem_json(problem));
    cJSON *device = cJSON_AddObjectToObject(json, "device");
    if (device_id != NULL)
        cJSON_AddStringToObject(device, "id", device_id);
    cJSON_AddStringToObject(device, "name", row->device.name);
    cJSON_AddStringToObject(device, "architecture", row->device.architecture);
    cJSON *found = cJSON_AddObjectToObject(json, "best");
    cJSON_AddStringToObject(found, "implementation", row->implementation_name);
    json_add(found, "configuration", cJSON_Parse(best->configuration));
    cJSON_AddNumberToObject(found, "time_us", best->time_us);
    cJSON_AddNumberToObject(found, "ci_low_us", best->ci_low_us);
    cJSON_AddNumberToObject(found, "ci_high_us", best->ci_high_us);
    if (best->rate_unit != NULL) {
        cJSON_AddNumberToObject(found, "rate", best->rate);
        cJSON_AddStringToObject(found, "rate_unit", best->rate_unit);
    }
    cJSON_AddNumberToObject(found, "max_rel_error", best->has_error ? best->max_rel_error : 0);
    cJSON_AddNumberToObject(found, "rms_rel_error", best->has_error ? best->rms_rel_error : 0);
    cJSON_AddBoolToObject(json, "done_before", true);
    cJSON_AddNumberToObject(json, "trials_now", 0);
    cJSON_AddBoolToObject(json, "interrupted", false);
    cJSON_AddStringToObject(json, "database", db_path);
    return json;
}

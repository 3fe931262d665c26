/* A model as JSON, a line for each feature, tree and configuration. */
#include "tuner/model/write_model.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>

#include <cjson/cJSON.h>

#include "runtime/backend/devices.h"
#include "tuner/model/boost.h"
#include "tuner/model/file_forests.h"
#include "tuner/model/places.h"
#include "tuner/model/write_trees.h"

static void add_member(struct tw_text *text, const char *name, const char *string) {
    tw_text_print(text, " \"%s\": ", name);
    write_string(text, string);
    tw_text_print(text, ",\n");
}

static void add_ranges(const struct tw_model_kind *kind, struct tw_text *text) {
    tw_text_print(text, "{");
    for (int i = 0; i < kind->range_count; i++) {
        tw_text_print(text, "%s", i > 0 ? ", " : "");
        write_string(text, kind->ranges[i].name);
        tw_text_print(text, ": [%" PRId64 ", %" PRId64 "]", kind->ranges[i].least,
                      kind->ranges[i].most);
    }
    tw_text_print(text, "}");
}

static void add_attributes(const struct model_choice *choice, struct tw_text *text) {
    bool has_numbers = false;
    tw_text_print(text, " \"attributes\": [");
    for (int i = 0; i < choice->kind_count; i++) {
        tw_text_print(text, "%s", i > 0 ? ", " : "");
        write_string(text, choice->kinds[i].attributes);
        has_numbers |= choice->kinds[i].range_count > 0;
    }
    tw_text_print(text, "],\n");
    if (!has_numbers)
        return;
    tw_text_print(text, " \"ranges\": [");
    for (int i = 0; i < choice->kind_count; i++) {
        tw_text_print(text, "%s", i > 0 ? ", " : "");
        add_ranges(&choice->kinds[i], text);
    }
    tw_text_print(text, "],\n");
}

/* Of which kinds of problems a configuration is chosen for. */
static void add_kinds(const struct model_choice *choice, int configuration, struct tw_text *text) {
    bool first = true;
    tw_text_print(text, ", \"kinds\": [");
    for (int k = 0; k < choice->kind_count; k++) {
        if (!model_chooses(choice, k, configuration))
            continue;
        tw_text_print(text, "%s%d", first ? "" : ",", k);
        first = false;
    }
    tw_text_print(text, "]");
}

static void add_uncertainties(const struct tw_description *d, const struct fit_report *report,
                              struct tw_text *text) {
    bool first = true;
    tw_text_print(text, " \"uncertainties\": {");
    for (int i = 0; i < d->implementation_count; i++) {
        if (report->uncertainties[i] == 0)
            continue;
        tw_text_print(text, "%s", first ? "" : ", ");
        write_string(text, d->implementations[i].name);
        tw_text_print(text, ": %.4g", report->uncertainties[i]);
        first = false;
    }
    tw_text_print(text, "},\n");
}

static void add_near(struct tw_text *text, int number, bool *first) {
    if (number < 0)
        return;
    tw_text_print(text, "%s%d", *first ? ", \"near\": [" : ",", number);
    *first = false;
}

/* Where it was good; `samples` are its samples, up to `end`. */
static void add_places(const struct model_samples *s, const struct place_numbers *numbers,
                       int configuration, const int *samples, const int *end,
                       struct tw_text *text) {
    const struct tw_model_configuration *earlier = s->configurations[configuration].earlier;
    bool first = true;
    for (int i = 0; earlier != NULL && i < earlier->near_count; i++)
        add_near(text, numbers->of_earlier[s->onto->near[earlier->near_first + i]], &first);
    for (; samples < end; samples++)
        if (numbers->good[*samples])
            add_near(text, numbers->of_problems[s->all[*samples].problem], &first);
    tw_text_print(text, "%s", first ? "" : "]");
}

/* Samples by configuration: `begin` has where each one's begin, and where the last ones end. */
static void sort_samples(const struct model_samples *s, int *begin, int *samples) {
    for (int i = 0; i < s->count; i++)
        begin[s->all[i].configuration + 1]++;
    for (int c = 0; c < s->configuration_count; c++)
        begin[c + 1] += begin[c];
    for (int i = s->count - 1; i >= 0; i--)
        samples[--begin[s->all[i].configuration + 1]] = i;
    for (int c = 0; c < s->configuration_count; c++)
        begin[c] = begin[c + 1];
    begin[s->configuration_count] = s->count;
}

static void add_configurations(const struct model_samples *s, const struct model_choice *choice,
                               const struct place_numbers *numbers, const int *begin,
                               const int *samples, struct tw_text *text) {
    bool first = true;
    tw_text_print(text, " \"configurations\": [\n");
    for (int i = 0; i < s->configuration_count; i++) {
        const struct sampled_configuration *c = &s->configurations[i];
        if (!model_chooses_any(choice, i))
            continue;
        tw_text_print(text, "%s  {\"implementation\": ", first ? "" : ",\n");
        write_string(text, s->description->implementations[c->configuration.implementation].name);
        tw_text_print(text, ", \"configuration\": ");
        write_string(text, c->text);
        tw_text_print(text, ", \"problem\": ");
        write_string(text, s->problems[c->problem].key);
        add_kinds(choice, i, text);
        add_places(s, numbers, i, &samples[begin[i]], &samples[begin[i + 1]], text);
        tw_text_print(text,
                      ", \"time_us\": %.6g, \"code\": \"%s\", \"source\": \"%s\", \"judge\": "
                      "\"%s\"}",
                      c->time_us, c->template_hash, c->source, c->judge);
        first = false;
    }
    tw_text_print(text, "\n ]\n");
}

/* How much the earlier model was fitted to. */
static int said_before(const struct model_samples *s, const char *key) {
    const cJSON *said =
        s->onto != NULL ? cJSON_GetObjectItemCaseSensitive(s->onto->json, key) : NULL;
    return cJSON_IsNumber(said) && said->valuedouble < INT_MAX / 2 ? said->valueint : 0;
}

static tw_status write_configurations(const struct model_samples *s,
                                      const struct model_choice *choice, struct tw_text *text,
                                      struct tw_error *error) {
    int *begin = calloc((size_t)s->configuration_count + 2, sizeof *begin);
    int *samples = calloc((size_t)s->count + 1, sizeof *samples);
    struct place_numbers numbers = {0};
    tw_status status = begin == NULL || samples == NULL
                           ? tw_fail(error, TW_NO_MEMORY, "out of memory")
                           : model_places_write(s, choice, &numbers, text, error);
    if (status == TW_OK) {
        sort_samples(s, begin, samples);
        add_configurations(s, choice, &numbers, begin, samples, text);
    }
    place_numbers_free(&numbers);
    free(begin);
    free(samples);
    return status;
}

tw_status write_model(const struct model_samples *s, const struct model_choice *choice,
                      const struct tw_model *model, const struct fit_report *report,
                      struct tw_text *text, struct tw_error *error) {
    char fingerprint[256];
    struct tw_model forests;
    tw_status status = file_forests_make(&forests, s, choice, model, report->doubling, error);
    if (status != TW_OK) {
        boost_free(&forests);
        return status;
    }
    tw_device_fingerprint(s->device, fingerprint);
    tw_text_print(text, "{\n \"format\": \"%s\", \"version\": %d,\n", TW_MODEL_FORMAT,
                  TW_MODEL_VERSION);
    add_member(text, "kernel", s->description->kernel);
    add_member(text, "device", fingerprint);
    add_member(text, "device_name", s->device->name);
    add_member(text, "backend", s->device->backend);
    add_member(text, "architecture", s->device->architecture);
    add_member(text, "cache", s->cache);
    add_member(text, "tilewise", TW_VERSION);
    tw_text_print(text, " \"units\": %" PRId64 ", \"problems\": %d, \"trials\": %d,\n",
                  s->device->compute_units, report->problems + said_before(s, "problems"),
                  report->trials + said_before(s, "trials"));
    tw_text_print(text,
                  " \"regret\": {\"mean\": %.4g, \"p95\": %.4g, \"worst\": %.4g}, "
                  "\"uncertainty\": %.4g, \"doubling\": %.3g, \"base\": %.6g,\n",
                  report->model.mean, report->model.p95, report->model.worst, report->uncertainty,
                  report->doubling, forests.forests[0].base);
    add_uncertainties(s->description, report, text);
    add_attributes(choice, text);
    file_forests_write(&forests, text);
    write_trees((const char *const *)s->names, &s->shape, &forests, text);
    boost_free(&forests);
    status = write_configurations(s, choice, text, error);
    tw_text_print(text, "}\n");
    return status;
}

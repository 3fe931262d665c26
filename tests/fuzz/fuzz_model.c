/* Models, from anyone: refused with one line, or they predict a time for any problem, in a time of
 * their own, and are the same model once they were written and read again. */
#include <math.h>

#include "runtime/backend/devices.h"
#include "runtime/base/text.h"
#include "runtime/description/json.h"
#include "runtime/predict/model.h"
#include "tests/fuzz/fuzz.h"
#include "tuner/exchange/canonical_json.h"
#include "tuner/exchange/sound_model.h"

static struct known_kernels known;

/* What the input's model is asked about. */
struct question {
    struct tw_problem problem;
    struct tw_configuration configuration;
    struct tw_features features;
    struct tw_estimate estimate;
};

static void ask(const struct tw_description *d, struct question *question) {
    static const struct tw_device_info device = {.id = "cuda:0",
                                                 .backend = "cuda",
                                                 .name = "D",
                                                 .architecture = "sm_90",
                                                 .arch = 90,
                                                 .compute_units = 132,
                                                 .warp = 32,
                                                 .max_threads = 1024,
                                                 .max_block = {1024, 1024, 64},
                                                 .max_grid = {INT32_MAX, 65535, 65535},
                                                 .max_shared = 232448};
    struct tw_error error = {0};
    const struct tw_preset *preset;
    int64_t slots[TW_DEVICE_SLOTS], values[TW_MAX_SYMBOLS];
    *question = (struct question){.problem = {.description = d}};
    for (int i = 0; i < d->dimension_count; i++)
        question->problem.dimensions[i] = 1000 + i;
    for (int i = 0; i < d->attribute_count; i++)
        question->problem.words[i] = d->attributes[i].default_word;
    FUZZ_MUST(
        tw_description_preset(d, "default", &question->configuration.implementation, &preset));
    memcpy(question->configuration.values, preset->values, sizeof preset->values);
    tw_device_values(&device, slots);
    FUZZ_MUST(tw_problem_bind(&question->problem, slots, NULL, values, &error) == TW_OK);
    FUZZ_MUST(tw_configuration_bind(d, &question->configuration, values, &error) == TW_OK);
    FUZZ_MUST(tw_features_of(&question->problem, &question->configuration, values, &device, 0,
                             &question->features, &error) == TW_OK);
    tw_estimate_of(&question->features, &device, &question->estimate);
}

static double answer(const struct tw_model *model, const struct question *question) {
    const struct tw_description *d = question->problem.description;
    struct tw_model_view view;
    double vector[TW_MODEL_MAX_FEATURES];
    tw_model_look(model, d, question->configuration.implementation, &view);
    tw_model_vector(model, &view, &question->problem, &question->configuration, &question->features,
                    &question->estimate, vector);
    const int kind = tw_model_kind(model, &question->problem);
    const double beside = tw_model_predict_beside(model, kind, vector);
    FUZZ_MUST(isfinite(beside) && (beside == 0 || tw_model_has_both(model, kind)));
    return tw_model_predict(model, kind, vector, &question->estimate);
}

static void look_near(const struct tw_model *model, const struct question *question) {
    enum { MOST = 16 };
    int near[MOST];
    for (int kind = 0; kind < model->kind_count; kind++) {
        const int count = tw_model_near(model, kind, question->problem.dimensions, MOST, near);
        FUZZ_MUST(count >= 0 && count <= MOST);
        for (int i = 0; i < count; i++)
            FUZZ_MUST(near[i] >= 0 && near[i] < model->configuration_count);
    }
}

static void use(const struct tw_model *model, const char *written) {
    static struct question questions[2];
    static bool asked;
    static const char *const kernels[] = {"copy", "aat"};
    struct tw_error error = {0};
    struct tw_text text = {0};
    struct tw_model *again;
    int64_t slots[TW_DEVICE_SLOTS] = {49152, 1024, 32, 132, 1 << 20, 90, 0};
    int current;
    for (int i = 0; i < 2 && !asked; i++)
        ask(known_kernels_find(&known, kernels[i])->description, &questions[i]);
    asked = true;
    cJSON *json;
    FUZZ_MUST(tw_json_parse(&json, written, "fuzz.json", &error) == TW_OK);
    canonical_value(&text, json);
    cJSON_Delete(json);
    FUZZ_MUST(!text.failed);
    FUZZ_MUST(tw_model_read_nodes(&again, text.data, "again.json", &error) == TW_OK);
    for (int i = 0; i < 2; i++) {
        double time = answer(model, &questions[i]);
        FUZZ_MUST(isfinite(time) && time > 0);
        look_near(model, &questions[i]);
        FUZZ_MUST(answer(again, &questions[i]) == time);
    }
    tw_status status = sound_model(model, &known, slots, &current, &error);
    FUZZ_MUST(status == TW_OK || fuzz_is_told(status, &error));
    FUZZ_MUST(current >= 0 && current <= model->configuration_count);
    tw_model_free(again);
    tw_text_free(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct tw_error error = {0};
    struct tw_model *model;
    if (known.count == 0)
        FUZZ_MUST(known_kernels_open(&known, NULL, 0, &error) == TW_OK);
    char *text = fuzz_text(data, size);
    tw_status status = tw_model_read(&model, text, "fuzz.json", &error);
    if (status == TW_OK) {
        use(model, text);
    } else {
        FUZZ_MUST(model == NULL && fuzz_is_told(status, &error));
        FUZZ_MUST(strncmp(error.message, "fuzz.json:", 10) == 0);
    }
    tw_model_free(model);
    free(text);
    return 0;
}

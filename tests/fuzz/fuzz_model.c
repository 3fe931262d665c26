/* Models, from anyone: refused with one line, or every way through every tree ends. */
#include "runtime/predict/model.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct tw_error error = {0};
    struct tw_model *model;
    double vector[TW_MODEL_MAX_FEATURES] = {0};
    const struct tw_estimate estimate = {.overhead = 1};
    char *text = fuzz_text(data, size);
    tw_status status = tw_model_read(&model, text, "fuzz.json", &error);
    if (status != TW_OK)
        FUZZ_MUST(model == NULL && fuzz_is_told(status, &error));
    for (int way = 0; status == TW_OK && way < 3; way++) {
        for (int i = 0; i < model->feature_count; i++)
            vector[i] = way == 0 ? -1e300 : way == 1 ? 1e300 : i % 2;
        (void)tw_model_predict(model, vector, &estimate);
    }
    for (int i = 0; status == TW_OK && i < model->configuration_count; i++)
        FUZZ_MUST(model->configurations[i].time_us > 0);
    tw_model_free(model);
    free(text);
    return 0;
}

/* Configurations as databases and exports hold them, of an implementation with words, integers and
 * launch parameters: refused, or written back to the same text that reads the same. */
#include "runtime/description/configuration.h"
#include "runtime/description/problem.h"
#include "tests/fuzz/fuzz.h"

static struct tw_description *description;

/* Bound to a problem, and held against the constraints. */
static void use(const struct tw_configuration *configuration) {
    static const int64_t device[TW_DEVICE_SLOTS] = {49152, 1024, 32, 132, 1 << 20, 90, 0};
    static const char *const shapes[] = {"1x1", "17x31", "2147483647x2147483647"};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        struct tw_problem problem;
        struct tw_error error = {0};
        int64_t values[TW_MAX_SYMBOLS];
        FUZZ_MUST(tw_problem_parse(&problem, description, shapes[i], &error) == TW_OK);
        FUZZ_MUST(tw_problem_bind(&problem, device, NULL, values, &error) == TW_OK);
        tw_status status = tw_configuration_bind(description, configuration, values, &error);
        if (status == TW_OK)
            status = tw_configuration_check(description, configuration, values, &error);
        FUZZ_MUST(status == TW_OK || fuzz_is_told(status, &error));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct tw_error error = {0};
    if (description == NULL)
        FUZZ_MUST(tw_description_builtin(&description, "transpose", &error) == TW_OK);
    if (size == 0)
        return 0;
    int implementation = data[0] % description->implementation_count;
    char *text = fuzz_text(data + 1, size - 1);
    struct tw_configuration configuration, again;
    tw_status status =
        tw_configuration_parse(&configuration, description, implementation, text, &error);
    if (status == TW_OK) {
        struct tw_text written = {0};
        tw_configuration_text(description, &configuration, &written);
        FUZZ_MUST(tw_configuration_parse(&again, description, implementation, written.data,
                                         &error) == TW_OK);
        FUZZ_MUST(tw_configuration_equal(description, &configuration, &again));
        tw_text_free(&written);
        use(&configuration);
    } else {
        FUZZ_MUST(fuzz_is_told(status, &error));
    }
    free(text);
    return 0;
}

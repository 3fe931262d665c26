/* Files of other tools, Kernel Tuner caches and T4 results, whole and cut off. */
#include "runtime/description/configuration.h"
#include "tests/fuzz/fuzz.h"
#include "runtime/base/printable.h"
#include "tuner/formats/results_file.h"

static struct tw_description *description;

static void read_results(struct results_file *file) {
    struct tw_problem problem;
    struct tw_error error = {0};
    int implementation;
    FUZZ_MUST(tw_problem_parse(&problem, description, "64x48x32", &error) == TW_OK);
    tw_status status = results_file_implementation(file, description, file->header.implementation,
                                                   &implementation, &error);
    if (status == TW_OK)
        status = results_file_read(file, &problem, implementation, &error);
    FUZZ_MUST(status == TW_OK || fuzz_is_told(status, &error));
    for (size_t i = 0; status == TW_OK && i < file->count; i++) {
        struct tw_configuration configuration;
        FUZZ_MUST(tw_configuration_parse(&configuration, description, implementation,
                                         file->trials[i].configuration, &error) == TW_OK);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct tw_error error = {0};
    if (description == NULL)
        FUZZ_MUST(tw_description_builtin(&description, "gemm", &error) == TW_OK);
    char *text = fuzz_text(data, size);
    struct results_file *file;
    tw_status status = results_file_parse(&file, text, size, "fuzz.json", &error);
    if (status == TW_OK) {
        const struct results_file_header *header = &file->header;
        FUZZ_MUST(header->kernel == NULL || tw_is_printable(header->kernel));
        FUZZ_MUST(header->device == NULL || tw_is_printable(header->device));
        read_results(file);
    } else {
        FUZZ_MUST(file == NULL && fuzz_is_told(status, &error));
    }
    results_file_close(file);
    free(text);
    return 0;
}

#include "tuner/measure/references.h"

#include <stdlib.h>
#include <string.h>

static tw_status load_reference(const struct testbed *testbed,
                                const struct tw_executable *executable, struct tw_module **module,
                                struct tw_error *error) {
    const struct tw_executable_launch *launch = &executable->launches[0];
    struct tw_binary binary = {0};
    tw_status status =
        tw_judge_compile(testbed->backend, &testbed->info, executable, &binary, error);
    if (status == TW_OK)
        status = testbed->backend->load(testbed->device, binary.bytes, binary.size,
                                        launch->function, launch->geometry.shared, module, error);
    tw_binary_free(&binary);
    return status;
}

tw_status references_get(struct references *references, const struct testbed *testbed,
                         const struct tw_executable *executable, struct tw_module **module,
                         struct tw_error *error) {
    const uint32_t shared = executable->launches[0].geometry.shared;
    struct tw_text source = {0};
    char hash[TW_HASH_SIZE];
    tw_status status =
        tw_executable_source(executable, 0, testbed->info.backend, &source, hash, error);
    tw_text_free(&source);
    if (status != TW_OK)
        return status;
    for (int i = 0; i < references->count; i++) {
        const struct loaded_reference *loaded = &references->loaded[i];
        if (strcmp(loaded->hash, hash) == 0 && loaded->shared == shared) {
            *module = loaded->module;
            return TW_OK;
        }
    }
    struct loaded_reference *longer =
        realloc(references->loaded, ((size_t)references->count + 1) * sizeof *references->loaded);
    if (longer == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    references->loaded = longer;
    status = load_reference(testbed, executable, module, error);
    if (status != TW_OK)
        return status;
    struct loaded_reference *added = &references->loaded[references->count++];
    memcpy(added->hash, hash, sizeof hash);
    added->shared = shared;
    added->module = *module;
    return TW_OK;
}

void references_free(struct references *references, const struct testbed *testbed) {
    for (int i = 0; i < references->count; i++)
        testbed->backend->unload(testbed->device, references->loaded[i].module);
    free(references->loaded);
    *references = (struct references){0};
}

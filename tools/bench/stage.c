#include "tools/bench/stage.h"

#include <string.h>

#include "runtime/backend/devices.h"

static const struct stage_kind *const kinds[] = {
#ifdef TW_WITH_CUDA
    &stage_cuda,
#endif
#ifdef TW_WITH_OPENCL
    &stage_opencl,
#endif
    NULL};

tw_status stage_open(struct stage *stage, const char *device, const char *const *databases,
                     const char *cache_policy, tw_error *error) {
    *stage = (struct stage){0};
    tw_status status = tw_device_pick(device, &stage->info, error);
    if (status != TW_OK)
        return status;
    for (int i = 0; kinds[i] != NULL; i++)
        if (strcmp(kinds[i]->backend, stage->info.backend) == 0)
            stage->kind = kinds[i];
    if (stage->kind == NULL)
        return tw_fail(error, TW_UNAVAILABLE, "the bench knows no way to time %s", stage->info.id);
    status = stage->kind->open(stage, error);
    if (status != TW_OK)
        return status;
    const tw_options options = {.device = stage->info.id,
                                .context = stage->context,
                                .databases = databases,
                                .cache_policy = cache_policy};
    return tw_open(&stage->library, &options, error);
}

void stage_close(struct stage *stage) {
    check_kernels_free(&stage->checks);
    tw_close(stage->library);
    if (stage->kind != NULL)
        stage->kind->close(stage);
    *stage = (struct stage){0};
}

tw_status stage_settle(const struct stage *stage, tw_error *error) {
    tw_status status = tw_wait(stage->library, stage->stream, error);
    return status == TW_OK ? stage->library->backend->synchronize(stage->library->device, error)
                           : status;
}

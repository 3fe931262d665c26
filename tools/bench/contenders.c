#include <string.h>

#include "tools/bench/contender.h"
#include "tools/bench/kinds.h"

static const struct entry table[] = {
    {"gemm", NULL, ROLE_OURS, &contender_tilewise},
    {"aat", NULL, ROLE_OURS, &contender_tilewise},
    {"transpose", NULL, ROLE_OURS, &contender_tilewise},
    {"copy", NULL, ROLE_OURS, &contender_tilewise},
    {"gemm_grouped", NULL, ROLE_OURS, &contender_tilewise},
    {"conv2d", NULL, ROLE_OURS, &contender_tilewise},
    {"conv2d_backward_data", NULL, ROLE_OURS, &contender_tilewise},
    {"conv2d_backward_weights", NULL, ROLE_OURS, &contender_tilewise},
#ifdef BENCH_CUDNN
    {"conv2d", "cuda", ROLE_VENDOR, &contender_cudnn},
    {"conv2d_backward_data", "cuda", ROLE_VENDOR, &contender_cudnn},
    {"conv2d_backward_weights", "cuda", ROLE_VENDOR, &contender_cudnn},
#endif
#ifdef BENCH_CUDNN_GRAPHS
    {"conv2d", "cuda", ROLE_VENDOR, &contender_cudnn_engines},
    {"conv2d_backward_data", "cuda", ROLE_VENDOR, &contender_cudnn_engines},
    {"conv2d_backward_weights", "cuda", ROLE_VENDOR, &contender_cudnn_engines},
#endif
#ifdef BENCH_CUBLAS
    {"gemm", "cuda", ROLE_VENDOR, &contender_cublas_gemm},
    {"gemm", "cuda", ROLE_VENDOR, &contender_cublaslt},
    {"gemm_grouped", "cuda", ROLE_VENDOR, &contender_cublaslt_loop},
    {"aat", "cuda", ROLE_VENDOR, &contender_cublas_gemm},
    {"aat", "cuda", ROLE_VENDOR, &contender_cublas_syrk_mirror},
    {"aat", "cuda", ROLE_PART, &contender_cublas_syrk},
    {"transpose", "cuda", ROLE_VENDOR, &contender_cublas_geam},
#endif
#ifdef BENCH_CLBLAST
    {"gemm", "opencl", ROLE_VENDOR, &contender_clblast_gemm},
    {"aat", "opencl", ROLE_VENDOR, &contender_clblast_gemm},
    {"transpose", "opencl", ROLE_VENDOR, &contender_clblast_omatcopy},
#endif
    {"gemm", "opencl", ROLE_VENDOR, &contender_openblas},
    {"aat", "opencl", ROLE_VENDOR, &contender_openblas},
    {"transpose", NULL, ROLE_CEILING, &contender_device_copy},
    {"copy", NULL, ROLE_VENDOR, &contender_device_copy},
};

const char *role_name(enum role role) {
    static const char *const names[] = {"ours", "vendor", "ceiling", "part"};
    return names[role];
}

int contenders_for(const struct task *task, const struct tw_device_info *device,
                   const struct entry *entries[CONTENDERS_MAX]) {
    int count = 0;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (strcmp(table[i].kernel, task->description->kernel) == 0 &&
            (table[i].backend == NULL || strcmp(table[i].backend, device->backend) == 0))
            entries[count++] = &table[i];
    return count;
}

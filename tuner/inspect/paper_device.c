#include "tuner/inspect/paper_device.h"

#include <stdio.h>
#include <string.h>

/* CUDA C++ Programming Guide, "Technical Specifications per Compute Capability"; the number of SMs
 * and the cache are those of one GPU. Kilobytes for a block are those that it may ask for. */
static const struct {
    int arch;
    const char *gpu;
    int sms, cache_mb, threads, blocks, shared_kb, block_kb;
} papers[] = {
    {75, "T4", 40, 4, 1024, 16, 64, 64},           {80, "A100", 108, 40, 2048, 32, 164, 163},
    {86, "A10", 72, 6, 1536, 16, 100, 99},         {89, "L40S", 142, 96, 1536, 24, 100, 99},
    {90, "H100 SXM", 132, 50, 2048, 32, 228, 227}, {100, "B200", 148, 126, 2048, 32, 228, 227},
    {120, "RTX 5090", 170, 96, 1536, 24, 100, 99},
};

enum { PAPERS = sizeof papers / sizeof *papers };

static tw_status unknown(const char *architecture, struct tw_error *error) {
    char known[128] = "";
    for (int i = 0; i < PAPERS; i++)
        sprintf(known + strlen(known), "%ssm_%d", i > 0 ? ", " : "", papers[i].arch);
    return tw_fail(error, TW_INVALID, "--arch %s: expected one of %s", architecture, known);
}

/* From Hopper on code is compiled for all that an architecture has: compilers say sm_90a. */
static bool is_called(const char *word, const char *architecture, int arch) {
    size_t length = strlen(word);
    return strncmp(word, architecture, length) == 0 &&
           (architecture[length] == '\0' ||
            (arch >= 90 && strcmp(architecture + length, "a") == 0));
}

tw_status paper_device(const char *architecture, struct tw_device_info *device,
                       struct tw_error *error) {
    int i = 0;
    char word[16];
    for (; i < PAPERS; i++) {
        snprintf(word, sizeof word, "sm_%d", papers[i].arch);
        if (is_called(word, architecture, papers[i].arch))
            break;
    }
    if (i == PAPERS)
        return unknown(architecture, error);
    *device = (struct tw_device_info){
        .backend = "cuda",
        .vendor = "NVIDIA",
        .arch = papers[i].arch,
        .compute_units = papers[i].sms,
        .warp = 32,
        .max_threads = 1024,
        .max_block = {1024, 1024, 64},
        .max_grid = {INT32_MAX, 65535, 65535},
        .max_shared = papers[i].block_kb * 1024,
        .max_registers = 65536,
        .cache_bytes = (int64_t)papers[i].cache_mb << 20,
        .has_fp64 = true,
        .max_cluster = papers[i].arch >= 90 ? 8 : 1,
        .has_tensor_maps = papers[i].arch >= 90,
        .unit_threads = papers[i].threads,
        .unit_blocks = papers[i].blocks,
        .unit_registers = 65536,
        .unit_shared = papers[i].shared_kb * 1024,
        /* From sm_80 on the system takes a kilobyte for each block. */
        .reserved_shared = papers[i].arch >= 80 ? 1024 : 0,
    };
    snprintf(device->id, sizeof device->id, "%s", word);
    snprintf(device->architecture, sizeof device->architecture, "%s", word);
    snprintf(device->name, sizeof device->name, "a device on paper like the NVIDIA %s",
             papers[i].gpu);
    return TW_OK;
}

#include "tools/bench/mirror.h"

#include <string.h>

enum { TILE = 32, ROWS = 8 };

/* A block turns one tile through shared memory, so that both sides are read and written in whole
 * rows. */
static const char source[] =
    "extern \"C\" __global__ void mirror(float *C, int n, int ld)\n"
    "{\n"
    "    __shared__ float tile[32][33];\n"
    "    const int x = blockIdx.x * 32, y = blockIdx.y * 32;\n"
    "    if (x > y)\n"
    "        return;\n"
    "    for (int r = threadIdx.y; r < 32; r += 8)\n"
    "        if (y + r < n && x + threadIdx.x < n)\n"
    "            tile[r][threadIdx.x] = C[(long long)(y + r) * ld + x + threadIdx.x];\n"
    "    __syncthreads();\n"
    "    for (int r = threadIdx.y; r < 32; r += 8)\n"
    "        if (x + r < n && y + threadIdx.x < n && x + r < y + threadIdx.x)\n"
    "            C[(long long)(x + r) * ld + y + threadIdx.x] = tile[threadIdx.x][r];\n"
    "}\n";

tw_status mirror_create(struct tw_module **out, const struct stage *stage, tw_error *error) {
    const tw_library *library = stage->library;
    const struct tw_compile_request request = {
        .source = source, .name = "mirror.cu", .function = "mirror"};
    struct tw_binary binary = {0};
    *out = NULL;
    tw_status status = library->backend->compile(&stage->info, &request, &binary, error);
    if (status == TW_OK)
        status = library->backend->load(library->device, binary.bytes, binary.size, "mirror", 0,
                                        out, error);
    tw_binary_free(&binary);
    return status == TW_OK ? TW_OK : tw_fail_within(error, status, "the mirroring kernel");
}

static struct tw_value integer(int64_t number) {
    int value = (int)number;
    struct tw_value passed = {.kind = TW_VALUE_BYTES, .size = sizeof value};
    memcpy(passed.bytes, &value, sizeof value);
    return passed;
}

tw_status mirror_queue(const struct tw_module *module, const struct stage *stage, void *matrix,
                       int64_t n, int64_t ld, tw_error *error) {
    const struct tw_value values[] = {
        {.kind = TW_VALUE_MEMORY, .memory = {.address = (uintptr_t)matrix}},
        integer(n),
        integer(ld)};
    uint32_t tiles = (uint32_t)((n + TILE - 1) / TILE);
    const struct tw_launch launch = {.module = module,
                                     .block = {TILE, ROWS, 1},
                                     .grid = {tiles, tiles, 1},
                                     .value_count = 3,
                                     .values = values};
    const tw_library *library = stage->library;
    return library->backend->launch_on(library->device, stage->stream, &launch, 1, error);
}

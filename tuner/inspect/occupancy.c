/* Granularities are those of the CUDA toolkit's occupancy calculator (cuda_occupancy.h): registers
 * go to warps in 256s within a quarter of an SM, shared memory to blocks in 128 bytes. */
#include "tuner/inspect/occupancy.h"

#include <math.h>

#include "runtime/variant/compile.h"

enum { REGISTER_UNIT = 256, SHARED_UNIT = 128, SHARED_UNIT_BEFORE_80 = 256, QUARTERS = 4 };

static const char *const words[] = {
#define OCCUPANCY_WORD(name, word) word,
    OCCUPANCY_LIMITS_OF(OCCUPANCY_WORD)
#undef OCCUPANCY_WORD
};

const char *occupancy_limit_word(enum occupancy_limit limit) {
    return words[limit];
}

static int64_t divided_up(int64_t a, int64_t b) {
    return (a + b - 1) / b;
}

/* How many blocks each of the device's means is enough for. */
static void work_out(const struct tw_device_info *device, const struct tw_geometry *geometry,
                     const struct tw_kernel_resources *resources, int64_t warps,
                     int64_t enough_for[OCCUPANCY_LIMITS]) {
    int64_t per_warp =
        divided_up(resources->registers * device->warp, REGISTER_UNIT) * REGISTER_UNIT;
    int64_t unit = device->arch < 80 ? SHARED_UNIT_BEFORE_80 : SHARED_UNIT;
    int64_t shared = resources->static_shared + geometry->shared + device->reserved_shared;
    shared = divided_up(shared, unit) * unit;
    enough_for[OCCUPANCY_REGISTERS] =
        device->unit_registers / QUARTERS / per_warp * QUARTERS / warps;
    enough_for[OCCUPANCY_SHARED] = shared > 0 ? device->unit_shared / shared : INT64_MAX;
    enough_for[OCCUPANCY_THREADS] = device->unit_threads / (warps * device->warp);
    enough_for[OCCUPANCY_BLOCKS] = device->unit_blocks;
}

static void fill_waves(const struct tw_device_info *device, const struct tw_geometry *geometry,
                       struct occupancy *o) {
    double at_once = (double)(o->blocks * device->compute_units);
    double grid = (double)geometry->grid[0] * geometry->grid[1] * geometry->grid[2];
    if (at_once == 0)
        return;
    o->waves = grid / at_once;
    o->last_wave = fmod(grid, at_once) / at_once;
    if (o->last_wave == 0)
        o->last_wave = 1;
}

void occupancy_of(const struct tw_device_info *device, const struct tw_geometry *geometry,
                  const struct tw_kernel_resources *resources, struct occupancy *o) {
    *o = (struct occupancy){0};
    /* Without these there is nothing to work with, as on OpenCL. */
    if (resources->registers == 0 || device->unit_threads == 0 || device->unit_registers == 0)
        return;
    int64_t enough_for[OCCUPANCY_LIMITS];
    int64_t warps = divided_up(tw_geometry_threads(geometry), device->warp);
    work_out(device, geometry, resources, warps, enough_for);
    int64_t least = enough_for[0];
    for (int i = 1; i < OCCUPANCY_LIMITS; i++)
        least = enough_for[i] < least ? enough_for[i] : least;
    o->known = true;
    o->is_told = resources->active_blocks >= 0;
    o->blocks = o->is_told ? resources->active_blocks : least;
    o->warps = o->blocks * warps;
    o->max_warps = device->unit_threads / device->warp;
    /* Where the driver's number is another, it knows of a limit that is not among these. */
    for (int i = 0; i < OCCUPANCY_LIMITS; i++)
        o->limits[i] = enough_for[i] == o->blocks && o->blocks == least;
    fill_waves(device, geometry, o);
}

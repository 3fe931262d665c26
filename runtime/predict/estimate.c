#include "runtime/predict/estimate.h"

#include <math.h>

/* Where a device does not say: any number does for ratios. */
static const double CLOCK_HZ = 1.5e9, GPU_BANDWIDTH = 1e12, CPU_BANDWIDTH = 5e10;
/* Operations of a unit in a cycle, of f32: 128 fused multiply-adds, or two vectors of eight. */
static const double GPU_OPERATIONS = 256, CPU_OPERATIONS = 32;
/* Half of a unit's rate is reached with so many threads, half of the memory's with so many a unit.
 */
static const double HALF_RATE_THREADS = 96, HALF_BANDWIDTH_THREADS = 128;
/* What beginning costs: a launch, and a round of blocks, which waits for its first operands. */
static const double LAUNCH_US = 1.5, ROUND_US = 1;
/* What the description calls redundant is dearer than what it would repeat. */
static const double REDUNDANT = 1.1;

static double share(double threads, double half) {
    return threads / (threads + half);
}

/* The busiest unit's blocks, in rounds of as many as it holds: the last may be of fewer, which do
 * not keep it busy. */
static double busy(const struct tw_features *f, bool is_cpu) {
    double full = floor(f->per_unit / f->resident), rest = f->per_unit - full * f->resident;
    if (is_cpu)
        return f->per_unit;
    double time = full * f->resident / share(f->resident * f->threads, HALF_RATE_THREADS);
    return rest > 0 ? time + rest / share(rest * f->threads, HALF_RATE_THREADS) : time;
}

void tw_estimate_of(const struct tw_features *f, const struct tw_device_info *device,
                    struct tw_estimate *estimate) {
    double clock = device->clock_khz > 0 ? (double)device->clock_khz * 1e3 : CLOCK_HZ;
    double rate = clock * (device->is_cpu ? CPU_OPERATIONS : GPU_OPERATIONS);
    if (f->element_bytes > 4)
        rate /= 2;
    double bandwidth = device->bandwidth > 0 ? (double)device->bandwidth
                       : device->is_cpu      ? CPU_BANDWIDTH
                                             : GPU_BANDWIDTH;
    /* Of one block, which does what is beyond the edges too. */
    double block = f->flops / f->use / (f->units * f->balance * f->per_unit);
    estimate->compute = block * busy(f, device->is_cpu) / rate * 1e6;
    double moved = f->bytes + (f->launches > 1 ? 2 * f->workspace : 0);
    double active = fmin(f->per_unit * f->balance, f->resident) * f->threads;
    if (!device->is_cpu)
        bandwidth *= share(active, HALF_BANDWIDTH_THREADS);
    estimate->memory = moved / bandwidth * 1e6;
    double rounds = ceil(f->per_unit / f->resident);
    estimate->overhead = f->launches * LAUNCH_US + rounds * ROUND_US;
    if (f->redundant) {
        estimate->compute *= REDUNDANT;
        estimate->memory *= REDUNDANT;
    }
}

/* Computing and moving overlap, and get in each other's way where they take as long: the fourth
 * root of the sum of their fourth powers. */
static double overlapped(double compute, double memory) {
    const double of_compute = compute * compute, of_memory = memory * memory;
    return sqrt(sqrt(of_compute * of_compute + of_memory * of_memory));
}

double tw_estimate_total(const struct tw_estimate *e) {
    return overlapped(e->compute, e->memory) + e->overhead;
}

/* What was measured may have been faster than either part was thought to be: with units that
 * multiply matrices, say, or from a cache. Then that part is as much faster here. The rest of the
 * difference, which is mostly to the worse, is taken for a factor. */
double tw_estimate_scaled(double measured, const struct tw_estimate *there,
                          const struct tw_estimate *here) {
    double compute = fmin(1, measured / fmax(there->compute, 1e-9));
    double memory = fmin(1, measured / fmax(there->memory, 1e-9));
    double overhead = fmin(1, measured / fmax(2 * there->overhead, 1e-9));
    const struct tw_estimate then = {there->compute * compute, there->memory * memory,
                                     there->overhead * overhead};
    const struct tw_estimate now = {here->compute * compute, here->memory * memory,
                                    here->overhead * overhead};
    return measured * tw_estimate_total(&now) / tw_estimate_total(&then);
}

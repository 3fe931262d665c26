#include "tuner/inspect/roofline.h"

#include <string.h>

#include "tuner/inspect/tensor.h"

/* CUDA C++ Programming Guide, "Throughput of Native Arithmetic Instructions": results a cycle and
 * multiprocessor, of 32-bit and of 64-bit floating-point multiply-adds. */
static const struct {
    int arch, f32, f64;
} throughput[] = {{70, 64, 32},  {75, 64, 2},   {80, 64, 32},  {86, 128, 2},
                  {87, 128, 2},  {89, 128, 2},  {90, 128, 64}, {100, 128, 64},
                  {103, 128, 2}, {120, 128, 2}, {121, 128, 2}};

int roofline_lanes(int arch, enum tw_type type) {
    for (size_t i = 0; i < sizeof throughput / sizeof *throughput; i++)
        if (throughput[i].arch == arch)
            return type == TW_TYPE_f32   ? throughput[i].f32
                   : type == TW_TYPE_f64 ? throughput[i].f64
                                         : 0;
    return 0;
}

/* The type of the first buffer that the kernel reads, or of the first that it writes. */
static enum tw_type type_of(const struct tw_problem *problem, bool read) {
    const struct tw_description *d = problem->description;
    for (int i = 0; i < d->argument_count; i++)
        if (d->arguments[i].kind == TW_ARGUMENT_BUFFER &&
            (d->arguments[i].access == TW_ACCESS_IN) == read)
            return tw_problem_type(problem, i);
    return TW_TYPE_COUNT;
}

/* A kernel computes in the type of what it writes, or on tensor cores, if they are faster, from
 * what it reads. */
static int fastest_lanes(int arch, const struct tw_problem *problem) {
    int lanes = roofline_lanes(arch, type_of(problem, false));
    int tensor = tensor_lanes(arch, type_of(problem, true));
    return tensor > lanes ? tensor : lanes;
}

void roofline_of(const struct tw_device_info *device, const struct tw_problem *problem,
                 const struct tw_work *work, struct roofline *r) {
    *r = (struct roofline){.work = *work};
    r->bandwidth = (double)device->bandwidth;
    r->lanes = fastest_lanes(device->arch, problem);
    /* A multiply-add is two operations. */
    r->peak = 2.0 * r->lanes * (double)device->compute_units * (double)device->clock_khz * 1e3;
    if (work->flops > 0 && work->bytes > 0)
        r->intensity = work->flops / work->bytes;
    double moving = r->bandwidth > 0 ? work->bytes / r->bandwidth : 0;
    double computing = r->peak > 0 ? work->flops / r->peak : 0;
    if (moving == 0 || (work->flops > 0 && computing == 0))
        return;
    r->bound = computing > moving ? ROOFLINE_ARITHMETIC : ROOFLINE_MEMORY;
    r->bound_us = 1e6 * (computing > moving ? computing : moving);
}

double roofline_issue_bound(double share, int lanes) {
    double cycles = 4 * 32.0 / lanes; /* that a quarter computes on one multiply-add of a warp */
    return share * cycles < 1 ? share * cycles : 1;
}

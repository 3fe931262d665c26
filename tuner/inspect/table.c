/* An inspection for people. */
#include <inttypes.h>
#include <stdio.h>

#include "tuner/inspect/inspect.h"
#include "tuner/report/report.h"

/* ---- The problem ---- */

static void print_roofline(const struct inspection *in) {
    const struct roofline *r = &in->roofline;
    bool computes = r->work.flops > 0;
    if (computes)
        printf("  intensity       %.4g flops a byte: %.4g Gflop on %.4g MB\n", r->intensity,
               r->work.flops * 1e-9, r->work.bytes * 1e-6);
    else
        printf("  intensity       none: it moves %.4g MB\n", r->work.bytes * 1e-6);
    if (computes && r->peak > 0)
        printf("  arithmetic      %.4g TFLOP/s: %" PRId64
               " SMs, %d multiply-adds a cycle each, %" PRId64 " MHz\n",
               r->peak * 1e-12, in->device.compute_units, r->lanes, in->device.clock_khz / 1000);
    else if (computes && r->lanes > 0)
        printf("  arithmetic      %" PRId64
               " SMs, %d multiply-adds a cycle each; the clock is not known\n",
               in->device.compute_units, r->lanes);
    else if (computes)
        printf("  arithmetic      the device's peak is not known\n");
    if (r->bandwidth > 0)
        printf("  memory          %.4g GB/s\n", r->bandwidth * 1e-9);
    else
        printf("  memory          the device's bandwidth is not known\n");
    if (r->bound == ROOFLINE_UNKNOWN)
        return;
    char time[32];
    report_time(r->bound_us, time);
    printf("  bound           by %s: %s at least\n",
           r->bound == ROOFLINE_ARITHMETIC ? "arithmetic" : "memory", time);
}

static void print_stored(const struct inspection *in) {
    if (!in->has_stored)
        return;
    const char *unit;
    char time[32], text[REPORT_RATE_SIZE];
    double rate = tw_work_rate(&in->roofline.work, in->stored_us * 1e-6, &unit);
    report_time(in->stored_us, time);
    report_rate(rate, unit, text);
    printf("  stored          %s, %s", time, text);
    if (in->roofline.bound != ROOFLINE_UNKNOWN)
        printf(", %.1f%% of the bound", 100 * in->roofline.bound_us / in->stored_us);
    printf("\n");
}

/* ---- A launch ---- */

static void print_resources(const struct inspection *in, const struct inspected_launch *launch) {
    const struct tw_kernel_resources *r = &launch->resources;
    double dynamic = inspect_dynamic_shared(in, launch);
    if (r->registers > 0)
        printf("  registers       %" PRId64 " a thread\n", r->registers);
    printf("  local memory    %" PRId64 " bytes a thread%s\n", r->local_bytes,
           r->registers > 0 && r->local_bytes > 0 ? ": spills, or arrays" : "");
    printf("  shared memory   %.0f bytes a block", (double)r->static_shared + dynamic);
    if (dynamic > 0 && r->static_shared > 0)
        printf(", %.0f of them asked for by the launch", dynamic);
    printf("\n");
    if (r->max_threads > 0)
        printf("  block           %" PRId64 " threads at most\n", r->max_threads);
}

static void print_occupancy(const struct inspection *in, const struct occupancy *o) {
    if (!o->known)
        return;
    printf("  occupancy       %" PRId64 " block%s an SM, %" PRId64 " of %" PRId64 " warps (%.0f%%)",
           o->blocks, o->blocks == 1 ? "" : "s", o->warps, o->max_warps,
           100.0 * (double)o->warps / (double)o->max_warps);
    const char *before = "; limited by ";
    for (int i = 0; i < OCCUPANCY_LIMITS; i++)
        if (o->limits[i]) {
            printf("%s%s", before, occupancy_limit_word(i));
            before = " and ";
        }
    printf("\n");
    if (o->waves > 0)
        printf("  waves           %.2f over %" PRId64 " SMs; the last fills %.0f%% of the device\n",
               o->waves, in->device.compute_units, 100 * o->last_wave);
}

static void print_launch(const struct inspection *in, const struct inspected_launch *launch) {
    const struct tw_geometry *g = &launch->geometry;
    printf("%s, grid %ux%ux%u of %ux%ux%u threads\n", launch->function, g->grid[0], g->grid[1],
           g->grid[2], g->block[0], g->block[1], g->block[2]);
    print_resources(in, launch);
    print_occupancy(in, &launch->occupancy);
    if (launch->has_code)
        inspect_print_code(in, launch);
}

void inspect_print_table(const struct inspection *in) {
    print_roofline(in);
    print_stored(in);
    for (int i = 0; i < in->count; i++)
        print_launch(in, &in->launches[i]);
    if (in->no_code.message[0] != '\0')
        printf("no machine code: %s\n", in->no_code.message);
}

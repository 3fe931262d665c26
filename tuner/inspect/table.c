/* An inspection for people. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "tuner/inspect/inspect.h"
#include "tuner/report/report.h"

enum { CELL = 72 };

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
    char time[32];
    double rate = tw_work_rate(&in->roofline.work, in->stored_us * 1e-6, &unit);
    report_time(in->stored_us, time);
    printf("  stored          %s, %.4g %s", time, rate, unit);
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

/* ---- Its code, in two columns ---- */

static void add(char cell[CELL], const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(char cell[CELL], const char *format, ...) {
    size_t length = strlen(cell);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(cell + length, CELL - length, format, arguments);
    va_end(arguments);
}

static void print_row(const char *what, const char *kernel, const char *loop) {
    if (loop[0] == '\0')
        printf("  %-15s %s\n", what, kernel);
    else
        printf("  %-15s %-34s %s\n", what, kernel, loop);
}

static void count_cell(const struct code_counts *counts, enum sass_kind kind, char cell[CELL]) {
    cell[0] = '\0';
    add(cell, "%d", counts->kinds[kind]);
    if (counts->instructions > 0)
        add(cell, " (%.1f%%)", 100.0 * counts->kinds[kind] / counts->instructions);
}

/* "20: 16 x 128, 4 x 32 bits; 16 EF" */
static void access_cell(const struct code_counts *counts, enum sass_kind kind, char cell[CELL]) {
    cell[0] = '\0';
    add(cell, "%d", counts->kinds[kind]);
    const char *before = ": ";
    for (int w = COUNTS_WIDTHS - 1; w >= 0; w--)
        if (counts->widths[kind][w] > 0) {
            add(cell, "%s%d x %d", before, counts->widths[kind][w], counts_widths[w]);
            before = ", ";
        }
    before = "; ";
    for (int h = 0; h < COUNTS_HINTS; h++)
        if (counts->hints[kind][h] > 0) {
            add(cell, "%s%d %s", before, counts->hints[kind][h], counts_hints[h]);
            before = ", ";
        }
}

static void print_kind(const struct inspected_launch *launch, const char *what, enum sass_kind kind,
                       void (*fill)(const struct code_counts *, enum sass_kind, char *)) {
    char kernel[CELL], loop[CELL] = "";
    if (launch->kernel.counts.kinds[kind] == 0)
        return;
    fill(&launch->kernel.counts, kind, kernel);
    if (launch->has_loop)
        fill(&launch->loop.counts, kind, loop);
    print_row(what, kernel, loop);
}

static void print_counts(const struct inspected_launch *launch) {
    char kernel[CELL] = "", loop[CELL] = "";
    add(kernel, "%d", launch->kernel.counts.instructions);
    if (launch->has_loop)
        add(loop, "%d", launch->loop.counts.instructions);
    print_row("instructions", kernel, loop);
    print_kind(launch, "FFMA", SASS_FFMA, count_cell);
    print_kind(launch, "FFMA2", SASS_FFMA2, count_cell);
    print_kind(launch, "DFMA", SASS_DFMA, count_cell);
    print_kind(launch, "other float", SASS_FLOAT, count_cell);
    print_kind(launch, "integer", SASS_INTEGER, count_cell);
    print_kind(launch, "moves", SASS_MOVE, count_cell);
    print_kind(launch, "LDS", SASS_SHARED_LOAD, access_cell);
    print_kind(launch, "STS", SASS_SHARED_STORE, access_cell);
    print_kind(launch, "LDG", SASS_GLOBAL_LOAD, access_cell);
    print_kind(launch, "STG", SASS_GLOBAL_STORE, access_cell);
    print_kind(launch, "LDGSTS", SASS_ASYNC_COPY, access_cell);
    print_kind(launch, "bulk copies", SASS_BULK_COPY, count_cell);
    print_kind(launch, "LDL (spills)", SASS_LOCAL_LOAD, access_cell);
    print_kind(launch, "STL (spills)", SASS_LOCAL_STORE, access_cell);
    print_kind(launch, "barriers", SASS_BARRIER, count_cell);
    print_kind(launch, "branches", SASS_BRANCH, count_cell);
}

static void reuse_cell(const struct register_reads *reads, char cell[CELL]) {
    cell[0] = '\0';
    if (reads->multiply_adds > 0)
        add(cell, "%.2f flags an FFMA", (double)reads->reuse_flags / reads->multiply_adds);
}

static void conflict_cell(const struct register_reads *reads, char cell[CELL]) {
    cell[0] = '\0';
    if (reads->multiply_adds > 0)
        add(cell, "%d of %d FFMA", reads->conflicts, reads->multiply_adds);
}

/* "1.13 to 1.25", or one number where both are the same to the eye. */
static void add_range(char cell[CELL], double low, double high, int digits) {
    char from[32], to[32];
    snprintf(from, sizeof from, "%.*f", digits, low);
    snprintf(to, sizeof to, "%.*f", digits, high);
    if (strcmp(from, to) == 0)
        add(cell, "%s", from);
    else
        add(cell, "%s to %s", from, to);
}

static void cycles_cell(const struct register_reads *reads, char cell[CELL]) {
    cell[0] = '\0';
    if (reads->multiply_adds == 0)
        return;
    add_range(cell, reads->shared_cycles, reads->cycles, 2);
    add(cell, " cycles an FFMA");
}

static void print_reads(const struct inspected_launch *launch) {
    static const struct {
        const char *what;
        void (*fill)(const struct register_reads *, char *);
    } rows[] = {
        {".reuse", reuse_cell}, {"bank conflicts", conflict_cell}, {"register reads", cycles_cell}};
    const struct inspected_code *code = launch->has_loop ? &launch->loop : &launch->kernel;
    if (code->reads.multiply_adds == 0)
        return;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char kernel[CELL], loop[CELL] = "";
        rows[i].fill(&launch->kernel.reads, kernel);
        if (launch->has_loop)
            rows[i].fill(&launch->loop.reads, loop);
        print_row(rows[i].what, kernel, loop);
    }
}

/* What the loop can reach of the arithmetic peak. */
static void print_bounds(const struct inspection *in, const struct inspected_launch *launch) {
    const struct inspect_bounds bounds = inspect_bounds_of(in, launch);
    if (bounds.issue > 0)
        printf("  at most         %.1f%% of the %s peak, by the instructions that are issued\n",
               100 * bounds.issue, bounds.opcode);
    char share[CELL] = "";
    add_range(share, 100 * bounds.reads, 100 * bounds.shared_reads, 1);
    if (bounds.reads > 0)
        printf("  estimate        %s%% of the FFMA peak, by register reads\n", share);
}

static void print_code(const struct inspection *in, const struct inspected_launch *launch) {
    char loop[CELL] = "";
    if (launch->has_loop)
        add(loop, "loop 0x%x to 0x%x", launch->loop_begin, launch->loop_end);
    if (launch->nested > 0)
        add(loop, ", without %d inside", launch->nested);
    print_row("code", launch->has_loop ? "kernel" : "kernel, which has no loop to tell of", loop);
    print_counts(launch);
    print_reads(launch);
    print_bounds(in, launch);
}

static void print_launch(const struct inspection *in, const struct inspected_launch *launch) {
    const struct tw_geometry *g = &launch->geometry;
    printf("%s, grid %ux%ux%u of %ux%ux%u threads\n", launch->function, g->grid[0], g->grid[1],
           g->grid[2], g->block[0], g->block[1], g->block[2]);
    print_resources(in, launch);
    print_occupancy(in, &launch->occupancy);
    if (launch->has_code)
        print_code(in, launch);
}

void inspect_print_table(const struct inspection *in) {
    print_roofline(in);
    print_stored(in);
    for (int i = 0; i < in->count; i++)
        print_launch(in, &in->launches[i]);
    if (in->no_code.message[0] != '\0')
        printf("no machine code: %s\n", in->no_code.message);
}

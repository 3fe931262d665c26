/* A launch's machine code for people: the kernel and its loop in two columns. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "tuner/inspect/inspect.h"

enum { CELL = 72 };

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
    add(cell, "%s", before[0] == ',' ? " bits" : "");
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

/* Of a kind, by opcode: "HGMMA" and "4 of 64x256x16.F32.BF16". */
static void print_opcodes(const struct inspected_launch *launch, enum sass_kind kind) {
    const struct code_counts *counts = &launch->kernel.counts;
    for (int i = 0; i < counts->opcode_count; i++) {
        const struct counted_opcode *counted = &counts->opcodes[i];
        char what[CELL] = "", kernel[CELL] = "", loop[CELL] = "";
        if (counted->kind != kind)
            continue;
        size_t length = strcspn(counted->opcode, ".");
        add(what, "  %.*s", (int)length, counted->opcode);
        add(kernel, "%d", counted->count);
        if (counted->opcode[length] == '.')
            add(kernel, " of %s", counted->opcode + length + 1);
        if (launch->has_loop)
            add(loop, "%d", counts_of_opcode(&launch->loop.counts, counted->opcode));
        print_row(what, kernel, loop);
    }
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
    print_kind(launch, "tensor", SASS_TENSOR, count_cell);
    print_opcodes(launch, SASS_TENSOR);
    print_kind(launch, "other float", SASS_FLOAT, count_cell);
    print_kind(launch, "integer", SASS_INTEGER, count_cell);
    print_kind(launch, "moves", SASS_MOVE, count_cell);
    print_kind(launch, "LDS", SASS_SHARED_LOAD, access_cell);
    print_kind(launch, "STS", SASS_SHARED_STORE, access_cell);
    print_kind(launch, "LDG", SASS_GLOBAL_LOAD, access_cell);
    print_kind(launch, "STG", SASS_GLOBAL_STORE, access_cell);
    print_kind(launch, "LDGSTS", SASS_ASYNC_COPY, access_cell);
    print_kind(launch, "bulk copies", SASS_BULK_COPY, count_cell);
    print_opcodes(launch, SASS_BULK_COPY);
    print_kind(launch, "LDL (local)", SASS_LOCAL_LOAD, access_cell);
    print_kind(launch, "STL (local)", SASS_LOCAL_STORE, access_cell);
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

static void print_tensor_bounds(const struct inspected_launch *launch,
                                const struct inspect_bounds *bounds) {
    const struct inspected_code *code = launch->has_loop ? &launch->loop : &launch->kernel;
    const struct tensor_work *tensor = &code->tensor;
    printf("  at most         %.1f%% of the %s peak: %d instructions are issued for %.4g cycles of "
           "products\n",
           100 * bounds->issue, bounds->opcode, code->counts.instructions, tensor->cycles);
    if (bounds->operands > 0)
        printf(
            "  at most         %.1f%% of it: their operands take %.4g cycles to read from shared "
            "memory\n",
            100 * bounds->operands, tensor->operand_cycles);
    if (bounds->alone > 0)
        printf(
            "  estimate        %.1f%% of it by four warps alone: they wait for all their products "
            "and issue %d instructions until the next\n",
            100 * bounds->alone, tensor->exposed);
}

/* What the loop can reach of the arithmetic peak. */
static void print_bounds(const struct inspection *in, const struct inspected_launch *launch) {
    const struct inspect_bounds bounds = inspect_bounds_of(in, launch);
    if (bounds.tensor)
        print_tensor_bounds(launch, &bounds);
    else if (bounds.issue > 0)
        printf("  at most         %.1f%% of the %s peak, by the instructions that are issued\n",
               100 * bounds.issue, bounds.opcode);
    char share[CELL] = "";
    add_range(share, 100 * bounds.reads, 100 * bounds.shared_reads, 1);
    if (bounds.reads > 0)
        printf("  estimate        %s%% of the FFMA peak, by register reads\n", share);
}

void inspect_print_code(const struct inspection *in, const struct inspected_launch *launch) {
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

/* What the kernel of a problem is made of: its machine code, what it takes of the device, and what
 * the device would allow. Nothing is launched. */
#ifndef TUNER_INSPECT_INSPECT_H
#define TUNER_INSPECT_INSPECT_H

#include "runtime/select/select.h"
#include "runtime/variant/geometry.h"
#include "tuner/inspect/counts.h"
#include "tuner/inspect/disassembler.h"
#include "tuner/inspect/occupancy.h"
#include "tuner/inspect/registers.h"
#include "tuner/inspect/roofline.h"
#include "tuner/inspect/tensor.h"

/* A kernel, or the loop in it that counts. */
struct inspected_code {
    struct code_counts counts;
    struct register_reads reads;
    struct tensor_work tensor;
};

struct inspected_launch {
    const char *function;
    struct tw_geometry geometry;
    struct tw_kernel_resources resources;
    struct occupancy occupancy;
    bool has_code;
    struct inspected_code kernel;
    bool has_loop;
    struct inspected_code loop;
    unsigned loop_begin, loop_end; /* addresses of its first and last instruction */
    int nested;                    /* loops inside it, which are not counted */
};

struct inspection {
    struct tw_problem problem; /* set by the caller, with all to `preset` */
    struct tw_device_info device;
    bool on_paper; /* the device is none that can be opened */
    const char *cache;
    const struct tw_catalogue *catalogue;
    const char *preset; /* NULL: what an application would get */

    struct tw_selection selection; /* meaningless with a preset */
    struct tw_configuration configuration;
    bool has_stored; /* a time is stored for exactly this problem: */
    double stored_us;
    struct roofline roofline;
    struct disassembler disassembler;
    struct tw_error no_code; /* its message is "" when the launches have code */
    int count;
    struct inspected_launch launches[TW_MAX_LAUNCHES];
};

/* The most that a launch's loop, or kernel without one, can reach of the arithmetic peak; 0: not
 * known, or not what the launch does. */
struct inspect_bounds {
    const char *opcode;  /* "FFMA", "DFMA" or "HGMMA", whose peak it is */
    bool tensor;         /* it is a product of matrices, and its rate is known */
    double issue;        /* by its share of the instructions */
    double reads;        /* FFMA, an estimate, by the register file's ports */
    double shared_reads; /* the same, if neighbours fill each other's gaps */
    double operands;     /* HGMMA and its kin, by what they read of shared memory */
    double alone;        /* the same, an estimate, for four warps alone: others fill their gaps */
};

struct inspect_bounds inspect_bounds_of(const struct inspection *inspection,
                                        const struct inspected_launch *launch);
/* Bytes that the launch asks for. None on OpenCL, where the kernel itself has them all. */
double inspect_dynamic_shared(const struct inspection *inspection,
                              const struct inspected_launch *launch);

/* A missing disassembler is told in no_code and no failure; one that fails is. */
tw_status inspect(struct inspection *inspection, struct tw_error *error);

/* For people and for programs, on standard output. A table's part about one launch's code is in
 * code_table.c. */
void inspect_print_table(const struct inspection *inspection);
void inspect_print_code(const struct inspection *inspection, const struct inspected_launch *launch);
tw_status inspect_print_json(const struct inspection *inspection, struct tw_error *error);

#endif

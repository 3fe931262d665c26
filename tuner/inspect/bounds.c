/* What follows from a launch's counts. */
#include <math.h>

#include "runtime/description/languages.h"
#include "tuner/inspect/inspect.h"

static struct inspect_bounds tensor_bounds(const struct inspected_code *code) {
    const struct tensor_work *tensor = &code->tensor;
    struct inspect_bounds bounds = {.opcode = tensor->opcode};
    if (tensor->cycles == 0)
        return bounds;
    bounds.tensor = true;
    /* A quarter issues an instruction a cycle. */
    bounds.issue = fmin(1, tensor->cycles / code->counts.instructions);
    if (tensor->operand_cycles > 0)
        bounds.operands = fmin(1, tensor->cycles / tensor->operand_cycles);
    if (tensor->exposed > 0)
        bounds.alone = tensor->cycles / (tensor->cycles + tensor->exposed);
    return bounds;
}

struct inspect_bounds inspect_bounds_of(const struct inspection *in,
                                        const struct inspected_launch *launch) {
    const struct inspected_code *code = launch->has_loop ? &launch->loop : &launch->kernel;
    if (code->tensor.opcode[0] != '\0')
        return tensor_bounds(code);
    bool is_double = code->counts.kinds[SASS_DFMA] > code->counts.kinds[SASS_FFMA];
    enum sass_kind kind = is_double ? SASS_DFMA : SASS_FFMA;
    int lanes = roofline_lanes(in->device.arch, is_double ? TW_TYPE_f64 : TW_TYPE_f32);
    struct inspect_bounds bounds = {.opcode = is_double ? "DFMA" : "FFMA"};
    if (lanes == 0 || code->counts.kinds[SASS_FFMA2] > 0 || code->counts.kinds[kind] == 0)
        return bounds;
    bounds.issue =
        roofline_issue_bound((double)code->counts.kinds[kind] / code->counts.instructions, lanes);
    if (!is_double && code->reads.multiply_adds > 0) {
        bounds.reads = registers_bound(&code->reads, lanes);
        bounds.shared_reads = registers_shared_bound(&code->reads, lanes);
    }
    return bounds;
}

double inspect_dynamic_shared(const struct inspection *in, const struct inspected_launch *launch) {
    return tw_language_of(in->device.backend)->shared_at_launch ? launch->geometry.shared : 0;
}

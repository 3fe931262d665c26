/* An inspection for programs. */
#include <stdio.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "tuner/inspect/inspect.h"
#include "tuner/json/json.h"

static const char *const kind_words[SASS_KINDS] = {
#define SASS_KIND_WORD(name, word) word,
    SASS_KINDS_OF(SASS_KIND_WORD)
#undef SASS_KIND_WORD
};

static void add_configuration(const struct inspection *in, cJSON *json) {
    const struct tw_description *d = in->problem.description;
    cJSON_AddStringToObject(json, "implementation",
                            d->implementations[in->configuration.implementation].name);
    json_add(json, "configuration", json_configuration(d, &in->configuration));
}

static void add_choice(const struct inspection *in, cJSON *json) {
    const struct tw_selection *s = &in->selection;
    if (in->preset != NULL) {
        cJSON_AddStringToObject(json, "preset", in->preset);
        return;
    }
    cJSON_AddStringToObject(json, "rule", tw_selection_word(s->rule));
    cJSON_AddStringToObject(json, "reason", tw_selection_text(s->rule));
    if (s->row == NULL)
        return;
    cJSON_AddNumberToObject(json, "distance", s->distance);
    cJSON *row = cJSON_AddObjectToObject(json, "row");
    cJSON_AddStringToObject(row, "problem", s->row->problem);
    cJSON_AddStringToObject(row, "device", s->row->device_name);
    cJSON_AddNumberToObject(row, "time_us", s->row->time_us);
}

static void add_known(cJSON *json, const char *name, double number) {
    if (number > 0)
        cJSON_AddNumberToObject(json, name, number);
}

static void add_roofline(const struct inspection *in, cJSON *json) {
    const struct roofline *r = &in->roofline;
    cJSON *roofline = cJSON_AddObjectToObject(json, "roofline");
    cJSON_AddNumberToObject(roofline, "flops", r->work.flops);
    cJSON_AddNumberToObject(roofline, "bytes", r->work.bytes);
    add_known(roofline, "flops_per_byte", r->intensity);
    add_known(roofline, "peak_tflop_per_s", r->peak * 1e-12);
    add_known(roofline, "memory_gb_per_s", r->bandwidth * 1e-9);
    if (r->bound != ROOFLINE_UNKNOWN) {
        cJSON_AddStringToObject(roofline, "bound",
                                r->bound == ROOFLINE_ARITHMETIC ? "arithmetic" : "memory");
        cJSON_AddNumberToObject(roofline, "bound_us", r->bound_us);
    }
    if (!in->has_stored)
        return;
    const char *unit;
    double rate = tw_work_rate(&r->work, in->stored_us * 1e-6, &unit);
    cJSON_AddNumberToObject(roofline, "stored_us", in->stored_us);
    cJSON_AddNumberToObject(roofline, "rate", rate);
    cJSON_AddStringToObject(roofline, "rate_unit", unit);
    if (r->bound != ROOFLINE_UNKNOWN)
        cJSON_AddNumberToObject(roofline, "share_of_bound", r->bound_us / in->stored_us);
}

static cJSON *three(const uint32_t sizes[3]) {
    const int numbers[3] = {(int)sizes[0], (int)sizes[1], (int)sizes[2]};
    return cJSON_CreateIntArray(numbers, 3);
}

static void add_occupancy(const struct occupancy *o, cJSON *json) {
    if (!o->known)
        return;
    cJSON *occupancy = cJSON_AddObjectToObject(json, "occupancy");
    cJSON_AddStringToObject(occupancy, "from", o->is_told ? "driver" : "resources");
    cJSON_AddNumberToObject(occupancy, "blocks_per_sm", (double)o->blocks);
    cJSON_AddNumberToObject(occupancy, "warps_per_sm", (double)o->warps);
    cJSON_AddNumberToObject(occupancy, "max_warps_per_sm", (double)o->max_warps);
    cJSON *limits = cJSON_AddArrayToObject(occupancy, "limited_by");
    for (int i = 0; i < OCCUPANCY_LIMITS; i++)
        if (o->limits[i])
            json_append(limits, cJSON_CreateString(occupancy_limit_word(i)));
    add_known(occupancy, "waves", o->waves);
    add_known(occupancy, "last_wave", o->last_wave);
}

/* By bits, and by the instruction's modifiers. */
static void add_accesses(const struct code_counts *counts, enum sass_kind kind, cJSON *json) {
    if (counts->kinds[kind] == 0)
        return;
    cJSON *accesses = cJSON_AddObjectToObject(json, kind_words[kind]);
    cJSON_AddNumberToObject(accesses, "count", counts->kinds[kind]);
    for (int w = 0; w < COUNTS_WIDTHS; w++) {
        char bits[16];
        snprintf(bits, sizeof bits, "%d", counts_widths[w]);
        add_known(accesses, bits, counts->widths[kind][w]);
    }
    for (int h = 0; h < COUNTS_HINTS; h++)
        add_known(accesses, counts_hints[h], counts->hints[kind][h]);
}

static cJSON *code_json(const struct inspected_code *code) {
    const struct code_counts *counts = &code->counts;
    const struct register_reads *reads = &code->reads;
    cJSON *json = cJSON_CreateObject();
    cJSON_AddNumberToObject(json, "instructions", counts->instructions);
    for (int kind = 0; kind < SASS_KINDS; kind++)
        if (counts_is_memory(kind))
            add_accesses(counts, kind, json);
        else if (kind != SASS_PADDING)
            cJSON_AddNumberToObject(json, kind_words[kind], counts->kinds[kind]);
    if (counts->opcode_count > 0) {
        cJSON *opcodes = cJSON_AddObjectToObject(json, "opcodes");
        for (int i = 0; i < counts->opcode_count; i++)
            cJSON_AddNumberToObject(opcodes, counts->opcodes[i].opcode, counts->opcodes[i].count);
    }
    add_known(json, "tensor_cycles", code->tensor.cycles);
    add_known(json, "tensor_operand_cycles", code->tensor.operand_cycles);
    if (reads->multiply_adds == 0)
        return json;
    cJSON *registers = cJSON_AddObjectToObject(json, "register_reads");
    cJSON_AddNumberToObject(registers, "reuse_flags", reads->reuse_flags);
    cJSON_AddNumberToObject(registers, "reused", reads->reused);
    cJSON_AddNumberToObject(registers, "bank_conflicts", reads->conflicts);
    cJSON_AddNumberToObject(registers, "cycles_per_ffma", reads->cycles);
    cJSON_AddNumberToObject(registers, "shared_cycles_per_ffma", reads->shared_cycles);
    return json;
}

static void add_code(const struct inspection *in, const struct inspected_launch *launch,
                     cJSON *json) {
    cJSON *code = cJSON_AddObjectToObject(json, "code");
    json_add(code, "kernel", code_json(&launch->kernel));
    if (launch->has_loop) {
        cJSON *loop = code_json(&launch->loop);
        cJSON_AddNumberToObject(loop, "begin", launch->loop_begin);
        cJSON_AddNumberToObject(loop, "end", launch->loop_end);
        cJSON_AddNumberToObject(loop, "nested", launch->nested);
        json_add(code, "loop", loop);
    }
    const struct inspect_bounds bounds = inspect_bounds_of(in, launch);
    add_known(code, "issue_bound", bounds.issue);
    add_known(code, "register_bound_low", bounds.reads);
    add_known(code, "register_bound_high", bounds.shared_reads);
    add_known(code, "operand_bound", bounds.operands);
    add_known(code, "alone_bound", bounds.alone);
}

static cJSON *launch_json(const struct inspection *in, const struct inspected_launch *launch) {
    const struct tw_kernel_resources *r = &launch->resources;
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "function", launch->function);
    json_add(json, "grid", three(launch->geometry.grid));
    json_add(json, "block", three(launch->geometry.block));
    add_known(json, "registers", (double)r->registers);
    cJSON_AddNumberToObject(json, "local_bytes", (double)r->local_bytes);
    cJSON_AddNumberToObject(json, "static_shared_bytes", (double)r->static_shared);
    cJSON_AddNumberToObject(json, "dynamic_shared_bytes", inspect_dynamic_shared(in, launch));
    add_known(json, "max_threads", (double)r->max_threads);
    add_occupancy(&launch->occupancy, json);
    if (launch->has_code)
        add_code(in, launch, json);
    return json;
}

tw_status inspect_print_json(const struct inspection *in, struct tw_error *error) {
    char key[TW_PROBLEM_KEY_SIZE];
    tw_problem_text(&in->problem, key);
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "kernel", in->problem.description->kernel);
    cJSON_AddStringToObject(json, "problem", key);
    cJSON_AddStringToObject(json, "device", in->device.id);
    cJSON_AddStringToObject(json, "device_name", in->device.name);
    cJSON_AddBoolToObject(json, "on_paper", in->on_paper);
    add_choice(in, json);
    add_configuration(in, json);
    add_roofline(in, json);
    cJSON *launches = cJSON_AddArrayToObject(json, "launches");
    for (int i = 0; i < in->count; i++)
        json_append(launches, launch_json(in, &in->launches[i]));
    if (in->no_code.message[0] != '\0')
        cJSON_AddStringToObject(json, "no_code", in->no_code.message);
    else
        cJSON_AddStringToObject(json, "disassembler", in->disassembler.path);
    return json_print(json, error);
}

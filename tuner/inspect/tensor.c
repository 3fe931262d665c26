#include "tuner/inspect/tensor.h"

#include <stdio.h>
#include <string.h>

enum { QUARTERS = 4, SHARED_BYTES = 128 /* a cycle and SM */ };

/* NVIDIA's papers on the architectures Volta, Turing, Ampere (GA100, GA102), Ada and Hopper: dense
 * multiply-adds a cycle and SM. TF32 takes its operands as 32-bit words. */
static const struct {
    int arch, f16, bf16, tf32, i8, f8, f64;
} rates[] = {{70, 512, 0, 0, 0, 0, 0},           {75, 512, 0, 0, 1024, 0, 0},
             {80, 1024, 1024, 512, 2048, 0, 64}, {86, 512, 512, 256, 1024, 0, 0},
             {89, 512, 512, 256, 1024, 1024, 0}, {90, 2048, 2048, 1024, 4096, 4096, 128}};

enum { RATES = sizeof rates / sizeof *rates };

int tensor_lanes(int arch, enum tw_type type) {
    for (int i = 0; i < RATES; i++)
        if (rates[i].arch == arch)
            switch (type) {
            case TW_TYPE_f16:
                return rates[i].f16;
            case TW_TYPE_bf16:
                return rates[i].bf16;
            case TW_TYPE_i8:
            case TW_TYPE_u8:
                return rates[i].i8;
            case TW_TYPE_e4m3:
            case TW_TYPE_e5m2:
                return rates[i].f8;
            case TW_TYPE_f64:
                return rates[i].f64;
            default:
                return 0;
            }
    return 0;
}

static bool begins(const char *text, const char *prefix) {
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

static int tf32_lanes(int arch) {
    for (int i = 0; i < RATES; i++)
        if (rates[i].arch == arch)
            return rates[i].tf32;
    return 0;
}

/* HMMA and HGMMA without a word for the type are of f16. */
static int lanes_of(const char *opcode, int arch) {
    if (opcode[0] == 'H')
        return sass_has_modifier(opcode, "TF32")   ? tf32_lanes(arch)
               : sass_has_modifier(opcode, "BF16") ? tensor_lanes(arch, TW_TYPE_bf16)
                                                   : tensor_lanes(arch, TW_TYPE_f16);
    if (opcode[0] == 'Q')
        return tensor_lanes(arch, TW_TYPE_e4m3);
    /* Those of four bits have other rates. */
    if (opcode[0] == 'I' && (sass_has_modifier(opcode, "S8") || sass_has_modifier(opcode, "U8")))
        return tensor_lanes(arch, TW_TYPE_i8);
    return opcode[0] == 'D' ? tensor_lanes(arch, TW_TYPE_f64) : 0;
}

static bool is_of_four_warps(const char *opcode) {
    return begins(opcode + 1, "GMMA.");
}

/* "64x256x16", "16x8x4", or M and N of 8 or 16 and 8 with K after them: "16816", "884". Four digits
 * are more than any has, and their product is a long. */
static bool read_shape(const char *word, int *m, int *n, int *k) {
    if (sscanf(word, "%4dx%4dx%4d", m, n, k) == 3)
        return *m > 0 && *n > 0 && *k > 0;
    *m = begins(word, "16") ? 16 : 8;
    *n = 8;
    const char *rest = word + (*m == 16 ? 2 : 1);
    if (!begins(word, *m == 16 ? "168" : "88"))
        return false;
    return sscanf(rest + 1, "%4d", k) == 1 && *k > 0;
}

/* The shape is the first of the modifiers. Sparse products (.SP) have another rate. */
static bool shape_of(const struct sass_instruction *in, int *m, int *n, int *k) {
    const char *dot = strchr(in->opcode, '.');
    return in->kind == SASS_TENSOR && dot != NULL && !sass_has_modifier(in->opcode, "SP") &&
           read_shape(dot + 1, m, n, k);
}

long tensor_multiply_adds(const struct sass_instruction *in) {
    int m, n, k;
    if (!shape_of(in, &m, &n, &k))
        return 0;
    return (long)m * n * k / (is_of_four_warps(in->opcode) ? QUARTERS : 1);
}

/* B comes from shared memory and so does A, unless registers are named for it. An operand's rows
 * are as many bits wide in every type: 256. */
static double operand_cycles(const struct sass_instruction *in) {
    enum { ROW_BYTES = 32 };
    int m, n, k;
    if (!is_of_four_warps(in->opcode) || !shape_of(in, &m, &n, &k))
        return 0;
    bool is_a_shared = in->source_count > 0 && in->sources[0].number == SASS_NO_REGISTER;
    return (double)ROW_BYTES * (n + (is_a_shared ? m : 0)) / SHARED_BYTES;
}

/* Behind a loop's last branch back; what the compiler has moved there is rare. */
static size_t end_of(const struct sass *sass, const bool *chosen) {
    size_t head = 0, end = 0;
    while (head < sass->count && !chosen[head])
        head++;
    for (size_t i = head; i < sass->count; i++)
        if (chosen[i] && sass->instructions[i].target == (int)head)
            end = i + 1;
    return end;
}

/* What is exposed at a loop's beginning depends on its end, so it is gone through twice. */
static int count_exposed(const struct sass *sass, const bool *chosen) {
    size_t end = end_of(sass, chosen);
    bool drained = false;
    int exposed = 0;
    for (int pass = 0; pass < 2; pass++) {
        exposed = 0;
        for (size_t i = 0; i < end; i++) {
            const struct sass_instruction *in = &sass->instructions[i];
            if (!chosen[i] || in->kind == SASS_PADDING)
                continue;
            if (in->kind == SASS_TENSOR && !in->never)
                drained = false;
            exposed += drained;
            drained |= in->in_flight == 0;
        }
    }
    return exposed;
}

void tensor_take(const struct sass *sass, const bool *chosen, int arch, struct tensor_work *work) {
    *work = (struct tensor_work){0};
    double most = 0;
    bool all_known = true;
    for (size_t i = 0; i < sass->count; i++) {
        const struct sass_instruction *in = &sass->instructions[i];
        if ((chosen != NULL && !chosen[i]) || in->kind != SASS_TENSOR || in->never)
            continue;
        int lanes = lanes_of(in->opcode, arch);
        long multiply_adds = tensor_multiply_adds(in);
        double cycles = lanes > 0 ? (double)multiply_adds * QUARTERS / lanes : 0;
        all_known &= cycles > 0;
        if (work->opcode[0] == '\0' || cycles > most) {
            snprintf(work->opcode, sizeof work->opcode, "%.*s", (int)strcspn(in->opcode, "."),
                     in->opcode);
            most = cycles;
        }
        work->cycles += cycles;
        work->operand_cycles += operand_cycles(in);
    }
    if (!all_known)
        work->cycles = 0;
    if (chosen != NULL && work->opcode[0] != '\0')
        work->exposed = count_exposed(sass, chosen);
}

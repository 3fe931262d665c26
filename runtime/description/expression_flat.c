/* From a stack program to one whose steps name their operands. What the stack would hold is known
 * of every instruction, so that nothing has to be pushed to be taken off again: most of what a
 * stack program does. */
#include <string.h>

#include "runtime/description/expression_code.h"

struct flattener {
    struct program *program;
    int depth;
    struct operand stack[MAX_STACK + 1];
    bool is_end[MAX_INSTRUCTIONS + 1];      /* both branches of a choice meet there */
    uint16_t step_at[MAX_INSTRUCTIONS + 1]; /* the first of an instruction */
};

static struct operand left_at(int depth) {
    return (struct operand){IN_RESULTS, (uint16_t)depth};
}

static void add(struct flattener *f, enum operation operation, struct operand a, struct operand b,
                int64_t next) {
    f->program->steps[f->program->step_count++] = (struct step){.operation = (uint8_t)operation,
                                                                .to = (uint8_t)f->depth,
                                                                .next = (uint16_t)next,
                                                                .a = a,
                                                                .b = b};
}

/* Goes from where a branch ends to where it meets the other, leaving its value. */
static void join(struct flattener *f, int64_t next) {
    const struct operand value = f->stack[--f->depth];
    add(f, JUMP, value, value, next);
}

/* The other branch is there already. */
static void meet(struct flattener *f, int64_t at) {
    const struct operand value = f->stack[f->depth - 1];
    if (value.place == IN_RESULTS && value.index == f->depth - 1)
        return;
    join(f, at);
    f->stack[f->depth] = left_at(f->depth);
    f->depth++;
}

static void push_number(struct flattener *f, int64_t number) {
    struct program *program = f->program;
    int at = 0;
    while (at < program->number_count && program->numbers[at] != number)
        at++;
    if (at == program->number_count)
        program->numbers[program->number_count++] = number;
    f->stack[f->depth++] = (struct operand){IN_NUMBERS, (uint16_t)at};
}

static void take(struct flattener *f, const struct instruction *instruction) {
    struct operand a, b;
    switch (instruction->operation) {
    case PUSH_NUMBER:
    case PUSH_WORD:
        push_number(f, instruction->operand);
        return;
    case PUSH_SLOT:
        f->stack[f->depth++] = (struct operand){IN_VALUES, (uint16_t)instruction->operand};
        return;
    case JUMP:
        join(f, instruction->operand);
        return;
    case JUMP_IF_ZERO:
    case JUMP_IF_ZERO_KEEP_0:
    case JUMP_IF_NONZERO_KEEP_1:
        a = f->stack[--f->depth];
        add(f, instruction->operation, a, a, instruction->operand);
        return;
    case NEGATE:
    case NOT:
    case TO_BOOLEAN:
        a = b = f->stack[--f->depth];
        break;
    default:
        b = f->stack[--f->depth];
        a = f->stack[--f->depth];
    }
    add(f, instruction->operation, a, b, 0);
    f->stack[f->depth] = left_at(f->depth);
    f->depth++;
}

/* Where instructions begin is known only when all were taken. */
static void set_targets(const struct flattener *f) {
    for (int i = 0; i < f->program->step_count; i++) {
        struct step *step = &f->program->steps[i];
        if (step->operation >= JUMP)
            step->next = f->step_at[step->next];
    }
}

void tw_expression_flatten(const struct instruction *code, int count, struct program *program) {
    struct flattener f = {.program = program};
    program->step_count = program->number_count = 0;
    for (int i = 0; i < count; i++)
        if (code[i].operation == JUMP)
            f.is_end[code[i].operand] = true;
    for (int i = 0; i <= count; i++) {
        if (f.is_end[i])
            meet(&f, i);
        f.step_at[i] = (uint16_t)program->step_count;
        if (i < count)
            take(&f, &code[i]);
    }
    set_targets(&f);
    program->result = f.stack[0];
}

/* Evaluating expressions. */
#include "runtime/description/expression.h"

#include <stdlib.h>

#include "runtime/description/expression_code.h"

void tw_expression_free(struct tw_expression *expression) {
    free(expression);
}

/* Half of the time of a selection is evaluating: most numbers are small, and of small numbers a
 * quotient takes a third of the time. */
static inline int64_t quotient(int64_t a, int64_t b) {
    return ((uint64_t)a | (uint64_t)b) >> 32 == 0 ? (int64_t)((uint32_t)a / (uint32_t)b) : a / b;
}

static inline enum tw_evaluation divide(enum operation operation, int64_t a, int64_t b,
                                        int64_t *result) {
    if (b == 0)
        return TW_DIVIDED_BY_ZERO;
    if (a == INT64_MIN && b == -1)
        return TW_OVERFLOWED;
    const int64_t whole = quotient(a, b), rest = a - whole * b;
    *result = operation == REMAINDER ? rest : whole;
    if (operation == CEIL_DIV && rest != 0 && (a < 0) == (b < 0))
        ++*result;
    return TW_EVALUATED;
}

static void tell(tw_expression_visitor visit, void *context, enum operation operation, int64_t a,
                 int64_t b) {
    if (operation == CEIL_DIV)
        visit(context, TW_VISITED_CEIL_DIV, a, b);
    else if (operation == REMAINDER)
        visit(context, TW_VISITED_REMAINDER, a, b);
    else if (operation == MINIMUM)
        visit(context, TW_VISITED_MINIMUM, a, b);
}

bool tw_expression_visits(const struct tw_expression *expression, enum tw_visited what) {
    static const enum operation operations[] = {[TW_VISITED_CEIL_DIV] = CEIL_DIV,
                                                [TW_VISITED_REMAINDER] = REMAINDER,
                                                [TW_VISITED_MINIMUM] = MINIMUM};
    return (expression->operations >> operations[what] & 1) != 0;
}

/* What takes two numbers from the stack and puts one there. */
#define TW_TWO(operation, outcome)                                                                 \
    case operation:                                                                                \
        top--;                                                                                     \
        stack[top] = (outcome);                                                                    \
        break;
#define TW_CHECKED(operation, overflows)                                                           \
    case operation:                                                                                \
        top--;                                                                                     \
        if (overflows(stack[top], stack[top + 1], &stack[top]))                                    \
            return TW_OVERFLOWED;                                                                  \
        break;

/* Compiled twice: most callers have nothing to be told. */
static inline __attribute__((always_inline)) enum tw_evaluation
run(const struct tw_expression *expression, const int64_t *values, tw_expression_visitor visit,
    void *context, int64_t *result) {
    int64_t stack[MAX_STACK];
    int top = -1;
    for (int i = 0; i < expression->count; i++) {
        const struct instruction *instruction = &expression->code[i];
        switch (instruction->operation) {
        case PUSH_NUMBER:
        case PUSH_WORD:
            stack[++top] = instruction->operand;
            break;
        case PUSH_SLOT:
            stack[++top] = values[instruction->operand];
            break;
            TW_CHECKED(ADD, __builtin_add_overflow)
            TW_CHECKED(SUBTRACT, __builtin_sub_overflow)
            TW_CHECKED(MULTIPLY, __builtin_mul_overflow)
            TW_TWO(EQUAL, stack[top] == stack[top + 1])
            TW_TWO(NOT_EQUAL, stack[top] != stack[top + 1])
            TW_TWO(LESS, stack[top] < stack[top + 1])
            TW_TWO(LESS_EQUAL, stack[top] <= stack[top + 1])
            TW_TWO(GREATER, stack[top] > stack[top + 1])
            TW_TWO(GREATER_EQUAL, stack[top] >= stack[top + 1])
            TW_TWO(MAXIMUM, stack[top] > stack[top + 1] ? stack[top] : stack[top + 1])
        case MINIMUM:
            top--;
            if (visit != NULL)
                tell(visit, context, MINIMUM, stack[top], stack[top + 1]);
            if (stack[top + 1] < stack[top])
                stack[top] = stack[top + 1];
            break;
        case DIVIDE:
        case REMAINDER:
        case CEIL_DIV: {
            top--;
            if (visit != NULL)
                tell(visit, context, instruction->operation, stack[top], stack[top + 1]);
            const enum tw_evaluation outcome =
                divide(instruction->operation, stack[top], stack[top + 1], &stack[top]);
            if (outcome != TW_EVALUATED)
                return outcome;
            break;
        }
        case NEGATE:
            if (__builtin_sub_overflow((int64_t)0, stack[top], &stack[top]))
                return TW_OVERFLOWED;
            break;
        case NOT:
            stack[top] = stack[top] == 0;
            break;
        case TO_BOOLEAN:
            stack[top] = stack[top] != 0;
            break;
        case JUMP:
            i = (int)instruction->operand - 1;
            break;
        case JUMP_IF_ZERO:
            if (stack[top--] == 0)
                i = (int)instruction->operand - 1;
            break;
        case JUMP_IF_ZERO_KEEP_0:
            if (stack[top] == 0)
                i = (int)instruction->operand - 1;
            else
                top--;
            break;
        case JUMP_IF_NONZERO_KEEP_1:
            if (stack[top] != 0) {
                stack[top] = 1;
                i = (int)instruction->operand - 1;
            } else {
                top--;
            }
            break;
        }
    }
    *result = stack[0];
    return TW_EVALUATED;
}

enum tw_evaluation tw_expression_evaluate(const struct tw_expression *expression,
                                          const int64_t *values, int64_t *result) {
    return run(expression, values, NULL, NULL, result);
}

enum tw_evaluation tw_expression_visit(const struct tw_expression *expression,
                                       const int64_t *values, tw_expression_visitor visit,
                                       void *context, int64_t *result) {
    return run(expression, values, visit, context, result);
}

const char *tw_evaluation_text(enum tw_evaluation evaluation) {
    switch (evaluation) {
    case TW_DIVIDED_BY_ZERO:
        return "divides by zero";
    case TW_OVERFLOWED:
        return "overflows 64 bits";
    default:
        return "is fine";
    }
}

bool tw_expression_uses(const struct tw_expression *expression, int slot) {
    return (expression->uses[slot / 64] >> (slot % 64)) & 1;
}

const char *tw_expression_text(const struct tw_expression *expression) {
    return expression->text;
}

void tw_expression_hash(const struct tw_expression *expression, const struct tw_symbols *symbols,
                        struct tw_hash *hash) {
    int count = expression != NULL ? expression->count : 0;
    tw_hash_add(hash, &count, sizeof count);
    for (int i = 0; i < count; i++) {
        const struct instruction *instruction = &expression->code[i];
        tw_hash_add(hash, &instruction->operation, sizeof instruction->operation);
        if (instruction->operation == PUSH_SLOT)
            tw_hash_add_text(hash, symbols->names[instruction->operand]);
        else if (instruction->operation == PUSH_WORD)
            tw_hash_add_text(hash, symbols->words[instruction->operand]);
        else
            tw_hash_add(hash, &instruction->operand, sizeof instruction->operand);
    }
}

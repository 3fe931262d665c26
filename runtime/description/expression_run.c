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

#define TW_TWO(operation, outcome)                                                                 \
    case operation:                                                                                \
        results[step->to] = (outcome);                                                             \
        break;
#define TW_CHECKED(operation, overflows)                                                           \
    case operation:                                                                                \
        if (overflows(a, b, &results[step->to]))                                                   \
            return TW_OVERFLOWED;                                                                  \
        break;

/* Compiled twice: most callers have nothing to be told. */
static inline __attribute__((always_inline)) enum tw_evaluation
run(const struct program *program, const int64_t *values, tw_expression_visitor visit,
    void *context, int64_t *result) {
    int64_t results[MAX_STACK];
    const int64_t *const places[] = {
        [IN_VALUES] = values, [IN_NUMBERS] = program->numbers, [IN_RESULTS] = results};
    const struct step *const end = program->steps + program->step_count;
    for (const struct step *step = program->steps; step < end; step++) {
        const int64_t a = places[step->a.place][step->a.index];
        const int64_t b = places[step->b.place][step->b.index];
        switch ((enum operation)step->operation) {
            TW_CHECKED(ADD, __builtin_add_overflow)
            TW_CHECKED(SUBTRACT, __builtin_sub_overflow)
            TW_CHECKED(MULTIPLY, __builtin_mul_overflow)
            TW_TWO(EQUAL, a == b)
            TW_TWO(NOT_EQUAL, a != b)
            TW_TWO(LESS, a < b)
            TW_TWO(LESS_EQUAL, a <= b)
            TW_TWO(GREATER, a > b)
            TW_TWO(GREATER_EQUAL, a >= b)
            TW_TWO(MAXIMUM, a > b ? a : b)
        case MINIMUM:
            if (visit != NULL)
                tell(visit, context, MINIMUM, a, b);
            results[step->to] = b < a ? b : a;
            break;
        case DIVIDE:
        case REMAINDER:
        case CEIL_DIV: {
            if (visit != NULL)
                tell(visit, context, (enum operation)step->operation, a, b);
            const enum tw_evaluation outcome =
                divide((enum operation)step->operation, a, b, &results[step->to]);
            if (outcome != TW_EVALUATED)
                return outcome;
            break;
        }
        case NEGATE:
            if (__builtin_sub_overflow((int64_t)0, a, &results[step->to]))
                return TW_OVERFLOWED;
            break;
        case NOT:
            results[step->to] = a == 0;
            break;
        case TO_BOOLEAN:
            results[step->to] = a != 0;
            break;
        case JUMP:
            results[step->to] = a;
            step = program->steps + step->next - 1;
            break;
        case JUMP_IF_ZERO:
            if (a == 0)
                step = program->steps + step->next - 1;
            break;
        case JUMP_IF_ZERO_KEEP_0:
            if (a == 0) {
                results[step->to] = 0;
                step = program->steps + step->next - 1;
            }
            break;
        case JUMP_IF_NONZERO_KEEP_1:
            if (a != 0) {
                results[step->to] = 1;
                step = program->steps + step->next - 1;
            }
            break;
        case PUSH_NUMBER:
        case PUSH_WORD:
        case PUSH_SLOT:
            __builtin_unreachable(); /* a program has none */
        }
    }
    *result = places[program->result.place][program->result.index];
    return TW_EVALUATED;
}

enum tw_evaluation tw_expression_evaluate(const struct tw_expression *expression,
                                          const int64_t *values, int64_t *result) {
    return run(&expression->program, values, NULL, NULL, result);
}

enum tw_evaluation tw_expression_visit(const struct tw_expression *expression,
                                       const int64_t *values, tw_expression_visitor visit,
                                       void *context, int64_t *result) {
    return run(&expression->program, values, visit, context, result);
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

/* Internal to the room: the stack program that parsing makes, and what evaluating runs: the same
 * without its pushes, each step with the places of what it takes. */
#ifndef TW_DESCRIPTION_EXPRESSION_CODE_H
#define TW_DESCRIPTION_EXPRESSION_CODE_H

#include "runtime/description/expression.h"

enum operation {
    PUSH_NUMBER,
    PUSH_WORD, /* a number as well: its id */
    PUSH_SLOT,
    ADD,
    SUBTRACT,
    MULTIPLY,
    DIVIDE,
    REMAINDER,
    EQUAL,
    NOT_EQUAL,
    LESS,
    LESS_EQUAL,
    GREATER,
    GREATER_EQUAL,
    MINIMUM,
    MAXIMUM,
    CEIL_DIV,
    NEGATE,
    NOT,
    TO_BOOLEAN,
    JUMP,
    JUMP_IF_ZERO,           /* pops */
    JUMP_IF_ZERO_KEEP_0,    /* zero: leaves 0 and jumps, else pops */
    JUMP_IF_NONZERO_KEEP_1, /* nonzero: leaves 1 and jumps, else pops */
};

struct instruction {
    enum operation operation;
    int64_t operand;
};

enum { MAX_INSTRUCTIONS = 512, MAX_STACK = 64, MAX_NESTING = 48 };

/* Where an operand is: among the values, the program's numbers, or what its steps have left, which
 * is where the stack would have it. */
enum place { IN_VALUES, IN_NUMBERS, IN_RESULTS };

struct operand {
    uint8_t place; /* enum place */
    uint16_t index;
};

/* Takes one or two operands and leaves a result, or goes to another step. */
struct step {
    uint8_t operation; /* enum operation; a JUMP leaves what it takes */
    uint8_t to;        /* its result's place */
    uint16_t next;     /* where jumps go */
    struct operand a, b;
};

struct program {
    int step_count, number_count;
    struct operand result;
    struct step *steps;
    int64_t *numbers;
};

/* Fills in a program, whose steps and numbers have room for as many as there are instructions. */
void tw_expression_flatten(const struct instruction *code, int count, struct program *program);

struct tw_expression {
    int count;
    uint64_t uses[TW_MAX_SYMBOLS / 64];
    uint32_t operations;    /* a bit for each that it has */
    const char *text;       /* behind the rest */
    struct program program; /* behind the code */
    struct instruction code[];
};

#endif

/* Internal to the room: the stack program that parsing makes and evaluating runs. */
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

struct tw_expression {
    int count;
    uint64_t uses[TW_MAX_SYMBOLS / 64];
    uint32_t operations; /* a bit for each that it has */
    const char *text;    /* behind the code */
    struct instruction code[];
};

#endif

/* Parsing expressions: recursive descent, emitting code as it goes. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/text.h"
#include "runtime/description/expression_code.h"

struct parser {
    const char *text;
    const char *at;
    const struct tw_symbols *symbols;
    struct tw_error *error;
    bool failed;
    int nesting;
    int depth; /* of the stack where we are */
    int count;
    uint64_t uses[TW_MAX_SYMBOLS / 64];
    struct instruction *code; /* of MAX_INSTRUCTIONS: too many to zero for each expression */
};

static void fail(struct parser *p, const char *where, const char *what) {
    if (p->failed)
        return;
    p->failed = true;
    tw_fail(p->error, TW_INVALID, "column %d of \"%.200s\": %s", (int)(where - p->text) + 1,
            p->text, what);
}

static int emit(struct parser *p, enum operation operation, int64_t operand, int stack_change) {
    if (p->failed)
        return 0;
    if (p->count == MAX_INSTRUCTIONS) {
        fail(p, p->at, "the expression is too long");
        return 0;
    }
    p->depth += stack_change;
    if (p->depth > MAX_STACK)
        fail(p, p->at, "the expression nests too deeply");
    p->code[p->count] = (struct instruction){operation, operand};
    return p->count++;
}

/* What a part of an expression stands for. */
enum kind { NUMBER, WORD };

static void skip_space(struct parser *p) {
    while (isspace((unsigned char)*p->at))
        p->at++;
}

static bool accept(struct parser *p, const char *token) {
    skip_space(p);
    const char *at = p->at;
    for (; *token != '\0'; token++)
        if (*at++ != *token)
            return false;
    p->at = at;
    return true;
}

static void expect(struct parser *p, const char *token) {
    char what[64] = "expected '";
    if (accept(p, token))
        return;
    strcat(strcat(what, token), "'");
    fail(p, p->at, what);
}

static enum kind parse_choice(struct parser *p);

/* Complains of a word, which began at `where`, unless it is a number. */
static void want_number(struct parser *p, enum kind kind, const char *where) {
    if (kind == WORD)
        fail(p, where, "a word is no number; it can be compared with another by == and !=");
}

/* Where the next part begins, for complaints. */
static const char *here(struct parser *p) {
    skip_space(p);
    return p->at;
}

/* A choice that must be a number. */
static void parse_number_choice(struct parser *p) {
    const char *start = here(p);
    want_number(p, parse_choice(p), start);
}

static void parse_word(struct parser *p) {
    const char *start = p->at++;
    char word[TW_NAME_SIZE];
    size_t length = strcspn(p->at, "'");
    if (p->at[length] == '\0' || length == 0 || length >= sizeof word) {
        fail(p, start, "expected a word in single quotes");
        return;
    }
    memcpy(word, p->at, length);
    word[length] = '\0';
    p->at += length + 1;
    int id = tw_symbols_find_word(p->symbols, word);
    if (id < 0) {
        const char *words[TW_MAX_WORDS];
        for (int i = 0; i < p->symbols->word_count; i++)
            words[i] = p->symbols->words[i];
        const char *nearest = tw_nearest(word, words, (size_t)p->symbols->word_count);
        char what[256] = "unknown word '";
        strcat(strcat(what, word), "'");
        if (nearest != NULL)
            strcat(strcat(strcat(what, "; did you mean '"), nearest), "'?");
        fail(p, start, what);
        return;
    }
    emit(p, PUSH_WORD, id, 1);
}

static void parse_number(struct parser *p) {
    const char *start = p->at;
    int64_t value = 0;
    bool overflow = false;
    while (isdigit((unsigned char)*p->at)) {
        overflow |= __builtin_mul_overflow(value, (int64_t)10, &value);
        overflow |= __builtin_add_overflow(value, (int64_t)(*p->at - '0'), &value);
        p->at++;
    }
    if (overflow)
        fail(p, start, "the number does not fit 64 bits");
    else if (isalpha((unsigned char)*p->at) || *p->at == '.' || *p->at == '_')
        fail(p, p->at, "only whole decimal numbers are allowed");
    emit(p, PUSH_NUMBER, value, 1);
}

static void parse_function(struct parser *p, const char *start, const char *name) {
    static const struct {
        const char *name;
        enum operation operation;
    } functions[] = {{"min", MINIMUM}, {"max", MAXIMUM}, {"ceil_div", CEIL_DIV}};
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        if (strcmp(name, functions[i].name) != 0)
            continue;
        parse_number_choice(p);
        expect(p, ",");
        parse_number_choice(p);
        expect(p, ")");
        emit(p, functions[i].operation, 0, -1);
        return;
    }
    fail(p, start, "unknown function; there are min, max and ceil_div");
}

static enum kind parse_name(struct parser *p) {
    const char *start = p->at;
    char name[TW_NAME_SIZE] = "";
    while (isalnum((unsigned char)*p->at) || *p->at == '_')
        p->at++;
    size_t length = (size_t)(p->at - start);
    if (length >= sizeof name) {
        fail(p, start, "a name of more than 47 characters");
        return NUMBER;
    }
    memcpy(name, start, length);
    if (accept(p, "(")) {
        parse_function(p, start, name);
        return NUMBER;
    }
    int slot = tw_symbols_find(p->symbols, name);
    if (slot < 0) {
        const char *names[TW_MAX_SYMBOLS];
        for (int i = 0; i < p->symbols->count; i++)
            names[i] = p->symbols->names[i];
        const char *nearest = tw_nearest(name, names, (size_t)p->symbols->count);
        char what[256] = "unknown name '";
        strcat(strcat(what, name), "'");
        if (nearest != NULL)
            strcat(strcat(strcat(what, "; did you mean '"), nearest), "'?");
        fail(p, start, what);
        return NUMBER;
    }
    p->uses[slot / 64] |= UINT64_C(1) << (slot % 64);
    emit(p, PUSH_SLOT, slot, 1);
    return p->symbols->holds_word[slot] ? WORD : NUMBER;
}

static enum kind parse_unary(struct parser *p);

/* The operand of an operator that stands before it. */
static void parse_operand(struct parser *p, enum operation operation) {
    const char *start = here(p);
    want_number(p, parse_unary(p), start);
    emit(p, operation, 0, 0);
}

static enum kind parse_unary(struct parser *p) {
    enum kind kind = NUMBER;
    if (p->failed)
        return kind;
    if (++p->nesting > MAX_NESTING) {
        fail(p, p->at, "the expression nests too deeply");
        return kind;
    }
    skip_space(p);
    if (accept(p, "-")) {
        parse_operand(p, NEGATE);
    } else if (*p->at == '!' && p->at[1] != '=') {
        p->at++;
        parse_operand(p, NOT);
    } else if (accept(p, "(")) {
        kind = parse_choice(p);
        expect(p, ")");
    } else if (*p->at == '\'') {
        parse_word(p);
        kind = WORD;
    } else if (isdigit((unsigned char)*p->at)) {
        parse_number(p);
    } else if (isalpha((unsigned char)*p->at) || *p->at == '_') {
        kind = parse_name(p);
    } else {
        fail(p, p->at, *p->at == '\0' ? "the expression ends too early" : "expected a value");
    }
    p->nesting--;
    return kind;
}

struct binary {
    char token[3];
    enum operation operation;
    int precedence;
};

/* Longer tokens first where one begins another. */
static const struct binary binaries[] = {
    {"==", EQUAL, 1},   {"!=", NOT_EQUAL, 1}, {"<=", LESS_EQUAL, 2}, {">=", GREATER_EQUAL, 2},
    {"<", LESS, 2},     {">", GREATER, 2},    {"+", ADD, 3},         {"-", SUBTRACT, 3},
    {"*", MULTIPLY, 4}, {"/", DIVIDE, 4},     {"%", REMAINDER, 4},
};

static const struct binary *peek_binary(struct parser *p, int least) {
    skip_space(p);
    if (p->at[0] == '=' && p->at[1] != '=')
        fail(p, p->at, "unexpected text; equality is written ==");
    for (size_t i = 0; i < sizeof binaries / sizeof *binaries; i++) {
        const char *token = binaries[i].token;
        if (p->at[0] == token[0] && (token[1] == '\0' || p->at[1] == token[1]))
            return binaries[i].precedence >= least ? &binaries[i] : NULL;
    }
    return NULL;
}

/* Complains of operands that do not go together. */
static void check_operands(struct parser *p, const struct binary *binary, enum kind left,
                           const char *left_at, enum kind right, const char *right_at) {
    bool by_equality = binary->operation == EQUAL || binary->operation == NOT_EQUAL;
    if (by_equality && left != right)
        fail(p, left == WORD ? right_at : left_at, "a word is compared with a number");
    if (by_equality)
        return;
    want_number(p, left, left_at);
    want_number(p, right, right_at);
}

/* Precedence climbing over the left-associative operators. */
static enum kind parse_binary(struct parser *p, int least) {
    const char *start = here(p);
    enum kind kind = parse_unary(p);
    const struct binary *binary;
    while (!p->failed && (binary = peek_binary(p, least)) != NULL) {
        p->at += strlen(binary->token);
        const char *right_at = here(p);
        enum kind right = parse_binary(p, binary->precedence + 1);
        check_operands(p, binary, kind, start, right, right_at);
        emit(p, binary->operation, 0, -1);
        kind = NUMBER;
    }
    return kind;
}

/* Operands of && or ||, which are numbers, joined: the first decides where `keep` says so. */
static enum kind parse_joined(struct parser *p, const char *token, enum operation keep,
                              enum kind (*parse_part)(struct parser *)) {
    const char *start = here(p);
    enum kind kind = parse_part(p);
    while (!p->failed && accept(p, token)) {
        want_number(p, kind, start);
        int jump = emit(p, keep, 0, -1);
        const char *right_at = here(p);
        want_number(p, parse_part(p), right_at);
        emit(p, TO_BOOLEAN, 0, 0);
        p->code[jump].operand = p->count;
        kind = NUMBER;
    }
    return kind;
}

static enum kind parse_comparison(struct parser *p) {
    return parse_binary(p, 1);
}

static enum kind parse_and(struct parser *p) {
    return parse_joined(p, "&&", JUMP_IF_ZERO_KEEP_0, parse_comparison);
}

static enum kind parse_or(struct parser *p) {
    return parse_joined(p, "||", JUMP_IF_NONZERO_KEEP_1, parse_and);
}

static enum kind parse_choice(struct parser *p) {
    if (++p->nesting > MAX_NESTING) {
        fail(p, p->at, "the expression nests too deeply");
        return NUMBER;
    }
    const char *start = here(p);
    enum kind kind = parse_or(p);
    if (!p->failed && accept(p, "?")) {
        want_number(p, kind, start);
        int to_else = emit(p, JUMP_IF_ZERO, 0, -1);
        kind = parse_choice(p);
        int to_end = emit(p, JUMP, 0, -1); /* the other branch pushes the value in its place */
        expect(p, ":");
        p->code[to_else].operand = p->count;
        const char *other_at = here(p);
        if (parse_choice(p) != kind)
            fail(p, other_at, "one of the two is a word, the other a number");
        p->code[to_end].operand = p->count;
    }
    p->nesting--;
    return kind;
}

/* What was parsed, in one piece of memory; NULL: there is none. */
static struct tw_expression *keep(const struct parser *p) {
    struct step steps[MAX_INSTRUCTIONS];
    int64_t numbers[MAX_INSTRUCTIONS];
    struct program program = {.steps = steps, .numbers = numbers};
    tw_expression_flatten(p->code, p->count, &program);
    const size_t code_size = (size_t)p->count * sizeof *p->code;
    const size_t numbers_size = (size_t)program.number_count * sizeof *numbers;
    const size_t steps_size = (size_t)program.step_count * sizeof *steps;
    const size_t text_size = strlen(p->text) + 1;
    struct tw_expression *x = malloc(sizeof *x + code_size + numbers_size + steps_size + text_size);
    if (x == NULL)
        return NULL;
    char *behind = (char *)x->code + code_size;
    x->count = p->count;
    memcpy(x->uses, p->uses, sizeof p->uses);
    memcpy(x->code, p->code, code_size);
    x->program = program;
    x->program.numbers = memcpy(behind, numbers, numbers_size);
    x->program.steps = memcpy(behind + numbers_size, steps, steps_size);
    x->text = memcpy(behind + numbers_size + steps_size, p->text, text_size);
    x->operations = 0;
    for (int i = 0; i < p->count; i++)
        x->operations |= UINT32_C(1) << p->code[i].operation;
    return x;
}

tw_status tw_expression_parse(struct tw_expression **out, const char *text,
                              const struct tw_symbols *symbols, struct tw_error *error) {
    *out = NULL;
    struct instruction code[MAX_INSTRUCTIONS];
    struct parser p = {.text = text, .at = text, .symbols = symbols, .error = error, .code = code};
    parse_number_choice(&p);
    skip_space(&p);
    if (!p.failed && *p.at != '\0')
        fail(&p, p.at, "unexpected text after the expression");
    if (p.failed)
        return TW_INVALID;
    *out = keep(&p);
    return *out != NULL ? TW_OK : tw_fail(error, TW_NO_MEMORY, "out of memory");
}

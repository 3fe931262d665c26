#include "runtime/description/tokens.h"

#include <ctype.h>
#include <string.h>

static const struct {
    const char *text;
    enum tw_level level;
} operators[] = {
    /* Longer ones first where one begins another. */
    {"||", TW_LEVEL_OR},     {"&&", TW_LEVEL_AND},     {"==", TW_LEVEL_EQUAL},
    {"!=", TW_LEVEL_EQUAL},  {"<=", TW_LEVEL_COMPARE}, {">=", TW_LEVEL_COMPARE},
    {"<", TW_LEVEL_COMPARE}, {">", TW_LEVEL_COMPARE},  {"+", TW_LEVEL_SUM},
    {"-", TW_LEVEL_SUM},     {"*", TW_LEVEL_PRODUCT},  {"/", TW_LEVEL_PRODUCT},
    {"%", TW_LEVEL_PRODUCT}, {"?", TW_LEVEL_CHOICE},   {":", TW_LEVEL_CHOICE},
};

static size_t name_length(const char *at) {
    size_t length = 0;
    while (isalnum((unsigned char)at[length]) || at[length] == '_')
        length++;
    return length;
}

/* Whether an operator here has an operand on its left. */
static bool ends_operand(const struct tw_tokens *tokens) {
    if (tokens->count == 0)
        return false;
    enum tw_token_kind kind = tokens->list[tokens->count - 1].kind;
    return kind == TW_TOKEN_NAME || kind == TW_TOKEN_VALUE || kind == TW_TOKEN_CLOSE;
}

static void read_operator(struct tw_token *token, bool has_operand) {
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
        size_t length = strlen(operators[i].text);
        if (strncmp(token->start, operators[i].text, length) != 0)
            continue;
        token->kind = TW_TOKEN_OPERATOR;
        token->level = operators[i].level;
        token->length = length;
        if (*token->start == '-' && !has_operand) {
            token->kind = TW_TOKEN_UNARY;
            token->level = TW_LEVEL_UNARY;
        }
        return;
    }
    token->kind = *token->start == '!' ? TW_TOKEN_UNARY : TW_TOKEN_OTHER;
    token->level = TW_LEVEL_UNARY;
}

static struct tw_token read_token(const char *at, bool has_operand) {
    struct tw_token token = {.start = at, .length = 1, .level = TW_LEVEL_VALUE};
    const char *quote = *at == '\'' ? strchr(at + 1, '\'') : NULL;
    if (quote != NULL) {
        token.kind = TW_TOKEN_VALUE;
        token.length = (size_t)(quote - at) + 1;
    } else if (isalnum((unsigned char)*at) || *at == '_') {
        token.kind = isdigit((unsigned char)*at) ? TW_TOKEN_VALUE : TW_TOKEN_NAME;
        token.length = name_length(at);
    } else if (*at == '(') {
        token.kind = TW_TOKEN_OPEN;
    } else if (*at == ')') {
        token.kind = TW_TOKEN_CLOSE;
    } else if (*at == ',') {
        token.kind = TW_TOKEN_COMMA;
    } else {
        read_operator(&token, has_operand);
    }
    return token;
}

void tw_tokens_read(struct tw_tokens *tokens, const char *text) {
    tokens->count = 0;
    tokens->too_many = false;
    while (*text != '\0') {
        if (isspace((unsigned char)*text)) {
            text++;
            continue;
        }
        if (tokens->count == TW_MAX_TOKENS) {
            tokens->too_many = true;
            return;
        }
        struct tw_token token = read_token(text, ends_operand(tokens));
        tokens->list[tokens->count++] = token;
        text += token.length;
    }
}

enum tw_level tw_tokens_level(const struct tw_tokens *tokens) {
    enum tw_level level = TW_LEVEL_VALUE;
    int depth = 0;
    for (int i = 0; i < tokens->count; i++) {
        const struct tw_token *token = &tokens->list[i];
        depth += (token->kind == TW_TOKEN_OPEN) - (token->kind == TW_TOKEN_CLOSE);
        bool operates = token->kind == TW_TOKEN_OPERATOR || token->kind == TW_TOKEN_UNARY;
        if (depth == 0 && operates && token->level < level)
            level = token->level;
    }
    return level;
}

enum tw_level tw_tokens_needed(const struct tw_tokens *tokens, int first, int last) {
    enum tw_level needed = TW_LEVEL_CHOICE;
    const struct tw_token *left = first > 0 ? &tokens->list[first - 1] : NULL;
    const struct tw_token *right = last + 1 < tokens->count ? &tokens->list[last + 1] : NULL;
    if (left != NULL && left->kind == TW_TOKEN_UNARY)
        needed = TW_LEVEL_VALUE;
    /* Operators take from the left, so what is on their right must be tighter than they are; in a
     * row of "or" or of "and" the order makes no difference. After '?' and ':' anything may be. */
    if (left != NULL && left->kind == TW_TOKEN_OPERATOR && left->level != TW_LEVEL_CHOICE)
        needed = left->level <= TW_LEVEL_AND ? left->level : left->level + 1;
    if (right != NULL && right->kind == TW_TOKEN_OPERATOR) {
        /* A condition is no choice itself; between '?' and ':' anything may be. */
        enum tw_level other = *right->start == '?' ? TW_LEVEL_OR : right->level;
        needed = other > needed ? other : needed;
    }
    return needed;
}

int tw_tokens_behind(const struct tw_tokens *tokens, int open) {
    int depth = 0;
    for (int i = open; i < tokens->count; i++) {
        enum tw_token_kind kind = tokens->list[i].kind;
        depth += (kind == TW_TOKEN_OPEN) - (kind == TW_TOKEN_CLOSE);
        if (depth == 0)
            return i + 1;
    }
    return -1;
}

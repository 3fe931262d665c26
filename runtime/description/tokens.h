/* Internal to the room: the text of an expression as tokens, to see how tightly its operators bind.
 * No check: what is no token of an expression is one of its own, for the parser to refuse. */
#ifndef TW_DESCRIPTION_TOKENS_H
#define TW_DESCRIPTION_TOKENS_H

#include <stdbool.h>
#include <stddef.h>

enum tw_token_kind {
    TW_TOKEN_NAME,
    TW_TOKEN_VALUE, /* a number or a word */
    TW_TOKEN_OPEN,
    TW_TOKEN_CLOSE,
    TW_TOKEN_COMMA,
    TW_TOKEN_OPERATOR, /* ':' has the level of what may follow it, anything */
    TW_TOKEN_UNARY,
    TW_TOKEN_OTHER
};

/* From the loosest. */
enum tw_level {
    TW_LEVEL_CHOICE,
    TW_LEVEL_OR,
    TW_LEVEL_AND,
    TW_LEVEL_EQUAL,
    TW_LEVEL_COMPARE,
    TW_LEVEL_SUM,
    TW_LEVEL_PRODUCT,
    TW_LEVEL_UNARY,
    TW_LEVEL_VALUE
};

struct tw_token {
    enum tw_token_kind kind;
    enum tw_level level; /* of operators */
    const char *start;
    size_t length;
};

enum { TW_MAX_TOKENS = 1024 };

struct tw_tokens {
    int count;
    bool too_many;
    struct tw_token list[TW_MAX_TOKENS];
};

void tw_tokens_read(struct tw_tokens *tokens, const char *text);
/* Of the loosest operator outside parentheses. */
enum tw_level tw_tokens_level(const struct tw_tokens *tokens);
/* How tight an expression must be to stand for tokens first..last without parentheses. */
enum tw_level tw_tokens_needed(const struct tw_tokens *tokens, int first, int last);
/* The token behind the closing parenthesis of the opening one at `open`; -1 when there is none. */
int tw_tokens_behind(const struct tw_tokens *tokens, int open);

#endif

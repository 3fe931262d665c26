/* Integer expressions over named values, as kernel descriptions use them.
 *
 * An expression is parsed once, against a table of the names it may use, into a small stack
 * program, and then evaluated against an array of values. Evaluating allocates nothing and is safe
 * from many threads. */
#ifndef TW_DESCRIPTION_EXPRESSION_H
#define TW_DESCRIPTION_EXPRESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/base/error.h"
#include "runtime/base/hash.h"

enum {
    TW_MAX_SYMBOLS = 128, /* names in scope: slots of a value array */
    TW_MAX_WORDS = 128,
    TW_NAME_SIZE = 48
};

/* The names an expression may use. `words` are the enumerated values ('nn', 'f32'); a word's value
 * is its index here, so that equal words are equal numbers throughout a description. */
struct tw_symbols {
    int count;
    char names[TW_MAX_SYMBOLS][TW_NAME_SIZE];
    bool holds_word[TW_MAX_SYMBOLS]; /* the name stands for a word, not for a number */
    int word_count;
    char words[TW_MAX_WORDS][TW_NAME_SIZE];
};

/* Makes `to` the same as `from`; of what nothing is in yet it copies nothing. */
void tw_symbols_copy(struct tw_symbols *to, const struct tw_symbols *from);
/* Adds a name and returns its slot, or -1 when it is there already, is no C identifier or does not
 * fit. */
int tw_symbols_add(struct tw_symbols *symbols, const char *name);
int tw_symbols_find(const struct tw_symbols *symbols, const char *name); /* slot, or -1 */
/* From now on the name stands for a word. */
void tw_symbols_hold_word(struct tw_symbols *symbols, int slot);
/* The id of a word, added if it is new; -1 when it does not fit or is no C identifier. */
int tw_symbols_word(struct tw_symbols *symbols, const char *word);
int tw_symbols_find_word(const struct tw_symbols *symbols, const char *word);
bool tw_is_identifier(const char *name);

struct tw_expression;

/* Parses `text`, which must be a number: a word may only be compared with another by == and !=, or
 * be chosen by ?: for that. On failure `error` says what and at which column (from 1). The caller
 * frees *out. */
tw_status tw_expression_parse(struct tw_expression **out, const char *text,
                              const struct tw_symbols *symbols, struct tw_error *error);
void tw_expression_free(struct tw_expression *expression);

enum tw_evaluation { TW_EVALUATED, TW_DIVIDED_BY_ZERO, TW_OVERFLOWED };

/* `values` has one entry a slot. Allocates nothing. */
enum tw_evaluation tw_expression_evaluate(const struct tw_expression *expression,
                                          const int64_t *values, int64_t *result);
/* The same, telling `visit` on the way of each ceil_div(a, b), a % b and min(a, b) with the values
 * that it had: what a size is cut into, and by what. */
enum tw_visited { TW_VISITED_CEIL_DIV, TW_VISITED_REMAINDER, TW_VISITED_MINIMUM, TW_VISITED_KINDS };
typedef void (*tw_expression_visitor)(void *context, enum tw_visited what, int64_t a, int64_t b);
enum tw_evaluation tw_expression_visit(const struct tw_expression *expression,
                                       const int64_t *values, tw_expression_visitor visit,
                                       void *context, int64_t *result);
/* Whether there may be such a one to tell of. */
bool tw_expression_visits(const struct tw_expression *expression, enum tw_visited what);
const char *tw_evaluation_text(enum tw_evaluation evaluation);

/* Whether the expression reads this slot. */
bool tw_expression_uses(const struct tw_expression *expression, int slot);
/* Adds what the expression computes, however it is spelt: its operations, and the names and words
 * of the `symbols` that it was parsed with. NULL is fine. */
void tw_expression_hash(const struct tw_expression *expression, const struct tw_symbols *symbols,
                        struct tw_hash *hash);
/* As written, for messages. */
const char *tw_expression_text(const struct tw_expression *expression);

#endif

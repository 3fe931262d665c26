/* Names for expressions: what `let` of implementations and parts says.
 *
 * A let is put into the text of the expressions that use it, in parentheses where operators around
 * it would otherwise take it apart. A let with parameters, "VECTOR(X, W)", is used like a function.
 * What is left is an expression of the flat form, so that nothing behind reading knows of lets. */
#ifndef TW_DESCRIPTION_LETS_H
#define TW_DESCRIPTION_LETS_H

#include "runtime/base/text.h"
#include "runtime/description/expression.h"
#include "runtime/description/json.h"

struct tw_lets;

/* Reads an object of names and expressions; failures go to its context. NULL on failure or when
 * out of memory; free with tw_lets_free. */
struct tw_lets *tw_lets_read(const struct tw_json *json);
void tw_lets_free(struct tw_lets *lets);

/* The name of a let without its parameters; NULL past the last. */
const char *tw_lets_name(const struct tw_lets *lets, int index, struct tw_json *where);

/* Appends the expression `json` with its lets put in. Failures go to its context. */
void tw_lets_put_in(const struct tw_lets *lets, const struct tw_json *json, struct tw_text *out);

/* For an expression that is refused: if one of the lets in `written` is refused by itself, says so
 * where that let was written, and returns true. */
bool tw_lets_blame(const struct tw_lets *lets, const char *written,
                   const struct tw_symbols *symbols);

#endif

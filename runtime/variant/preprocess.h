/* What is left of a source when the preprocessor has chosen: the text that a result is tied to.
 *
 * Comments, blank lines and #line go; conditionals whose outcome is known are replaced by the group
 * that was chosen; macros that nothing left mentions go too. So what a source has for other types,
 * other backends or other parameters does not matter to what it is here. A conditional that asks
 * what only the compiler knows stays whole, as do macros in what is left: they are not expanded. */
#ifndef TW_VARIANT_PREPROCESS_H
#define TW_VARIANT_PREPROCESS_H

#include "runtime/base/error.h"
#include "runtime/base/text.h"
#include "runtime/base/words.h"

/* Appends what is left of `source` to `out`. `words` (may be NULL) has the macros whose values only
 * tell them from each other, DTYPE_f32: they are known in conditionals, but what is left names them
 * without their numbers, which change with the list that they stand in. */
tw_status tw_preprocess(const char *source, const struct tw_words *words, struct tw_text *out,
                        struct tw_error *error);

/* Appends `source` without comments and blank lines, with single blanks between tokens. */
tw_status tw_strip_comments(const char *source, struct tw_text *out, struct tw_error *error);

/* Behind the comment that begins with the two characters at `at`, or the text's end where it does
 * not end. */
const char *tw_comment_end(const char *at);

#endif

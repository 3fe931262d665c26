/* Where things stand in the text of JSON, for readers that take a part of it as it is. What is no
 * JSON is not found, and cJSON says what is wrong with it. */
#ifndef TW_DESCRIPTION_JSON_SPAN_H
#define TW_DESCRIPTION_JSON_SPAN_H

#include <stdbool.h>

const char *tw_json_skip_space(const char *at);
/* Behind the value that begins at `at`; NULL where it does not end. */
const char *tw_json_skip_value(const char *at);

/* The value of a member of the object that is all of `text`: from *begin to before *end. The key
 * must be written without escapes. */
bool tw_json_find_member(const char *text, const char *key, const char **begin, const char **end);
/* The next element of an array, from its '[' or the end of the element before on; false: there is
 * none. */
bool tw_json_next_element(const char *from, const char **begin, const char **end);

#endif

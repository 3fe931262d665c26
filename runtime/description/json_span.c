#include "runtime/description/json_span.h"

#include <stddef.h>
#include <string.h>

const char *tw_json_skip_space(const char *at) {
    while (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t')
        at++;
    return at;
}

/* From its quote on. */
static const char *skip_string(const char *at) {
    for (at++; *(at += strcspn(at, "\"\\")) != '"'; at++)
        if (*at == '\0' || *++at == '\0')
            return NULL;
    return at + 1;
}

/* From its bracket or brace on. */
static const char *skip_container(const char *at) {
    static const bool stops[256] = {
        ['\0'] = true, ['"'] = true, ['['] = true, [']'] = true, ['{'] = true, ['}'] = true};
    int depth = 0;
    do {
        /* Every few characters there is one, so that strcspn has more to do before than on the way.
         */
        while (!stops[(unsigned char)*at])
            at++;
        if (*at == '\0')
            return NULL;
        if (*at == '"') {
            if ((at = skip_string(at)) == NULL)
                return NULL;
            continue;
        }
        depth += *at == '[' || *at == '{' ? 1 : -1;
        at++;
    } while (depth > 0);
    return at;
}

const char *tw_json_skip_value(const char *at) {
    if (*at == '[' || *at == '{')
        return skip_container(at);
    return *at == '"' ? skip_string(at) : at + strcspn(at, ",]} \n\r\t");
}

bool tw_json_find_member(const char *text, const char *key, const char **begin, const char **end) {
    const size_t length = strlen(key);
    const char *at = tw_json_skip_space(text);
    if (*at++ != '{')
        return false;
    for (;;) {
        const char *name = tw_json_skip_space(at);
        if (*name != '"' || (at = skip_string(name)) == NULL)
            return false;
        bool found = (size_t)(at - name) == length + 2 && memcmp(name + 1, key, length) == 0;
        at = tw_json_skip_space(at);
        if (*at++ != ':')
            return false;
        *begin = tw_json_skip_space(at);
        *end = tw_json_skip_value(*begin);
        if (*end == NULL || found)
            return *end != NULL;
        at = tw_json_skip_space(*end);
        if (*at++ != ',')
            return false;
    }
}

bool tw_json_next_element(const char *from, const char **begin, const char **end) {
    from = tw_json_skip_space(from);
    if (*from != '[' && *from != ',')
        return false;
    *begin = tw_json_skip_space(from + 1);
    *end = **begin != ']' ? tw_json_skip_value(*begin) : NULL;
    return *end != NULL;
}

#include "tuner/formats/outline.h"

#include <string.h>

struct scan {
    struct outline outline;
    size_t depth;
    size_t name, name_length; /* the last string of the outermost object */
    bool cache_next;          /* the value that comes next there is "cache" */
    bool in_cache;
};

/* The place behind the string that begins at `at`, or `length`. */
static size_t skip_string(const char *text, size_t length, size_t at) {
    for (at++; at < length && text[at] != '"'; at++)
        at += text[at] == '\\';
    return at < length ? at + 1 : length;
}

static bool is_name(const struct scan *scan, const char *text, const char *name) {
    return scan->name_length == strlen(name) &&
           memcmp(text + scan->name, name, scan->name_length) == 0;
}

static void open_value(struct scan *scan, char byte, size_t at) {
    if (scan->depth == 1 && scan->cache_next && byte == '{') {
        scan->in_cache = true;
        scan->outline.end = at + 1;
        scan->outline.ending = "}\n}\n";
    }
    scan->depth++;
}

static void close_value(struct scan *scan, size_t at) {
    if (scan->depth > 0)
        scan->depth--;
    if (scan->in_cache && scan->depth <= 2)
        scan->outline.end = at + 1;
    if (scan->in_cache && scan->depth <= 1) {
        scan->in_cache = false;
        scan->outline.ending = "\n}\n";
    }
    scan->outline.closed = scan->depth == 0;
}

struct outline outline_of(const char *text, size_t length) {
    struct scan scan = {.outline = {.ending = ""}};
    for (size_t at = 0; at < length && !scan.outline.closed; at++) {
        switch (text[at]) {
        case '"': {
            size_t end = skip_string(text, length, at);
            if (scan.depth == 1) {
                scan.name = at + 1;
                scan.name_length = end - at >= 2 ? end - at - 2 : 0;
            }
            at = end - 1;
            break;
        }
        case ':':
            if (scan.depth == 1) {
                scan.cache_next = is_name(&scan, text, "cache");
                scan.outline.has_cache = scan.outline.has_cache || scan.cache_next;
                scan.outline.has_results =
                    scan.outline.has_results || is_name(&scan, text, "results");
            }
            break;
        case '{':
        case '[':
            open_value(&scan, text[at], at);
            break;
        case '}':
        case ']':
            close_value(&scan, at);
            break;
        default:
            break;
        }
    }
    size_t rest = scan.outline.end;
    rest += rest < length ? strspn(text + rest, " \t\r\n,") : 0;
    scan.outline.cut = !scan.outline.closed && scan.outline.end > 0 && rest < length;
    return scan.outline;
}

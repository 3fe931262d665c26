#include "tuner/page/html.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/printable.h"

static const char *entity(char byte) {
    switch (byte) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}

void html_text(struct tw_text *out, const char *text) {
    size_t size = strlen(text) + sizeof "....";
    char *clean = malloc(size);
    if (clean == NULL) {
        out->failed = true;
        return;
    }
    tw_printable_copy(text, clean, size);
    const char *from = clean;
    for (const char *at = clean; *at != '\0'; at++) {
        const char *instead = entity(*at);
        if (instead == NULL)
            continue;
        tw_text_add(out, from, (size_t)(at - from));
        tw_text_add(out, instead, strlen(instead));
        from = at + 1;
    }
    tw_text_add(out, from, strlen(from));
    free(clean);
}

void html_code(struct tw_text *out, const char *code) {
    struct tw_text text = {0};
    html_text(&text, code);
    for (const char *at = tw_text_or(&text, ""); *at != '\0'; at++)
        tw_text_print(out, *at == ',' ? "%c<wbr>" : "%c", *at);
    out->failed |= text.failed;
    tw_text_free(&text);
}

void html_element(struct tw_text *out, const char *tag, const char *text) {
    tw_text_print(out, "<%s>", tag);
    html_text(out, text);
    tw_text_print(out, "</%.*s>", (int)strcspn(tag, " "), tag);
}

void html_print(struct tw_text *out, const char *tag, const char *format, ...) {
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    if (length < 0) {
        out->failed = true;
        return;
    }
    html_element(out, tag, text);
    free(text);
}

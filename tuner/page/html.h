/* HTML that is made of text from anywhere: what goes between the tags, and into attributes. */
#ifndef TUNER_PAGE_HTML_H
#define TUNER_PAGE_HTML_H

#include "runtime/base/text.h"

/* Appends text so that it is seen as it is and never taken for markup, between tags and in quoted
 * attributes alike. Control characters and what is not UTF-8 become "?". */
void html_text(struct tw_text *out, const char *text);
/* The same of code, which may be broken after its commas. */
void html_code(struct tw_text *out, const char *code);
/* Appends "<TAG>TEXT</TAG>"; `tag` is ours, and may have attributes: "td class=n". */
void html_element(struct tw_text *out, const char *tag, const char *text);
/* An element with text made as printf makes it. */
void html_print(struct tw_text *out, const char *tag, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif

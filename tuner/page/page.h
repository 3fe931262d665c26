/* A page for people about what a database has: one HTML file that needs nothing else, neither a
 * network nor a script. */
#ifndef TUNER_PAGE_PAGE_H
#define TUNER_PAGE_PAGE_H

#include "tuner/page/setting.h"

struct page {
    const char *database; /* the file, as it was named */
    tw_db *db;
    struct page_filter filter;
    struct setting setting;
    const char *bench, *bench_text; /* a file that bench wrote with --json; NULL: none */
    int wanted_count; /* shapes to tell what they would get, besides those around tuned ones */
    const struct tw_problem *wanted;
    /* Told before a problem's kernel is compiled for its machine code; may be NULL. */
    void (*progress)(const char *kernel, const char *problem);
};

/* Appends the page. */
tw_status page_write(const struct page *page, struct tw_text *out, struct tw_error *error);

/* What the page looks like, in CSS. */
extern const char page_style[];

#endif

/* Listings as the disassemblers print them, from a line an instruction. */
#ifndef TESTS_SUPPORT_LISTING_H
#define TESTS_SUPPORT_LISTING_H

#include "tests/support/support.h"
#include "tuner/inspect/sass.h"

/* The lines of `code` as nvdisasm prints them for the kernel `f`: labels as they are, instructions
 * with their addresses. The caller frees it. */
SUPPORT char *listing_of(const char *code) {
    char *out = malloc(200 + 100 * strlen(code));
    assert_non_null(out);
    strcpy(out, "\t.target\tsm_90a\n\n//------- .text.f -------\n"
                "\t.section\t.text.f,\"ax\",@progbits\n        .global         f\nf:\n.text.f:\n");
    unsigned address = 0;
    for (const char *at = code; *at != '\0';) {
        int length = (int)strcspn(at, "\n");
        char *end = out + strlen(out);
        if (*at == '.')
            sprintf(end, "%.*s\n", length, at);
        else
            sprintf(end, "        /*%04x*/                   %.*s ;\n", address, length, at);
        address += *at == '.' ? 0 : 16;
        at += length + (at[length] == '\n');
    }
    return out;
}

/* The kernel read from such lines. */
SUPPORT struct sass sass_of(const char *code) {
    struct sass sass;
    struct tw_error error;
    char *listing = listing_of(code);
    must(sass_read(&sass, listing, "f", &error), error);
    free(listing);
    return sass;
}

#endif

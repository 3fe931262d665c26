/* Internal to the room: the macros that preprocessing has met. */
#ifndef TW_VARIANT_MACROS_H
#define TW_VARIANT_MACROS_H

#include <stdbool.h>
#include <stddef.h>

#include "runtime/base/text.h"

enum tw_macro_kind {
    TW_MACRO_UNKNOWN, /* defined in a group that may be chosen or not */
    TW_MACRO_UNDEFINED,
    TW_MACRO_OBJECT,
    TW_MACRO_FUNCTION
};

struct tw_macro {
    const char *name; /* not terminated; in the text that is preprocessed */
    size_t length;
    enum tw_macro_kind kind;
    const char *body; /* of an object */
    size_t body_length;
    bool used; /* what is left of the source mentions it; asked of other names and numbers too */
};

/* Zero-initialise; free with tw_macros_free. */
struct tw_macros {
    struct tw_macro *all;
    size_t count;
    size_t *slots; /* index + 1, open addressing; 0: empty */
    size_t slot_count;
};

/* NULL when there is none of that name. */
struct tw_macro *tw_macros_find(const struct tw_macros *macros, const char *name, size_t length);
/* The macro of that name, new if there is none; valid until the next call. NULL: out of memory. */
struct tw_macro *tw_macros_get(struct tw_macros *macros, const char *name, size_t length);
void tw_macros_free(struct tw_macros *macros);

enum tw_condition { TW_CONDITION_FALSE, TW_CONDITION_TRUE, TW_CONDITION_UNKNOWN };

/* What `#if text` would choose. Sets *no_memory where there is too little to tell. */
enum tw_condition tw_macros_condition(const struct tw_macros *macros, const char *text,
                                      size_t length, bool *no_memory);

/* The identifier at or behind `at`; NULL when none begins before `end`. Text in quotes has none. */
const char *tw_identifier(const char *at, const char *end, size_t *length);
/* The same, numbers included. */
const char *tw_identifier_or_number(const char *at, const char *end, size_t *length);

#endif

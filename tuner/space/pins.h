/* Pins: parameters held at one value each, so that only configurations with these values count.
 *
 * An implementation counts when it has every pinned parameter and lists the value for it. */
#ifndef TUNER_SPACE_PINS_H
#define TUNER_SPACE_PINS_H

#include "runtime/base/text.h"
#include "runtime/description/configuration.h"

struct pin {
    char name[TW_NAME_SIZE];
    char value[TW_NAME_SIZE]; /* as it is written: an integer or a word */
};

/* Sorted by name. Zeroed: nothing is pinned. */
struct pins {
    int count;
    struct pin pins[TW_MAX_PARAMETERS];
    char implementation[TW_NAME_SIZE]; /* the only one that counts; empty: any may */
};

/* Reads NAME=VALUE words. TW_INVALID with a line for a word that is none, a parameter that no
 * implementation of the kernel has or that is given twice, a value that none lists, and pins that
 * no implementation has all of. */
tw_status pins_read(struct pins *pins, const char *const *words, int count,
                    const struct tw_description *description, struct tw_error *error);
/* Appends "BK=8 STAGING=async", the implementation not among them; nothing without pins. */
void pins_text(const struct pins *pins, struct tw_text *text);

/* Whether the implementation has all of them. */
bool pins_fit(const struct pins *pins, const struct tw_implementation *implementation);
/* Whether the parameter is pinned; its value then, in an implementation that the pins fit. */
bool pins_value(const struct pins *pins, const struct tw_implementation *implementation,
                int parameter, int64_t *value);
bool pins_allow(const struct pins *pins, const struct tw_description *description,
                const struct tw_configuration *configuration);
/* Gives a configuration the pinned values. TW_INVALID when its implementation lacks one. */
tw_status pins_apply(const struct pins *pins, const struct tw_description *description,
                     struct tw_configuration *configuration, struct tw_error *error);

#endif

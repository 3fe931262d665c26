/* What backends are to descriptions and sources, whether or not they are compiled in: results of
 * devices that are elsewhere are looked at too. What a backend can do itself is in its vtable. */
#ifndef TW_DESCRIPTION_LANGUAGES_H
#define TW_DESCRIPTION_LANGUAGES_H

#include <stdbool.h>
#include <stdint.h>

struct tw_language {
    const char *backend;    /* as descriptions and databases name it */
    const char *title;      /* as people do */
    const char *prelude;    /* the built-in file that every source begins with */
    const char *ending;     /* of its extensions, which are in templates/prelude/BACKEND */
    bool has_architectures; /* numbered ones, as `requires` asks for */
    bool has_machine_code;  /* that can be read: tuner/inspect */
    bool shared_at_launch;  /* the launch gives a kernel its shared memory, besides what it has */
};

/* Those that run on most first; ends with a NULL backend. */
extern const struct tw_language tw_languages[];

/* That of a backend; OpenCL C where the table has none of its own. */
const struct tw_language *tw_language_of(const char *backend);
/* Its bit in sets of languages. */
uint32_t tw_language_bit(const struct tw_language *language);

#endif

/* What kind of file a text of JSON is, and how far it goes, seen in one pass without parsing it.
 *
 * Kernel Tuner appends to its cache files while it runs and closes them at the end, so one whose
 * run was stopped lacks its last braces, and one whose writer was killed may end within an entry.
 */
#ifndef TUNER_FORMATS_OUTLINE_H
#define TUNER_FORMATS_OUTLINE_H

#include <stdbool.h>
#include <stddef.h>

struct outline {
    bool has_cache, has_results; /* members of the outermost object */
    bool closed;                 /* the outermost object is complete */
    size_t end;         /* not closed: behind the last whole member of "cache"; 0: there is none */
    const char *ending; /* what closes it there */
    bool cut;           /* and more than a comma follows: the beginning of another */
};

/* Any bytes will do; text that is no JSON has an outline that says little. */
struct outline outline_of(const char *text, size_t length);

#endif

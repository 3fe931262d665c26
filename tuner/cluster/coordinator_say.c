/* What the coordinator says while a job runs. */
#include <stdio.h>

#include "runtime/base/printable.h"
#include "tuner/cluster/coordinator_parts.h"

void coordinator_say(const char *line) {
    tw_printable_line(stderr, "tune-mpi: %s", line);
}

void coordinator_say_of(const struct seen *seen, const char *what) {
    struct tw_text line = {0};
    tw_text_print(&line, "%s%s", seen->name, what);
    coordinator_say(tw_text_or(&line, what));
    tw_text_free(&line);
}

#include "tuner/report/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "runtime/base/printable.h"

enum { USUAL_COLUMNS = 80, LEAST_COLUMNS = 40 };

static bool wants_colour(void) {
    const char *no = getenv("NO_COLOR"), *kind = getenv("TERM");
    return (no == NULL || no[0] == '\0') && kind != NULL && kind[0] != '\0' &&
           strcmp(kind, "dumb") != 0;
}

struct terminal terminal_of(FILE *file) {
    struct terminal terminal = {.file = file};
    struct winsize size;
    if (!isatty(fileno(file)))
        return terminal;
    terminal.colour = wants_colour();
    terminal.columns = USUAL_COLUMNS;
    if (ioctl(fileno(file), TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        terminal.columns = size.ws_col < LEAST_COLUMNS ? LEAST_COLUMNS : size.ws_col;
    return terminal;
}

static const char *code(enum ink ink) {
    static const char *const codes[] = {[INK_STRONG] = "\033[1m",
                                        [INK_QUIET] = "\033[2m",
                                        [INK_GOOD] = "\033[32m",
                                        [INK_BAD] = "\033[31m"};
    return codes[ink];
}

/* Text fit to be printed. Without memory for a longer one, it is cut. */
struct clean {
    char brief[2048];
    char *copy; /* NULL: it is in `brief` */
};

static const char *clean(struct clean *c, const char *text) {
    size_t size = strlen(text) + sizeof "....";
    c->copy = size > sizeof c->brief ? malloc(size) : NULL;
    return c->copy != NULL ? tw_printable_copy(text, c->copy, size)
                           : tw_printable_copy(text, c->brief, sizeof c->brief);
}

/* Characters, as far as UTF-8 tells: those that begin one. */
static int columns_of(const char *text, size_t length) {
    int count = 0;
    for (size_t i = 0; i < length; i++)
        count += ((unsigned char)text[i] & 0xc0) != 0x80;
    return count;
}

void terminal_print(const struct terminal *t, enum ink ink, int width, const char *text) {
    struct clean cleaned;
    const char *shown = clean(&cleaned, text);
    int room = width - columns_of(shown, strlen(shown));
    fprintf(t->file, "%s%s%s%*s", t->colour ? code(ink) : "", shown, t->colour ? "\033[0m" : "",
            room > 0 ? room : 0, "");
    free(cleaned.copy);
}

/* How many bytes of a text fit: all of them, or up to the last place where it may be broken, or, if
 * there is none, as many as there are columns. */
static size_t fitting(const char *text, int columns) {
    size_t broken = 0, at = 0;
    for (int used = 0; text[at] != '\0'; at++) {
        if (((unsigned char)text[at] & 0xc0) != 0x80 && used++ == columns)
            return broken > 0 ? broken : at;
        if (text[at] == ' ' || text[at] == ',')
            broken = at + 1;
    }
    return at;
}

void terminal_wrap(const struct terminal *t, int used, int indent, const char *text) {
    struct clean cleaned;
    const char *at = clean(&cleaned, text);
    int room = t->columns - used;
    while (t->columns > 0 && at[0] != '\0') {
        size_t length = fitting(at, room > 8 ? room : 8);
        if (at[length] == '\0')
            break;
        /* A space at the place is on neither line. */
        fprintf(t->file, "%.*s\n%*s", (int)(length - (at[length - 1] == ' ')), at, indent, "");
        at += length;
        at += strspn(at, " ");
        room = t->columns - indent;
    }
    fputs(at, t->file);
    free(cleaned.copy);
}

void terminal_cut(const struct terminal *t, int used, const char *text) {
    struct clean cleaned;
    const char *shown = clean(&cleaned, text);
    int room = t->columns - used;
    if (t->columns > 0 && columns_of(shown, strlen(shown)) > room) {
        size_t length = 0;
        for (int count = 0; shown[length] != '\0'; length++)
            if (((unsigned char)shown[length] & 0xc0) != 0x80 && count++ >= room - 3)
                break;
        fprintf(t->file, "%.*s...", (int)length, shown);
    } else {
        fputs(shown, t->file);
    }
    free(cleaned.copy);
}
